"""Whether a body could move so at all: where the floor would have to push, beside where its feet are."""

import mujoco
import numpy as np

from lactic.body import Body
from lactic.motion.ground import clearance, window

LOW = 0.04
"""m; a sole lower than this may carry."""
FAR = 0.25
"""m from the feet that carry, beyond which no foot reaches: its length and some width."""
SMOOTHING = 0.1
"""Seconds either way over which the centre of mass is averaged: accelerations are second differences."""
FREE_FALL = 6.0
"""m/s² downwards from which on the body flies and the floor need not push."""


def beyond_support(body: Body, qpos: np.ndarray, fps: float) -> float:
    """Share of the frames in which a body stands, but would need the floor to push from more than `FAR` off its feet.

    The point is that of a mass at its centre: x − z·ẍ/(g + z̈). Captured walks have up to a twentieth of such frames,
    captured runs a fifth; a leader with more of them makes its follower fall.
    """
    model, data = body.model, mujoco.MjData(body.model)
    feet = [body.bodies.index(name) for name in body.feet]
    centre, at = np.empty((len(qpos), 3)), np.empty((len(qpos), len(feet), 3))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centre[k], at[k] = data.subtree_com[1], data.xpos[1:][feet]
    reach, weights = window(len(qpos), fps, SMOOTHING)
    if len(qpos) < 4 * reach:
        return 0.0
    smooth = np.stack([np.convolve(centre[:, k], weights, "valid") for k in range(3)], 1)
    pull = np.gradient(np.gradient(smooth, axis=0), axis=0) * fps**2
    inner = slice(reach, len(qpos) - reach)
    gravity = -model.opt.gravity[2]
    point = smooth[:, :2] - smooth[:, 2:] * pull[:, :2] / (gravity + np.maximum(pull[:, 2:], -FREE_FALL))
    carry = (clearance(body, qpos)[:, feet] < LOW)[inner]
    off = _off(point, at[inner, :, :2], carry)[carry.any(1)]
    return float((off > FAR).mean()) if len(off) else 0.0


def _off(point: np.ndarray, feet: np.ndarray, carry: np.ndarray) -> np.ndarray:
    """Distance (frame,) of points (frame, 2) to the line between feet (frame, 2, 2), or to the one that carries."""
    # a foot that does not carry is where the other one is; where none does, the answer does not count
    first = np.where(carry[:, :1], feet[:, 0], feet[:, -1])
    last = np.where(carry[:, -1:], feet[:, -1], first)
    along = last - first
    part = np.clip(((point - first) * along).sum(1) / np.maximum((along**2).sum(1), 1e-9), 0.0, 1.0)
    return np.linalg.norm(point - first - part[:, None] * along, axis=1)
