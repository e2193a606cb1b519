"""Fig. 5.12: running while a cube is thrown at the body every second."""

from dataclasses import replace

import mujoco
import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, brains, database
from lactic.lab.pictures import COLOURS, dress, panel
from lactic.lab.report import Report
from lactic.play.steered import crowd_of
from lactic.steer.steering import Steering
from lactic.world.cpu import CpuWorld

TITLE = "time between falls while cubes are thrown"
MASSES = (0.01, 1.0, 2.0, 4.0, 6.0, 8.0)  # kg
SECONDS = 60.0
EDGE = 0.2  # m; the thesis does not give its cube's size
SPEED, FAR, SPREAD = 5.0, 2.0, 0.5  # m/s; from a hemisphere of this radius; towards a spot this far above or below
EVERY, TURN_EVERY, RUN = 1.0, 4.0, 3.0  # s, s, m/s


def with_cube(body: Body, mass: float) -> Body:
    """The body with a free cube in its world, last in the state."""

    def spec() -> mujoco.MjSpec:
        made = body.spec()
        cube = made.worldbody.add_body(name="cube", pos=[-20, 0, EDGE])
        cube.add_freejoint(name="cube")
        cube.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[EDGE / 2] * 3,
            mass=mass,
            contype=1,
            conaffinity=1,
            condim=3,
            friction=[1.0, 0.005, 0.0001],
        )
        return made

    return replace(body, spec=spec)


class Thrower:
    """Throws each world's cube at its character."""

    def __init__(self, world: CpuWorld, body: Body, seed: int = 0):
        self.world, mass = world, body.model.body_mass[1:]
        self._share, self._inside = mass / mass.sum(), body.model.body_ipos[1:]
        self._nq, self._nv, self._parts = body.model.nq, body.model.nv, len(body.bodies)
        self._random = np.random.default_rng(seed)

    def centre(self) -> np.ndarray:
        """Centres of mass of the characters, (world, 3)."""
        xpos, xquat = self.world.xpos[:, : self._parts], self.world.xquat[:, : self._parts]
        inside = rotation.rotate(np.asarray(xquat), np.broadcast_to(self._inside, xpos.shape))
        return np.einsum("k,nkc->nc", self._share, xpos + inside)

    def throw(self) -> None:
        """From a random point of the upper hemisphere, turned anyhow, at 5 m/s towards the body."""
        count, centre = self.world.count, self.centre()
        way = rotation.normalize(self._random.normal(size=(count, 3)))
        way[:, 2] = np.abs(way[:, 2])
        start = centre + FAR * way
        spot = centre + self._random.uniform(-SPREAD, SPREAD, (count, 1)) * [0.0, 0.0, 1.0]
        qpos, qvel = self.world.qpos[:, self._nq :], self.world.qvel[:, self._nv :]
        qpos[:, :3], qpos[:, 3:] = start, rotation.normalize(self._random.normal(size=(count, 4)))
        qvel[:, :3], qvel[:, 3:] = SPEED * rotation.normalize(spot - start), 0.0


def make(bench: Bench, report: Report) -> None:
    """Seconds between falls by the cube's mass, running at 3 m/s with a new direction every 4 s."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True)
    count, steering = min(bench.episodes, MOST), Steering()
    trigger = (RUN - steering.walk) / (steering.run - steering.walk)
    draw = np.random.default_rng(bench.seed)
    turns = draw.uniform(-np.pi, np.pi, (int(SECONDS / TURN_EVERY) + 2, count))

    def pad(second: float, roots: np.ndarray) -> np.ndarray:
        turn = turns[int(second / TURN_EVERY + 1e-9)]
        return np.stack([np.cos(turn), np.sin(turn), 0 * turn, 0 * turn, 0 * turn + trigger, 0 * turn], -1)

    axis = panel(report, height=3.2, x="mass of the cube (kg)")
    for colour, folder in zip(COLOURS, found, strict=False):
        between = []
        for mass in MASSES:
            world = CpuWorld(with_cube(frames.body, mass), count)
            crowd = crowd_of(folder, frames, pad, count, world=world)
            thrower, rate = Thrower(world, frames.body, bench.seed), crowd.player.info.control_rate
            falls = np.zeros(count)
            for k in range(round(SECONDS * rate)):
                if k % round(EVERY * rate) == 0:
                    thrower.throw()
                crowd.step()
                falls += crowd.stand_up()
            rated = statistics.ratio(np.full(count, SECONDS), np.maximum(falls, 0)) if falls.any() else SECONDS * count
            report.add(folder.name, f"{mass:g} kg", "seconds_between_falls", rated)
            between.append(SECONDS * count / max(falls.sum(), 1))
        axis.plot(MASSES, between, "o-", color=colour, label=folder.name)
    axis.set_yscale("log")
    dress(axis, "mean time between falls", "s")
