"""Where a moving body touches the floor: the lowest points of its real geoms."""

import mujoco
import numpy as np

from lactic import rotation
from lactic.body import Body

DEEPEST = 0.015  # metres below the floor that anything may lie before the body is lifted
NEAR, LEVEL = 0.05, 0.2  # m and m/s: the lower sole carries the body where it is as near to the floor and as level
SMOOTHING = 0.12  # seconds either way
GRAVITY = 9.81  # m/s²
AIRBORNE, LONGEST_FLIGHT = 0.03, 1.0  # m above the floor, and seconds at most, that a flight has
FALLS = (3.0, 60.0)  # m/s² at which what flies seems to fall; what falls more slowly is held by something


class Soles:
    """The lowest colliding point of each rigid body, for any number of poses at once."""

    def __init__(self, body: Body):
        model, shapes = body.model, mujoco.mjtGeom
        solid = np.flatnonzero((model.geom_bodyid > 0) & ((model.geom_contype | model.geom_conaffinity) != 0))
        geoms = solid[np.argsort(model.geom_bodyid[solid], kind="stable")]
        self._owner, self._count = model.geom_bodyid[geoms] - 1, model.nbody - 1
        self._own, self._firsts = np.unique(self._owner, return_index=True)
        self._offset, self._axes = model.geom_pos[geoms], np.asarray(rotation.to_matrix(model.geom_quat[geoms]))
        # of each geom: half edges, and half axes of the ellipsoid that goes along them
        self._edges, self._axles = np.zeros((len(geoms), 3)), np.zeros((len(geoms), 3))
        for k, (shape, size) in enumerate(zip(model.geom_type[geoms], model.geom_size[geoms], strict=True)):
            if shape == shapes.mjGEOM_BOX:
                self._edges[k] = size
            elif shape == shapes.mjGEOM_CAPSULE:
                self._edges[k, 2], self._axles[k] = size[1], size[0]
            elif shape == shapes.mjGEOM_CYLINDER:
                self._edges[k, 2], self._axles[k, :2] = size[1], size[0]
            elif shape == shapes.mjGEOM_ELLIPSOID:
                self._axles[k] = size
            else:
                self._axles[k] = size[0] if shape == shapes.mjGEOM_SPHERE else model.geom_rbound[geoms[k]]

    def __call__(self, xpos: np.ndarray, xquat: np.ndarray) -> np.ndarray:
        """Heights (…, body) for bodies at `xpos` (…, body, 3) turned by `xquat` (…, body, 4); inf without a geom."""
        w, x, y, z = np.moveaxis(xquat, -1, 0)
        up = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)[..., self._owner, :]
        vertical = np.einsum("...gi,gij->...gj", up, self._axes)  # the world's up in each geom's frame
        reach = np.abs(vertical * self._edges).sum(-1) + np.linalg.norm(vertical * self._axles, axis=-1)
        low = xpos[..., 2][..., self._owner] + (up * self._offset).sum(-1) - reach
        lowest = np.full((*low.shape[:-1], self._count), np.inf)
        lowest[..., self._own] = np.minimum.reduceat(low, self._firsts, axis=-1)
        return lowest


def clearance(body: Body, qpos: np.ndarray) -> np.ndarray:
    """Height (frame, body) of the lowest colliding point of each rigid body above the floor; inf where it has none."""
    return Soles(body)(*body.places(qpos))


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


def centre(body: Body, qpos: np.ndarray) -> np.ndarray:
    """Centre of mass of poses (frame, 3)."""
    xpos, xquat = body.places(qpos)
    mass = body.model.body_mass[1:]
    return np.asarray((xpos + rotation.rotate(xquat, body.model.body_ipos[1:])) * mass[:, None]).sum(1) / mass.sum()


def fly(body: Body, qpos: np.ndarray, fps: float) -> np.ndarray:
    """The poses, shifted where nothing touches the floor so that the centre of mass goes as it must: on a parabola from
    where the floor is left to where it is met again.

    A clip's root is kept in retargeting, and another body's mass lies elsewhere about it: when that somersaults, its
    centre can fall twice as fast as the captured one did. What does not fall at all hangs, or is held, and stays.
    """
    lowest, moved = clearance(body, qpos).min(axis=1), qpos.copy()
    edges = np.flatnonzero(np.diff(np.concatenate([[False], lowest > AIRBORNE, [False]]).astype(int)))
    at = centre(body, qpos) if len(edges) else qpos[:, :3]
    for begin, end in edges.reshape(-1, 2):
        left, met = begin - 1, end
        if left < 0 or met >= len(qpos) or met - left < 3 or (met - left) / fps > LONGEST_FLIGHT:
            continue
        part = (np.arange(left, met + 1) - left) / (met - left)
        line = at[left] + part[:, None] * (at[met] - at[left])
        bow = (part * (1.0 - part)) * ((met - left) / fps) ** 2 / 2  # metres a m/s² of gravity raises the way by
        falls = -2.0 * np.polyfit(np.arange(begin, end) / fps, at[begin:end, 2], 2)[0] if end - begin > 2 else GRAVITY
        if not FALLS[0] < falls < FALLS[1]:
            continue
        line[:, 2] += GRAVITY * bow
        moved[left : met + 1, :3] += line - at[left : met + 1]
    return moved


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
