"""Teachers of a pupil: a run or a brain for most of what it does, and others for what they do better."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lactic.errors import InputError
from lactic.learn import config, shipped
from lactic.learn.checkpoint import below
from lactic.learn.config import RunSettings, from_dict
from lactic.learn.networks import Actor
from lactic.learn.ppo import mirror_image
from lactic.learn.run import origin_of
from lactic.learn.trainer import rescale
from lactic.motion.library import Library
from lactic.task.mirror import Mirror
from lactic.task.registry import TASKS
from lactic.task.settings import TaskSettings
from lactic.task.task import Task
from lactic.task.tracking.motions import Motions
from lactic.task.tracking.task import Track

FLOOR = "floor"
"""What is taught by one that gets bodies up."""


@dataclass(frozen=True)
class Teacher:
    """A policy, and in which worlds it says now what is right (world,)."""

    actor: Actor
    leads: Callable[[], Tensor]
    images: Callable[[], Tensor] | None = None
    """Which worlds follow mirror images, where it never learnt any (world,)."""
    mirrors: tuple[Mirror, Mirror] | None = None

    def corrected(self, observation: Tensor, right: Tensor) -> Tensor:
        """What is right, with its own word where it leads: in the mirror for what it knows only so."""
        own = self.actor.mean(observation)
        if self.images is not None and self.mirrors is not None:
            own = torch.where(self.images()[:, None], mirror_image(self.actor, observation, *self.mirrors), own)
        return torch.where(self.leads()[:, None], own, right)


def read(run: str | Path) -> tuple[dict[str, Tensor], dict[str, Any], RunSettings]:
    """Weights, values and settings of a run, or of a brain."""
    source = origin_of(run)
    weights, values = shipped.learnt(source)
    return weights, values, from_dict(RunSettings, values["settings"], str(source))


def actor_of(weights: dict[str, Tensor], settings: RunSettings, practice: TaskSettings, source: str) -> Actor:
    """The policy of a run, with actions that mean in the practice what they meant to it."""
    rescale(weights, {"task": config.to_dict(settings.task)}, practice, source)
    kind, learn = TASKS[settings.task.kind], settings.learn
    seen = kind.parts(kind.own_body(settings.task), settings.task)
    made = Actor(*seen, learn.policy, learn.log_deviation, activation=learn.activation, sight=learn.sight)
    made.load_state_dict({"log_deviation": made.log_deviation, **below(weights, "actor")})
    return made


def known(run: str | Path, practice: TaskSettings) -> Actor:
    """The policy of a run or of a brain, with actions that mean in the practice what they meant to it."""
    weights, _, settings = read(run)
    return actor_of(weights, settings, practice, str(run))


def alike(one: Actor, other: Actor) -> bool:
    """Whether two policies see the same, in the same places."""

    def told(actor: Actor) -> tuple[Any, ...]:
        info = actor.observer.about.get("tracking")
        return (actor.observer.layout,) + (() if info is None else (info.later, info.targets, info.held, info.heeds))

    return told(one) == told(other)


Maker = Callable[[Track], Teacher]
"""What makes a teacher for a task."""


def further(also: Sequence[str | Maker], task: Task, pupil: Actor, clips: Path) -> list[Teacher]:
    """Those of `RUN:WHERE`: WHERE is a split of the library, whose motions RUN teaches where they wait for nobody, or
    `floor` for bodies that get up; or those that are made for the task."""
    if also and not isinstance(task, Track):
        raise InputError(f"also {also[0]}: the pupil must follow motions")
    return [_further(each, task, pupil, clips) for each in also if isinstance(task, Track)]


def _further(name: str | Maker, task: Track, pupil: Actor, clips: Path) -> Teacher:
    if not isinstance(name, str):
        return name(task)
    run, found, where = name.rpartition(":")
    if not found or not run or not where:
        raise InputError(f"also {name}: write RUN:SPLIT, or RUN:{FLOOR} for one that gets up")
    weights, _, settings = read(run)
    actor = actor_of(weights, settings, task.settings, run).to(task.device)
    if not alike(actor, pupil):
        raise InputError(f"also {name}: it sees other things than the pupil")
    if where == FLOOR:
        return Teacher(actor, lambda: task.down)
    library = Library.load(clips / f"{task.settings.library}.npz")
    rows = rows_of(task.reference, library.choose([where]).names)
    leads = Teacher(actor, lambda: rows.index_select(0, task.frame) & ~task.waits)
    if settings.task.mirror or not task.reference.mirror:  # type: ignore[attr-defined]
        return leads
    return replace(leads, images=lambda: task.frame >= task.reference.mirror, mirrors=task.mirrors())


def rows_of(table: Motions, names: Sequence[str]) -> Tensor:
    """Which rows of the tables belong to motions of these names, or to their mirror images (row,)."""
    own = table.first[: table.own]
    firsts = own.unique()
    chosen = torch.tensor([name in set(names) for name in table.names], device=own.device)
    found = torch.zeros(len(table.first), dtype=torch.bool, device=own.device)
    found[: table.own] = chosen[torch.searchsorted(firsts, own) % len(table.names)]
    return found
