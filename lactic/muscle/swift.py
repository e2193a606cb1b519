"""One leg at one moment, compiled: muscle lengths and moment arms, torques, the nearest feasible torque, its cost.

A muscle is a chain of straight segments. A segment from x along the unit vector u, between bodies with twists (ω, v)
and (ω', v'), grows at (x × u)·(ω' − ω) + u·(v' − v): moment arms W[i, j] = −∂length_j/∂q_i follow at once, and
τ = W·force (jiang2019, Eq. 2). A body's points x move at v + ω × x, all in the frame of the root. In the loop of a
character the last moment's activations begin the search for the next; `exact` answers many states at once.
"""

import math

import numpy as np

from lactic.compiling import njit
from lactic.muscle import hill, projection, simplex
from lactic.muscle.hill import FORCE
from lactic.muscle.leg import Geometry

WARM_SWEEPS = 1
ZERO = 1e-9  # Nm; a smaller correction is rounding


@njit(cache=True, error_model="numpy", inline="always")
def _curve(g: Geometry, k: int, x: float) -> tuple[float, float]:
    """Value and slope of a curve."""
    piece = 0
    while piece < g.knots.shape[1] and g.knots[k, piece] < x:
        piece += 1
    u = x - g.start[k, piece]
    c0, c1, c2, c3 = g.cubic[k, piece, 0], g.cubic[k, piece, 1], g.cubic[k, piece, 2], g.cubic[k, piece, 3]
    return c0 + u * (c1 + u * (c2 + u * c3)), c1 + u * (2.0 * c2 + u * 3.0 * c3)


@njit(cache=True, error_model="numpy")
def frames(g: Geometry, q: np.ndarray, turned: np.ndarray, origin: np.ndarray, twist: np.ndarray) -> None:
    """Rotations (body, 3, 3), origins (body, 3) and twists (body, coordinate, 6)."""
    turned[0], origin[0], twist[0] = np.eye(3), 0.0, 0.0
    work, about = np.empty((3, 3)), np.empty(3)
    for j in range(len(g.parent)):
        p, child = g.parent[j], j + 1
        at, o, spin = turned[child], origin[child], twist[child]
        spin[:] = twist[p]
        for i in range(3):
            o[i] = origin[p, i]
            for k in range(3):
                o[i] += turned[p, i, k] * g.before[j, k, 3]
                at[i, k] = 0.0
                for m in range(3):
                    at[i, k] += turned[p, i, m] * g.before[j, m, k]
        # twists about the root need the centre all shifts lead to: turns come after
        for a in range(6):
            c = g.axis_coordinate[j, a]
            value, slope = g.axis_value[j, a], 0.0
            if c >= 0:
                value, slope = _curve(g, g.axis_curve[j, a], q[c])
            if value == 0.0 and slope == 0.0:
                continue
            for i in range(3):
                about[i] = 0.0
                for k in range(3):
                    about[i] += at[i, k] * g.axis[j, a, k]
            if a < 3:
                for i in range(3):
                    o[i] += value * about[i]
                    if c >= 0:
                        spin[c, 3 + i] += slope * about[i]
                continue
            if c >= 0:
                for i in range(3):
                    n, m = (i + 1) % 3, (i + 2) % 3
                    spin[c, i] += slope * about[i]
                    spin[c, 3 + i] += slope * (o[n] * about[m] - o[m] * about[n])
            x, y, z = g.axis[j, a, 0], g.axis[j, a, 1], g.axis[j, a, 2]
            s, d = math.sin(value), 1.0 - math.cos(value)
            for i in range(3):  # at · (1 + s·K + d·K²), K the cross product with the axis
                r0, r1, r2 = at[i, 0], at[i, 1], at[i, 2]
                k0, k1, k2 = r1 * z - r2 * y, r2 * x - r0 * z, r0 * y - r1 * x
                work[i, 0] = r0 + s * k0 + d * (k1 * z - k2 * y)
                work[i, 1] = r1 + s * k1 + d * (k2 * x - k0 * z)
                work[i, 2] = r2 + s * k2 + d * (k0 * y - k1 * x)
            at[:] = work
        for i in range(3):
            for k in range(3):
                o[i] += at[i, k] * g.after[j, k, 3]
                work[i, k] = 0.0
                for m in range(3):
                    work[i, k] += at[i, m] * g.after[j, m, k]
        at[:] = work


@njit(cache=True, error_model="numpy")
def arms(g: Geometry, pose: np.ndarray, length: np.ndarray, arm: np.ndarray) -> None:
    """Fill lengths (muscle,) and moment arms (muscle, coordinate) at a pose, held at the ends of the ranges."""
    n, bodies, points = len(pose), len(g.parent) + 1, len(g.point)
    q = np.empty(n)
    for c in range(n):
        q[c] = min(max(pose[c], g.range[c, 0]), g.range[c, 1])
    turned, origin, twist = np.empty((bodies, 3, 3)), np.empty((bodies, 3)), np.empty((bodies, n, 6))
    frames(g, q, turned, origin, twist)
    place, unit, rate = np.empty((points, 3)), np.zeros((len(g.segment), 3)), np.zeros((len(g.moving), 3))
    for p in range(points):
        b = g.point_body[p]
        x, y, z = g.point[p, 0], g.point[p, 1], g.point[p, 2]
        for i in range(3):
            place[p, i] = origin[b, i] + turned[b, i, 0] * x + turned[b, i, 1] * y + turned[b, i, 2] * z
    for k in range(len(g.moving)):
        p = g.moving[k, 0]
        b = g.point_body[p]
        for i in range(3):
            if g.moving[k, 4 + i] >= 0:
                value, rate[k, i] = _curve(g, g.moving[k, 4 + i], q[g.moving[k, 1 + i]])
                for d in range(3):
                    place[p, d] += turned[b, d, i] * (value - g.point[p, i])
    held = np.empty(len(g.condition), np.bool_)
    for k in range(len(g.condition)):
        held[k] = g.condition_range[k, 0] <= q[g.condition[k]] <= g.condition_range[k, 1]
    length[:] = g.fixed
    arm[:] = 0.0
    plain = len(g.segment) - len(g.there)
    for s in range(len(g.segment)):
        if s >= plain:
            there = True
            for i in range(g.there.shape[1]):
                there = there and (g.there[s - plain, i] < 0 or held[g.there[s - plain, i]])
            for i in range(g.away.shape[1]):
                there = there and (g.away[s - plain, i] < 0 or not held[g.away[s - plain, i]])
            if not there:
                continue
        m, a, b = g.segment[s, 0], g.segment[s, 1], g.segment[s, 2]
        ux, uy, uz = place[b, 0] - place[a, 0], place[b, 1] - place[a, 1], place[b, 2] - place[a, 2]
        size = math.sqrt(ux * ux + uy * uy + uz * uz)
        length[m] += size
        size = max(size, 1e-12)
        ux, uy, uz = ux / size, uy / size, uz / size
        unit[s, 0], unit[s, 1], unit[s, 2] = ux, uy, uz
        x, y, z = place[a, 0], place[a, 1], place[a, 2]
        mx, my, mz = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
        first, second = g.point_body[a], g.point_body[b]
        for c in range(g.segment[s, 3], g.segment[s, 4]):
            arm[m, c] -= (
                mx * (twist[second, c, 0] - twist[first, c, 0])
                + my * (twist[second, c, 1] - twist[first, c, 1])
                + mz * (twist[second, c, 2] - twist[first, c, 2])
                + ux * (twist[second, c, 3] - twist[first, c, 3])
                + uy * (twist[second, c, 4] - twist[first, c, 4])
                + uz * (twist[second, c, 5] - twist[first, c, 5])
            )
    for k in range(len(g.moving_segment)):  # points that a coordinate moves within their bodies
        s, p = g.moving_segment[k, 0], g.moving_segment[k, 1]
        b = g.point_body[g.moving[p, 0]]
        for i in range(3):
            if g.moving[p, 4 + i] >= 0:
                along = turned[b, 0, i] * unit[s, 0] + turned[b, 1, i] * unit[s, 1] + turned[b, 2, i] * unit[s, 2]
                arm[g.segment[s, 0], g.moving[p, 1 + i]] -= g.moving_segment[k, 2] * rate[p, i] * along


@njit(cache=True, error_model="numpy", nogil=True)
def all_arms(g: Geometry, poses: np.ndarray, lengths: np.ndarray, found: np.ndarray) -> None:
    """Fill lengths (pose, muscle) and moment arms (pose, muscle, coordinate)."""
    for k in range(len(poses)):
        arms(g, poses[k], lengths[k], found[k])


@njit(cache=True, error_model="numpy")
def columns_of(
    g: Geometry, q: np.ndarray, qd: np.ndarray, columns: np.ndarray, passive: np.ndarray, speed: np.ndarray
) -> None:
    """Fill each muscle's torque at full activation (muscle, coordinate), passive torque, and lengthening speeds."""
    count = len(columns)
    length, active, stretch = np.empty(count), np.empty(count), np.empty(count)
    arms(g, q, length, columns)
    for m in range(count):
        speed[m] = -projection.dot(columns[m], qd)
    hill.forces(g.muscle, length, speed, active, stretch)
    passive[:] = 0.0
    for m in range(count):
        projection.take_off(passive, -stretch[m], columns[m])
        for c in range(len(q)):
            columns[m, c] *= active[m]


@njit(cache=True, error_model="numpy")
def nearest(
    columns: np.ndarray,
    passive: np.ndarray,
    bound: np.ndarray,
    torque: np.ndarray,
    activation: np.ndarray,
    correction: np.ndarray,
) -> int:
    """Fill R of a torque where activations reach from 0 to `bound`; `activation` (as a share of it) begins the search.

    Columns become those of the bounded muscles. Returns the steps taken, −1 where they ran out.
    """
    for m in range(len(columns)):
        for c in range(columns.shape[1]):
            columns[m, c] *= bound[m]
    steps = projection.solve(columns, torque - passive, activation, correction, WARM_SWEEPS)
    if projection.dot(correction, correction) <= ZERO * ZERO:
        correction[:] = 0.0
    return steps


@njit(cache=True, error_model="numpy")
def least(
    g: Geometry,
    columns: np.ndarray,
    passive: np.ndarray,
    bound: np.ndarray,
    torque: np.ndarray,
    activation: np.ndarray,
) -> float:
    """E of a feasible torque, Σ fₒ·a, after `nearest`; `activation` becomes the cheapest, not a share of its bound.

    Infinite, and `activation` as it was, where the torque cannot be given.
    """
    cost = g.muscle[:, FORCE] * bound
    found = np.empty(len(bound))
    for m in range(len(bound)):
        cost[m] = max(cost[m], 1e-9)  # a muscle that can do nothing gives nothing
    if simplex.solve(columns, cost, torque - passive, found) < 0:
        return math.inf
    total = 0.0
    for m in range(len(bound)):
        activation[m] = found[m] * bound[m]
        total += g.muscle[m, FORCE] * activation[m]
    return total
