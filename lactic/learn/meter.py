"""Measuring without stopping the device: means that are read a few times a minute, and where the time goes."""

import time

import torch
from torch import Tensor

from lactic.learn import together


class Meter:
    """Running means of named quantities; adding never waits for the device, reading does once."""

    def __init__(self, names: tuple[str, ...], device: torch.device):
        self.names = names
        self._row = {name: i for i, name in enumerate(names)}
        self._sums = torch.zeros(len(names), 2, device=device)

    def add(self, name: str, total: Tensor, count: Tensor | float = 1.0) -> None:
        """Add a sum over `count` things."""
        row = self._sums[self._row[name]]
        row[0].add_(total.detach())
        row[1].add_(count)

    def read(self) -> dict[str, float]:
        """Means since the last reading (NaN where nothing was added), and begin anew."""
        rows = zip(self.names, together.total(self._sums).tolist(), strict=True)
        self._sums.zero_()
        return {name: total / count if count else float("nan") for name, (total, count) in rows}


class Stopwatch:
    """Splits time between named phases: `mark(name)` ends the phase `name`. Events on a GPU, the clock elsewhere."""

    def __init__(self, device: torch.device):
        self._cuda = device.type == "cuda"
        self._marks: list[tuple[str, torch.cuda.Event | float]] = []
        self.seconds: dict[str, float] = {}

    def start(self) -> None:
        """Begin measuring."""
        self._marks.clear()
        self.mark("")

    def mark(self, phase: str) -> None:
        """The time since the last mark belonged to `phase`."""
        now: torch.cuda.Event | float = time.perf_counter()
        if self._cuda:
            now = torch.cuda.Event(enable_timing=True)
            now.record()
        self._marks.append((phase, now))

    def stop(self) -> None:
        """Wait for the device and add up the phases."""
        if self._cuda:
            torch.cuda.synchronize()
        for (_, before), (phase, after) in zip(self._marks[:-1], self._marks[1:], strict=True):
            if isinstance(before, float) or isinstance(after, float):
                passed = float(after) - float(before)  # type: ignore[arg-type]
            else:
                passed = before.elapsed_time(after) / 1000.0
            self.seconds[phase] = self.seconds.get(phase, 0.0) + passed

    def shares(self) -> dict[str, float]:
        """Fraction of the measured time each phase took."""
        total = sum(self.seconds.values()) or 1.0
        return {phase: spent / total for phase, spent in self.seconds.items()}
