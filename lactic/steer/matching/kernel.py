"""The three searches, compiled (needs numba).

Sixteen points, or the bounds of sixteen boxes, lie side by side (feature, lane), and a sweep over them is written in
vector instructions: what numba makes of plain loops here is five times slower. All sums run over the features in the
same order in float32, and rounding is monotonic: so the computed bound of a box is never above the computed cost of a
point in it, and all searches find the same frame.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from lactic.steer.matching.features import COUNT
from lactic.steer.matching.index import CHECKS, LANES, NONE

# numba's cache of compiled code knows of changes in this file only: touch it when COUNT, LANES or CHECKS change
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_POINTER = _VECTOR.as_pointer()


def _number(value: int, bits: int = 64) -> ir.Constant:
    return ir.Constant(ir.IntType(bits), value)


def _spread(builder: Any, scalar: Any) -> Any:
    """The same number in every lane."""
    empty = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(empty, scalar, _number(0, 32))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _larger(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _least(builder: Any, vector: Any) -> Any:
    """The smallest lane: halves compared with each other, again and again."""
    empty, half = ir.Constant(_VECTOR, ir.Undefined), LANES // 2
    while half:
        turned = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [(i + half) % LANES for i in range(LANES)])
        other = builder.shuffle_vector(vector, empty, turned)
        vector = builder.select(builder.fcmp_ordered("<", vector, other), vector, other)
        half //= 2
    return builder.extract_element(vector, _number(0, 32))


def _sweep(tables: int, first: int, last: int) -> Callable[..., Any]:
    """Code for sweep(table…, row, q, total): adds the squares of features first … last - 1 to `total`; gives the least.

    With one table (row, feature, lane) the differences are those of points from q, with two those of q from the boxes
    between them. A sweep that begins at feature 0 begins at zero.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = [context.make_array(t)(context, builder, a) for t, a in zip(signature.args, arguments, strict=True)
                  if isinstance(t, types.Array)]  # fmt: skip
        *held, q, total = [array.data for array in arrays]
        row = builder.mul(arguments[tables], _number(COUNT))
        at = [builder.gep(builder.bitcast(table, _POINTER), [row]) for table in held]
        result = builder.bitcast(total, _POINTER)
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        value = builder.load(result, align=4) if first else zero
        for k in range(first, last):
            asked = _spread(builder, builder.load(builder.gep(q, [_number(k)])))
            rows = [builder.load(builder.gep(table, [_number(k)]), align=4) for table in at]
            off = builder.fsub(rows[0], asked)
            if tables == 2:
                off = _larger(builder, _larger(builder, off, builder.fsub(asked, rows[1])), zero)
            value = builder.fadd(value, builder.fmul(off, off))
        builder.store(value, result, align=4)
        return _least(builder, value)

    if tables == 1:

        def one(typing: Any, points: Any, row: Any, q: Any, total: Any) -> Any:
            return types.float32(points, types.int64, q, total), code

        return intrinsic(one)

    def two(typing: Any, low: Any, high: Any, row: Any, q: Any, total: Any) -> Any:
        return types.float32(low, high, types.int64, q, total), code

    return intrinsic(two)


_costs = _sweep(1, 0, COUNT)
_costs_begun, _costs_on, _costs_ended = (_sweep(1, *ends) for ends in zip((0, *CHECKS), (*CHECKS, COUNT), strict=True))
_bounds = _sweep(2, 0, COUNT)


@njit(cache=True)
def _first(cost: np.ndarray, frames: np.ndarray, least: np.float32, best: np.float32, found: int) -> int:
    """The first frame with the least cost, which is not above the best; `found` if that is as cheap and earlier."""
    if least < best:
        found = NONE
    for lane in range(LANES):
        if cost[lane] == least and frames[lane] < found:
            found = frames[lane]
    return found


@njit(cache=True)
def ready(query: np.ndarray, order: np.ndarray, mean: np.ndarray, factor: np.ndarray) -> tuple[np.ndarray, bool]:
    """The query normalised, weighted and in the index's order of features; and whether all of it is finite."""
    q = np.empty(COUNT, dtype=np.float32)
    finite = True
    for k in range(COUNT):
        q[k] = (query[order[k]] - mean[k]) * factor[k]
        finite &= np.isfinite(q[k])
    return q, finite


@njit(cache=True)
def brute(points: np.ndarray, frames: np.ndarray, q: np.ndarray) -> int:
    """Alg. 3.7: the cost of every frame."""
    cost = np.empty(LANES, dtype=np.float32)
    best, found = np.float32(np.inf), NONE
    for box in range(len(points)):
        least = _costs(points, box, q, cost)
        if least <= best:
            found = _first(cost, frames[box], least, best, found)
            best = least
    return found


@njit(cache=True)
def early_out(points: np.ndarray, frames: np.ndarray, q: np.ndarray) -> int:
    """Alg. 3.8: a sum ends once it is above the best known cost (Eq. 3.1), here of the frames of a box together."""
    cost = np.empty(LANES, dtype=np.float32)
    best, found = np.float32(np.inf), NONE
    for box in range(len(points)):
        if _costs_begun(points, box, q, cost) > best or _costs_on(points, box, q, cost) > best:
            continue
        least = _costs_ended(points, box, q, cost)
        if least <= best:
            found = _first(cost, frames[box], least, best, found)
            best = least
    return found


@njit(cache=True)
def aabb(
    points: np.ndarray, frames: np.ndarray, low: np.ndarray, high: np.ndarray, outer_low: np.ndarray,
    outer_high: np.ndarray, q: np.ndarray, start: int,
) -> int:  # fmt: skip
    """Alg. 3.9 with boxes in groups: the box `start` (-1: none), the nearest group, then all that may hold better."""
    cost, bound = np.empty(LANES, dtype=np.float32), np.empty(LANES, dtype=np.float32)
    outer = np.empty(len(outer_low) * LANES, dtype=np.float32)
    best, found = np.float32(np.inf), NONE
    nearest, nearest_bound = 0, np.float32(np.inf)
    for row in range(len(outer_low)):
        part = outer[row * LANES : (row + 1) * LANES]
        least = _bounds(outer_low, outer_high, row, q, part)
        if least < nearest_bound:
            nearest_bound = least
            nearest = row * LANES + int(np.argmin(part))
    if start >= 0:
        best = _costs(points, start, q, cost)
        found = _first(cost, frames[start], best, np.float32(np.inf), found)
    for turn in range(-1, len(low)):
        group = nearest if turn < 0 else turn
        if outer[group] > best or turn == nearest:
            continue
        if _bounds(low, high, group, q, bound) > best:
            continue
        for lane in range(min(LANES, len(points) - group * LANES)):
            if bound[lane] <= best:
                least = _costs(points, group * LANES + lane, q, cost)
                if least <= best:
                    found = _first(cost, frames[group * LANES + lane], least, best, found)
                    best = least
    return found


@njit(cache=True)
def aabb_of(
    query: np.ndarray, order: np.ndarray, mean: np.ndarray, factor: np.ndarray, points: np.ndarray, frames: np.ndarray,
    low: np.ndarray, high: np.ndarray, outer_low: np.ndarray, outer_high: np.ndarray, start: int,
) -> int:  # fmt: skip
    """`aabb` of a query as it comes, in one call; -1 if it is not finite."""
    q, finite = ready(query, order, mean, factor)
    return aabb(points, frames, low, high, outer_low, outer_high, q, start) if finite else -1
