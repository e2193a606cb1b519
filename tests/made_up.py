"""A body small enough to learn something within a test (a heavy box that swings two arms), and clips made of sines."""

from functools import cache

import mujoco
import numpy as np

from lactic import body, rotation
from lactic.body.body import Body, add_position_actuator, world_spec
from lactic.motion.body_clip import BodyClip

NAME = "tiny"


def _build() -> mujoco.MjSpec:
    spec = world_spec(NAME)
    spec.compiler.degree = False
    ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.6])
    ball.add_freejoint(name="root")
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.3, 0.3, 0.6], mass=50.0, contype=0, conaffinity=1)
    for side, y in (("right", -0.4), ("left", 0.4)):
        arm = ball.add_body(name=f"{side}_arm", pos=[0, y, 0.4])
        arm.add_joint(
            name=f"{side}_shoulder",
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0, 1, 0],
            limited=True,
            range=[-2, 2],
            damping=0.2,
            armature=0.01,
        )
        arm.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[0, 0, 0, 0, 0, -0.4],
            size=[0.04, 0, 0],
            mass=1.0,
            contype=0,
            conaffinity=0,
        )
        add_position_actuator(spec, f"{side}_shoulder", 20.0, 2.0, 30.0)
    return spec


@cache
def tiny() -> Body:
    """The ball with two arms."""
    joints = ("right_shoulder", "left_shoulder")
    return Body(
        name=NAME,
        spec=_build,
        joints=joints,
        groups=("shoulder", "shoulder"),
        regions={"arms": joints},
        key_bodies=("right_arm", "left_arm"),
        feet=("ball",),
        stiffness=np.full(2, 20.0),
        damping=np.full(2, 2.0),
        torque_limit=np.full(2, 30.0),
    )


def swing(seconds: float = 1.2, fps: float = 30.0, reach: float = 1.0) -> BodyClip:
    """A cycle of both arms swinging against each other."""
    t = np.arange(round(seconds * fps) + 1) / fps
    qpos = np.zeros((len(t), 9))
    qpos[:, 2], qpos[:, 3] = 0.6, 1.0
    qpos[:, 7] = reach * np.sin(2 * np.pi * t / seconds)
    qpos[:, 8] = -qpos[:, 7]
    return BodyClip(NAME, fps, qpos, "swing", cyclic=True)


def random_clip(seconds: float = 1.0, fps: float = 30.0, seed: int = 0) -> BodyClip:
    """A smooth motion of the humanoid through the air, turning and bending."""
    human, draw = body.get("humanoid"), np.random.default_rng(seed)
    t = np.arange(round(seconds * fps) + 1) / fps
    low, high = human.range.T
    phase, rate = draw.uniform(0, 6, len(low)), draw.uniform(2, 6, len(low))
    angles = (low + high) / 2 + 0.4 * (high - low) * np.sin(rate * t[:, None] + phase)
    root = np.stack([1.5 * t, 0.3 * np.sin(2 * t), 1.5 + 0.2 * np.sin(4 * t)], axis=1)
    turned = rotation.from_euler(np.stack([0.5 * np.sin(3 * t), 0.7 * np.sin(2 * t), 1.0 + 2 * t], axis=1))
    return BodyClip("humanoid", fps, np.concatenate([root, turned, angles], axis=1), "random")


ROBOT = """<robot name="post">
  <link name="base"><inertial><mass value="5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
  <link name="mast"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="waist" type="revolute"><parent link="base"/><child link="mast"/><origin xyz="0 0 0.05"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="5"/></joint>
</robot>
"""
"""A URDF of one joint, for readers of foreign bodies."""
