"""Least effort for a torque: a linear programme with few rows, by a bounded dual simplex, compiled, many at once.

min w·a subject to A·a = b, 0 ≤ a ≤ 1 with w > 0 (jiang2019, Eq. 7 and 8). The start is free: one artificial column a
row, fixed at 0, and every activation at 0 is optimal for its own costs and merely misses b. Steps may pass several
bounds at once (long-step ratio test). Activations outside the basis stand at 0 or 1.
"""

import numpy as np

from lactic.compiling import njit
from lactic.muscle.projection import dot, take_off

MOST_STEPS = 400
TINY = 1e-11  # of a pivot, as a share of its row and column
SLACK = 1e-9  # by how much an activation may leave [0, 1] before it is put back
EDGE = 1e-7  # Nm; a torque this close to what can be given counts as given


@njit(cache=True, error_model="numpy")
def _invert(columns: np.ndarray, base: np.ndarray, inverse: np.ndarray) -> None:
    """Inverse of the basis: row k belongs to its k-th column (Gauss–Jordan with pivoting)."""
    n, m = columns.shape
    work = np.zeros((m, 2 * m))
    for k in range(m):
        for i in range(m):
            work[i, k] = columns[base[k], i] if base[k] < n else (1.0 if base[k] - n == i else 0.0)
        work[k, m + k] = 1.0
    for k in range(m):
        pivot = k
        for i in range(k + 1, m):
            if abs(work[i, k]) > abs(work[pivot, k]):
                pivot = i
        for c in range(2 * m):
            work[k, c], work[pivot, c] = work[pivot, c], work[k, c]
        work[k] /= work[k, k]
        for i in range(m):
            if i != k and work[i, k] != 0.0:
                take_off(work[i], work[i, k], work[k])
    inverse[:] = work[:, m:]


@njit(cache=True, error_model="numpy")
def _worst_row(x: np.ndarray, base: np.ndarray, inverse: np.ndarray, settled: np.ndarray, n: int, reach: float) -> int:
    """The basic variable that misses its bounds most for the length of its row, or −1 where none does."""
    row, most = -1, 0.0
    for k in range(len(x)):
        high, slack = (1.0, SLACK) if base[k] < n else (0.0, SLACK * reach)
        miss = max(-x[k], x[k] - high)
        if miss > slack and not settled[k]:
            miss /= np.sqrt(dot(inverse[k], inverse[k]))
            if miss > most:
                row, most = k, miss
    return row


@njit(cache=True, error_model="numpy")
def solve(columns: np.ndarray, cost: np.ndarray, b: np.ndarray, a: np.ndarray) -> int:
    """Activations of one problem; the number of steps, −1 where no activations give b, −2 where steps ran out."""
    n, m = columns.shape
    base = np.arange(n, n + m)
    inverse, x, dual, right = np.eye(m), np.empty(m), np.empty(m), b.copy()
    upper, basic, passed = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    turn, ratio, size, settled = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(m, np.bool_)
    reach = 0.0
    for j in range(n):
        size[j] = np.sqrt(dot(columns[j], columns[j]))
        reach = max(reach, size[j])
    for steps in range(MOST_STEPS):
        if steps % 8 == 7:
            _invert(columns, base, inverse)
        for k in range(m):
            x[k] = dot(inverse[k], right)
        row = _worst_row(x, base, inverse, settled, n, reach)
        if row < 0:
            _invert(columns, base, inverse)
            for j in range(n):
                a[j] = 1.0 if upper[j] else 0.0
            for k in range(m):
                x[k] = dot(inverse[k], right)
                if base[k] < n:
                    a[base[k]] = min(max(x[k], 0.0), 1.0)
            return steps
        rising = x[row] < 0.0
        missing = -x[row] if rising else x[row] - (1.0 if base[row] < n else 0.0)
        length = np.sqrt(dot(inverse[row], inverse[row]))
        dual[:] = 0.0
        for k in range(m):
            if base[k] < n:
                take_off(dual, -cost[base[k]], inverse[k])
        for j in range(n):  # who can move the row the right way, and at what price
            passed[j] = True
            if basic[j] or size[j] == 0.0:
                continue
            pivot, reduced = dot(inverse[row], columns[j]), cost[j]
            for i in range(m):
                reduced -= dual[i] * columns[j, i]
            turn[j] = pivot
            if abs(pivot) > TINY * length * size[j] and (pivot < 0.0) == (rising != upper[j]):
                passed[j] = False
                ratio[j] = max(-reduced if upper[j] else reduced, 0.0) / abs(pivot)
        enter = -1
        while True:
            best = -1
            for j in range(n):
                if not passed[j] and (
                    best < 0 or ratio[j] < ratio[best] or (ratio[j] == ratio[best] and abs(turn[j]) > abs(turn[best]))
                ):
                    best = j
            if best < 0:
                break
            missing -= abs(turn[best])
            if missing <= 0.0:
                enter = best
                break
            passed[best] = True  # its whole range does not suffice: to its other bound, and on
            take_off(right, -1.0 if upper[best] else 1.0, columns[best])
            upper[best] = not upper[best]
        if enter < 0:
            if missing > EDGE * length:
                return -1
            settled[row] = True  # on the boundary but for rounding: as near as can be
            continue
        leave = base[row]
        if leave < n:
            basic[leave] = False
            upper[leave] = not rising
            if upper[leave]:
                take_off(right, 1.0, columns[leave])
        if upper[enter]:
            upper[enter] = False
            take_off(right, -1.0, columns[enter])
        basic[enter] = True
        base[row] = enter
        settled[:] = False
        for i in range(m):
            inverse[row, i] /= turn[enter]
        for k in range(m):
            if k != row:
                take_off(inverse[k], dot(inverse[k], columns[enter]), inverse[row])
    return -2


@njit(cache=True, error_model="numpy", nogil=True)
def least(
    active: np.ndarray, cost: np.ndarray, b: np.ndarray, effort: np.ndarray, activation: np.ndarray, steps: np.ndarray
) -> None:
    """Fill efforts, activations and steps (−1: cannot be given, −2: ran out) of min cost·a, A·a = b, 0 ≤ a ≤ 1.

    A is (problem, row, column). What cannot be given costs infinitely much and has activations that are not numbers.
    """
    columns = np.empty((active.shape[2], active.shape[1]))
    for s in range(active.shape[0]):
        columns[:] = active[s].T
        steps[s] = solve(columns, cost, b[s], activation[s])
        if steps[s] < 0:
            effort[s] = np.inf
            activation[s] = np.nan
        else:
            effort[s] = dot(cost, activation[s])
