"""The networks: a policy that is also the policy of an exported brain, a value function, a discriminator; and what
normalises for them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from lactic.brain.module import Senses

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


def mlp(
    inputs: int, hidden: Sequence[int], outputs: int, last_gain: float = 1.0, activation: str = "relu"
) -> nn.Sequential:
    """Linear layers with activations between them, biases zero, the weights of the last one scaled by `last_gain`."""
    sizes, layers = [inputs, *hidden, outputs], []
    for a, b in pairwise(sizes):
        layer = nn.Linear(a, b)
        nn.init.zeros_(layer.bias)
        layers += [layer, ACTIVATIONS[activation]()]
    with torch.no_grad():
        layer.weight.mul_(last_gain)
    return nn.Sequential(*layers[:-1])


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
    def update(self, batch: Tensor) -> None:
        """Take the rows of `batch` into account (parallel variance, Chan et al. 1979)."""
        batch = batch.reshape(-1, batch.shape[-1])
        variance, mean = torch.var_mean(batch, dim=0, correction=0)
        share = batch.shape[0] / (self.seen + batch.shape[0])
        share = share.to(mean.dtype)
        delta = mean - self.mean
        self.variance.mul_(1 - share).add_(share * variance + share * (1 - share) * delta * delta)
        self.mean.add_(share * delta)
        self.seen.add_(batch.shape[0])


class Actor(nn.Module):
    """Senses to targets and β: the policy of a brain. Training adds noise of deviation exp(log_deviation)."""

    def __init__(
        self,
        observer: Any,
        action: Any,
        hidden: Sequence[int],
        log_deviation: float = -2.9,
        learn_deviation: bool = False,
        activation: str = "relu",
    ):
        super().__init__()
        self.observer, self.action = observer, action
        self.normaliser = Normaliser(observer.size, bound=5.0)
        self.network = mlp(observer.size, hidden, action.size, last_gain=0.01, activation=activation)
        self.log_deviation = nn.Parameter(torch.full((action.size,), log_deviation), requires_grad=learn_deviation)

    def forward(self, senses: Senses) -> tuple[Tensor, Tensor]:
        """What a brain does: the mean action, no noise."""
        return self.action(self.mean(self.observer(senses)), senses.command)

    def mean(self, observation: Tensor) -> Tensor:
        """The mean action for observations."""
        return self.network(self.normaliser(observation))


class Critic(nn.Module):
    """The value of an observation; the network works on normalised observations and returns."""

    def __init__(self, size: int, hidden: Sequence[int], activation: str = "relu"):
        super().__init__()
        self.normaliser = Normaliser(size, bound=5.0)
        self.returns = Normaliser(1, floor=1e-3)
        self.network = mlp(size, hidden, 1, activation=activation)

    def forward(self, observation: Tensor) -> Tensor:
        """Values in the reward's own units."""
        return self.returns.undo(self.normalised(observation))[..., 0]

    def normalised(self, observation: Tensor) -> Tensor:
        """Values in units of the returns' deviation, (…, 1)."""
        return self.network(self.normaliser(observation))


class Discriminator(nn.Module):
    """The logit of a pair of features being from a clip; D = sigmoid(logit).

    One normaliser serves both halves of a pair. It must see agent and clip together: by a short clip's own statistics
    every state of the agent would be an outlier.
    """

    def __init__(self, features: int, hidden: Sequence[int], floor: float = 0.01):
        super().__init__()
        self.normaliser = Normaliser(features, floor, bound=5.0)
        self.network = mlp(2 * features, hidden, 1)

    def normalise(self, pair: Tensor) -> Tensor:
        """Pairs (…, 2·features) as the network wants them."""
        first, second = pair.chunk(2, dim=-1)
        return torch.cat([self.normaliser(first), self.normaliser(second)], dim=-1)

    def forward(self, pair: Tensor) -> Tensor:
        """Logits (…) of pairs as they are."""
        return self.network(self.normalise(pair))[..., 0]
