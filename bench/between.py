"""Writes a run whose policy lies between what a run started from and what it became.

python bench/between.py BEFORE RUN OUT [--share 0.75]

BEFORE is the brain or run that RUN was started from. A further stage gives new skills and costs a little of the old
ones; in between, most of the new and most of the old is there. `lactic export OUT` makes a brain of it.
"""

import argparse
import shutil
from pathlib import Path

import torch
from torch import Tensor, nn

from lactic.learn import checkpoint, shipped
from lactic.learn.checkpoint import below
from lactic.learn.config import RunSettings, from_dict
from lactic.learn.normaliser import Normaliser
from lactic.learn.run import origin_of
from lactic.learn.trainer import rescale


def seen_by(weights: dict[str, Tensor]) -> Normaliser:
    """The normaliser of a policy."""
    made = Normaliser(len(weights["actor.normaliser.mean"]))
    made.load_state_dict(below(weights, "actor.normaliser"))
    return made


def as_seen(before: dict[str, Tensor], run: dict[str, Tensor]) -> dict[str, Tensor]:
    """Layers of the policy before, for what the run's normaliser makes of observations."""
    layers = {name: value.clone() for name, value in below(before, "actor.network").items()}
    first, own = nn.Linear(*layers["0.weight"].shape[::-1]), seen_by(before)
    first.load_state_dict({"weight": layers["0.weight"], "bias": layers["0.bias"]})
    seen_by(run).refit(first, own.mean, own.deviation)
    return layers | {f"0.{name}": value for name, value in first.state_dict().items()}


def main() -> None:
    """Read both, mix, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before")
    parser.add_argument("run")
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.75, help="0: as before; 1: as the run became")
    given = parser.parse_args()
    (old, told), (new, values) = (shipped.learnt(origin_of(name)) for name in (given.before, given.run))
    now = from_dict(RunSettings, values["settings"], given.run)
    rescale(old, told["settings"], now.task, given.before)
    for name, value in as_seen(old, new).items():
        key = f"actor.network.{name}"
        new[key] = torch.lerp(value, new[key], given.share)
    checkpoint.save(given.out / "checkpoint", int(values["iteration"]), {"weights": new}, values)
    shutil.copy(Path(given.run) / "params.yaml", given.out / "params.yaml")


if __name__ == "__main__":
    main()
