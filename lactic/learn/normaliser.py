"""Running mean and variance of a stream of vectors."""

import torch
from torch import Tensor, nn

from lactic.learn import together


class Normaliser(nn.Module):
    """Subtracts the running mean and divides by the running deviation; starts as the identity.

    Deviations count as at least `floor`, so that a feature that hardly varies is not blown up to noise.
    """

    def __init__(self, size: int, floor: float = 0.01, bound: float = 10.0):
        super().__init__()
        self.floor, self.bound = floor, bound
        self.mean: Tensor
        self.variance: Tensor
        self.seen: Tensor
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("variance", torch.ones(size))
        self.register_buffer("seen", torch.zeros((), dtype=torch.float64))

    @property
    def deviation(self) -> Tensor:
        """The deviation divided by."""
        return self.variance.sqrt().clamp(min=self.floor)

    def forward(self, x: Tensor) -> Tensor:
        """`x` normalised and clipped."""
        return ((x - self.mean) / self.deviation).clamp(-self.bound, self.bound)

    def undo(self, x: Tensor) -> Tensor:
        """Normalised values in their own units again (not clipped)."""
        return x * self.deviation + self.mean

    @torch.no_grad()
    def widen(self, batch: Tensor, own: slice, layer: nn.Linear, memory: float) -> None:
        """Let the rows of `batch`, of the columns `own`, weigh as much as all that was seen, and both as `memory` rows.

        The weights of `layer`, which takes the normalised values (or several such in a row), change so that its
        output stays what it was: what is new comes into sight, and what was learnt is kept.
        """
        mean, deviation = self.mean.clone(), self.deviation
        variance, middle = torch.var_mean(batch, dim=0, correction=0)
        apart = (middle - mean[own]) / 2
        self.variance[own] = (self.variance[own] + variance) / 2 + apart * apart
        self.mean[own] += apart
        self.refit(layer, mean, deviation)
        self.seen.clamp_(max=memory)

    @torch.no_grad()
    def refit(self, layer: nn.Linear, mean: Tensor, deviation: Tensor) -> None:
        """Let a layer, which took values less `mean` over `deviation` (or several such in a row), give the same for
        what this normaliser makes of them."""
        parts = layer.in_features // len(mean)
        layer.bias.add_(layer.weight @ ((self.mean - mean) / deviation).repeat(parts))
        layer.weight.mul_((self.deviation / deviation).repeat(parts))

    @torch.no_grad()
    def update(self, batch: Tensor, layer: nn.Module | None = None) -> None:
        """Take the rows of `batch` into account (parallel variance, Chan et al. 1979).

        A `layer` that takes the normalised values keeps its output. Statistics that moved under a policy have undone it
        within thirty updates: it fell, what it saw lying down moved them further, and it had learnt nothing in between.
        """
        before, deviation = self.mean.clone(), self.deviation
        batch = batch.reshape(-1, batch.shape[-1])
        variance, mean = together.moments(*torch.var_mean(batch, dim=0, correction=0))
        rows = batch.shape[0] * together.count()
        share = rows / (self.seen + rows)
        share = share.to(mean.dtype)
        delta = mean - self.mean
        self.variance.mul_(1 - share).add_(share * variance + share * (1 - share) * delta * delta)
        self.mean.add_(share * delta)
        self.seen.add_(rows)
        if isinstance(layer, nn.Linear):
            self.refit(layer, before, deviation)
