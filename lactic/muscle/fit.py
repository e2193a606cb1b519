"""Fitting a small network to labelled samples, on one core in minutes.

Muon (Jordan et al. 2024) moves the inner matrices and Adam the rest; Adam alone needs several times as many passes for
the same error. The rate falls in a straight line to 0. Every pass has its own random order, so that a fit which was
interrupted after a pass and goes on ends exactly where an uninterrupted one would.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from lactic.files import whole_file
from lactic.muscle.learned import Network

WARM = 300  # first steps, with a smaller rate


@dataclass(frozen=True)
class Recipe:
    """How a network is fitted."""

    hidden: tuple[int, ...]
    passes: int
    robust: float = 0.0
    """Share of the labels' spread beyond which an error counts in proportion, not squared; 0: always squared."""
    batch: int = 1024
    rate: float = 3e-3
    inner_rate: float = 0.03
    seed: int = 0


def fit(
    x: np.ndarray,
    y: np.ndarray,
    recipe: Recipe,
    weight: np.ndarray | None = None,
    unfinished: Path | None = None,
    said: Callable[[int, float], None] = lambda passes, loss: None,
) -> Network:
    """A network from inputs (sample, input) to labels (sample, output), with weights (sample,) of the errors.

    After each pass its state is saved to `unfinished`, from where the next call with the same arguments goes on.
    """
    centre, spread = x.mean(0), x.std(0) + 1e-12
    label_centre, label_spread = float(y.mean()) if y.shape[1] == 1 else 0.0, float(y.std())
    inputs = torch.from_numpy(((x - centre) / spread).astype(np.float32))
    labels = torch.from_numpy(((y - label_centre) / label_spread).astype(np.float32))
    worth = torch.ones(len(x)) if weight is None else torch.from_numpy(weight.astype(np.float32))
    net = _fresh((x.shape[1], *recipe.hidden, y.shape[1]), recipe.seed)
    moved = _optimisers(net, recipe)
    done = _resume(unfinished, net, moved)
    batches = max(len(x) // recipe.batch, 1)
    steps = batches * recipe.passes
    for passes in range(done, recipe.passes):
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(recipe.seed * 100_003 + passes))
        total = 0.0
        for batch, chosen in enumerate(order[: batches * recipe.batch].chunk(batches)):
            step = passes * batches + batch
            share = min(1.0, (step + 1) / WARM) * (1 - step / steps)
            square = (net(inputs[chosen]) - labels[chosen]).square().sum(1)
            error = (square + recipe.robust**2).sqrt() if recipe.robust else square
            loss = (error * worth[chosen]).mean()
            for optimiser, rate in moved:
                optimiser.param_groups[0]["lr"] = rate * share
                optimiser.zero_grad()
            loss.backward()
            with torch.backends.mkldnn.flags(enabled=False):  # Muon's bfloat16 products: oneDNN lacks them on some CPUs
                for optimiser, _ in moved:
                    optimiser.step()
            total += float(loss.detach())
        if unfinished is not None:
            state = {"net": net.state_dict(), "moved": [o.state_dict() for o, _ in moved], "passes": passes + 1}
            with whole_file(unfinished) as temporary:
                torch.save(state, temporary)
        said(passes + 1, total / batches)
    layers = [tuple(part.detach().numpy().astype(float) for part in (k.weight, k.bias)) for k in _linear(net)]
    weight, bias = layers[0]  # scaling goes into the first and the last layer
    layers[0] = weight / spread, bias - weight / spread @ centre
    weight, bias = layers[-1]
    layers[-1] = weight * label_spread, bias * label_spread + label_centre
    return Network(tuple((w.astype(np.float32), b.astype(np.float32)) for w, b in layers))


def _fresh(sizes: Sequence[int], seed: int) -> torch.nn.Sequential:
    generator = torch.Generator().manual_seed(seed)
    layers: list[torch.nn.Module] = []
    for given, wanted in pairwise(sizes):
        layer = torch.nn.Linear(given, wanted)
        torch.nn.init.normal_(layer.weight, std=1.1 * given**-0.5, generator=generator)
        torch.nn.init.zeros_(layer.bias)
        layers += [layer, torch.nn.ELU()]
    return torch.nn.Sequential(*layers[:-1])


def _linear(net: torch.nn.Sequential) -> list[torch.nn.Linear]:
    return [layer for layer in net if isinstance(layer, torch.nn.Linear)]


def _optimisers(net: torch.nn.Sequential, recipe: Recipe) -> list[tuple[torch.optim.Optimizer, float]]:
    inner = [layer.weight for layer in _linear(net)[1:-1]]
    rest = [p for p in net.parameters() if not any(p is q for q in inner)]
    found: list[tuple[torch.optim.Optimizer, float]] = [
        (torch.optim.Adam(rest, lr=recipe.rate, betas=(0.9, 0.98)), recipe.rate)
    ]
    if inner:
        found.append((torch.optim.Muon(inner, lr=recipe.inner_rate, weight_decay=0.0), recipe.inner_rate))
    return found


def _resume(unfinished: Path | None, net: torch.nn.Sequential, moved: list[tuple[torch.optim.Optimizer, float]]) -> int:
    if unfinished is None or not unfinished.is_file():
        return 0
    state = torch.load(unfinished, weights_only=True)
    net.load_state_dict(state["net"])
    for (optimiser, _), kept in zip(moved, state["moved"], strict=True):
        optimiser.load_state_dict(kept)
    return int(state["passes"])
