"""The networks: a policy that is also the policy of an exported brain, a value function, a discriminator."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from lactic.brain.module import Senses
from lactic.learn.normaliser import Normaliser

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "elu": nn.ELU}
SIGHT = 5.0
"""Deviations at which observations are cut off, unless settings say otherwise."""


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
        sight: float = SIGHT,
    ):
        super().__init__()
        self.observer, self.action = observer, action
        self.normaliser = Normaliser(observer.size, bound=sight)
        self.network = mlp(observer.size, hidden, action.size, last_gain=0.01, activation=activation)
        self.log_deviation = nn.Parameter(torch.full((action.size,), log_deviation), requires_grad=learn_deviation)

    def forward(self, senses: Senses) -> tuple[Tensor, ...]:
        """What a brain does: the mean action, no noise."""
        return self.action(self.mean(self.observer(senses)), senses.command)

    def mean(self, observation: Tensor) -> Tensor:
        """The mean action for observations."""
        return self.network(self.normaliser(observation))


class Critic(nn.Module):
    """The value of an observation; the network works on normalised observations and returns."""

    def __init__(self, size: int, hidden: Sequence[int], activation: str = "relu", sight: float = SIGHT):
        super().__init__()
        self.normaliser = Normaliser(size, bound=sight)
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
