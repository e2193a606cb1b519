"""Interpolating and differentiating sampled motion: positions linearly or by cubics, rotations on the sphere."""

import numpy as np

from lactic import rotation


def frame_times(frames: int, fps: float, target_fps: float) -> np.ndarray:
    """Where the frames of a clip resampled to `target_fps` lie, in frames of the original."""
    seconds = (frames - 1) / fps
    count = int(np.floor(seconds * target_fps + 1e-6)) + 1
    return np.minimum(np.arange(count) * (fps / target_fps), frames - 1)


def sample(values: np.ndarray, at: np.ndarray, smooth: bool = False) -> np.ndarray:
    """Values (T, …) at fractional frames `at`: linear, or Catmull-Rom where `smooth` (continuous velocity)."""
    left, part = _split(len(values), at)
    part = part.reshape(part.shape + (1,) * (values.ndim - 1))
    previous, here, following, after = _neighbours(values, left)
    if not smooth:
        return here + part * (following - here)
    step = following - here
    before, beyond = _straight_ends(len(values), left, previous - here, step, after - here)
    return here + _catmull_rom(before, step, beyond, part)


def sample_rotations(rotations: np.ndarray, at: np.ndarray, smooth: bool = False) -> np.ndarray:
    """Unit quaternions (T, …, 4) at fractional frames: slerp, or a cubic in the tangent space of the frame before."""
    left, part = _split(len(rotations), at)
    previous, here, following, after = _neighbours(rotations, left)
    back = rotation.conjugate(here)
    to_following = rotation.log(rotation.multiply(back, following))
    part = part.reshape(part.shape + (1,) * (rotations.ndim - 1))
    if smooth:
        to_previous = rotation.log(rotation.multiply(back, previous))
        to_after = rotation.log(rotation.multiply(back, after))
        before, beyond = _straight_ends(len(rotations), left, to_previous, to_following, to_after)
        tangent = _catmull_rom(before, to_following, beyond, part)
    else:
        tangent = part * to_following
    return rotation.normalize(rotation.multiply(here, rotation.exp(tangent)))


def rate(values: np.ndarray, fps: float) -> np.ndarray:
    """Time derivative of (T, …) by central differences, one-sided at the ends."""
    if len(values) < 2:
        return np.zeros_like(values)
    return np.gradient(values, 1 / fps, axis=0)


def angular_rate(rotations: np.ndarray, fps: float) -> np.ndarray:
    """Angular velocity (T, …, 3) in the rotating (local) frame by central differences, one-sided at the ends."""
    if len(rotations) < 2:
        return np.zeros((*rotations.shape[:-1], 3))
    steps = rotation.log(rotation.multiply(rotation.conjugate(rotations[:-1]), rotations[1:])) * fps
    return np.concatenate([steps[:1], (steps[:-1] + steps[1:]) / 2, steps[-1:]])


def _split(frames: int, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at = np.clip(np.asarray(at, dtype=float), 0, frames - 1)
    left = np.minimum(np.floor(at).astype(int), max(frames - 2, 0))
    return left, at - left


def _neighbours(values: np.ndarray, left: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    last = len(values) - 1
    ahead, beyond = np.minimum(left + 1, last), np.minimum(left + 2, last)
    return values[np.maximum(left - 1, 0)], values[left], values[ahead], values[beyond]


def _straight_ends(
    frames: int, left: np.ndarray, before: np.ndarray, step: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Beyond either end of the clip the motion is taken to go straight on."""
    shape = left.shape + (1,) * (step.ndim - left.ndim)
    before = np.where((left == 0).reshape(shape), -step, before)
    return before, np.where((left + 2 > frames - 1).reshape(shape), 2 * step, after)


def _catmull_rom(previous: np.ndarray, following: np.ndarray, after: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The cubic through 0 and `following` whose end slopes are the chords of the neighbours."""
    start, end = (following - previous) / 2, after / 2
    return t * start + t**2 * (3 * following - 2 * start - end) + t**3 * (start + end - 2 * following)
