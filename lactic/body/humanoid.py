"""The 28-DoF humanoid: an average young man after de Leva (1996), with cheema2023's gains and an athlete's strength.

Lengths, mass fractions, centres of mass and radii of gyration: de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment
inertia parameters", J. Biomech. 29 (1996), Table 4, males (stature 1.741 m, 73.0 kg). Not in that table and chosen
here: half widths of hips and shoulders, shoulder and ankle height (Winter's stature fractions, rounded), a foot that
ends at the ball since there is no toe joint, passive damping and armature. Hinge ranges: those of the 28-DoF character
of Peng et al. (2021) that cheema2023 uses, but hips with the AAOS norms of adduction (30°) and inner rotation (45°),
and flexion before abduction: with abduction first, a thigh raised to the side lies at gimbal lock, and cartwheels and
kicks lost up to 36° of direction there. Right-side values are given; the left side is their mirror image.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from lactic.body import strength
from lactic.body.body import Body, add_position_actuator, mirrored, world_spec

MASS = 73.0

# de Leva Table 4, males: length m, mass fraction, centre of mass from the upper end as a fraction of length,
# radii of gyration about the forward, lateral and long axis as fractions of length
DE_LEVA = {
    "head": (0.2429, 0.0694, 0.5002, (0.303, 0.315, 0.261)),  # vertex to cervicale
    "upper_trunk": (0.2421, 0.1596, 0.5066, (0.505, 0.320, 0.465)),  # cervicale to xiphion
    "middle_trunk": (0.2155, 0.1633, 0.4502, (0.482, 0.383, 0.468)),  # xiphion to omphalion
    "lower_trunk": (0.1457, 0.1117, 0.6115, (0.615, 0.551, 0.587)),  # omphalion to mid-hip
    "upper_arm": (0.2817, 0.0271, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": (0.2689, 0.0162, 0.4574, (0.276, 0.265, 0.121)),
    "hand": (0.0862, 0.0061, 0.7900, (0.628, 0.513, 0.401)),  # wrist to third knuckle
    "thigh": (0.4222, 0.1416, 0.4095, (0.329, 0.329, 0.149)),
    "shin": (0.4340, 0.0433, 0.4459, (0.255, 0.249, 0.103)),
    "foot": (0.2581, 0.0137, 0.4415, (0.124, 0.257, 0.245)),  # heel to toe; its long axis is forward
}
HIP_HALF_WIDTH = 0.09
SHOULDER_HALF_WIDTH = 0.19
SHOULDER_ABOVE_HIPS = 0.50
ANKLE_HEIGHT = 0.068
HEEL_BEHIND_ANKLE, BALL_BEFORE_ANKLE = 0.055, 0.145
PASSIVE_DAMPING = 1.0  # Nm·s/rad; keeps a limb whose muscles are exhausted from swinging for ever
# kg·m² for each Nm·s/rad of damping. An actuator that is clamped at its limit loses the engine's implicit damping; a
# joint lighter than damping·dt/2 can then flip its velocity at every physics step and rattle at full strength. Half a
# step makes the gains as given safe for any limb, a whole one twice those gains: feet weigh next to nothing.
ARMATURE = 0.5 / 120
ARMATURE_ANKLE = 1.0 / 120


@dataclass(frozen=True)
class Hinge:
    """One hinge: axis and range in degrees (right side)."""

    axis: str
    low: float
    high: float


# group: (stiffness, damping) of cheema2023 Table 2, and the hinges from parent to child in that order
JOINTS: dict[str, tuple[tuple[float, float], tuple[Hinge, ...]]] = {
    "abdomen": ((120, 12), (Hinge("x", -60, 60), Hinge("y", -60, 90), Hinge("z", -50, 50))),
    "neck": ((90, 9), (Hinge("x", -50, 50), Hinge("y", -40, 60), Hinge("z", -45, 45))),
    "shoulder": ((100, 10), (Hinge("x", -180, 45), Hinge("y", -180, 60), Hinge("z", -90, 90))),
    "elbow": ((110, 11), (Hinge("y", -160, 0),)),
    "hip": ((320, 32), (Hinge("y", -140, 60), Hinge("x", -60, 30), Hinge("z", -60, 45))),
    "knee": ((370, 37), (Hinge("y", 0, 160),)),
    "ankle": ((120, 12), (Hinge("x", -30, 30), Hinge("y", -55, 55), Hinge("z", -40, 40))),
}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
ORDER = (
    "abdomen",
    "neck",
    "right_shoulder",
    "right_elbow",
    "left_shoulder",
    "left_elbow",
    "right_hip",
    "right_knee",
    "right_ankle",
    "left_hip",
    "left_knee",
    "left_ankle",
)


def _length(segment: str) -> float:
    return DE_LEVA[segment][0]


def _inertia(segment: str) -> tuple[float, np.ndarray]:
    """Mass and principal moments of a de Leva segment."""
    length, fraction, _, radii = DE_LEVA[segment]
    mass = MASS * fraction
    return mass, mass * (np.array(radii) * length) ** 2


def _set_inertia(body: mujoco.MjsBody, parts: list[tuple[str, np.ndarray]]) -> None:
    """Give `body` the joint mass and inertia of segments whose centres lie at the given points."""
    mass = sum(_inertia(segment)[0] for segment, _ in parts)
    centre = sum(_inertia(segment)[0] * at for segment, at in parts) / mass
    moments = np.zeros(3)
    for segment, at in parts:
        m, own = _inertia(segment)
        d = at - centre
        moments += own + m * (d @ d - d**2)  # parallel axes; the parts lie on one line, so no products of inertia
    body.mass, body.ipos, body.inertia, body.explicitinertial = mass, centre, moments, True


def _capsule(body: mujoco.MjsBody, start: tuple, end: tuple, radius: float, **options) -> None:
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[*start, *end], size=[radius, 0, 0], **options)


def add_joints(body: mujoco.MjsBody, group: str, side: str) -> None:
    """The hinges of a joint group between `body` and its parent."""
    (_, damping), hinges = JOINTS[group]
    armature = damping * (ARMATURE_ANKLE if group == "ankle" else ARMATURE)
    prefix = f"{side}_{group}" if side else group
    for hinge in hinges:
        low, high = hinge.low, hinge.high
        if side == "left" and hinge.axis != "y":
            low, high = -high, -low
        name = f"{prefix}_{hinge.axis}" if len(hinges) > 1 else prefix
        body.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=AXES[hinge.axis],
            limited=True,
            range=[np.radians(low), np.radians(high)],
            damping=PASSIVE_DAMPING,
            armature=armature,
        )


def actuators() -> Iterator[tuple[str, str, tuple[float, float, float]]]:
    """Every joint in order: its name, its group, and its stiffness, damping and maximal torque, an athlete's."""
    for part in ORDER:
        group = part.removeprefix("right_").removeprefix("left_")
        gains, hinges = JOINTS[group]
        for hinge in hinges:
            name = f"{part}_{hinge.axis}" if len(hinges) > 1 else part
            yield name, group, (*gains, float(strength.limits(strength.DEFAULT, [name])[0]))


def _build(pinned: bool) -> mujoco.MjSpec:
    spec = world_spec("humanoid")
    spec.compiler.degree = False
    skin = {
        "contype": 0,
        "conaffinity": 1,
        "condim": 3,
        "friction": [1.0, 0.005, 0.0001],
        "rgba": [0.86, 0.80, 0.74, 1],
    }
    lower, middle, upper = _length("lower_trunk"), _length("middle_trunk"), _length("upper_trunk")
    hip_height = _length("thigh") + _length("shin") + ANKLE_HEIGHT

    pelvis = spec.worldbody.add_body(name="pelvis", pos=[0, 0, hip_height])
    pelvis.add_freejoint(name="root")
    _set_inertia(pelvis, [("lower_trunk", np.array([0, 0, lower * (1 - DE_LEVA["lower_trunk"][2])]))])
    _capsule(pelvis, (0, -0.06, 0.02), (0, 0.06, 0.02), 0.09, **skin)
    _capsule(pelvis, (0, -0.04, lower - 0.03), (0, 0.04, lower - 0.03), 0.085, **skin)

    torso = pelvis.add_body(name="torso", pos=[0, 0, lower])
    add_joints(torso, "abdomen", "")
    _set_inertia(
        torso,
        [
            ("middle_trunk", np.array([0, 0, middle * (1 - DE_LEVA["middle_trunk"][2])])),
            ("upper_trunk", np.array([0, 0, middle + upper * (1 - DE_LEVA["upper_trunk"][2])])),
        ],
    )
    shoulder = SHOULDER_ABOVE_HIPS - lower
    _capsule(torso, (0, -0.045, 0.09), (0, 0.045, 0.09), 0.09, **skin)
    _capsule(torso, (0, -0.07, 0.225), (0, 0.07, 0.225), 0.105, **skin)
    _capsule(torso, (0, -0.12, shoulder - 0.01), (0, 0.12, shoulder - 0.01), 0.065, **skin)

    head = torso.add_body(name="head", pos=[0, 0, middle + upper])
    add_joints(head, "neck", "")
    _set_inertia(head, [("head", np.array([0, 0, _length("head") * (1 - DE_LEVA["head"][2])]))])
    _capsule(head, (0, 0, -0.04), (0.005, 0, 0.05), 0.05, **skin)
    _capsule(head, (0.01, 0, 0.11), (0.01, 0, 0.145), 0.095, **skin)

    for side, y in (("right", -1.0), ("left", 1.0)):
        upper_arm = torso.add_body(name=f"{side}_upper_arm", pos=[0, y * SHOULDER_HALF_WIDTH, shoulder])
        _limb(upper_arm, "upper_arm", "shoulder", side, 0.045, skin)
        forearm = upper_arm.add_body(name=f"{side}_forearm", pos=[0, 0, -_length("upper_arm")])
        _limb(forearm, "forearm", "elbow", side, 0.038, skin)
        hand = forearm.add_body(name=f"{side}_hand", pos=[0, 0, -_length("forearm")])
        _limb(hand, "hand", None, side, 0.036, skin)

        thigh = pelvis.add_body(name=f"{side}_thigh", pos=[0, y * HIP_HALF_WIDTH, 0])
        _limb(thigh, "thigh", "hip", side, 0.063, skin)
        shin = thigh.add_body(name=f"{side}_shin", pos=[0, 0, -_length("thigh")])
        _limb(shin, "shin", "knee", side, 0.05, skin)
        foot = shin.add_body(name=f"{side}_foot", pos=[0, 0, -_length("shin")])
        add_joints(foot, "ankle", side)
        sole = 0.025
        _set_inertia(
            foot, [("foot", np.array([_length("foot") * DE_LEVA["foot"][2] - HEEL_BEHIND_ANKLE, 0, -ANKLE_HEIGHT / 2]))]
        )
        foot.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=[(BALL_BEFORE_ANKLE - HEEL_BEHIND_ANKLE) / 2, 0, sole - ANKLE_HEIGHT],
            size=[(BALL_BEFORE_ANKLE + HEEL_BEHIND_ANKLE) / 2, 0.045, sole],
            **skin,
        )
        # the instep only shows; the box below it does the standing
        _capsule(foot, (-0.01, 0, -0.015), (0.09, 0, -0.035), 0.03, **skin | {"conaffinity": 0})

    for name, _, gains in actuators():
        add_position_actuator(spec, name, *gains)
    if pinned:
        pin(spec, hip_height)
    return spec


def pin(spec: mujoco.MjSpec, height: float) -> None:
    """Weld the pelvis to the world at that height."""
    spec.add_equality(
        name="pin",
        type=mujoco.mjtEq.mjEQ_WELD,
        name1="world",
        name2="pelvis",
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        data=[0, 0, 0, 0, 0, height, 1, 0, 0, 0, 1, 0],
    )


def _limb(body: mujoco.MjsBody, segment: str, group: str | None, side: str, radius: float, skin: dict) -> None:
    """A straight segment hanging from its joint along −z."""
    length = _length(segment)
    if group:
        add_joints(body, group, side)
    _set_inertia(body, [(segment, np.array([0, 0, -length * DE_LEVA[segment][2]]))])
    # capsules stop short of the joints by their radius, so that neighbours meet without overlapping
    inset = min(radius, 0.4 * length)
    _capsule(body, (0, 0, -inset), (0, 0, -(length - inset)), radius, **skin)


@cache
def humanoid(pinned: bool = False) -> Body:
    """The 28-DoF humanoid; `pinned` welds the pelvis to the world at standing height."""
    return with_joints("humanoid", lambda: _build(pinned))


def with_joints(name: str, spec: Callable[[], mujoco.MjSpec], scale: float = 1.0) -> Body:
    """A body with the humanoid's 28 joints, gains and torques, these `scale` times as large."""
    joints, groups, gains = zip(*actuators(), strict=True)
    stiffness, damping, torque = np.array(gains, dtype=float).T * scale
    right_arm = tuple(j for j in joints if j.startswith(("right_shoulder", "right_elbow")))
    right_leg = tuple(j for j in joints if j.startswith(("right_hip", "right_knee", "right_ankle")))
    return Body(
        name=name,
        spec=spec,
        joints=joints,
        groups=groups,
        regions={
            "trunk": tuple(j for j in joints if j.startswith(("abdomen", "neck"))),
            "right arm": right_arm,
            "left arm": tuple(map(mirrored, right_arm)),
            "right leg": right_leg,
            "left leg": tuple(map(mirrored, right_leg)),
        },
        key_bodies=("right_hand", "left_hand", "right_foot", "left_foot"),
        feet=("right_foot", "left_foot"),
        stiffness=stiffness,
        damping=damping,
        torque_limit=torque,
        scale=scale,
    )
