"""Labelled samples of R and E: uniform as in jiang2019 (Sec. 3.2, 3.3), and near the boundary of what muscles can give.

Of uniform torques only about one in sixty is feasible and the rest lie far outside, so they say little about where
strength ends. Boundary samples start from a uniform torque, go to the nearest feasible one, τ − R, and from there a
little way out or in along the normal, which is R's direction.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from lactic.errors import InputError
from lactic.strength.exact import correction, effort
from lactic.strength.hill import Pull, pull
from lactic.strength.musculature import Musculature

WIDTH = 20.0  # Nm to either side of the boundary
CHUNK = 8192  # states in memory at once
BEYOND = 10.0
"""w of Eq. 13, newtons a Nm beyond the boundary. The paper's is "a small constant"; within the boundary effort rises by
about 20 N a Nm (a moment arm of 5 cm)."""
Label = Callable[[Pull, np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""Torques and their labels from states, uniform torques, and which samples shall be near the boundary."""


@dataclass(frozen=True)
class Ranges:
    """Where states and torques are drawn from, uniformly, for each coordinate."""

    low: tuple[float, ...]  # rad
    high: tuple[float, ...]
    speed: tuple[float, ...]  # ± rad/s
    torque: tuple[float, ...]  # ± Nm

    def states(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and velocities (sample, coordinate)."""
        shape = (count, len(self.low))
        return rng.uniform(self.low, self.high, shape), rng.uniform(-1, 1, shape) * self.speed

    def torques(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Torques (sample, coordinate)."""
        return rng.uniform(-1, 1, (count, len(self.low))) * self.torque


JIANG2019 = Ranges(
    low=(-0.9, -0.6, -0.6, -2.1, -0.9), high=(1.5, 0.6, 0.6, 0.1, 0.9), speed=(5.0, 5.0, 5.0, 10.0, 15.0),
    torque=(250.0, 80.0, 80.0, 250.0, 250.0))  # fmt: skip
"""Over `musculature.LEG`, as in the paper's code; its text lets the hip flex to 2 rad."""


@dataclass(frozen=True)
class Samples:
    """States, torques and their exact label: R (sample, coordinate) or E (sample,)."""

    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    label: np.ndarray
    near: np.ndarray
    """Which samples were drawn near the boundary."""

    def __len__(self) -> int:
        """How many."""
        return len(self.q)


def correction_samples(
    limb: Musculature, count: int, near: float = 0.5, seed: int = 0, ranges: Ranges = JIANG2019, width: float = WIDTH
) -> Samples:
    """Samples of R: uniform ones, and the share `near` within `width` of the boundary on either side."""

    def label(
        pulls: Pull, uniform: np.ndarray, close: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        torque = uniform.copy()
        fixed = correction(pulls, uniform).torque
        aside = rng.uniform(-width, width, (len(uniform), 1))
        torque[close] = (uniform - fixed + aside * _outward(fixed, rng))[close]
        return torque, correction(pulls, torque).torque

    return _draw(limb, count, near, seed, ranges, label)


def effort_samples(
    limb: Musculature, count: int, near: float = 0.5, seed: int = 0, ranges: Ranges = JIANG2019, width: float = WIDTH
) -> Samples:
    """Samples of E, all feasible: of uniform activations, and the share `near` up to `width` inside the boundary."""
    cost = limb.force.numpy()

    def label(
        pulls: Pull, uniform: np.ndarray, close: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        torque = pulls.torque(torch.from_numpy(rng.random((len(uniform), len(limb.muscles))))).numpy()
        fixed = correction(pulls, uniform).torque
        inside = uniform - fixed - rng.uniform(0, width, (len(uniform), 1)) * _outward(fixed, rng)
        torque[close] = (inside - correction(pulls, inside).torque)[close]  # where strength is thin: the other side
        return torque, effort(pulls, torque, cost).rate

    return _draw(limb, count, near, seed, ranges, label)


def augmented_samples(
    limb: Musculature, count: int, near: float = 0.4, low: float = 0.3, seed: int = 0, ranges: Ranges = JIANG2019,
    width: float = WIDTH,
) -> Samples:  # fmt: skip
    """Samples of Ẽ (Eq. 13) anywhere: uniform, the share `near` about the boundary, `low` of few or weak muscles."""
    cost = limb.force.numpy()

    def label(
        pulls: Pull, uniform: np.ndarray, close: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        fixed = correction(pulls, uniform).torque
        aside = rng.uniform(-width, width, (len(uniform), 1)) * _outward(fixed, rng)
        weak = ~close & (rng.random(len(uniform)) < low / max(1 - near, low))
        few = rng.random((len(uniform), len(limb.muscles))) ** 2 ** rng.uniform(0, 5, (len(uniform), 1))
        torque = np.where(close[:, None], uniform - fixed + aside, uniform)
        torque[weak] = pulls.torque(torch.from_numpy(few)).numpy()[weak]
        beyond = correction(pulls, torque).torque
        rate = effort(pulls, torque - beyond, cost).rate
        return torque, rate + BEYOND * np.linalg.norm(beyond, axis=1)

    return _draw(limb, count, near, seed, ranges, label)


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
