"""An artificial user of characters that take a velocity: a new wish every few seconds, as somebody playing has them."""

import numpy as np

EVERY = (2.0, 5.0)
"""Seconds that a wish lasts, drawn evenly."""
STOP = 0.15
"""Share of the wishes that are to stand."""
PACES = ((0.8, 1.6), (2.0, 2.7), (2.7, 3.5))
"""m/s of walking, jogging and running, each as likely as the others."""
RUNNING = 2.0
"""m/s; a wish that is faster, or comes after such a one, turns by no more than a quarter."""


class VelocityUser:
    """Velocities (character, 2) over time, drawn for each character by itself."""

    def __init__(self, count: int, seed: int = 0):
        self._random = np.random.default_rng(seed)
        self._speed, self._until = np.zeros(count), np.zeros(count)
        self._way = np.zeros(count)

    def __call__(self, second: float) -> np.ndarray:
        """What is asked for at a second; seconds must not go back."""
        due = np.flatnonzero(second >= self._until - 1e-9)
        if len(due):
            draw = self._random
            bounds = np.array(PACES)[draw.integers(len(PACES), size=len(due))]
            speed = np.where(draw.random(len(due)) < STOP, 0.0, draw.uniform(bounds[:, 0], bounds[:, 1]))
            fast = np.maximum(speed, self._speed[due]) > RUNNING
            self._way[due] += draw.uniform(-1, 1, len(due)) * np.where(fast, np.pi / 2, np.pi)
            self._speed[due] = speed
            self._until[due] = second + draw.uniform(*EVERY, len(due))
        return self._speed[:, None] * np.stack([np.cos(self._way), np.sin(self._way)], -1)
