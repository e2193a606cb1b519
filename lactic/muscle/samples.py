"""Labelled samples of R and E: uniform as in jiang2019 (Sec. 3.2, 3.3), and near the boundary of what muscles can give.

Of uniform torques only about one in sixty is feasible and the rest lie far outside, so they say little about where
strength ends. Boundary samples start from a uniform torque, go to the nearest feasible one, τ − R, and from there a
little way out or in along the normal, which is R's direction.
"""

from collections.abc import Callable

import numpy as np
import torch

from lactic.errors import InputError
from lactic.muscle.exact import correction, effort
from lactic.muscle.hill import Pull, pull
from lactic.muscle.musculature import Musculature
from lactic.muscle.ranges import JIANG2019, WIDE, Ranges, Samples

__all__ = ["JIANG2019", "WIDE", "Ranges", "Samples", "augmented_samples", "correction_samples", "effort_samples"]
WIDTH = 20.0  # Nm to either side of the boundary
CHUNK = 8192  # states in memory at once
BEYOND = 10.0
"""w of Eq. 13, newtons a Nm beyond the boundary. The paper's is "a small constant"; within the boundary effort rises by
about 20 N a Nm (a moment arm of 5 cm)."""
Label = Callable[[Pull, np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""Torques and their labels from states, uniform torques, and which samples shall be near the boundary."""


def correction_samples(
    limb: Musculature,
    count: int,
    near: float = 0.5,
    seed: int = 0,
    ranges: Ranges = JIANG2019,
    width: float = WIDTH,
    outside: float | None = None,
) -> Samples:
    """Samples of R: uniform ones, and the share `near` from `width` inside the boundary to `outside` (or `width`)."""
    out = width if outside is None else outside

    def label(
        pulls: Pull, uniform: np.ndarray, close: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        torque = uniform.copy()
        fixed = correction(pulls, uniform).torque
        aside = rng.uniform(-width, out, (len(uniform), 1))
        torque[close] = (uniform - fixed + aside * _outward(fixed, rng))[close]
        return torque, correction(pulls, torque).torque

    return _draw(limb, count, near, seed, ranges, label)


def effort_samples(
    limb: Musculature,
    count: int,
    near: float = 0.5,
    seed: int = 0,
    ranges: Ranges = JIANG2019,
    width: float = WIDTH,
    between: float = 0.0,
) -> Samples:
    """Samples of E, all feasible: of uniform activations, the share `near` up to `width` inside the boundary.

    The share `between` lies anywhere from rest to the boundary. Uniform activations never do: they give torques about
    the middle of what is feasible.
    """
    cost = limb.force.numpy()

    def label(
        pulls: Pull, uniform: np.ndarray, close: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        activation = rng.random((len(uniform), len(limb.muscles)))
        edge = correction(pulls, uniform)
        chosen = _others(between, near, close, rng)
        activation[chosen] = _inside(edge.activation[chosen], rng)
        torque = pulls.torque(torch.from_numpy(activation)).numpy()
        inside = uniform - edge.torque - rng.uniform(0, width, (len(uniform), 1)) * _outward(edge.torque, rng)
        torque[close] = (inside - correction(pulls, inside).torque)[close]  # where strength is thin: the other side
        return torque, effort(pulls, torque, cost).rate

    return _draw(limb, count, near, seed, ranges, label)


def augmented_samples(
    limb: Musculature,
    count: int,
    near: float = 0.4,
    between: float = 0.3,
    seed: int = 0,
    ranges: Ranges = JIANG2019,
    width: float = WIDTH,
) -> Samples:
    """Samples of Ẽ (Eq. 13): uniform, the share `near` about the boundary, `between` from rest to the boundary."""
    cost = limb.force.numpy()

    def label(
        pulls: Pull, uniform: np.ndarray, close: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        edge = correction(pulls, uniform)
        aside = rng.uniform(-width, width, (len(uniform), 1)) * _outward(edge.torque, rng)
        torque = np.where(close[:, None], uniform - edge.torque + aside, uniform)
        chosen = _others(between, near, close, rng)
        torque[chosen] = pulls.torque(torch.from_numpy(_inside(edge.activation, rng))).numpy()[chosen]
        beyond = correction(pulls, torque).torque
        rate = effort(pulls, torque - beyond, cost).rate
        return torque, rate + BEYOND * np.linalg.norm(beyond, axis=1)

    return _draw(limb, count, near, seed, ranges, label)


def _others(share: float, near: float, close: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The given share of all samples, of those that are not near the boundary."""
    return np.asarray(~close & (rng.random(len(close)) < share / max(1 - near, share, 1e-9)))


def _inside(edge: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Activations part of the way from those of few or weak muscles to those at the boundary (sample, muscle)."""
    weak = rng.random(edge.shape) ** 2 ** rng.uniform(0, 5, (len(edge), 1))
    return weak + rng.random((len(edge), 1)) * (edge - weak)


def _outward(fixed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Unit normals of the boundary; any direction where the torque was feasible already."""
    direction = np.where(fixed.any(axis=1, keepdims=True), fixed, rng.normal(size=fixed.shape))
    return direction / np.linalg.norm(direction, axis=1, keepdims=True)


def _draw(limb: Musculature, count: int, near: float, seed: int, ranges: Ranges, label: Label) -> Samples:
    if count < 1 or not 0 <= near <= 1:
        raise InputError(f"samples: count {count} must be 1 or more and the share near the boundary {near} in [0, 1]")
    if len(ranges.low) != len(limb.coordinates):
        raise InputError(f"samples: ranges of {len(ranges.low)} coordinates for a limb of {len(limb.coordinates)}")
    rng, parts = np.random.default_rng(seed), []
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        q, qd = ranges.states(size, rng)
        close = rng.random(size) < near
        with torch.no_grad():
            pulls = pull(limb, torch.from_numpy(q), torch.from_numpy(qd))
        torque, answer = label(pulls, ranges.torques(size, rng), close, rng)
        parts.append((q, qd, torque, answer, close))
    return Samples(*(np.concatenate(column) for column in zip(*parts, strict=True)))
