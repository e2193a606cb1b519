"""Nearest torque that activations in [0, 1] can give: bounded least squares by an active set, compiled, many at once.

min ‖b − A·a‖ over 0 ≤ a ≤ 1 with few rows (degrees of freedom) and many columns (muscles): the feasible torques are a
zonotope, and at most as many activations as rows need to lie strictly between their bounds (jiang2019, Eq. 5). As in
Stark & Parker 1995, but begun with sweeps over single activations, and an activation outside the active set may stand
anywhere.
"""

import numpy as np

from lactic.compiling import njit

SWEEPS = 6
MOST_STEPS = 400
DEPENDENT = 1e-7  # sine of the angle to the active set's span below which a column adds nothing to it
NOISE = 1e-15  # of a residual, as a share of the torques it is the difference of
ZERO = 1e-9  # Nm; a smaller residual is rounding


@njit(cache=True, error_model="numpy", inline="always")
def dot(a: np.ndarray, b: np.ndarray) -> float:
    """Sum of products: numba's own needs scipy. Put in place by numba itself, as a call costs a tenth of the solver."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True, error_model="numpy", inline="always")
def take_off(r: np.ndarray, share: float, column: np.ndarray) -> None:
    """r −= share · column."""
    for i in range(len(r)):
        r[i] -= share * column[i]


@njit(cache=True, error_model="numpy")
def _descend(columns: np.ndarray, square: np.ndarray, x: np.ndarray, r: np.ndarray, sweeps: int) -> None:
    """Best value of each activation in turn, a few times over."""
    for _ in range(sweeps):
        for j in range(len(columns)):
            if square[j] == 0.0:
                continue
            new = min(max(x[j] + dot(columns[j], r) / square[j], 0.0), 1.0)
            step = new - x[j]
            if step != 0.0:
                x[j] = new
                take_off(r, step, columns[j])


@njit(cache=True, error_model="numpy")
def _residual(columns: np.ndarray, b: np.ndarray, x: np.ndarray, r: np.ndarray) -> None:
    r[:] = b
    for j in range(columns.shape[0]):
        if x[j] != 0.0:
            take_off(r, x[j], columns[j])


@njit(cache=True, error_model="numpy")
def _orthogonalise(columns: np.ndarray, chosen: np.ndarray, count: int, basis: np.ndarray, factor: np.ndarray) -> bool:
    """Q and R of the chosen columns (Gram–Schmidt, twice); False where the last one depends on the others."""
    for k in range(count):
        basis[k] = columns[chosen[k]]
        size = dot(basis[k], basis[k])
        factor[:k, k] = 0.0
        for _ in range(2):
            for p in range(k):
                part = dot(basis[p], basis[k])
                factor[p, k] += part
                take_off(basis[k], part, basis[p])
        rest = dot(basis[k], basis[k])
        if rest <= DEPENDENT * DEPENDENT * size:
            return False
        factor[k, k] = np.sqrt(rest)
        for i in range(basis.shape[1]):
            basis[k, i] /= factor[k, k]
    return True


@njit(cache=True, error_model="numpy")
def solve(columns: np.ndarray, b: np.ndarray, x: np.ndarray, r: np.ndarray, sweeps: int) -> int:
    """Activations x and residual r = b − A·x of one problem; the number of steps taken, or −1 where they ran out.

    The search begins at x as given, anywhere in [0, 1]: near the answer it is short.
    """
    n, m = columns.shape
    square, barred, free = np.empty(n), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    scale = 0.0
    for i in range(m):
        scale += abs(b[i])
    for j in range(n):
        square[j] = dot(columns[j], columns[j])
        scale += np.sqrt(square[j])
    chosen, count = np.empty(m, np.int64), 0
    basis, factor, step = np.empty((m, m)), np.empty((m, m)), np.empty(m)
    tolerance = NOISE * scale
    _residual(columns, b, x, r)
    _descend(columns, square, x, r, sweeps)
    for steps in range(MOST_STEPS):
        _residual(columns, b, x, r)
        if dot(r, r) <= tolerance * tolerance:
            return steps
        best, most = -1, tolerance
        if count < m:
            for j in range(n):
                if free[j] or barred[j] or square[j] == 0.0:
                    continue
                slope = dot(columns[j], r)
                if (slope > 0.0 and x[j] < 1.0) or (slope < 0.0 and x[j] > 0.0):
                    slope = abs(slope) / np.sqrt(square[j])
                    if slope > most:
                        best, most = j, slope
        if best < 0:
            return steps
        chosen[count] = best
        if not _orthogonalise(columns, chosen, count + 1, basis, factor):
            barred[best] = True  # until the active set changes
            continue
        count += 1
        free[best] = True
        fresh = True
        while count > 0:
            for k in range(count):  # least squares step of the active set: R·step = Qᵀ·r
                step[k] = dot(basis[k], r)
            for k in range(count - 1, -1, -1):
                for p in range(k + 1, count):
                    step[k] -= factor[k, p] * step[p]
                step[k] /= factor[k, k]
            share, stop = 1.0, -1
            for k in range(count):
                j = chosen[k]
                if step[k] > 0.0 and x[j] + step[k] > 1.0:
                    reach = (1.0 - x[j]) / step[k]
                elif step[k] < 0.0 and x[j] + step[k] < 0.0:
                    reach = -x[j] / step[k]
                else:
                    continue
                if reach < share:
                    share, stop = reach, k
            for k in range(count):
                x[chosen[k]] = min(max(x[chosen[k]] + share * step[k], 0.0), 1.0)
            if fresh and stop == count - 1 and share == 0.0:
                barred[best] = True  # rounding sent it outwards: it was no improvement
            elif share > 0.0:
                barred[:] = False
            fresh = False
            if stop < 0:
                break
            j = chosen[stop]
            x[j] = 1.0 if step[stop] > 0.0 else 0.0
            free[j] = False
            count -= 1
            for k in range(stop, count):
                chosen[k] = chosen[k + 1]
            _orthogonalise(columns, chosen, count, basis, factor)
            _residual(columns, b, x, r)
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def project(active: np.ndarray, b: np.ndarray, residual: np.ndarray, activation: np.ndarray, steps: np.ndarray) -> None:
    """Fill residuals (problem, row), activations (problem, column) and steps (−1: ran out) of min ‖b − A·a‖.

    A is (problem, row, column). A residual of rounding alone becomes exactly 0.
    """
    columns = np.empty((active.shape[2], active.shape[1]))
    for s in range(active.shape[0]):
        columns[:] = active[s].T
        activation[s] = 0.0
        steps[s] = solve(columns, b[s], activation[s], residual[s], SWEEPS)
        if dot(residual[s], residual[s]) <= ZERO * ZERO:
            residual[s] = 0.0
