"""A person in numbers: the 28-DoF humanoid's joints on shapes fitted to a human mesh, of any height and mass.

The frame of each rigid body lies at the joint that carries it and is turned as at rest: upright, arms hanging. Numbers
are those of the right side and the midline; the left side is their mirror image. Shipped are fits of a few men of one
height from lean to stout; others lie between them and are scaled, their mass shared anew.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lactic import rotation
from lactic.body.mass import CELL, MassProperties, share_mass
from lactic.body.shapes import NO_TURN, Box, Capsule, Shape
from lactic.errors import InputError

PARENTS = {
    "pelvis": None,
    "torso": "pelvis",
    "head": "torso",
    "upper_arm": "torso",
    "forearm": "upper_arm",
    "hand": "forearm",
    "thigh": "pelvis",
    "shin": "thigh",
    "foot": "shin",
}
MIDLINE = ("pelvis", "torso", "head")
HEIGHTS = (1.3, 2.2)  # metres; grown-ups


@dataclass(frozen=True, eq=False)
class Segment:
    """One rigid body: where it hangs on its parent, how it is turned in the mesh's pose, its shapes and its mass."""

    offset: np.ndarray
    """Of its joint from the parent's, m."""
    bind: np.ndarray
    """Turn (w, x, y, z) from rest to the pose of the mesh, in which arms and legs are apart."""
    shapes: tuple[Shape, ...]
    touches: tuple[bool, ...]
    """Which shapes meet the floor."""
    inertia: MassProperties | None = None

    def scaled(self, factor: float) -> "Segment":
        """The segment `factor` times as large, without mass."""
        return replace(
            self, offset=self.offset * factor, shapes=tuple(s.scaled(factor) for s in self.shapes), inertia=None
        )


@dataclass(frozen=True, eq=False)
class Person:
    """A fitted person: stature in m, mass in kg, segments by name, and how far the scalp is above the neck's joint."""

    height: float
    mass: float
    scalp: float
    segments: dict[str, Segment]

    @property
    def hip_height(self) -> float:
        """Height of the hips over the floor at rest."""
        foot = self.segments["foot"]
        soles = min(s.bounds[0][2] for s, touches in zip(foot.shapes, foot.touches, strict=True) if touches)
        return -float(self.segments["shin"].offset[2] + self.segments["foot"].offset[2] + soles)

    @property
    def stature(self) -> float:
        """Height of the scalp over the floor at rest."""
        return self.hip_height + float(self.segments["torso"].offset[2] + self.segments["head"].offset[2]) + self.scalp

    def spread(self) -> dict[str, list[Shape]]:
        """The shapes of all 15 bodies in the pose of the mesh, hips at the origin."""
        origins, bodies = self._origins(), {}
        for name, segment in self.segments.items():
            shapes: list[Shape] = [shape.moved(segment.bind, origins[name]) for shape in segment.shapes]
            if name in MIDLINE:
                bodies[name] = shapes
            else:
                bodies[f"right_{name}"] = shapes
                bodies[f"left_{name}"] = [shape.mirrored() for shape in shapes]
        return bodies

    def scaled(self, height: float, mass: float) -> "Person":
        """The same build at that stature, with a mass yet to be shared out."""
        factor = height / self.stature
        return Person(height, mass, self.scalp * factor, {k: s.scaled(factor) for k, s in self.segments.items()})

    def weighed(self, cell: float = CELL) -> "Person":
        """The person with the mass shared among the bodies (bergamin2020 Sec. 4.1.2), exactly `mass` in all."""
        shared = share_mass(self.spread(), self.mass, cell)
        origins = self._origins()
        segments = {}
        for name, segment in self.segments.items():
            found = shared[name if name in MIDLINE else f"right_{name}"]
            found = found.seen_from(segment.bind, origins[name])
            if name in MIDLINE:  # symmetric but for the last digits: centre and one axis lie in the mirror plane
                found = replace(
                    found, centre=found.centre * [1, 0, 1], turn=rotation.normalize(found.turn * [1, 0, 1, 0])
                )
            segments[name] = replace(segment, inertia=found)
        return replace(self, segments=segments)

    def _origins(self) -> dict[str, np.ndarray]:
        """Joints of midline and right side in the pose of the mesh, hips at the origin."""
        at: dict[str, np.ndarray] = {}
        for name, segment in self.segments.items():
            parent = PARENTS[name]
            turn, origin = (self.segments[parent].bind, at[parent]) if parent else (NO_TURN, np.zeros(3))
            at[name] = origin + rotation.rotate(turn, segment.offset)
        return at


def between(a: Person, b: Person, share: float) -> Person:
    """Part of the way from one person to another whose shapes are of the same kinds; mass is not shared out."""

    def mix(x: Any, y: Any) -> Any:
        return (1 - share) * x + share * y

    def shape(x: Shape, y: Shape) -> Shape:
        if isinstance(x, Capsule) and isinstance(y, Capsule):
            return Capsule(mix(x.start, y.start), mix(x.end, y.end), mix(x.radius, y.radius))
        assert isinstance(x, Box) and isinstance(y, Box)
        return Box(mix(x.centre, y.centre), mix(x.half, y.half), rotation.slerp(x.turn, y.turn, np.array(share)))

    segments = {}
    for name, one in a.segments.items():
        two = b.segments[name]
        segments[name] = Segment(
            mix(one.offset, two.offset),
            rotation.slerp(one.bind, two.bind, np.array(share)),
            tuple(shape(x, y) for x, y in zip(one.shapes, two.shapes, strict=True)),
            one.touches,
        )
    return Person(mix(a.height, b.height), mix(a.mass, b.mass), mix(a.scalp, b.scalp), segments)


def check(height: float, mass: float) -> None:
    """Refuse what no grown-up measures."""
    if not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise InputError(f"height {height:g} m: give metres from {HEIGHTS[0]} to {HEIGHTS[1]}")
    if not 10 <= mass / height**2 <= 60:
        low, high = 10 * height**2, 60 * height**2
        raise InputError(f"mass {mass:g} kg at {height:g} m: give kilograms from {low:.0f} to {high:.0f}")
