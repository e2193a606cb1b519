"""The three searches, compiled.

Sixteen points, or the bounds of sixteen boxes, lie side by side (feature, lane), and a sweep over them is one loop over
lanes. LLVM turns it into vector instructions as it is written here: tables flat, indices unsigned (signed ones are
checked for less than zero), the number of features known, and few enough to be unrolled. Each of these lost makes a
search three to ten times slower (`lactic lab bergamin2020 search` measures it).

All sums run over the features in the same order in float32, and rounding is monotonic: so the computed bound of a box
is never above the computed cost of a point in it, and all searches find the same frame. What fastmath may assume (no
NaN, zeros without sign) changes no sum.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from lactic.compiling import njit
from lactic.steer.matching.features import COUNT
from lactic.steer.matching.index import CHECKS, LANES, NONE, Index

_EXACT = {"nnan", "nsz"}
_LANES, _SIZE = np.uint64(LANES), np.uint64(COUNT * LANES)


@njit(cache=True, fastmath=_EXACT)
def _least(lanes: np.ndarray) -> np.float32:
    least = np.float32(np.inf)
    for lane in range(_LANES):
        least = min(least, lanes[lane])
    return least


def _adding(first: int, last: int) -> Callable[..., None]:
    """A sweep that adds the squares of features first … last - 1 to each cost; from feature 0 on it sets them."""
    begin, end, begun = np.uint64(first), np.uint64(last), first > 0

    @njit(cache=True, fastmath=_EXACT)
    def sweep(points: np.ndarray, box: int, q: np.ndarray, cost: np.ndarray) -> None:
        at = np.uint64(box) * _SIZE
        for lane in range(_LANES):
            total = cost[lane] if begun else np.float32(0)
            for k in range(begin, end):
                off = points[at + k * _LANES + lane] - q[k]
                total += off * off
            cost[lane] = total

    return sweep


def _bounding(first: int, last: int) -> Callable[..., None]:
    """The same with how far q is from boxes between `low` and `high`."""
    begin, end, begun = np.uint64(first), np.uint64(last), first > 0

    @njit(cache=True, fastmath=_EXACT)
    def sweep(low: np.ndarray, high: np.ndarray, row: int, q: np.ndarray, bound: np.ndarray) -> None:
        at = np.uint64(row) * _SIZE
        for lane in range(_LANES):
            total = bound[lane] if begun else np.float32(0)
            for k in range(begin, end):
                asked, place = q[k], at + k * _LANES + lane
                off = max(low[place] - asked, asked - high[place], np.float32(0))
                total += off * off
            bound[lane] = total

    return sweep


_add_some, _add_more, _add_rest = (_adding(*ends) for ends in pairwise((0, *CHECKS, COUNT)))
_bound_half, _bound_rest = _bounding(0, COUNT // 2), _bounding(COUNT // 2, COUNT)  # all at once are not unrolled


@njit(cache=True, fastmath=_EXACT)
def _costs(points: np.ndarray, box: int, q: np.ndarray, cost: np.ndarray) -> np.float32:
    """The costs of a box's points; gives the least."""
    _add_some(points, box, q, cost)
    _add_more(points, box, q, cost)
    _add_rest(points, box, q, cost)
    return _least(cost)


@njit(cache=True, fastmath=_EXACT)
def _bounds(low: np.ndarray, high: np.ndarray, row: int, q: np.ndarray, bound: np.ndarray) -> np.float32:
    """The least cost that points in each box of a row can have; gives the least."""
    _bound_half(low, high, row, q, bound)
    _bound_rest(low, high, row, q, bound)
    return _least(bound)


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
    cost, flat = np.empty(LANES, dtype=np.float32), points.ravel()
    best, found = np.float32(np.inf), NONE
    for box in range(len(points)):
        least = _costs(flat, box, q, cost)
        if least <= best:
            found = _first(cost, frames[box], least, best, found)
            best = least
    return found


@njit(cache=True)
def early_out(points: np.ndarray, frames: np.ndarray, q: np.ndarray) -> int:
    """Alg. 3.8: a sum ends once it is above the best known cost (Eq. 3.1), here of the frames of a box together."""
    cost, flat = np.empty(LANES, dtype=np.float32), points.ravel()
    best, found = np.float32(np.inf), NONE
    for box in range(len(points)):
        _add_some(flat, box, q, cost)
        if _least(cost) > best:
            continue
        _add_more(flat, box, q, cost)
        if _least(cost) > best:
            continue
        _add_rest(flat, box, q, cost)
        least = _least(cost)
        if least <= best:
            found = _first(cost, frames[box], least, best, found)
            best = least
    return found


@njit(cache=True)
def aabb(query: np.ndarray, index: Index, start: int) -> int:
    """Alg. 3.9 with boxes in groups: the box `start` (-1: none), the nearest group, then all that may hold better; -1
    for a query that is not finite."""
    q, finite = ready(query, index.order, index.mean, index.factor)
    if not finite:
        return -1
    points, frames = index.points, index.frames
    flat, low, high = points.ravel(), index.low.ravel(), index.high.ravel()
    outer_low, outer_high = index.outer_low.ravel(), index.outer_high.ravel()
    cost, bound = np.empty(LANES, dtype=np.float32), np.empty(LANES, dtype=np.float32)
    outer = np.empty(len(index.outer_low) * LANES, dtype=np.float32)
    best, found = np.float32(np.inf), NONE
    nearest, nearest_bound = 0, np.float32(np.inf)
    for row in range(len(index.outer_low)):
        part = outer[row * LANES : (row + 1) * LANES]
        least = _bounds(outer_low, outer_high, row, q, part)
        if least < nearest_bound:
            nearest_bound = least
            nearest = row * LANES + int(np.argmin(part))
    if start >= 0:
        best = _costs(flat, start, q, cost)
        found = _first(cost, frames[start], best, np.float32(np.inf), found)
    for turn in range(-1, len(index.low)):
        group = nearest if turn < 0 else turn
        if outer[group] > best or turn == nearest:
            continue
        if _bounds(low, high, group, q, bound) > best:
            continue
        for lane in range(min(LANES, len(points) - group * LANES)):
            if bound[lane] <= best:
                least = _costs(flat, group * LANES + lane, q, cost)
                if least <= best:
                    found = _first(cost, frames[group * LANES + lane], least, best, found)
                    best = least
    return found
