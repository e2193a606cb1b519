"""Where the stage is centred and how far back cameras stand, so that all characters stay in the picture."""

import math
from typing import Any

import numpy as np

KEPT = 36.0
"""Metres from the watched character beyond which another is left behind: from so far away nothing could be told."""
ASIDE, ABOVE = 0.7, 1.15
"""Half of what a character takes up beside and above the height that is looked at, metres."""
FILLED = 0.9
"""Share of the picture that may be filled."""
PUSH = 0.35
"""Half-life, s, with which a camera goes back and comes near again."""


def together(feet: np.ndarray, watched: int) -> np.ndarray:
    """Which characters at `feet` (n,2) are shown in one picture with the one watched, (n,)."""
    return np.linalg.norm(feet - feet[watched], axis=1) < KEPT


def middle(feet: np.ndarray) -> np.ndarray:
    """The spot (2,) amid characters at `feet` (n,2), however many of them stand on one side."""
    return (feet.min(0) + feet.max(0)) / 2


def distance_needed(offsets: np.ndarray, back: np.ndarray, fov: float, aspect: float) -> float:
    """How far a camera must be from the spot it looks at to see characters at `offsets` (n,3) from there.

    `back` is the unit vector from the spot to the camera, `fov` the vertical angle of view, `aspect` width over height.
    """
    across = np.cross([0.0, 0.0, 1.0], back)
    length = float(np.linalg.norm(across))
    across = across / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
    up = np.cross(back, across)
    tall = FILLED * math.tan(fov / 2)
    wide = tall * aspect
    nearer = offsets @ back
    beside, above = np.abs(offsets @ across) + ASIDE, np.abs(offsets @ up) + ABOVE
    return float((nearer + np.maximum(beside / wide, above / tall)).max())


class Retreat:
    """How many times farther than somebody chose their camera stands, for each window; 1 where all fit in anyway."""

    def __init__(self) -> None:
        self._times: dict[int, float] = {}

    def step(self, number: int, camera: Any, offsets: np.ndarray, seconds: float) -> float:
        """Move a window's camera back or near again along its line of sight; returns its distance from the spot."""
        line = np.asarray(camera.position, float) - np.asarray(camera.look_at, float)
        distance = float(np.linalg.norm(line))
        if distance < 1e-6:
            return distance
        before = self._times.get(number, 1.0)
        own = distance / before
        wanted = max(1.0, distance_needed(offsets, line / distance, camera.fov, camera.aspect) / own)
        times = before + (wanted - before) * (1 - 0.5 ** (seconds / PUSH))
        if abs(times / before - 1) < 2e-3:  # a camera that is set too often cannot be turned by hand
            return distance
        self._times[number] = times
        spot = np.array(camera.look_at, float)
        camera.position = spot + line / distance * own * times
        camera.look_at = spot  # viser moves it along with the camera
        return own * times

    def forget(self, present: set[int]) -> None:
        """Drop windows that are closed."""
        self._times = {number: times for number, times in self._times.items() if number in present}
