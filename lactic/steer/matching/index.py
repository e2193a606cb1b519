"""Frames with one tag, arranged in nested boxes for searching (bergamin2020 Sec. 3.2)."""

from typing import NamedTuple

import numpy as np

LANES = 16  # frames to a box, boxes to a group: as many as a sweep of the kernel takes side by side
CHECKS = (4, 10)  # features after which an early-out search looks whether it is out
NONE = 2**31 - 1  # stands for a frame where a box is not full


class Index(NamedTuple):
    """Points of the frames with one tag in boxes, with the bounds of boxes and of groups of boxes; all float32.

    A box holds frames in a row, since a clip is a curve through the space of features; a group holds boxes that are
    near each other, wherever in the clips they are.
    """

    order: np.ndarray
    """(feature,) the features of largest variance first, so that sums grow fast."""
    mean: np.ndarray
    factor: np.ndarray
    """(feature,) float64 weight over deviation; with the mean what makes a point of features. In that order."""
    frames: np.ndarray
    """(box, lane) int32 frame of each point."""
    points: np.ndarray
    """(box, feature, lane)"""
    low: np.ndarray
    high: np.ndarray
    """(group, feature, lane) bounds of each group's boxes."""
    outer_low: np.ndarray
    outer_high: np.ndarray
    """(row, feature, lane) bounds of the groups."""
    place: np.ndarray
    """(frame of the database,) int32 the box that holds it, -1 for none."""

    @staticmethod
    def of(frames: np.ndarray, features: np.ndarray, mean: np.ndarray, factor: np.ndarray) -> "Index":
        """Arrange those `frames` (rising) out of features (frame of the database, feature)."""
        weighted = (features[frames] - mean) * factor
        order = np.argsort(-weighted.var(axis=0), kind="stable")
        lanes = _in_lanes(weighted[:, order].astype(np.float32), np.inf)
        held = _in_lanes(frames[:, None], NONE)[:, 0].astype(np.int32)
        low, high = lanes.min(axis=2), np.where(np.isinf(lanes), -np.inf, lanes).max(axis=2)
        near = _arranged((low + high) / 2)
        held, lanes = held[near], np.ascontiguousarray(lanes[near])
        low, high = _in_lanes(low[near], np.inf), _in_lanes(high[near], -np.inf)
        outer_low, outer_high = _in_lanes(low.min(axis=2), np.inf), _in_lanes(high.max(axis=2), -np.inf)
        place = np.full(len(features) + 1, -1, dtype=np.int32)
        place[np.minimum(held, len(features))] = np.arange(len(held))[:, None]
        return Index(order, mean[order], factor[order], held, lanes, low, high, outer_low, outer_high, place[:-1])


def _in_lanes(rows: np.ndarray, filler: float) -> np.ndarray:
    """Rows (row, column) as (box, column, lane), the last box filled up."""
    count = -(-len(rows) // LANES)
    filled = np.full((count * LANES, rows.shape[1]), filler, dtype=rows.dtype)
    filled[: len(rows)] = rows
    return np.ascontiguousarray(filled.reshape(count, LANES, -1).transpose(0, 2, 1))


def _arranged(centres: np.ndarray) -> np.ndarray:
    """An order in which each LANES centres are near each other: halved across the widest direction."""
    order, todo = np.arange(len(centres)), [(0, len(centres))]
    while todo:
        start, end = todo.pop()
        if end - start <= LANES:
            continue
        part = order[start:end]
        offset = centres[part] - centres[part].mean(axis=0)
        _, axes = np.linalg.eigh(offset.T @ offset)
        middle = max((end - start) // 2 // LANES, 1) * LANES
        order[start:end] = part[np.argpartition(offset @ axes[:, -1], middle)]
        todo += [(start, start + middle), (start + middle, end)]
    return order
