"""Planar bodies as chains of rigid links: the jumper and the swinger of jiang2019, in CasADi.

Both are half of a person (one leg, half of the trunk), as in the paper, so torques are those of one leg. Masses,
lengths and the range of motion are those of the models published with the paper (gait2392, scaled for the jumper;
CC BY 3.0, Delp et al. 1990, Anderson & Pandy 1999). x points forward, y up; links turn counter-clockwise. Hip and ankle
flex and the knee extends in the positive direction, as in OpenSim, where a bent knee is negative.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import casadi as ca
import numpy as np

from lactic.plan.leg import shipped

GRAVITY = 9.80665
LEG = ("hip", "knee", "ankle")
"""Order of a leg's coordinates, as of `leg.ANGLES`."""


@dataclass(frozen=True)
class Link:
    """A rigid body: mass (kg), inertia about its mass centre (kg m²), where that is and how far it is turned."""

    mass: float
    inertia: float
    centre: ca.SX
    angle: ca.SX


@dataclass(frozen=True)
class ChainPose:
    """A chain at some coordinates: its bodies, and named points to draw it by."""

    parts: list[Link]
    points: dict[str, ca.SX]
    """Where links meet and end, from the root outwards."""
    angles: dict[str, ca.SX]
    """By which links are turned."""


@dataclass(frozen=True)
class Chain:
    """A planar body held at one end (toe or hand), or flying when `free`: then x and y of that end come first."""

    name: str
    joints: tuple[str, ...]
    """Coordinates; the first turns the whole body about the held end and nothing drives it."""
    low: np.ndarray
    high: np.ndarray
    speed: np.ndarray
    """± rad/s."""
    build: Callable[[ca.SX, ca.SX], ChainPose] = field(repr=False)
    """ChainPose from the position of the held end and the joints."""
    free: bool = False

    @property
    def size(self) -> int:
        """Degrees of freedom."""
        return len(self.joints) + (2 if self.free else 0)

    @property
    def driven(self) -> tuple[int, ...]:
        """Coordinates that have a torque."""
        return tuple(range(self.size - len(self.joints) + 1, self.size))

    def column(self, joint: str) -> int:
        """Where a joint is among the coordinates."""
        return self.size - len(self.joints) + self.joints.index(joint)

    def flying(self) -> "Chain":
        """The same body let go."""
        far = [20.0, 20.0]  # m, and m/s
        low, high = np.append(np.negative(far), self.low), np.append(far, self.high)
        return replace(self, low=low, high=high, speed=np.append(far, self.speed), free=True)

    def pose(self, q: ca.SX) -> ChainPose:
        """Bodies and points at coordinates."""
        return self.build(q[:2], q[2:]) if self.free else self.build(ca.SX([0.0, 0.0]), q)

    @cached_property
    def mass(self) -> float:
        """Of the half body, kg."""
        return sum(part.mass for part in self.pose(ca.SX.sym("q", self.size)).parts)

    @cached_property
    def dynamics(self) -> ca.Function:
        """(q, v, a) ↦ generalised forces M·a + c − g (Eq. 3), the mass centre, its velocity and its acceleration."""
        q, v, a = (ca.SX.sym(name, self.size) for name in "qva")
        forces, weighted = ca.SX.zeros(self.size), [ca.SX.zeros(2)] * 3
        for part in self.pose(q).parts:
            slide, turn = ca.jacobian(part.centre, q), ca.jacobian(part.angle, q)  # angles are linear in q
            moving = slide @ v
            speeding = ca.jtimes(moving, q, v) + slide @ a
            lifted = speeding + ca.DM([0.0, GRAVITY])
            forces += part.mass * slide.T @ lifted + part.inertia * turn.T @ (turn @ a)
            share, moved = part.mass / self.mass, (part.centre, moving, speeding)
            weighted = [w + share * x for w, x in zip(weighted, moved, strict=True)]
        return ca.Function("dynamics", [q, v, a], [forces, *weighted], ["q", "v", "a"], ["force", "com", "vel", "acc"])

    @cached_property
    def places(self) -> ca.Function:
        """q ↦ points (2, point) and link angles (1, link)."""
        q = ca.SX.sym("q", self.size)
        pose = self.pose(q)
        return ca.Function("places", [q], [ca.horzcat(*pose.points.values()), ca.horzcat(*pose.angles.values())])

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of points and links."""
        pose = self.pose(ca.SX.sym("q", self.size))
        return tuple(pose.points), tuple(pose.angles)


def _turn(angle: ca.SX) -> ca.SX:
    return ca.vertcat(ca.horzcat(ca.cos(angle), -ca.sin(angle)), ca.horzcat(ca.sin(angle), ca.cos(angle)))


def _knee(bend: ca.SX, scale: float = 1.0) -> ca.SX:
    """Where the shin turns, in the thigh's frame: it glides with the knee angle, as in gait2392."""
    rows = [sum(c * bend**i for i, c in enumerate(row)) for row in scale * shipped().knee]
    return ca.vertcat(*rows)


def _jumper(toe: ca.SX, q: ca.SX) -> ChainPose:
    """Toe, ankle, knee, hip: from the ground up."""
    tilt, ankle, knee, hip = q[0], q[1], q[2], q[3]
    foot, shin = tilt, tilt - ankle
    thigh = shin - knee
    trunk = thigh - hip
    at_ankle = toe + _turn(foot) @ ca.DM([0.04877 - 0.2, 0.04195])
    at_knee = at_ankle + _turn(shin) @ ca.DM([0.0, 0.442729578570234])
    at_hip = at_knee - _turn(thigh) @ _knee(knee, 1.0076105425745)
    parts = [
        Link(1.46671010213795, 0.00481080913501246, toe + _turn(foot) @ ca.DM([-0.1, 0.03]), foot),
        Link(0.117336808171036, 0.00117336808171036, at_ankle, foot),
        Link(3.7026216294115, 0.0535616752623068, at_knee + _turn(shin) @ ca.DM([0.0, -0.192227]), shin),
        Link(9.3139658752207, 0.148210992247914, at_hip + _turn(thigh) @ ca.DM([0.0, -0.171294]), thigh),
        Link(6.00937794915145, 0.0289596965406774, at_hip + _turn(trunk) @ ca.DM([0.0, 0.0610319]), trunk),
        Link(17.1721336662848, 0.7157, at_hip + _turn(trunk) @ ca.DM([-0.0611541, 0.4931291]), trunk),
    ]
    points = {
        "toe": toe,
        "heel": toe + _turn(foot) @ ca.DM([-0.22, 0.0]),
        "ankle": at_ankle,
        "knee": at_knee,
        "hip": at_hip,
        "neck": at_hip + _turn(trunk) @ ca.DM([-0.06, 0.6]),
    }
    return ChainPose(parts, points, {"foot": foot, "shin": shin, "thigh": thigh, "trunk": trunk})


def _swinger(hand: ca.SX, q: ca.SX) -> ChainPose:
    """Hand, shoulder, hip, knee, ankle: from the bar down."""
    arm = q[0]
    trunk = arm + q[1]
    thigh = trunk + q[2]
    shin = thigh + q[3]
    foot = shin + q[4]
    at_shoulder = hand + _turn(arm) @ ca.DM([-0.002, -0.522114])
    at_hip = at_shoulder + _turn(trunk) @ ca.DM([0.03, -0.5191])
    at_knee = at_hip + _turn(thigh) @ _knee(q[3])
    at_ankle = at_knee + _turn(shin) @ ca.DM([0.0, -0.43])
    heel = at_ankle + _turn(foot) @ ca.DM([-0.04877, -0.04195])
    parts = [
        Link(0.4575, 0.00134, hand, arm),
        Link(1.2115, 0.003213, hand + _turn(arm) @ ca.DM([0.013144, -0.115316]), arm),
        Link(2.0325, 0.013409, hand + _turn(arm) @ ca.DM([-0.002, -0.357594]), arm),
        # doubtful: half of gait2392's masses, but its whole inertia of trunk and pelvis, which the jumper has half of
        Link(17.1, 1.4314, at_shoulder + _turn(trunk) @ ca.DM([0.0, -0.0515]), trunk),
        Link(5.89, 0.0579, at_shoulder + _turn(trunk) @ ca.DM([0.03, -0.453]), trunk),
        Link(9.3014, 0.1412, at_hip + _turn(thigh) @ ca.DM([0.0, -0.17]), thigh),
        Link(3.7075, 0.0511, at_knee + _turn(shin) @ ca.DM([0.0, -0.1867]), shin),
        Link(0.1, 0.001, at_ankle, foot),
        Link(1.25, 0.0041, heel + _turn(foot) @ ca.DM([0.1, 0.03]), foot),
    ]
    points = {
        "hand": hand,
        "shoulder": at_shoulder,
        "neck": at_shoulder + _turn(trunk) @ ca.DM([0.0, 0.08]),
        "hip": at_hip,
        "knee": at_knee,
        "ankle": at_ankle,
        "heel": heel + _turn(foot) @ ca.DM([-0.02, 0.0]),
        "toe": heel + _turn(foot) @ ca.DM([0.2, 0.0]),
    }
    return ChainPose(parts, points, {"arm": arm, "trunk": trunk, "thigh": thigh, "shin": shin, "foot": foot})


JUMPER = Chain(
    "jumper",
    ("toe", "ankle", "knee", "hip"),
    np.array([-0.8, -1.0, -2.5, -0.9]),
    np.array([0.1, 1.1, 0.1, 2.2]),
    np.array([20.0, 15.0, 15.0, 5.0]),
    _jumper,
)
CROUCH = np.radians([0.0, 48.158, -104.737, 97.895])
"""The jumper's first pose."""
SWINGER = Chain(
    "swinger",
    ("bar", "shoulder", "hip", "knee", "ankle"),
    np.array([-1.5, -0.3, -0.9, -2.2, -0.8]),
    np.array([1.5, 1.5, 2.2, 0.1, 0.8]),
    np.array([6.0, 3.0, 5.0, 10.0, 10.0]),
    _swinger,
)
