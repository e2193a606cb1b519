"""What the noise of exploration does to the loads of a follower that walks, and what is left if it is taken off.

python bench/noise.py CLIPS [--brain actor] [--log-deviation -2.3] [--worlds 128]

Loads are means over five seconds of repeated walks in a body that does not tire, as shares of the fresh limits: without
noise, with it, and with it less so many times the torque that it asks for (`task.fatigue.noiseless`).
"""

import argparse
from pathlib import Path

import torch

from lactic.learn import config
from lactic.learn.run import origin_of, with_layers_of
from lactic.learn.trainer import Trainer, make_world
from lactic.task.registry import TASKS
from lactic.task.tiring import without_noise

TIMES = (0.0, 1.0, 1.5, 2.0)
SKIPPED, STEPS = 20, 150
KINDS = ("hip_x", "hip_y", "hip_z", "knee", "ankle_x", "ankle_y", "abdomen", "shoulder", "elbow", "neck")


def trainer_of(given: argparse.Namespace) -> Trainer:
    """The brain, with worlds in which it follows repeated walks."""
    origin = origin_of(given.brain)
    changes = {f"task.track.{name}": 0.0 for name in ("strict", "fallen", "weary")} | {"task.track.long": 1.0}
    changes |= {"task.fatigue.fresh": 1.0, "task.fatigue.lame": 0.0, "task.split": "train", "task.mirror": False}
    changes |= {"device": "cpu", "graphs": False, "worlds": given.worlds, "learn.log_deviation": given.log_deviation}
    changes |= {"learn.only": "", "learn.clock_noise": 0.0}
    settings = with_layers_of(config.changed(config.read(origin / "params.yaml"), changes), origin)
    reference = TASKS[settings.task.kind].reference_of(settings.task, given.clips)
    return Trainer(settings, reference, make_world(settings), start=origin)


@torch.no_grad()
def loads(trainer: Trainer, share: float) -> torch.Tensor:
    """Mean loads (TIMES, joint) with a share of the noise."""
    task, actor = trainer.task, trainer.algorithm.actor
    asks = actor.log_deviation.exp()[task.action.layout["joints"]]
    asks = share * asks * task.action.torque(task.stiffness[0], task.fresh_limit)
    source = torch.Generator().manual_seed(0)
    chance = torch.zeros(task.count, task.chance)
    task.begin(chance.uniform_(generator=source))
    total = torch.zeros(len(TIMES), task.joints)
    for step in range(STEPS):
        mean = actor.mean(task.observation())
        noise = share * actor.log_deviation.exp() * torch.randn(mean.shape, generator=source)
        noise[:, task.action.layout["clock"]] = 0.0
        task.decide(mean + noise)
        task.arena.step(task.settings.substeps)
        task.judge(chance.uniform_(generator=source))
        task.restart()
        task.fatigue.copy_(torch.tensor([0.0, 1.0, 0.0]).expand_as(task.fatigue))
        if step >= SKIPPED:
            given = task.arena.torque / task.torque_limit
            total += torch.stack([without_noise(given, times * asks).mean(0) for times in TIMES])
    return total / (STEPS - SKIPPED)


def main() -> None:
    """Print a line for each kind of joint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", type=Path)
    parser.add_argument("--brain", default="actor")
    parser.add_argument("--log-deviation", type=float, default=-2.3)
    parser.add_argument("--worlds", type=int, default=128)
    given = parser.parse_args()
    trainer = trainer_of(given)
    calm, shaken = loads(trainer, 0.0)[0], loads(trainer, 1.0)
    print("joint      calm   with noise  " + "  ".join(f"less {times:g} x" for times in TIMES[1:]))
    for kind in KINDS:
        own = [k for k, name in enumerate(trainer.task.body.joints) if kind in name]
        row = "      ".join(f"{load:.3f}" for load in shaken[:, own].mean(1))
        print(f"{kind:10} {calm[own].mean():.3f}  {row}")


if __name__ == "__main__":
    main()
