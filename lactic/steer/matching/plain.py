"""The searches in NumPy, for where numba is not installed: the same sums in the same order, so the same frames."""

import numpy as np

from lactic.steer.matching.index import CHECKS, LANES, Index

SLACK = np.float32(1 - 1e-4)  # bounds are summed in another order than costs: a little less is safe


def brute(points: np.ndarray, frames: np.ndarray, q: np.ndarray) -> int:
    """Alg. 3.7."""
    return _first(_costs(points, q), frames)


def early_out(points: np.ndarray, frames: np.ndarray, q: np.ndarray) -> int:
    """Alg. 3.8: after some features, boxes whose sums are all above the cost of the best so far are dropped."""
    left = np.arange(len(points))
    for end in CHECKS:
        part = _costs(points[left, :end], q[:end]).min(axis=1)
        best = _costs(points[left[np.argmin(part)]][None], q).min()
        left = left[part <= best]
    return brute(points[left], frames[left], q)


def aabb(index: Index, q: np.ndarray, start: int) -> int:
    """Alg. 3.9: groups, then boxes whose bounds are not above the best cost known, then their frames."""
    outer = _bounds(index.outer_low, index.outer_high, q).ravel()[: len(index.low)]
    nearest = int(np.argmin(outer))
    first = [box for box in (start,) if box >= 0] + list(range(nearest * LANES, (nearest + 1) * LANES))
    first = [box for box in first if box < len(index.points)]
    best = _costs(index.points[first], q).min()
    groups = np.flatnonzero(outer <= best)
    bounds = _bounds(index.low[groups], index.high[groups], q)
    group, lane = np.nonzero(bounds <= best)
    boxes = groups[group] * LANES + lane
    boxes = boxes[boxes < len(index.points)]
    return brute(index.points[boxes], index.frames[boxes], q)


def _costs(points: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Costs (box, lane) of points (box, feature, lane), feature after feature as the compiled sums."""
    total = np.zeros((len(points), LANES), dtype=np.float32)
    for k in range(len(q)):
        total += np.square(points[:, k] - q[k])
    return total


def _bounds(low: np.ndarray, high: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Least cost (row, lane) that a point can have in boxes (row, feature, lane)."""
    at = q[:, None]
    off = np.maximum(np.maximum(low - at, at - high), 0)
    return np.einsum("bkl,bkl->bl", off, off) * SLACK


def _first(cost: np.ndarray, frames: np.ndarray) -> int:
    """The first frame of least cost."""
    return int(frames[cost == cost.min()].min())
