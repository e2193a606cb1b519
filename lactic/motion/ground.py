"""Where a moving body touches the floor: the lowest points of its real geoms."""

import mujoco
import numpy as np

from lactic.body import Body

DEEPEST = 0.015  # metres below the floor that anything may lie before the body is lifted
NEAR, LEVEL = 0.05, 0.2  # m and m/s: the lower sole carries the body where it is as near to the floor and as level
SMOOTHING = 0.12  # seconds either way


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
    shape, size = model.geom_type[geoms], model.geom_size[geoms]
    flat = np.sqrt(np.clip(1 - vertical[:, 2] ** 2, 0, None))
    reaches = {
        mujoco.mjtGeom.mjGEOM_SPHERE: size[:, 0],
        mujoco.mjtGeom.mjGEOM_CAPSULE: size[:, 0] + np.abs(vertical[:, 2]) * size[:, 1],
        mujoco.mjtGeom.mjGEOM_BOX: np.sum(np.abs(vertical) * size, axis=1),
        mujoco.mjtGeom.mjGEOM_CYLINDER: size[:, 0] * flat + np.abs(vertical[:, 2]) * size[:, 1],
        mujoco.mjtGeom.mjGEOM_ELLIPSOID: np.sqrt(np.sum((vertical * size) ** 2, axis=1)),
    }
    return np.select([shape == geom for geom in reaches], list(reaches.values()), default=model.geom_rbound[geoms])


def stand(body: Body, qpos: np.ndarray, fps: float, cyclic: bool = False) -> tuple[np.ndarray, float]:
    """The poses shifted as one to stand on z = 0, then settled; and the largest lift of the latter."""
    heights = clearance(body, qpos)
    lowest = heights.min(axis=1)
    soles = heights[:, [body.bodies.index(name) for name in body.feet]].min(axis=1)
    standing = soles[soles <= lowest + 1e-9] if np.any(soles <= lowest + 1e-9) else lowest
    floor = np.percentile(standing, 25)  # in the air soles are higher, and a few frames lower than stance are noise
    settled = settle(soles - floor, lowest - floor, fps, cyclic)
    moved = qpos.copy()
    moved[:, 2] += settled - floor
    return moved, float(settled.max())


def settle(soles: np.ndarray, lowest: np.ndarray, fps: float, cyclic: bool = False) -> np.ndarray:
    """A smooth shift (frame,), up or down, that brings soles which carry the body to the floor, and nothing below it.

    `soles` is the height of the lower sole and `lowest` that of the whole body. Captured motion hovers by a few
    centimetres and blended motion steps into the floor; a body that is to follow can do neither.
    """
    count = len(soles)
    around = np.concatenate([soles[:-1]] * 3) if cyclic and count > 2 else soles  # a cycle's last frame is its first
    rising = np.gradient(around) * fps if count > 1 else np.zeros(count)
    carries = np.flatnonzero((around < NEAR) & (np.abs(rising) < LEVEL))
    shift = np.zeros(count)
    if len(carries):
        wanted = np.interp(np.arange(len(around)), carries, -around[carries])
        reach, weights = window(count, fps)
        smooth = np.convolve(np.pad(wanted, reach, mode="edge"), weights, mode="valid")
        shift = smooth[count - 1 : 2 * count - 1] if around is not soles else smooth
    return shift + lift(lowest + shift, fps, DEEPEST, cyclic)


def lift(lowest: np.ndarray, fps: float, depth: float, cyclic: bool = False) -> np.ndarray:
    """A smooth upward shift (frame,) after which nothing lies deeper than `depth`: zero away from the deep places."""
    need = np.maximum(-depth - lowest, 0.0)
    reach, weights = window(len(need), fps)
    # the last frame of a cycle is its first again
    around = np.pad(need[:-1] if cyclic else need, 2 * reach, mode="wrap" if cyclic else "edge")
    widest = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1).max(axis=1)
    # an average of maxima over windows that all hold frame t is never below the need at t
    smooth = np.convolve(widest, weights, mode="valid")
    return np.append(smooth, smooth[0]) if cyclic else smooth


def window(frames: int, fps: float, seconds: float = SMOOTHING) -> tuple[int, np.ndarray]:
    """How many frames either way are averaged over in a clip of so many, and their weights (2·reach + 1,)."""
    reach = min(max(round(seconds * fps), 1), max((frames - 1) // 2, 1))
    weights = np.hanning(2 * reach + 3)[1:-1]
    return reach, weights / weights.sum()
