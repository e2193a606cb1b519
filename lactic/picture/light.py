"""Light on points and pixels; what shapes keep away from each other and from the floor: soft shadows and creases.

For both each shape is a capsule: the distance of a light ray to a capsule's axis is that of a point to a segment in the
plane across the light, which also gives soft edges. As in `solids`, the law takes numbers or arrays alike.
What goes over all pixels is compiled here; `painter`, `floor` and `stage` do it with arrays where numba is missing.
"""

import numpy as np

from lactic.compiling import COMPILED, njit
from lactic.picture.figure import Shapes
from lactic.picture.solids import LAX, ONE, ZERO, Number, less, more, within

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


@njit(cache=True, error_model="numpy", fastmath=LAX)
def encode(canvas, table, codes):
    """Write the entry of a table for each share of light from 0 to 1."""
    flat, out, top = canvas.reshape(-1), codes.reshape(-1), np.float32(len(table) - 1)
    for n in range(flat.size):
        level = flat[n] * top + np.float32(0.5)
        out[n] = table[int(min(level, top))] if level > ZERO else table[0]  # NaN is dark


@njit(cache=True, error_model="numpy", fastmath=LAX)
def darken(canvas, dark, shares):
    """Take shares (3,) of what is dark (H,W) off the light of a part of a canvas (H,W,3)."""
    for row in range(canvas.shape[0]):
        for column in range(canvas.shape[1]):
            here = within(dark[row, column], ZERO, ONE)
            for channel in range(3):
                canvas[row, column, channel] *= ONE - here * shares[channel]


@njit(cache=True, error_model="numpy", fastmath=LAX)
def draw_lines(canvas, along, across, first, second, fade):
    """Take off light where the ground under a pixel, in parts of a metre, lies on lines that run either way."""
    parts = len(first) - 1
    for row in range(canvas.shape[0]):
        for column in range(canvas.shape[1]):
            left = first[(along[0, row] + across[0, column]) & parts]
            left *= second[(along[1, row] + across[1, column]) & parts]
            if left < ONE:
                for channel in range(3):
                    canvas[row, column, channel] *= ONE - fade[row] * (ONE - left)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def lighten(normals, colours, key, sky, light, up, half, warm, cool):
    """Turn colours into those of lit points: the law of `painter`."""
    for n in range(len(normals)):
        x, y, z = normals[n, 0], normals[n, 1], normals[n, 2]
        direct = x * light[0] + y * light[1] + z * light[2]
        direct = within((direct + np.float32(0.12)) / np.float32(1.12), ZERO, ONE) * key[n]
        above = (np.float32(0.5) + np.float32(0.5) * (x * up[0] + y * up[1] + z * up[2])) * sky[n]
        gloss = within(x * half[0] + y * half[1] + z * half[2], ZERO, ONE)
        for _ in range(5):
            gloss *= gloss
        away = ONE - within(z, ZERO, ONE)
        rim = np.float32(0.2) * away * away * away * above
        for k in range(3):
            glow = np.float32(0.8) * direct * warm[k] + np.float32(0.36) * above * cool[k] + np.float32(0.2) * sky[n]
            shade = colours[n, k] * glow + rim * cool[k] + np.float32(0.04) * gloss * key[n]
            if shade > np.float32(0.7):
                shade = ONE - np.float32(0.09) / (shade - np.float32(0.4))
            colours[n, k] = shade
