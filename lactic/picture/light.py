"""Light that shapes keep away from each other and from the floor: soft shadows and creases.

For both each shape is a capsule: the distance of a light ray to a capsule's axis is that of a point to a segment in the
plane across the light, which also gives soft edges. As in `solids`, the law takes numbers or arrays alike.
"""

import numpy as np

from lactic.compiling import COMPILED, njit
from lactic.picture.figure import Shapes
from lactic.picture.solids import Number, less, more, within

PENUMBRA = 0.22  # metres of soft edge per metre between a shape and its shadow


def occlusion(
    points: np.ndarray, normals: np.ndarray, shapes: Shapes, light: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Share of the key light and of the sky that reaches points (n,3) past the shapes."""
    side = np.cross(light, [0.0, 0.0, 1.0] if abs(light[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    basis = np.stack([side, np.cross(light, side), light], axis=1).astype(np.float32)  # z runs to the light
    start, end, radius = (a.astype(np.float32) for a in shapes.capsules())
    capsules = np.concatenate([start @ basis, (end - start) @ basis, radius[:, None]], axis=1)
    points, normals = (points @ basis).astype(np.float32), (normals @ basis).astype(np.float32)
    lit, open_ = np.ones(len(points), np.float32), np.ones(len(points), np.float32)
    (x, y, z), (nx, ny, nz) = np.ascontiguousarray(points.T), np.ascontiguousarray(normals.T)
    for i in range(len(capsules)):
        if COMPILED:
            _dim(x, y, z, nx, ny, nz, capsules, i, lit, open_)
        else:
            key, sky = dimmed(x, y, z, nx, ny, nz, capsules, i)
            lit *= key
            open_ *= sky
    return lit, open_


@njit(cache=True, error_model="numpy", fastmath=True)
def _dim(x, y, z, nx, ny, nz, capsules, i, lit, open_):
    """Take what a capsule keeps away from points off the light that they get."""
    for n in range(len(x)):
        key, sky = dimmed(x[n], y[n], z[n], nx[n], ny[n], nz[n], capsules, i)
        lit[n] *= key
        open_[n] *= sky


@njit(cache=True, error_model="numpy", fastmath=True)
def dimmed(
    x: Number, y: Number, z: Number, nx: Number, ny: Number, nz: Number, capsules: np.ndarray, i: int
) -> tuple[Number, Number]:
    """Share of the key light and of the sky that a capsule lets through to points with normals."""
    sx, sy, sz, r = capsules[i, 3], capsules[i, 4], capsules[i, 5], capsules[i, 6]
    x, y, z = x - capsules[i, 0], y - capsules[i, 1], z - capsules[i, 2]
    zero, one = np.float32(0), np.float32(1)
    flat = x * sx + y * sy
    t = within(flat / max(sx * sx + sy * sy, np.float32(1e-9)), zero, one)
    ahead = t * sz - z  # how far along the light the axis is passed
    edge = np.float32(PENUMBRA) * more(ahead, zero) + np.float32(0.01)
    across, along = x - t * sx, y - t * sy
    gap = r - np.sqrt(across * across + along * along)
    cover = within(np.float32(0.5) * (one + gap / edge), zero, one)
    # what is nearer than its own size is a neighbour, not a shade
    key = one - cover * within(ahead / r - one, zero, one)
    # sky kept away by a ball of radius r at the nearest point of the axis: cos / distance²
    t = within((flat + z * sz) / max(sx * sx + sy * sy + sz * sz, np.float32(1e-9)), zero, one)
    x, y, z = t * sx - x, t * sy - y, t * sz - z
    square = more(x * x + y * y + z * z, r * r)
    facing = more(x * nx + y * ny + z * nz, zero) / np.sqrt(square)
    return key, one - np.float32(0.6) * less(facing, one) * (r * r / square)
