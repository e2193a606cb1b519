"""When a run ends: by its time or its iterations."""

import time
from typing import Protocol

LAST = 16
"""Iterations at the end of a run whose means are the last ones, where iterations end it: so they do not depend on how
fast a machine is."""


class Paced(Protocol):
    """A trainer of whatever kind."""

    iteration: int
    seconds: float

    @property
    def samples(self) -> int:
        """Control steps so far, of all worlds together."""
        ...


class Clock:
    """Time and iterations used and left, and the speed."""

    def __init__(self, trainer: Paced, minutes: float | None, iterations: int | None):
        self.trainer, self.minutes, self.iterations = trainer, minutes, iterations
        self.start, self.first, self.before = time.perf_counter(), trainer.iteration, trainer.seconds
        self.began = trainer.samples

    @property
    def spent(self) -> float:
        """Seconds since this run began to train."""
        return time.perf_counter() - self.start

    @property
    def taken(self) -> int:
        """Control steps since then, of all worlds together."""
        return self.trainer.samples - self.began

    def left(self) -> float:
        """Seconds left; 0 when time or iterations are used up, infinite when nothing limits them."""
        by_time = float("inf") if self.minutes is None else max(60.0 * self.minutes - self.spent, 0.0)
        if self.iterations is None:
            return by_time
        ahead, done = self.iterations - self.trainer.iteration, self.trainer.iteration - self.first
        by_count = max(ahead, 0) * (self.spent / done if done else 1.0)
        return min(by_time, by_count)

    @property
    def closing(self) -> int:
        """How far the run is into its last iterations: 1 at their beginning, 0 before; 0 where time ends it."""
        return 0 if self.iterations is None else max(self.trainer.iteration - self.iterations + LAST + 1, 0)

    def speed(self) -> float:
        """Control steps a second."""
        return self.taken / max(self.spent, 1e-9)

    def note(self) -> None:
        """Tell the trainer how long it has been training."""
        self.trainer.seconds = self.before + self.spent
