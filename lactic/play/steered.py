"""Characters that are steered: a brain that follows motions behind a leader that a gamepad leads.

The leader runs as many control steps ahead as the brain looks; what it did since is kept, and told as any motion is.
"""

from pathlib import Path

import numpy as np

from lactic import fatigue
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.motion.timeline import Aimed, carry, told
from lactic.play.driver import Driver
from lactic.play.player import Player
from lactic.play.tracked import LOST
from lactic.steer.gamepad import Pad
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.legs import legs_capacity
from lactic.steer.matching import Database
from lactic.steer.steering import Steering
from lactic.world.cpu import CpuWorld

DATABASE = "database.npz"
"""In a brain's folder: the motion its leader plays where no other is given."""
SHIPPED = catalogue.SHIPPED / "steer" / DATABASE
"""Ten minutes of the shipped character's own motion."""
LEASH = 0.06
"""Metres over the floor that a body may be from what it follows before leader and motion are carried along. With 0.3 m
a body that was late in a turn had to catch up, and fell half as often again."""


class Steered(Driver):
    """Characters of a player, each behind its leader, whose motion waits for nobody.

    `pacing` names the rule by which a body that tires asks for less (`steer.steering.PACINGS`).
    """

    def __init__(
        self, player: Player, database: Database, pad: Pad, pacing: str = "tireless", steering: Steering | None = None
    ):
        about, rate = player.info.tracking, player.info.control_rate
        if about is None or about.targets:
            raise InputError(f"{player.brain.path}: does not follow whole poses, so it takes no database")
        if database.body.joints != player.info.joints:
            raise InputError(f"a database of '{database.body_name}', and the brain is for '{player.info.body}'")
        self.player, self.about, self.pad, self.count = player, about, pad, player.world.count
        self.updates = round(database.fps / rate)
        """Frames of the leader in a control step, of which the last one is told."""
        if self.updates < 1 or abs(self.updates * rate - database.fps) > 1e-6:
            raise InputError(
                f"a database at {database.fps:g} Hz: the brain needs one at a multiple of {rate:g} Hz; build it again "
                "at another rate"
            )
        self.kinematic = KinematicCharacters(database, self.count, steering, pacing)
        self.size = max(1, *about.later) + 1
        """Moments that are kept: now, and all that are told of."""
        pose, kept = self.kinematic.pose, (self.size, self.count)
        parts = pose.qpos, pose.qvel, pose.positions, pose.rotations
        self.moments = Aimed(*(np.zeros((*kept, *part.shape[1:]), np.float32) for part in parts))
        """A ring of what the leaders did, (moment, character, …)."""
        self.at = 0
        """Where now lies in it."""
        self.frame = 0
        """Frames of the leaders so far."""
        self.waiting = np.zeros(self.count, np.float32) if about.heeds else None
        self._roots = player.world.qpos[:, :7]
        self.reset()

    def moment(self, ahead: int = 0) -> Aimed:
        """What is to be followed now, or so many control steps ahead, (character, …)."""
        at = (self.at + ahead) % self.size
        return Aimed(*(part[at] for part in self.moments))

    def reset(self, who: np.ndarray | None = None) -> None:
        """All standing at the origin, looking along x; or those of a mask onto their leaders' motion, which is carried
        to where they lie and goes on."""
        world = self.player.world
        if who is None:
            self.kinematic.place(np.zeros((self.count, 2)), np.zeros(self.count))
            world.reset()
            self.frame = self.at = 0
            for ahead in range(self.size):
                self._keep(ahead)
        else:
            self._carry(who[:, None] * (self._roots[:, :2] - self.moment().qpos[:, :2]))
        now, qpos, qvel = self.moment(), np.array(world.qpos), np.array(world.qvel)
        qpos[:, : now.qpos.shape[1]], qvel[:, : now.qvel.shape[1]] = now.qpos, now.qvel
        world.reset(who, qpos, qvel)

    def take_after(self, other: "Steered") -> None:
        """Be where others of the same brain and database are, and go on as they would."""
        self.kinematic.take_after(other.kinematic)
        for mine, theirs in zip(self.moments, other.moments, strict=True):
            mine[:] = theirs
        self.at, self.frame = other.at, other.frame
        self.player.world.reset(None, other.player.world.qpos, other.player.world.qvel)

    def step(self) -> None:
        """One control step, for which the leaders go on to the last moment that is told."""
        for _ in range(self.updates):
            self.go_on()
        self._keep(self.size - 1)
        self.tell()
        self.player.step(self.player.command)
        self.at = (self.at + 1) % self.size
        gap = self._roots[:, :2] - self.moment().qpos[:, :2]
        if (np.einsum("ij,ij->i", gap, gap) > LEASH**2).any():
            self._carry(carry(gap, LEASH))

    def go_on(self) -> None:
        """The next frame of the leaders; they feel how tired the bodies are."""
        player, tires = self.player, self.player.fitness.tires
        capacity = legs_capacity(player.body, player.fatigue[..., 2]) if tires else None
        self.kinematic.step(self.pad(self.frame * self.kinematic.dt, self._roots), capacity)
        self.frame += 1

    def tell(self) -> None:
        """Write the command: the motion's next moments."""
        self.player.command[:] = told(self.moment, self.about.later, waits=self.waiting)

    def error(self) -> np.ndarray:
        """Mean distance of the bodies from where the motion has them, m, (character,)."""
        aims = self.moment().xpos
        return np.linalg.norm(self.player.world.xpos[:, : aims.shape[1]] - aims, axis=2).mean(1)

    def fallen(self) -> np.ndarray:
        """Which have lost the motion, or lost their state, (character,)."""
        return (self.error() > LOST) | self.player.world.faulted

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (character, body, 3) and rotations of what is followed now."""
        now = self.moment()
        return now.xpos, now.xquat

    def _keep(self, ahead: int) -> None:
        """Write down what the leaders show as what they do so many control steps ahead."""
        at, pose = (self.at + ahead) % self.size, self.kinematic.pose
        shown = pose.qpos, pose.qvel, pose.positions, pose.rotations
        for kept, part in zip(self.moments, shown, strict=True):
            kept[at] = part

    def _carry(self, way: np.ndarray) -> None:
        """Carry leaders, and all that they did, over the floor by ways (character, 2)."""
        self.kinematic.carry(way)
        self.moments.qpos[..., :2] += way
        self.moments.xpos[..., :2] += way[:, None]


def steerable(folder: BrainFolder, info: BrainInfo, database: str | Path | None = None) -> bool:
    """Whether a brain is steered: it follows motions and has a database."""
    tracks = info.tracking is not None and not info.tracking.targets
    return tracks and (database is not None or (folder.path / DATABASE).is_file())


def crowd_of(
    folder: BrainFolder,
    frames: Database,
    pad: Pad,
    count: int,
    fitness: Fitness | None = None,
    pacing: str = "tireless",
    world: CpuWorld | None = None,
    threads: int = 0,
) -> Steered:
    """Characters of a brain behind leaders that a pad leads, fresh and tireless unless told otherwise."""
    player = Player(folder.load(), fitness or fatigue.preset("off"), count, threads, world=world)
    return Steered(player, frames, pad, pacing)


def database_of(folder: BrainFolder, given: str | Path | None = None) -> Database:
    """The database given, or the one that lies beside a brain, or else the one that Lactic recorded and ships."""
    own = folder.path / DATABASE
    return Database.load(given if given is not None else own if own.is_file() else SHIPPED)
