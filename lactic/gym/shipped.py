"""What episodes start from where no clips are given: motion that ships, so that an environment is the same everywhere.

Clips do not ship. The start states of a skill's own brain do, and what `steer` did.
"""

from functools import cache, singledispatch
from pathlib import Path
from typing import Any

import torch

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.motion.body_clip import BodyClip
from lactic.play.start import stored_states
from lactic.steer.matching import Database
from lactic.task.reference import Reference, from_states
from lactic.task.registry import TASKS
from lactic.task.settings import StyleTaskSettings, TaskSettings
from lactic.task.tracking.motions import Motions, motions
from lactic.task.tracking.settings import TrackTaskSettings

EVERY = 10
"""Frames of `steer`'s motion of which one is a start state: a sixth of a second."""


@cache
def _database() -> Database:
    return Database.load(catalogue.find("steer").path / "database.npz")


def _moving() -> list[BodyClip]:
    """What `steer` did when it was captured: it walks, runs, turns and stands."""
    held = _database()
    own = [k for k in range(len(held.clip_names)) if held.mirror_of[k] < 0]
    frames = {held.clip_names[k]: held.qpos[held.clip_start[k] : held.clip_start[k + 1]] for k in own}
    return [BodyClip(held.body_name, held.fps, qpos, name) for name, qpos in frames.items()]


@singledispatch
def reference(settings: TaskSettings, recipe: str) -> Any:
    """Of a task that needs no clips."""
    return TASKS[settings.kind].reference_of(settings, Path())


@reference.register
def _(settings: StyleTaskSettings, recipe: str) -> Reference:
    """States of the skill's own brain, tired if it ships so; else frames of `steer`."""
    body, held = bodies.get(settings.body), _database()
    found = held.qpos[::EVERY], held.qvel[::EVERY]
    for name in (f"{recipe}-expert", recipe):
        if name in catalogue.names():
            found = stored_states(catalogue.find(name), body) or found
    qpos, qvel = (torch.tensor(x, dtype=torch.float32) for x in found)
    qpos[:, :2] = 0.0
    return from_states(qpos, qvel, body)


@reference.register
def _(settings: TrackTaskSettings, recipe: str) -> Motions:
    """What `steer` did, to be done again."""
    return motions(_moving(), bodies.get(settings.body), settings.control_rate)
