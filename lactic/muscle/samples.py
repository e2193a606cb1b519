"""Labelled samples of R and E: uniform as in jiang2019 (Sec. 3.2, 3.3), and near the boundary of what muscles can give.

Of uniform torques only about one in sixty is feasible and the rest lie far outside, so they say little about where
strength ends. Boundary samples start from a uniform torque, go to the nearest feasible one, τ − R, and from there a
little way out or in along the normal, which is R's direction.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lactic.errors import InputError
from lactic.muscle.exact import Correction, correction, effort
from lactic.muscle.hill import Muscles, Pull

WIDTH = 20.0  # Nm to either side of the boundary
CHUNK = 8192  # states in memory at once


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
    low=(-0.9, -0.6, -0.6, -2.1, -0.9),
    high=(1.5, 0.6, 0.6, 0.1, 0.9),
    speed=(5.0, 5.0, 5.0, 10.0, 15.0),
    torque=(250.0, 80.0, 80.0, 250.0, 250.0),
)
"""Over `compact.LEG`, as in the paper's code; its text lets the hip flex to 2 rad."""
WIDE = Ranges(
    low=JIANG2019.low, high=(2.0, 0.6, 0.6, 0.1, 0.9), speed=JIANG2019.speed, torque=(320.0, 130.0, 110.0, 260.0, 330.0)
)
"""Deep crouches too, and torques that muscles can give but the paper's box leaves out: a lengthening ankle's 400 Nm."""


@dataclass(frozen=True)
class Samples:
    """States, torques and their exact label: R (sample, coordinate) or E (sample,)."""

    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    label: np.ndarray
    near: np.ndarray
    """Which samples were drawn near the boundary."""

    @property
    def inputs(self) -> np.ndarray:
        """What a network is given: q, q̇ and τ (sample, 3·coordinate)."""
        return np.hstack([self.q, self.qd, self.torque])


@dataclass(frozen=True)
class _Drawn:
    """States, uniform torques and their R, and which samples shall be near the boundary."""

    pulls: Pull
    uniform: np.ndarray
    edge: Correction
    close: np.ndarray
    rng: np.random.Generator

    def at(self, low: float, high: float) -> np.ndarray:
        """Torques from `low` to `high` Nm outside the boundary, along its normal."""
        aside = self.rng.uniform(low, high, (len(self.uniform), 1))
        fixed = self.edge.torque  # any direction where the torque was feasible already
        outward = np.where(fixed.any(axis=1, keepdims=True), fixed, self.rng.normal(size=fixed.shape))
        return self.uniform - fixed + aside * outward / np.linalg.norm(outward, axis=1, keepdims=True)

    def others(self, share: float, near: float) -> np.ndarray:
        """The given share of all samples, of those that are not near the boundary."""
        return np.asarray(~self.close & (self.rng.random(len(self.close)) < share / max(1 - near, share, 1e-9)))

    def inside(self) -> np.ndarray:
        """Activations part of the way from those of few or weak muscles to those at the boundary (sample, muscle)."""
        edge, rng = self.edge.activation, self.rng
        weak = rng.random(edge.shape) ** 2 ** rng.uniform(0, 5, (len(edge), 1))
        return weak + rng.random((len(edge), 1)) * (edge - weak)


Label = Callable[[_Drawn], tuple[np.ndarray, np.ndarray]]
"""Torques and their labels."""


def correction_samples(
    limb: Muscles,
    count: int,
    near: float = 0.5,
    seed: int = 0,
    ranges: Ranges = JIANG2019,
    width: float = WIDTH,
    outside: float | None = None,
) -> Samples:
    """Samples of R: uniform ones, and the share `near` from `width` inside the boundary to `outside` (or `width`)."""

    def label(drawn: _Drawn) -> tuple[np.ndarray, np.ndarray]:
        beside = drawn.at(-width, width if outside is None else outside)
        torque = np.where(drawn.close[:, None], beside, drawn.uniform)
        return torque, correction(drawn.pulls, torque).torque

    return _draw(limb, count, near, seed, ranges, label)


def effort_samples(
    limb: Muscles,
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

    def label(drawn: _Drawn) -> tuple[np.ndarray, np.ndarray]:
        activation = drawn.rng.random(drawn.edge.activation.shape)
        activation = np.where(drawn.others(between, near)[:, None], drawn.inside(), activation)
        inside = drawn.at(-width, 0.0)
        inside -= correction(drawn.pulls, inside).torque  # where strength is thin: the other side
        torque = np.where(drawn.close[:, None], inside, drawn.pulls.torque(activation))
        return torque, effort(drawn.pulls, torque, limb.force).rate

    return _draw(limb, count, near, seed, ranges, label)


def augmented(pulls: Pull, torque: np.ndarray, force: np.ndarray, price: float) -> np.ndarray:
    """Ẽ of any torques (Eq. 13): E(τ − R) + w·‖R‖ with w = `price`."""
    beyond = correction(pulls, torque).torque
    return effort(pulls, torque - beyond, force).rate + price * np.linalg.norm(beyond, axis=1)


def _draw(limb: Muscles, count: int, near: float, seed: int, ranges: Ranges, label: Label) -> Samples:
    if count < 1 or not 0 <= near <= 1:
        raise InputError(f"samples: count {count} must be 1 or more and the share near the boundary {near} in [0, 1]")
    rng, parts = np.random.default_rng(seed), []
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        q, qd = ranges.states(size, rng)
        close = rng.random(size) < near
        pulls, uniform = limb.pull(q, qd), ranges.torques(size, rng)
        torque, answer = label(_Drawn(pulls, uniform, correction(pulls, uniform), close, rng))
        parts.append((q, qd, torque, answer, close))
    return Samples(*(np.concatenate(column) for column in zip(*parts, strict=True)))
