"""The 8-DoF ant of cheema2023 Appendix A: a round torso on four two-jointed legs, 100 Nm a joint.

Shape of the classic gym ant, at rest with its lower legs bent down by 45 degrees. Its published mass (under a kilogram)
makes 100 Nm meaningless, so the density is chosen to give about 30 kg, where standing takes a fraction of that torque.
"""

from functools import cache

import mujoco
import numpy as np

from lactic.body.body import Body, add_position_actuator, world_spec

DENSITY = 200.0
TORQUE = 100.0
STIFFNESS, DAMPING = 150.0, 8.0
LEGS = {"left_front": (1, 1), "right_front": (1, -1), "left_back": (-1, 1), "right_back": (-1, -1)}


def _build() -> mujoco.MjSpec:
    spec = world_spec("ant")
    spec.compiler.degree = False
    skin = {"density": DENSITY, "contype": 0, "conaffinity": 1, "condim": 3, "rgba": [0.86, 0.80, 0.74, 1]}
    torso = spec.worldbody.add_body(name="torso", pos=[0, 0, 0.48])
    torso.add_freejoint(name="root")
    torso.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.25, 0, 0], **skin)
    for leg, (x, y) in LEGS.items():
        hip = torso.add_body(name=f"{leg}_leg", pos=[0.2 * x, 0.2 * y, 0])
        hip.add_joint(name=f"{leg}_hip", axis=[0, 0, 1], range=np.radians([-40, 40]), **_hinge())
        _capsule(hip, [0.2 * x, 0.2 * y, 0], skin)
        shin = hip.add_body(name=f"{leg}_foot", pos=[0.2 * x, 0.2 * y, 0])
        # flexing lowers the foot on every leg: the axis lies across the leg
        shin.add_joint(name=f"{leg}_ankle", axis=[-y / 2**0.5, x / 2**0.5, 0], range=np.radians([-50, 40]), **_hinge())
        _capsule(shin, [0.28 * x, 0.28 * y, -0.4], skin)
    for name in _joints():
        add_position_actuator(spec, name, STIFFNESS, DAMPING, TORQUE)
    return spec


def _capsule(body: mujoco.MjsBody, end: list[float], skin: dict) -> None:
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, *end], size=[0.08, 0, 0], **skin)


def _hinge() -> dict:
    return {"type": mujoco.mjtJoint.mjJNT_HINGE, "limited": True, "damping": 0.5, "armature": 0.01}


def _joints() -> tuple[str, ...]:
    return tuple(f"{leg}_{part}" for leg in LEGS for part in ("hip", "ankle"))


@cache
def ant() -> Body:
    """The 8-DoF ant."""
    joints = _joints()
    return Body(
        name="ant",
        spec=_build,
        joints=joints,
        groups=tuple("hip" if j.endswith("hip") else "ankle" for j in joints),
        regions={leg.replace("_", " ") + " leg": tuple(j for j in joints if j.startswith(leg)) for leg in LEGS},
        key_bodies=tuple(f"{leg}_foot" for leg in LEGS),
        feet=tuple(f"{leg}_foot" for leg in LEGS),
        stiffness=np.full(8, STIFFNESS),
        damping=np.full(8, DAMPING),
        torque_limit=np.full(8, TORQUE),
    )
