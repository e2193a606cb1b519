"""How many motions of a library runs or brains follow strictly from the first frame: all at once on any device.

python bench/follow.py CLIPS RUN [RUN …] [--device cuda] [--seconds 30] [--spent 0 0.5] [--tires]
    [--out ROWS.jsonl] [--draw CURVE.png]

Bodies start with that MF in all joints, and stay so unless they tire, at the rates of training.
`lactic lab tired_actor table1` says the same of exported brains, motion by motion on the CPU. This is for a GPU between
two stages of training: the whole library takes some seconds.
"""

import argparse
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lactic.learn import config
from lactic.learn.checkpoint import spent as spent_on
from lactic.learn.config import RunSettings
from lactic.learn.run import origin_of, with_layers_of
from lactic.learn.trainer import Trainer, make_world
from lactic.play.tracked import LOST
from lactic.task.registry import TASKS
from lactic.task.tracking.settings import WAITING
from lactic.task.tracking.task import Track


def settings_of(run: Path, device: str) -> RunSettings:
    """The run's own settings, for following the whole library strictly."""
    changes = {"task.split": "all", "task.mirror": False, "task.many": 0, "task.style_weight": 0.0, "device": device}
    changes |= {f"task.track.{name}": 0.0 for name in WAITING}  # each motion once, strictly
    changes |= {"task.track.waits": False, "task.track.led": False, "task.fatigue.fresh": 1.0, "graphs": False}
    changes |= {"task.fatigue.lame": 0.0, "task.fatigue.time_spread": 1.0, "task.fatigue.F_spread": 1.0}
    return config.changed(config.read(run / "params.yaml"), changes)


def follower_of(run: str, clips: Path, device: str) -> Trainer:
    """The run or brain, with a world for each motion of the library."""
    origin = origin_of(run)
    folder = origin if (origin / "brain.onnx").is_file() else Path(run)
    settings = with_layers_of(settings_of(folder, device), origin)
    reference = TASKS[settings.task.kind].reference_of(settings.task, clips)
    settings = dataclasses.replace(settings, worlds=len(reference.names))
    return Trainer(settings, reference, make_world(settings), start=origin)


@torch.no_grad()
def follow(trainer: Trainer, seconds: float, spent: float, tires: bool) -> tuple[np.ndarray, np.ndarray]:
    """Which motions are lost, and the mean error in mm, where all joints start with an MF of `spent`."""
    task, actor, settings = trainer.task, trainer.algorithm.actor, trainer.settings.task
    assert isinstance(task, Track)
    task.frame.copy_(task.reference.first.unique())
    start, typical = task.moment(), task.rates.clone()
    task.arena.reset(torch.ones_like(task.over), start.qpos, start.qvel)
    task.fatigue[..., 0], task.fatigue[..., 1], task.fatigue[..., 2] = 0.0, 1.0 - spent, spent
    task.rates[..., :2] *= tires
    last = task.reference.last[task.frame]
    lost, off, frames = torch.zeros_like(task.over), torch.zeros_like(task.error), torch.zeros_like(task.error)
    for _ in range(round(seconds * settings.control_rate)):
        live = ~lost & (task.frame < last)
        if not live.any():
            break
        task.decide(actor.mean(task.observation()))
        task.arena.step(settings.substeps)
        task.look()
        lost |= live & ((task.error > LOST) | task.arena.faulted)
        off += torch.where(live & ~lost, task.error, 0.0)
        frames += live & ~lost
    task.rates.copy_(typical)
    return lost.cpu().numpy(), (1000 * off / frames.clamp(min=1)).cpu().numpy()


def rows_of(run: str, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each level of fatigue and each split."""
    trainer = follower_of(run, given.clips, given.device)
    names = np.array(trainer.task.reference.names)
    with np.load(given.clips / f"{trainer.settings.task.library}.npz") as held:  # type: ignore[attr-defined]
        split_of = dict(zip(held["names"].tolist(), held["splits"].tolist(), strict=True))
    splits = np.array([split_of[name] for name in names])
    for spent in given.spent:
        lost, error = follow(trainer, given.seconds, spent, given.tires)
        for split in dict.fromkeys(splits.tolist()):
            own = splits == split
            yield {
                "run": run,
                "samples": spent_on(trainer.line)["samples"],
                "split": split,
                "spent": spent,
                "tires": given.tires,
                "motions": int(own.sum()),
                "followed": round(100 * float((~lost[own]).mean()), 1),
                "mm": round(float(error[own & ~lost].mean()), 1),
                "lost": names[own & lost].tolist(),
            }


def draw(rows: list[dict[str, Any]], out: Path) -> None:
    """Success against samples, a line for each split."""
    import matplotlib.pyplot as plt  # a machine that only trains need not have it

    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    for split in dict.fromkeys(row["split"] for row in rows):
        points = sorted((row["samples"] / 1e6, row["followed"]) for row in rows if row["split"] == split)
        count = next(row["motions"] for row in rows if row["split"] == split)
        axes.plot(*zip(*points, strict=True), "o-", label=f"{split}, {count} motions")
    axes.set(xlabel="samples, millions", ylabel="followed to the end, %", ylim=(50, 100))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(out, dpi=120)


def main() -> None:
    """Print a line for each run, level and split."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", type=Path)
    parser.add_argument("runs", nargs="*")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--spent", type=float, nargs="+", default=[0.0])
    parser.add_argument("--tires", action="store_true")
    parser.add_argument("--out", type=Path, help="appends the rows with the names of what was lost, as JSON lines")
    parser.add_argument("--draw", type=Path, help="draws the rows of --out, those that were there before included")
    given = parser.parse_args()
    for run in given.runs:
        for row in rows_of(run, given):
            print({name: value for name, value in row.items() if name != "lost"}, flush=True)
            if given.out:
                with given.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    if given.draw and given.out:
        draw([json.loads(line) for line in given.out.read_text().splitlines()], given.draw)


if __name__ == "__main__":
    main()
