"""Where states and torques of a leg are drawn from (jiang2019, Sec. 3.2), and samples with their exact label."""

from dataclasses import dataclass

import numpy as np


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
"""Over `musculature.LEG`, as in the paper's code; its text lets the hip flex to 2 rad."""
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

    def __len__(self) -> int:
        """How many."""
        return len(self.q)
