"""Forward kinematics of a body of hinges, compiled: positions, rotations and velocities of its rigid bodies.

The same as MuJoCo's `mj_kinematics` and `mj_comVel` give, for bodies whose hinges turn about coordinate axes at the
body's origin, at a fraction of the time and without an `MjData` a character.
"""

from typing import NamedTuple

import mujoco
import numpy as np

from lactic.body import Body
from lactic.compiling import njit
from lactic.errors import InputError
from lactic.steer.compiled import cross, multiply, normalised, rotate


class Tree(NamedTuple):
    """A body's rigid bodies (the world left out) and hinges as arrays."""

    parents: np.ndarray
    """Index of the rigid body each hangs from, -1 for the root."""
    offsets: np.ndarray
    """Where it sits in its parent, (body, 3)."""
    first: np.ndarray
    many: np.ndarray
    """Its hinges are `first` to `first + many`, in actuator order."""
    axes: np.ndarray
    """0, 1 or 2 for x, y or z, (joint)."""
    low: np.ndarray
    high: np.ndarray
    """Joint limits in radians."""


class LeaderPose(NamedTuple):
    """What kinematic characters show: MuJoCo's state and the rigid bodies in the world; views, valid for a step."""

    qpos: np.ndarray
    qvel: np.ndarray
    positions: np.ndarray
    rotations: np.ndarray
    velocities: np.ndarray
    """Of the bodies' origins, (character, body, 3)."""
    spins: np.ndarray
    """Angular velocities in the world, (character, body, 3)."""


def tree_of(body: Body) -> Tree:
    """The kinematic tree of a body."""
    model = body.model
    hinges = range(1, model.njnt)
    straight = np.allclose(model.body_quat[2:], [1, 0, 0, 0]) and np.allclose(model.jnt_pos, 0)
    simple = (
        model.njnt > 1
        and model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
        and all(model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE for j in hinges)
        and np.allclose(np.abs(model.jnt_axis[1:]).max(1), 1)
        and (model.jnt_axis[1:].sum(1) > 0).all()
    )
    if not (straight and simple):
        raise InputError(f"body '{body.name}': kinematic characters need a free root and hinges along x, y or z")
    return Tree(
        model.body_parentid[1:].astype(np.int64) - 1,
        model.body_pos[1:].copy(),
        np.maximum(model.body_jntadr[1:].astype(np.int64) - 1, 0),
        np.where(np.arange(1, model.nbody) == 1, 0, model.body_jntnum[1:]).astype(np.int64),
        np.abs(model.jnt_axis[1:]).argmax(1).astype(np.int64),
        np.ascontiguousarray(body.range[:, 0]),
        np.ascontiguousarray(body.range[:, 1]),
    )


@njit(cache=True)
def move_bodies(
    tree: Tree,
    qpos: np.ndarray,
    qvel: np.ndarray,
    at: np.ndarray,
    turned: np.ndarray,
    speed: np.ndarray,
    spin: np.ndarray,
) -> None:
    """Fill position (body, 3), rotation (body, 4), velocity of the origin and angular velocity, both in the world."""
    for i in range(len(tree.parents)):
        parent = tree.parents[i]
        if parent < 0:
            q = normalised(qpos[3:7])
            w = rotate(q, qvel[3:6])
            for k in range(3):
                at[i, k], speed[i, k], spin[i, k] = qpos[k], qvel[k], w[k]
        else:
            q = (turned[parent, 0], turned[parent, 1], turned[parent, 2], turned[parent, 3])
            arm = rotate(q, tree.offsets[i])
            carried = cross(spin[parent], arm)
            w = (spin[parent, 0], spin[parent, 1], spin[parent, 2])
            for k in range(3):
                at[i, k] = at[parent, k] + arm[k]
                speed[i, k] = speed[parent, k] + carried[k]
            for j in range(tree.first[i], tree.first[i] + tree.many[i]):
                axis, half, rate = tree.axes[j], 0.5 * qpos[7 + j], qvel[6 + j]
                unit = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
                along = rotate(q, unit)
                w = (w[0] + rate * along[0], w[1] + rate * along[1], w[2] + rate * along[2])
                s = np.sin(half)
                q = multiply(q, (np.cos(half), s * unit[0], s * unit[1], s * unit[2]))
            spin[i, 0], spin[i, 1], spin[i, 2] = w
        turned[i, 0], turned[i, 1], turned[i, 2], turned[i, 3] = q
