"""A planned motion as pictures and files: a person in MuJoCo for film strips, a skeleton for BVH.

The plan is half a person in a plane; drawn are both legs and arms, side by side. x stays forward, y of the plane
becomes z, and links turn about −y.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np

from lactic import rotation
from lactic.body.body import Body, world_spec
from lactic.motion.bvh_write import write_bvh
from lactic.motion.clip import Clip
from lactic.picture.film import draw_strip
from lactic.plan.chain import Chain

FPS = 60.0
BAR = 2.3  # m above the ground
SIDE = {"thigh": 0.09, "shin": 0.09, "foot": 0.09, "arm": 0.19}
THICK = {"trunk": 0.11, "thigh": 0.07, "shin": 0.05, "foot": 0.035, "arm": 0.04}
ENDS = {
    "trunk": ("hip", "neck"),
    "thigh": ("hip", "knee"),
    "shin": ("knee", "ankle"),
    "foot": ("heel", "toe"),
    "arm": ("shoulder", "hand"),
}


@dataclass(frozen=True)
class PlanFilm:
    """A chain's motion at `FPS`: coordinates (frame, size) of the flying chain."""

    chain: Chain
    q: np.ndarray

    @cached_property
    def _places(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Points (frame, 3) and link angles (frame,), by name."""
        points, angles = self.chain.places.map(len(self.q))(self.q.T)
        names, links = self.chain.names
        flat = np.asarray(points).T.reshape(len(self.q), len(names), 2)
        turned = np.asarray(angles).reshape(len(self.q), len(links))
        lift = BAR if "arm" in links else 0.0
        at = {n: np.stack([flat[:, i, 0], 0 * flat[:, i, 0], flat[:, i, 1] + lift], 1) for i, n in enumerate(names)}
        return at, {n: turned[:, i] for i, n in enumerate(links)}

    @cached_property
    def body(self) -> Body:
        """The figure: every link a body of its own, placed anew in each frame."""

        def spec() -> mujoco.MjSpec:
            made = world_spec(self.chain.name)
            for name, y in self._pieces():
                start, end = (self._local(name, point) for point in ENDS[name])
                one = made.worldbody.add_body(name=f"{name}{y:+.2f}")
                one.add_freejoint()
                kind = mujoco.mjtGeom.mjGEOM_CAPSULE
                one.add_geom(type=kind, fromto=[*start, *end], size=[THICK[name], 0, 0], mass=1.0)
                if name == "trunk":
                    up = (end - start) / np.linalg.norm(end - start)
                    one.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=end + 0.17 * up, size=[0.1, 0, 0], mass=1.0)
            if "hand" in self.chain.names[0]:
                bar = made.worldbody.add_body(name="bar", pos=[0, 0, BAR])
                bar.add_freejoint()
                bar.add_geom(
                    type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[0, -0.4, 0, 0, 0.4, 0], size=[0.02, 0, 0], mass=1.0
                )
            return made

        none = np.zeros(0)
        return Body(self.chain.name, spec, (), (), {}, (), (), none, none, none)

    def _pieces(self) -> list[tuple[str, float]]:
        return [(n, side) for n in self.chain.names[1] for side in ((SIDE[n], -SIDE[n]) if n in SIDE else (0.0,))]

    def _origin(self, name: str) -> str:
        return ENDS[name][0] if name != "foot" else "ankle"

    def _local(self, link: str, point: str) -> np.ndarray:
        """A point in the frame of a link, in the first frame (only the knee glides, by some mm)."""
        at, turned = self._places
        away, angle = (at[point] - at[self._origin(link)])[0], turned[link][0]
        return np.array(
            [np.cos(angle) * away[0] + np.sin(angle) * away[2], 0.0, -np.sin(angle) * away[0] + np.cos(angle) * away[2]]
        )

    @cached_property
    def qpos(self) -> np.ndarray:
        """Of the figure (frame, 7·bodies)."""
        at, turned = self._places
        columns = []
        for name, y in self._pieces():
            columns += [at[self._origin(name)] + [0, y, 0], rotation.about("y", -turned[name])]
        if "hand" in self.chain.names[0]:
            columns.append(np.tile([0.0, 0, BAR, 1, 0, 0, 0], (len(self.q), 1)))
        return np.concatenate(columns, 1)

    def strip(self, path: Path, count: int = 9) -> None:
        """Draw the film strip."""
        draw_strip(self.body, self.qpos, FPS, path, count=count, travel=False)

    def bvh(self, path: Path, name: str) -> None:
        """Write the motion of a skeleton: hips, and from there trunk, arms and legs."""
        at, turned = self._places
        joints, parents, rotations = ["hips"], [-1], [rotation.about("y", -turned["trunk"])]
        offsets, tips = [np.zeros(3)], [np.zeros(3)]

        def add(joint: str, link: str, parent: int, above: str, offset: np.ndarray, tip: np.ndarray) -> int:
            joints.append(joint)
            parents.append(parent)
            offsets.append(offset)
            rotations.append(rotation.about("y", turned[above] - turned[link]))
            tips.append(tip)
            return len(joints) - 1

        end = self._local("trunk", "neck")
        add("spine", "trunk", 0, "trunk", 0.3 * end, end)
        for side, sign in (("left", 1.0), ("right", -1.0)):
            out = np.array([0.0, sign, 0.0])
            above = add(f"{side}_thigh", "thigh", 0, "trunk", SIDE["thigh"] * out, np.zeros(3))
            above = add(f"{side}_shin", "shin", above, "thigh", self._local("thigh", "knee"), np.zeros(3))
            add(f"{side}_foot", "foot", above, "shin", self._local("shin", "ankle"), self._local("foot", "toe"))
            if "arm" in turned:
                place = self._local("trunk", "shoulder") + SIDE["arm"] * out
                add(f"{side}_arm", "arm", 0, "trunk", place, self._local("arm", "hand"))
        turns, places = np.stack(rotations, 1), np.array(offsets)
        clip = Clip(name, FPS, tuple(joints), tuple(parents), places, at["hip"], turns, tips=np.array(tips))
        write_bvh(path, clip)


def film(chain: Chain, times: np.ndarray, q: np.ndarray) -> PlanFilm:
    """A film of coordinates (node, size) of the flying chain at some times, played at `FPS`."""
    at = np.arange(0, times[-1] + 1e-9, 1 / FPS)
    return PlanFilm(chain if chain.free else chain.flying(), np.stack([np.interp(at, times, c) for c in q.T], 1))
