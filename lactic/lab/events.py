"""Stretches of time in many episodes: where something holds, for how long, and what happened meanwhile."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Phases:
    """Stretches from frame `start` up to, not including, `end` of an `episode`; sorted by episode, then time."""

    episode: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def __len__(self) -> int:
        return len(self.episode)

    @property
    def frames(self) -> np.ndarray:
        """How long each lasts, in frames."""
        return self.end - self.start

    def where(self, chosen: np.ndarray) -> "Phases":
        """Those that a mask or indices choose."""
        return Phases(self.episode[chosen], self.start[chosen], self.end[chosen])

    def count(self, episodes: int) -> np.ndarray:
        """How many each episode has, (episode,)."""
        return np.bincount(self.episode, minlength=episodes)

    def most(self, values: np.ndarray) -> np.ndarray:
        """Greatest of `values` (frame, episode) in each stretch."""
        return self._each(values, np.max)

    def least(self, values: np.ndarray) -> np.ndarray:
        """Smallest of `values` (frame, episode) in each stretch."""
        return self._each(values, np.min)

    def _each(self, values: np.ndarray, what) -> np.ndarray:
        spans = zip(self.episode, self.start, self.end, strict=True)
        return np.array([what(values[a:b, e]) for e, a, b in spans], dtype=float)


def phases(mask: np.ndarray, least: int = 1, gap: int = 0) -> Phases:
    """Stretches of `least` frames or more where `mask` (frame, episode) holds; gaps of up to `gap` are bridged."""
    if gap:
        holes = _runs(~mask)
        inner = (holes.start > 0) & (holes.end < len(mask)) & (holes.frames <= gap)
        mask = mask.copy()
        for e, a, b in zip(holes.episode[inner], holes.start[inner], holes.end[inner], strict=True):
            mask[a:b, e] = True
    found = _runs(mask)
    return found.where(found.frames >= least)


def _runs(mask: np.ndarray) -> Phases:
    edges = np.diff(np.pad(mask.T.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    episode, start = np.nonzero(edges == 1)
    _, end = np.nonzero(edges == -1)
    return Phases(episode, start, end)


def smooth(values: np.ndarray, frames: int) -> np.ndarray:
    """Mean over a window of about `frames` around each frame (shorter at the ends), along the first axis."""
    half = max(frames // 2, 0)
    if half == 0:
        return values
    total = np.concatenate([np.zeros_like(values[:1], dtype=float), np.cumsum(values, axis=0, dtype=float)])
    at = np.arange(len(values))
    low, high = np.maximum(at - half, 0), np.minimum(at + half + 1, len(values))
    return (total[high] - total[low]) / (high - low).reshape(-1, *[1] * (values.ndim - 1))


def mean_by_episode(
    episode: np.ndarray, values: np.ndarray, episodes: int, chosen: np.ndarray | None = None
) -> np.ndarray:
    """Mean of the values of events, each of an `episode`, in each of so many (episode,); NaN where there are none."""
    own = np.ones(len(episode), bool) if chosen is None else chosen
    count = np.bincount(episode[own], minlength=episodes)
    total = np.bincount(episode[own], weights=values[own], minlength=episodes)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
