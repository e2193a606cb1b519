"""The muscle man: 23 bodies, 22 joints and 50 degrees of freedom that only muscles move (`lactic/muscle/man/`).

Numbers of Lee et al. 2019 as feng2023 uses them, in `muscle_man.json` beside this file, with the card `muscle_man.md`.
The file has the right side; the left one is its mirror image, to the last digit. Each body is a box. Chosen here are
the armature and the range of ball joints. MuJoCo gives a ball joint one range, its angle from the rest pose. It is the
largest that the published ranges about three axes allow together, 2.6 rad at most. Stretched muscles do the rest.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mujoco
import numpy as np

from lactic.body.body import Body, mirrored, world_spec

FILE = Path(__file__).with_suffix(".json")
REFLECT = np.array([1.0, -1.0, 1.0])
"""Left and right change places by y → −y."""
DAMPING = 10.0  # Nm·s/rad, feng2023 C.1; below 3 explicit muscle forces at 120 Hz spike
ARMATURE = 0.05  # kg·m²; half of what the damping adds in a physics step, and with 0.01 clavicles and toes rattle
WIDEST = 2.6  # rad
ARM = ("scapula", "upper_arm", "forearm", "hand")
"""Ends of the names of bodies that can move where the others are fixed."""
TILTED = 0.6  # rad; necks have 1.5 about the forward axis, to one side only, which cannot be meant


@dataclass(frozen=True)
class ManSegment:
    """A box of the muscle man and the joint above it; places are of the rest pose, in the world."""

    name: str
    parent: str | None
    joint: str
    at: np.ndarray
    """Place of the joint, which is the body's own origin, m."""
    mass: float
    centre: np.ndarray
    size: np.ndarray
    """Edges of the box, m."""
    turn: np.ndarray
    """Quaternion of the box."""
    axis: np.ndarray | None = None
    """Of a hinge; other joints are balls."""
    range: np.ndarray | None = None
    """Lowest and highest angle, rad."""

    @property
    def mirrored(self) -> "ManSegment":
        """The same on the other side."""
        across = self.axis is None or bool(self.axis[1])  # a hinge across the body keeps its sign
        return ManSegment(
            mirrored(self.name),
            self.parent and mirrored(self.parent),
            mirrored(self.joint),
            self.at * REFLECT,
            self.mass,
            self.centre * REFLECT,
            self.size,
            self.turn * [1.0, -1.0, 1.0, -1.0],
            self.axis,
            self.range if self.range is None or across else -self.range[::-1],
        )


@cache
def numbers() -> dict:
    """What the file holds: its source, bodies and muscles."""
    return json.loads(FILE.read_text())


@cache
def segments() -> tuple[ManSegment, ...]:
    """All bodies, each after its parent: the midline, then the right side, then the left."""
    rows = []
    for row in numbers()["bodies"]:
        lists = {name: np.array(value) for name, value in row.items() if isinstance(value, list)}
        if lists.get("range", np.zeros(2)).ndim == 2:
            lists["range"] = np.array([0.0, min(np.linalg.norm(_symmetric(lists["range"])), WIDEST)])
        rows.append(ManSegment(**row | lists))
    right = [segment for segment in rows if segment.name.startswith("right_")]
    middle = [segment for segment in rows if not segment.name.startswith("right_")]
    return (*middle, *right, *(segment.mirrored for segment in right))


def _symmetric(ranges: np.ndarray) -> np.ndarray:
    """How far a ball joint turns about each axis, to either side."""
    widest = np.abs(ranges).max(0)
    return np.where(np.array_equal(-ranges[0], ranges[1]), widest, np.minimum(widest, TILTED))


def _corners(segment: ManSegment) -> np.ndarray:
    """Corners of its box in the rest pose (8, 3)."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, segment.turn / np.linalg.norm(segment.turn))
    signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), -1).reshape(-1, 3)
    return segment.centre + signs * segment.size @ turn.reshape(3, 3).T


def _build(pinned: bool) -> mujoco.MjSpec:
    spec = world_spec("muscle-man")
    spec.compiler.degree = False
    floor = min(_corners(segment)[:, 2].min() for segment in segments())
    made: dict[str | None, tuple[mujoco.MjsBody, np.ndarray]] = {None: (spec.worldbody, np.array([0.0, 0.0, floor]))}
    for segment in segments():
        above, origin = made[segment.parent]
        body = above.add_body(name=segment.name, pos=segment.at - origin)
        made[segment.name] = body, segment.at
        if segment.parent is None:
            body.add_freejoint(name=segment.joint)
        else:
            hinge = segment.axis is not None
            body.add_joint(
                name=segment.joint,
                type=mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_BALL,
                axis=segment.axis if hinge else [0, 0, 1],
                limited=True,
                range=segment.range,
                damping=[DAMPING, 0, 0],  # a polynomial of speed since MuJoCo 4
                armature=ARMATURE,
            )
        square = segment.size**2
        body.mass, body.ipos, body.iquat = segment.mass, segment.centre - segment.at, segment.turn
        body.inertia, body.explicitinertial = segment.mass / 12 * (square.sum() - square), True
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=body.ipos,
            quat=segment.turn,
            size=segment.size / 2,
            contype=0,
            conaffinity=1,
            condim=3,
            friction=[1.0, 0.005, 0.0001],
            rgba=[0.86, 0.80, 0.74, 1],
        )
        if pinned and not segment.name.endswith(ARM):
            spec.add_equality(
                name=f"pin_{segment.name}",
                type=mujoco.mjtEq.mjEQ_WELD,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=segment.name,
            )
    if pinned:
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    return spec


def muscle_man(pinned: bool = False) -> Body:
    """The body of feng2023, at rest in a T-pose; it has no driven joints and no gains.

    `pinned` fixes all but the arms, and takes contacts away: a trunk that slumps would take the arms with it.
    """
    return _made(pinned)


@cache
def _made(pinned: bool) -> Body:
    names = [segment.joint for segment in segments()[1:]]
    arm, leg = ("clavicle", "shoulder", "elbow", "wrist"), ("hip", "knee", "ankle", "toe", "toes")
    regions = {"trunk": tuple(name for name in names if name == mirrored(name))}
    for limb, joints in (("arm", arm), ("leg", leg)):
        for side in ("right", "left"):
            regions[f"{side} {limb}"] = tuple(n for n in names if n.startswith(side) and n.endswith(joints))
    return Body(
        name="muscle-man",
        spec=lambda: _build(pinned),
        joints=(),
        groups=(),
        regions=regions,
        key_bodies=("right_hand", "left_hand", "right_foot", "left_foot"),
        feet=("right_foot", "left_foot"),
        stiffness=np.zeros(0),
        damping=np.zeros(0),
        torque_limit=np.zeros(0),
    )
