"""Frames with one tag, arranged in nested boxes for searching."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Index:
    """Points of the frames with one tag."""

    frames: np.ndarray
    """(point,) frame of each point, rising."""
    points: np.ndarray
    """(point, feature) float32."""

    @staticmethod
    def of(frames: np.ndarray, points: np.ndarray, total: int) -> "Index":
        """Arrange points that belong to `frames` of a database of `total` frames."""
        return Index(frames, points)

    @property
    def shape(self) -> tuple[int]:
        """Shape of a query."""
        return (self.points.shape[1],)

    def nearest(self, point: np.ndarray, current: int, method: str) -> int:
        """The frame of the nearest point, the first of equals."""
        cost = np.zeros(len(self.points), dtype=np.float32)
        for k in range(self.points.shape[1]):
            cost += np.square(self.points[:, k] - point[k])
        return int(self.frames[np.argmin(cost)])
