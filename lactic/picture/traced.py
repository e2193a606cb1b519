"""Which shape each ray of a picture sees: what `rays` does with arrays, compiled.

Rays meet shapes one by one. Where shapes flow into each other, the rays that come near are marched side by side, one
shape at a time, which processors do for many numbers at once.
"""

import numpy as np

from lactic.compiling import njit
from lactic.picture.figure import BOX, CAPSULE, ELLIPSOID
from lactic.picture.solids import (
    AXES,
    CENTRE,
    HALF,
    KIND,
    LAX,
    LEAP,
    ONE,
    PARTNER,
    ROUND,
    SIZE,
    STEPS,
    WIDTH,
    ZERO,
    distance,
    meet,
    melt,
    slope,
    to_box,
    to_capsule,
    to_ellipsoid,
)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def trace(xs, ys, scene, close, hits):
    """Write what each ray hits of a `rays.Scene` into `rays.RayHits`."""
    rows, bounds, colours, body, _, lenses, swollen, members, covers, reach = scene
    depth, normal, colour, bodies = hits
    level, some = np.zeros(len(rows), np.int64), 0
    for ray in range(len(xs)):
        x, y = xs[ray], ys[ray]
        if ray == 0 or y != ys[ray - 1]:  # rays come row by row, and few shapes reach into one
            some = _reach(y, bounds, level)
        nearest = -1
        for n in range(some):
            i = level[n]
            if x < bounds[i, 0, 0] or x > bounds[i, 1, 0]:
                continue
            z = meet(x, y, rows, i)
            if z > depth[ray] and rows[i, KIND] == BOX:
                z = _onto_box(x, y, z, rows, i, close)
            if z > depth[ray]:
                depth[ray], nearest = z, i
        if nearest >= 0:
            bodies[ray] = body[nearest]
            a, b, c = slope(x, y, depth[ray], rows, nearest)
            normal[ray, 0], normal[ray, 1], normal[ray, 2] = a, b, c
            for k in range(3):
                colour[ray, k] = colours[nearest, k]
    met = np.full(len(xs), -1)  # the fillet that a ray has met
    at, group = np.zeros(len(xs), np.int64), np.zeros(len(rows), np.int64)
    x, y, z = np.zeros(len(xs), np.float32), np.zeros(len(xs), np.float32), np.zeros(len(xs), np.float32)
    for link in range(len(lenses)):
        left, bottom, right, top = lenses[link, 0, 0], lenses[link, 0, 1], lenses[link, 1, 0], lenses[link, 1, 1]
        count = 0
        for ray in range(len(xs)):
            if ys[ray] < bottom or ys[ray] > top or xs[ray] < left or xs[ray] > right:
                continue
            if met[ray] >= 0 and covers[met[ray], link]:
                continue
            one, other = meet(xs[ray], ys[ray], swollen, 2 * link), meet(xs[ray], ys[ray], swollen, 2 * link + 1)
            if np.isnan(one) or np.isnan(other) or max(one, other) <= depth[ray]:
                continue
            at[count], x[count], y[count], z[count] = ray, xs[ray], ys[ray], max(one, other)
            count += 1
        if count:
            size = _gather(lenses, members, link, bounds, reach, group)
            _march(at[:count], x, y, z, scene, group[:size], close, hits, met, link)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _reach(y, bounds, found):
    """Write which bounds hold the height y into `found` and return how many they are."""
    size = 0
    for i in range(len(bounds)):
        if bounds[i, 0, 1] <= y <= bounds[i, 1, 1]:
            found[size] = i
            size += 1
    return size


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _gather(lenses, members, link, bounds, reach, group):
    """Write the numbers of a fillet's shapes that come near it into `group` and return how many they are."""
    size = 0
    for k in range(members.shape[1]):
        if not members[link, k]:
            continue
        if lenses[link, 1, 0] < bounds[k, 0, 0] - reach or lenses[link, 0, 0] > bounds[k, 1, 0] + reach:
            continue
        if lenses[link, 1, 1] >= bounds[k, 0, 1] - reach and lenses[link, 0, 1] <= bounds[k, 1, 1] + reach:
            group[size] = k
            size += 1
    return size


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _onto_box(x, y, z, rows, i, close):
    """The height at which a ray from z down meets a box with round edges; NaN where it does not."""
    last, fall = np.float32(np.inf), ONE
    for step in range(STEPS):
        far = distance(x, y, z, rows, i)
        if abs(far) < close:
            return z
        if (step == 0 and far < 0) or (far >= last and last > 0):
            return np.float32(np.nan)
        fall = far * (min(fall / (last - far), np.float32(LEAP)) if step else ONE)
        last = far
        z -= fall
    return np.float32(np.nan)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _march(at, x, y, z, scene, group, close, hits, met, link):
    """March rays `at` from z down to the surface of joined shapes, and write what those see that meet it."""
    rows, body, pairs = scene.rows, scene.body, scene.pairs
    live, size = len(at), len(group)
    far, last, fall = np.zeros(live, np.float32), np.full(live, np.float32(np.inf)), np.ones(live, np.float32)
    apart, shares = np.zeros((size, live), np.float32), np.zeros((size, live), np.float32)
    for step in range(STEPS):
        _union(x, y, z, live, rows, group, far, apart, shares)
        on = 0
        for n in range(live):
            if abs(far[n]) < close:
                if z[n] > hits.depth[at[n]]:
                    hits.depth[at[n]], hits.body[at[n]], met[at[n]] = z[n], body[pairs[link, 0]], link
                    _surface(x[n], y[n], z[n], rows, group, shares, n, scene.colours, at[n], hits.normal, hits.colour)
                continue
            # what moves away will not come back, and a ray that starts inside belongs to another shape
            if (step == 0 and far[n] < 0) or (far[n] >= last[n] and last[n] > 0):
                continue
            # the distance shrank by less than the ray has gone, and will again: a secant, held back
            deep = far[n] * (min(fall[n] / (last[n] - far[n]), np.float32(LEAP)) if step else ONE)
            at[on], x[on], y[on], z[on] = at[n], x[n], y[n], z[n] - deep
            last[on], fall[on] = far[n], deep
            on += 1
        live = on
        if live == 0:
            return


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _union(x, y, z, count, rows, group, far, apart, shares):
    """Distances of points to shapes that flow into each other; writes each one's share in the last blends."""
    for n in range(len(group)):
        _distances(x, y, z, count, rows, group[n], apart[n])
        if n == 0:
            far[:count] = apart[0, :count]
            continue
        partner, width = -1, rows[group[n], WIDTH]
        for m in range(n):
            if group[m] == int(rows[group[n], PARTNER]):
                partner = m
        if partner < 0:
            for k in range(count):
                far[k], shares[n, k] = melt(far[k], apart[n, k], width, ZERO)
        else:
            for k in range(count):
                far[k], shares[n, k] = melt(far[k], apart[n, k], width, apart[partner, k])


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _distances(xs, ys, zs, count, rows, i, far):
    """Write the distances of points to one shape: as `distance`, with all that the points share out of the loop."""
    left, up, near = rows[i, CENTRE], rows[i, CENTRE + 1], rows[i, CENTRE + 2]
    ax, bx, cx = rows[i, AXES], rows[i, AXES + 1], rows[i, AXES + 2]
    ay, by, cy = rows[i, AXES + 3], rows[i, AXES + 4], rows[i, AXES + 5]
    az, bz, cz = rows[i, AXES + 6], rows[i, AXES + 7], rows[i, AXES + 8]
    p, q, r, half, edge = rows[i, SIZE], rows[i, SIZE + 1], rows[i, SIZE + 2], rows[i, HALF], rows[i, ROUND]
    if rows[i, KIND] == CAPSULE:
        for n in range(count):
            far[n] = to_capsule(xs[n] - left, ys[n] - up, zs[n] - near, cx, cy, cz, half, p)
    elif rows[i, KIND] == ELLIPSOID:
        for n in range(count):
            x, y, z = xs[n] - left, ys[n] - up, zs[n] - near
            u, v, w = x * ax + y * ay + z * az, x * bx + y * by + z * bz, x * cx + y * cy + z * cz
            far[n] = to_ellipsoid(u, v, w, p, q, r)
    else:
        for n in range(count):
            x, y, z = xs[n] - left, ys[n] - up, zs[n] - near
            u, v, w = x * ax + y * ay + z * az, x * bx + y * by + z * bz, x * cx + y * cy + z * cz
            far[n] = to_box(u, v, w, p, q, r, edge)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def _surface(x, y, z, rows, group, shares, n, colours, ray, normal, colour):
    """Write normal and colour of a point on the surface of joined shapes."""
    a, b, c = slope(x, y, z, rows, group[0])
    red, green, blue = colours[group[0], 0], colours[group[0], 1], colours[group[0], 2]
    for k in range(1, len(group)):
        share = shares[k, n]
        if share > 0:
            u, v, w = slope(x, y, z, rows, group[k])
            a, b, c = a + share * (u - a), b + share * (v - b), c + share * (w - c)
            red += share * (colours[group[k], 0] - red)
            green += share * (colours[group[k], 1] - green)
            blue += share * (colours[group[k], 2] - blue)
    length = np.sqrt(a * a + b * b + c * c)
    normal[ray, 0], normal[ray, 1], normal[ray, 2] = a / length, b / length, c / length
    colour[ray, 0], colour[ray, 1], colour[ray, 2] = red, green, blue
