"""Labels found in the motion itself: which foot stands, and whether a frame is walking, running or crouching."""

from dataclasses import dataclass

import numpy as np

TAGS = ("walk", "run", "crouch")
"""Hard features: a search looks only at frames that carry the tag asked for. A frame may carry two."""


@dataclass(frozen=True)
class Tagging:
    """Thresholds of the automatic tags."""

    run_speed: float = 2.0
    """m/s of the root over the window from which it is a run (people change at about 2 m/s)."""
    crouch_height: float = 0.85
    """Root height as a share of standing height below which it is a crouch."""
    window: float = 0.6
    """Seconds that speed and height are averaged over: about a step."""
    around: float = 0.8
    """Seconds before and after a run that belong to it too, so that runs can be started and stopped."""
    rest_speed: float = 0.25
    """m/s below which the character stands; standing upright belongs to walk and to run."""


@dataclass(frozen=True)
class Standing:
    """When a foot stands: low and slow."""

    height: float = 0.045
    """m of the ankle above where it is when the sole lies flat."""
    speed: float = 0.45
    """m/s"""
    shortest: float = 0.06
    """Seconds; shorter contacts and shorter gaps are noise."""


def tag_frames(qpos: np.ndarray, fps: float, standing_height: float, rule: Tagging) -> np.ndarray:
    """Tags (frame, 3) walk, run, crouch of one clip."""
    step = np.linalg.norm(np.gradient(qpos[:, :2], 1 / fps, axis=0), axis=1)
    speed = _averaged(step, rule.window, fps)
    low = _averaged(qpos[:, 2], rule.window, fps) < rule.crouch_height * standing_height
    fast = (speed > rule.run_speed) & ~low
    run = _widened(fast, rule.around, fps) & ~low
    rest = (speed < rule.rest_speed) & ~low
    return np.stack([~fast & ~low, run | rest, low], axis=1)


def contacts(feet: np.ndarray, velocities: np.ndarray, flat: np.ndarray, fps: float, rule: Standing) -> np.ndarray:
    """Whether each foot (frame, foot) stands; `flat` (foot,) is its height when the sole lies on the floor."""
    low = feet[..., 2] < flat + rule.height
    slow = np.linalg.norm(velocities, axis=-1) < rule.speed
    found = low & slow
    shortest = max(round(rule.shortest * fps), 1)
    for foot in range(found.shape[1]):
        found[:, foot] = _without_short(found[:, foot], True, shortest)
        found[:, foot] = _without_short(found[:, foot], False, shortest)
    return found


def _averaged(values: np.ndarray, seconds: float, fps: float) -> np.ndarray:
    """Mean over a window around each frame, shorter at the ends."""
    half = max(round(seconds * fps / 2), 0)
    total = np.concatenate([[0.0], np.cumsum(values)])
    at = np.arange(len(values))
    first, last = np.maximum(at - half, 0), np.minimum(at + half + 1, len(values))
    return (total[last] - total[first]) / (last - first)


def _widened(flags: np.ndarray, seconds: float, fps: float) -> np.ndarray:
    reach = round(seconds * fps)
    return _averaged(flags.astype(float), 2 * reach / fps, fps) > 1e-9


def _without_short(flags: np.ndarray, value: bool, shortest: int) -> np.ndarray:
    """Runs of `value` shorter than `shortest` frames turned over, except at the ends."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8))) + 1
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [len(flags)]])
    cleaned = flags.copy()
    for start, end in zip(starts, ends, strict=True):
        if flags[start] == value and end - start < shortest and start > 0 and end < len(flags):
            cleaned[start:end] = not value
    return cleaned
