"""Poses of the muscle man as a clip of its own skeleton, for files that others read."""

import mujoco
import numpy as np

from lactic.body import muscle_man
from lactic.motion.clip import Clip


def man_clip(qpos: np.ndarray, fps: float, name: str) -> Clip:
    """The clip of poses (frame, nq), a joint for each of the 23 bodies."""
    model, body = muscle_man().model, muscle_man()
    turns = np.zeros((len(qpos), len(body.bodies), 4))
    for k in range(1, model.nbody):
        joint = model.joint(int(model.body_jntadr[k]))
        at = int(joint.qposadr[0])
        if joint.type[0] == mujoco.mjtJoint.mjJNT_HINGE:
            half = qpos[:, at, None] / 2
            turns[:, k - 1] = np.concatenate([np.cos(half), np.sin(half) * joint.axis], axis=1)
        else:
            first = at + 3 if k == 1 else at
            turns[:, k - 1] = qpos[:, first : first + 4]
    offsets = model.body_pos[1:].copy()
    offsets[0] = 0.0
    parents = tuple(int(parent) - 1 for parent in model.body_parentid[1:])
    return Clip(name, fps, body.bodies, parents, offsets, np.asarray(qpos[:, :3], float), turns)
