"""Which shape each ray of a picture sees, ray by ray: what `rays` does for all at once, compiled."""

import numpy as np

from lactic.compiling import njit
from lactic.picture.figure import BOX
from lactic.picture.solids import KIND, LEAP, PARTNER, STEPS, WIDTH, distance, meet, melt, slope


@njit(cache=True, error_model="numpy")
def trace(xs, ys, scene, close, hits):
    """Write what each ray hits of a `rays.Scene` into `rays.RayHits`."""
    rows, bounds, colours, body, pairs, lenses, swollen, members, covers, reach = scene
    depth, normal, colour, bodies = hits
    count, fillets = len(rows), len(lenses)
    group = np.zeros(count, np.int64)
    apart, shares = np.zeros(count), np.zeros(count)
    level, some, few = np.zeros(count, np.int64), 0, 0
    joints = np.zeros(fillets, np.int64)
    for ray in range(len(xs)):
        x, y = xs[ray], ys[ray]
        if ray == 0 or y != ys[ray - 1]:  # rays come row by row, and few shapes reach into one
            some, few = _reach(y, bounds, level), _reach(y, lenses, joints)
        best, nearest, link = -np.inf, -1, -1
        for n in range(some):
            i = level[n]
            if x < bounds[i, 0, 0] or x > bounds[i, 1, 0]:
                continue
            z = meet(x, y, rows, i)
            if z > best and rows[i, KIND] == BOX:
                group[0] = i
                z = _march(x, y, z, rows, group, 1, close, apart, shares)
            if z > best:
                best, nearest = z, i
        for n in range(few):
            k = joints[n]
            if x < lenses[k, 0, 0] or x > lenses[k, 1, 0] or (link >= 0 and covers[link, k]):
                continue
            one, other = meet(x, y, swollen, 2 * k), meet(x, y, swollen, 2 * k + 1)
            if np.isnan(one) or np.isnan(other) or max(one, other) <= best:
                continue
            size = _gather(x, y, members, k, bounds, reach, group)
            z = _march(x, y, max(one, other), rows, group, size, close, apart, shares)
            if z > best:
                best, link = z, k
        if link < 0 and nearest < 0:
            continue
        depth[ray] = best
        if link < 0:
            group[0], size, bodies[ray] = nearest, 1, body[nearest]
        else:
            size, bodies[ray] = _gather(x, y, members, link, bounds, reach, group), body[pairs[link, 0]]
            _union(x, y, best, rows, group, size, apart, shares)
        _surface(x, y, best, rows, group, size, shares, colours, ray, normal, colour)


@njit(cache=True, error_model="numpy")
def _reach(y, bounds, found):
    """Write which bounds hold the height y into `found` and return how many they are."""
    size = 0
    for i in range(len(bounds)):
        if bounds[i, 0, 1] <= y <= bounds[i, 1, 1]:
            found[size] = i
            size += 1
    return size


@njit(cache=True, error_model="numpy")
def _gather(x, y, members, link, bounds, reach, group):
    """Write the numbers of a fillet's shapes that a ray comes near into `group` and return how many they are."""
    size = 0
    for k in range(members.shape[1]):
        if not members[link, k] or x < bounds[k, 0, 0] - reach or x > bounds[k, 1, 0] + reach:
            continue
        if bounds[k, 0, 1] - reach <= y <= bounds[k, 1, 1] + reach:
            group[size] = k
            size += 1
    return size


@njit(cache=True, error_model="numpy")
def _union(x, y, z, rows, group, size, apart, shares):
    """Distance of a point to shapes that flow into each other; writes each one's share in the last blends."""
    far = distance(x, y, z, rows, group[0])
    apart[group[0]] = far
    for n in range(1, size):
        k = group[n]
        apart[k] = distance(x, y, z, rows, k)
        partner, gap = int(rows[k, PARTNER]), 0.0
        for m in range(n):
            if group[m] == partner:
                gap = apart[partner]
        far, shares[n] = melt(far, apart[k], rows[k, WIDTH], gap)
    return far


@njit(cache=True, error_model="numpy")
def _march(x, y, z, rows, group, size, close, apart, shares):
    """The height at which a ray from z down meets the surface of joined shapes; NaN where it does not."""
    last, fall = np.inf, 1.0
    for step in range(STEPS):
        far = _union(x, y, z, rows, group, size, apart, shares)
        if abs(far) < close:
            return z
        # what moves away will not come back, and a ray that starts inside belongs to another shape
        if (step == 0 and far < 0) or (far >= last and last > 0):
            return np.nan
        fall = far * (min(fall / (last - far), LEAP) if step else 1.0)
        last = far
        z -= fall
    return np.nan


@njit(cache=True, error_model="numpy")
def _surface(x, y, z, rows, group, size, shares, colours, ray, normal, colour):
    """Write normal and colour of a point on the surface of joined shapes."""
    a, b, c = slope(x, y, z, rows, group[0])
    red, green, blue = colours[group[0], 0], colours[group[0], 1], colours[group[0], 2]
    for n in range(1, size):
        share = shares[n]
        if share > 0:
            u, v, w = slope(x, y, z, rows, group[n])
            a, b, c = a + share * (u - a), b + share * (v - b), c + share * (w - c)
            red += share * (colours[group[n], 0] - red)
            green += share * (colours[group[n], 1] - green)
            blue += share * (colours[group[n], 2] - blue)
    length = np.sqrt(a * a + b * b + c * c)
    normal[ray, 0], normal[ray, 1], normal[ray, 2] = a / length, b / length, c / length
    colour[ray, 0], colour[ray, 1], colour[ray, 2] = red, green, blue
