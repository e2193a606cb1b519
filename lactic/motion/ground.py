"""Where a moving body touches the floor: the lowest points of its real geoms."""

import mujoco
import numpy as np

from lactic.body import Body

_SPHERE, _CAPSULE, _BOX = mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_BOX
_CYLINDER, _ELLIPSOID = mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_ELLIPSOID


def clearance(body: Body, qpos: np.ndarray) -> np.ndarray:
    """Height (frame, body) of the lowest colliding point of each rigid body above the floor; inf where it has none."""
    model = body.model
    data = mujoco.MjData(model)
    solid = (model.geom_bodyid > 0) & ((model.geom_contype != 0) | (model.geom_conaffinity != 0))
    geoms = np.flatnonzero(solid)
    owner = model.geom_bodyid[geoms] - 1
    lowest = np.full((len(qpos), model.nbody - 1), np.inf)
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        vertical = data.geom_xmat[geoms].reshape(-1, 3, 3)[:, 2]
        np.minimum.at(lowest[t], owner, data.geom_xpos[geoms, 2] - _reach(model, geoms, vertical))
    return lowest


def _reach(model: mujoco.MjModel, geoms: np.ndarray, vertical: np.ndarray) -> np.ndarray:
    """How far each geom reaches below its centre; `vertical` is the world's up in its frame."""
    kind, size = model.geom_type[geoms], model.geom_size[geoms]
    box = np.sum(np.abs(vertical) * size, axis=1)
    capsule = size[:, 0] + np.abs(vertical[:, 2]) * size[:, 1]
    flat = np.sqrt(np.clip(1 - vertical[:, 2] ** 2, 0, None))
    cylinder = size[:, 0] * flat + np.abs(vertical[:, 2]) * size[:, 1]
    ellipsoid = np.sqrt(np.sum((vertical * size) ** 2, axis=1))
    options = [kind == _SPHERE, kind == _CAPSULE, kind == _BOX, kind == _CYLINDER, kind == _ELLIPSOID]
    return np.select(options, [size[:, 0], capsule, box, cylinder, ellipsoid], default=model.geom_rbound[geoms])


def lift(lowest: np.ndarray, fps: float, depth: float) -> np.ndarray:
    """A smooth upward shift (frame,) after which nothing lies deeper than `depth`: zero away from the deep places."""
    need = np.maximum(-depth - lowest, 0.0)
    if not need.any():
        return need
    reach = max(round(0.12 * fps), 1)
    widest = np.array([need[max(t - reach, 0) : t + reach + 1].max() for t in range(len(need))])
    window = np.hanning(2 * reach + 3)[1:-1]
    padded = np.pad(widest, reach, mode="edge")
    # an average of maxima over windows that all hold frame t is never below the need at t
    return np.convolve(padded, window / window.sum(), mode="valid")
