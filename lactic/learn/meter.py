"""Sums kept on the device and read a few times a minute."""

import torch
from torch import Tensor


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
        rows = zip(self.names, self._sums.tolist(), strict=True)
        self._sums.zero_()
        return {name: total / count if count else float("nan") for name, (total, count) in rows}
