"""A brain that is steered and has learnt nothing, and a database of made-up locomotion."""

from dataclasses import replace
from pathlib import Path

import torch
from footsteps import steps_database

from lactic import body
from lactic.learn import config
from lactic.learn.export import export_run
from lactic.learn.trainer import Trainer
from lactic.steer.stream import record
from lactic.task.tracking.motions import motions
from lactic.world import CpuWorld


def untrained(folder: Path) -> Path:
    """Write steps.npz and the brain's folder `steer` into a folder; the latter."""
    human, database = body.get("humanoid"), steps_database()
    database.save(folder / "steps.npz")
    torch.manual_seed(0)
    recipe = config.read("steer")
    settings = replace(recipe, worlds=2, device="cpu", learn=replace(recipe.learn, minibatches=2, value=(16,)))
    led = motions([record(database, 0.2, streams=1).clip(0)], human, settings.task.control_rate)
    Trainer(settings, led, CpuWorld(human, 2, threads=1)).save(folder / "run", light=True)
    export_run(folder / "run", folder / "steer")
    return folder / "steer"
