"""Shapes met by parallel rays: capsules, ellipsoids and boxes, each a row of numbers in the camera's frame.

The view is orthographic, so a ray is a point across it. The laws below take numbers or arrays alike: `traced` calls
them ray by ray, compiled, and `rays` for many rays at once where numba is missing.
"""

from typing import Any

import numpy as np

from lactic.compiling import COMPILED, njit
from lactic.picture.figure import CAPSULE, ELLIPSOID, Shapes
from lactic.picture.view import View

BLEND = 1.3  # width of the fillet where two shapes join, in radii of the thinner
STEPS, LEAP = 12, 2.0  # of a ray that is marched, and how many distances one may be long
KIND, CENTRE, AXES, SIZE, HALF, ROUND, WIDTH, PARTNER, COLUMNS = 0, 1, 4, 13, 16, 17, 18, 19, 20
"""Columns of a row: type of geom; centre (3); axes (3,3); half extents (3); half of a capsule's spine; radius of a
box's edges; width of the fillet to the shapes before it; the only one of them that it flows into (−1: all)."""
ZERO, MIDDLE, ONE, TWO = (np.float32(value) for value in (0, 0.5, 1, 2))
LAX = {"contract", "reassoc", "arcp", "nsz"}  # how sums may be rounded; NaN stays what a ray gives that misses
Number = Any  # a number, or an array of them


def rows_of(shapes: Shapes, view: View) -> np.ndarray:
    """The shapes as rows of numbers, (n, COLUMNS)."""
    frame, count = view.frame, len(shapes.geom_type)
    rows = np.zeros((count, COLUMNS), np.float32)
    rows[:, KIND], rows[:, CENTRE:AXES] = shapes.geom_type, shapes.centre @ frame.T
    rows[:, AXES:SIZE] = (frame @ shapes.axes).reshape(count, 9)
    _resize(rows, shapes.size)
    rows[:, WIDTH], rows[:, PARTNER] = 0.01, -1
    radius = radii(shapes)
    for i, j in shapes.links:
        later, partner = max(i, j), min(i, j)
        rows[later, WIDTH] = BLEND * min(radius[i], radius[j])
        rows[later, PARTNER] = partner if (i, j) in shapes.crossed else -1
    return rows


def radii(shapes: Shapes) -> np.ndarray:
    """How thick each shape is, (n,)."""
    return np.sort(shapes.size, axis=1)[:, :2].mean(1)


def swollen(rows: np.ndarray, by: np.ndarray) -> np.ndarray:
    """The same shapes with their surfaces moved outward by (n,)."""
    rows = rows.copy()
    _resize(rows, rows[:, SIZE:HALF] + by[:, None])
    return rows


def _resize(rows: np.ndarray, size: np.ndarray) -> None:
    rows[:, SIZE:HALF], rows[:, ROUND] = size, 0.45 * size.min(1)
    rows[:, HALF] = np.maximum(size[:, 2] - size[:, 0], 0)


# NumPy's wrappers take longer than their work on short arrays, and compiled they look for NaN in numbers
less, more = (min, max) if COMPILED else (np.minimum, np.maximum)


@njit(cache=True, error_model="numpy", inline="always")
def within(value: Number, low: Number, high: Number) -> Number:
    """As np.clip."""
    return less(more(value, low), high)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def meet(x: Number, y: Number, rows: np.ndarray, i: int) -> Number:
    """Height z at which rays meet a shape, NaN where they miss; boxes with sharp edges."""
    x, y = x - rows[i, CENTRE], y - rows[i, CENTRE + 1]
    if rows[i, KIND] == CAPSULE:
        a, b, c, square = rows[i, AXES + 2], rows[i, AXES + 5], rows[i, AXES + 8], rows[i, SIZE] * rows[i, SIZE]
        along = x * a + y * b
        rise, flat = along * c, max(ONE - c * c, np.float32(1e-9))
        z = (rise + np.sqrt(rise * rise - flat * (x * x + y * y - along * along - square))) / flat
        # here the ray enters the endless cylinder; past an end of the spine it can only meet that end's ball
        at = within(along + z * c, -rows[i, HALF], rows[i, HALF])
        across, up = x - at * a, y - at * b
        return rows[i, CENTRE + 2] + at * c + np.sqrt(square - across * across - up * up)
    if rows[i, KIND] == ELLIPSOID:
        xx, xy, yy, xz, yz, zz = form(rows, i)  # p·form·p = 1
        slope, rest = xz * x + yz * y, xx * x * x + TWO * xy * x * y + yy * y * y - ONE
        return rows[i, CENTRE + 2] + (np.sqrt(slope * slope - zz * rest) - slope) / zz
    enter, leave = np.float32(np.inf), np.float32(-np.inf)
    for k in range(3):
        step = rows[i, AXES + 6 + k]
        step = step if abs(step) > np.float32(1e-6) else np.float32(1e-6)
        local, face = rows[i, AXES + k] * x + rows[i, AXES + 3 + k] * y, rows[i, SIZE + k] * np.sign(step)
        enter = less(enter, (face - local) / step)  # the last slab entered
        leave = more(leave, (-face - local) / step)
    return rows[i, CENTRE + 2] + enter + ZERO * np.sqrt(enter - leave)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def form(rows: np.ndarray, i: int) -> tuple:
    """The matrix A with p·A·p = 1 on an ellipsoid: xx, xy, yy, xz, yz, zz."""
    xx, xy, yy, xz, yz, zz = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(3):
        a, b, c, weight = (
            rows[i, AXES + k],
            rows[i, AXES + 3 + k],
            rows[i, AXES + 6 + k],
            ONE / (rows[i, SIZE + k] * rows[i, SIZE + k]),
        )
        xx, xy, yy = xx + weight * a * a, xy + weight * a * b, yy + weight * b * b
        xz, yz, zz = xz + weight * a * c, yz + weight * b * c, zz + weight * c * c
    return xx, xy, yy, xz, yz, zz


@njit(cache=True, error_model="numpy", fastmath=LAX)
def distance(x: Number, y: Number, z: Number, rows: np.ndarray, i: int) -> Number:
    """Distance of points to a shape's surface, negative inside; boxes have round edges."""
    x, y, z = x - rows[i, CENTRE], y - rows[i, CENTRE + 1], z - rows[i, CENTRE + 2]
    if rows[i, KIND] == CAPSULE:
        return to_capsule(
            x, y, z, rows[i, AXES + 2], rows[i, AXES + 5], rows[i, AXES + 8], rows[i, HALF], rows[i, SIZE]
        )
    u, v, w = local(x, y, z, rows, i)
    if rows[i, KIND] == ELLIPSOID:
        return to_ellipsoid(u, v, w, rows[i, SIZE], rows[i, SIZE + 1], rows[i, SIZE + 2])
    return to_box(u, v, w, rows[i, SIZE], rows[i, SIZE + 1], rows[i, SIZE + 2], rows[i, ROUND])


@njit(cache=True, error_model="numpy", fastmath=LAX)
def to_capsule(
    x: Number, y: Number, z: Number, a: Number, b: Number, c: Number, half: Number, radius: Number
) -> Number:
    """Distance of points from a capsule's middle to its surface; the spine runs along a, b, c."""
    at = within(x * a + y * b + z * c, -half, half)
    x, y, z = x - at * a, y - at * b, z - at * c
    return np.sqrt(x * x + y * y + z * z) - radius


@njit(cache=True, error_model="numpy", fastmath=LAX)
def to_ellipsoid(u: Number, v: Number, w: Number, p: Number, q: Number, r: Number) -> Number:
    """Distance of points along an ellipsoid's axes to its surface, to first order."""
    u, v, w = u / p, v / q, w / r
    once = np.sqrt(u * u + v * v + w * w)
    u, v, w = u / p, v / q, w / r
    return once * (once - ONE) / more(np.sqrt(u * u + v * v + w * w), np.float32(1e-6))


@njit(cache=True, error_model="numpy", fastmath=LAX)
def to_box(u: Number, v: Number, w: Number, p: Number, q: Number, r: Number, edge: Number) -> Number:
    """Distance of points along a box's axes to its surface, with round edges."""
    u, v, w = abs(u) - (p - edge), abs(v) - (q - edge), abs(w) - (r - edge)
    inside = less(more(more(u, v), w), ZERO)
    u, v, w = more(u, ZERO), more(v, ZERO), more(w, ZERO)
    return np.sqrt(u * u + v * v + w * w) + inside - edge


@njit(cache=True, error_model="numpy", fastmath=LAX)
def local(x: Number, y: Number, z: Number, rows: np.ndarray, i: int) -> tuple[Number, Number, Number]:
    """Coordinates along a shape's own axes."""
    return (
        x * rows[i, AXES] + y * rows[i, AXES + 3] + z * rows[i, AXES + 6],
        x * rows[i, AXES + 1] + y * rows[i, AXES + 4] + z * rows[i, AXES + 7],
        x * rows[i, AXES + 2] + y * rows[i, AXES + 5] + z * rows[i, AXES + 8],
    )


@njit(cache=True, error_model="numpy", fastmath=LAX)
def slope(x: Number, y: Number, z: Number, rows: np.ndarray, i: int) -> tuple[Number, Number, Number]:
    """Unit gradient of the distance."""
    x, y, z = x - rows[i, CENTRE], y - rows[i, CENTRE + 1], z - rows[i, CENTRE + 2]
    if rows[i, KIND] == CAPSULE:
        a, b, c = rows[i, AXES + 2], rows[i, AXES + 5], rows[i, AXES + 8]
        at = within(x * a + y * b + z * c, -rows[i, HALF], rows[i, HALF])
        x, y, z = x - at * a, y - at * b, z - at * c
    else:
        u, v, w = local(x, y, z, rows, i)
        if rows[i, KIND] == ELLIPSOID:
            u, v, w = u / rows[i, SIZE] ** 2, v / rows[i, SIZE + 1] ** 2, w / rows[i, SIZE + 2] ** 2
        else:
            edge = rows[i, ROUND]
            p, q, r = rows[i, SIZE] - edge, rows[i, SIZE + 1] - edge, rows[i, SIZE + 2] - edge
            u, v, w = u - within(u, -p, p), v - within(v, -q, q), w - within(w, -r, r)
        x, y, z = (
            u * rows[i, AXES] + v * rows[i, AXES + 1] + w * rows[i, AXES + 2],
            u * rows[i, AXES + 3] + v * rows[i, AXES + 4] + w * rows[i, AXES + 5],
            u * rows[i, AXES + 6] + v * rows[i, AXES + 7] + w * rows[i, AXES + 8],
        )
    length = more(np.sqrt(x * x + y * y + z * z), np.float32(1e-9))
    return x / length, y / length, z / length


@njit(cache=True, error_model="numpy", fastmath=LAX)
def melt(far: Number, other: Number, blend: Number, partner: Number) -> tuple[Number, Number]:
    """Distance to two shapes that flow into each other, and the second one's share: a quadratic smooth minimum.

    `partner` is the distance to the shape that the second flows into: the fillet ends where that is as far as it is
    wide.
    """
    blend = blend * within(TWO - TWO / blend * partner, np.float32(1e-3), ONE)
    gap = far - other
    share = within(MIDDLE + MIDDLE / blend * gap, ZERO, ONE)
    return far - share * (gap + blend * (ONE - share)), share
