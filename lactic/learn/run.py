"""A training run from its settings to its last checkpoint."""

import dataclasses
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import torch
import yaml

from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.files import fresh_folder, whole_file
from lactic.learn import checkpoint, config, shipped, together
from lactic.learn.clock import Clock
from lactic.learn.config import RunSettings
from lactic.learn.journal import Journal, time_needed
from lactic.learn.rollout import Agent
from lactic.learn.trainer import Trainer, make_world
from lactic.motion.fetch import cache_folder
from lactic.stopping import StopRequest
from lactic.task.registry import TASKS

REPORT_EVERY = 10.0
"""Seconds between progress lines."""
NETWORKS = {"policy": "actor", "value": "critic", "discriminator": "discriminator"}
"""Settings of layers, and the networks that have them, as checkpoints call these."""


def clips_folder(given: str | Path | None = None) -> Path:
    """Where clips are: as given, or in the cache folder."""
    return cache_folder() if given is None else Path(given)


def transfer(settings: RunSettings) -> RunSettings:
    """The second stage: torque limits that shrink with fatigue (cheema2023 Sec. 6.1), and the recipe's own changes."""
    settings = config.changed(settings, settings.transfer, f"{settings.name}: transfer")
    mode = settings.task.fatigue.mode
    fatigue = dataclasses.replace(settings.task.fatigue, mode="limits" if mode == "off" else mode)
    return dataclasses.replace(settings, task=dataclasses.replace(settings.task, fatigue=fatigue))


def start(
    params: str,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    expert: str | Path | None = None,
    stage: Literal["expert", "transfer"] = "expert",
    changes: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Train a recipe or a YAML file with what was said on the command line put over it, and `options` of `train`."""
    named = config.read(params)
    folder = Path(out or f"runs/{named.name}")
    # a resumed run is the run it was, whatever the recipe says by now
    settings = config.read(folder / "params.yaml") if resume else named
    if stage == "transfer" and not resume:
        settings = transfer(settings)
        if expert is None:
            raise InputError("stage transfer: needs an expert to start from, a run or a brain")
    settings = config.changed(settings, changes or {})
    return train(settings, folder, resume=resume, start=expert, **options)


def train(
    settings: RunSettings,
    out: str | Path,
    *,
    minutes: float | None = None,
    iterations: int | None = None,
    resume: bool = False,
    start: str | Path | None = None,
    clips: str | Path | None = None,
    agent: Agent = "policy",
    light: bool = False,
    profile: bool = False,
    say: Callable[[str], None] = print,
) -> dict[str, float]:
    """Train until the time, the iterations or the person says stop; returns the last means."""
    together.join()
    first, alone = together.rank() == 0, together.count() == 1
    say = say if first else _nothing
    light = light or not alone  # the worlds of others are not seen from here
    began = time.perf_counter()
    with fresh_folder(out) as folder:
        held = checkpoint.of_run(folder, resume)
        origin = None if start is None else origin_of(start)
        if origin is not None and not resume:
            settings = with_layers_of(settings, origin)
        reference = TASKS[settings.task.kind].reference_of(settings.task, clips_folder(clips))
        trainer = Trainer(settings, reference, make_world(settings, folder / "faults"), agent=agent, start=origin)
        if resume:
            trainer.resume(held)
        if first:
            config.write(settings, folder / "params.yaml")
    several = "" if alone else f" in {together.count()} processes"
    say(
        f"{settings.name}: {settings.worlds} worlds on {trainer.device}{several}, "
        f"fatigue {settings.task.fatigue.mode}, {len(reference.qpos)} start states, "
        f"clip speed {reference.speed:.2f} m/s; ready after {time.perf_counter() - began:.1f} s"
    )
    journal = Journal(folder, say) if first else None
    stop = StopRequest(lambda: say("stopping after this iteration; the checkpoint will be whole"))
    if iterations is None or trainer.iteration < iterations:
        trainer.iterate()  # loads kernels and captures graphs: not counted in the speed
    trainer.watch.seconds.clear()
    clock = Clock(trainer, minutes, iterations)
    trainer.report()

    def tell(means: dict[str, float], again: bool) -> None:
        slow = time_needed(settings.name, clock.speed()) if not again and trainer.device.type == "cpu" else None
        if slow:
            say(slow)
        if journal is not None:
            journal.line(trainer, means, clock)

    def save() -> None:
        if agent == "policy" and first:
            trainer.save(held, light)

    means = train_on(trainer, clock, stop, settings.save_every, save, tell)
    if journal is not None:
        _write_torques(trainer, folder / "torques.yaml")
        journal.close(trainer, clock, profile)
    stop.restore()
    together.leave()
    return means


def train_on(
    trainer: Any,
    clock: Clock,
    stop: StopRequest,
    save_every: float,
    save: Callable[[], None],
    tell: Callable[[dict[str, float], bool], None],
) -> dict[str, float]:
    """Iterate until the clock or the person says stop; save every so many seconds and at the end, and tell the means
    every `REPORT_EVERY`, whether again or for the first time. Returns the last means."""
    first, means = together.rank() == 0, dict[str, float]()
    saved = reported = time.perf_counter()
    while not _any(stop.asked or (first and clock.left() <= 0)):
        trainer.iterate()
        now = time.perf_counter()
        if clock.closing == 1:
            trainer.report()
        if _any(first and now - reported >= REPORT_EVERY and not clock.closing):
            again, reported, means = bool(means), now, trainer.report()
            tell(means, again)
        if now - saved >= save_every:
            clock.note()
            save()
            saved = time.perf_counter()
    clock.note()
    save()
    if _any(first and (not means or clock.closing > 1 or time.perf_counter() - reported > 1.0)):
        means = trainer.report()
        tell(means, True)
    return means


def _nothing(line: str) -> None:
    """What the processes say that are not the first."""


def _any(true: bool) -> bool:
    """Whether any process says so: all must do the same."""
    return bool(together.largest(torch.tensor(float(true))).item()) if together.count() > 1 else true


def origin_of(name: str | Path) -> Path:
    """What a run starts from: the checkpoint of a run's folder, or the folder of a brain, shipped ones by name."""
    found = checkpoint.find(name)
    return found if checkpoint.exists(found) else catalogue.find(name).path


def with_layers_of(settings: RunSettings, origin: Path) -> RunSettings:
    """Networks that start from a run or a brain have its layers; a brain or a student has those of the policy alone."""
    if checkpoint.exists(origin):
        parts, values = checkpoint.load(origin, ("weights",))
        before, held = (values.get("settings") or {}).get("learn", {}), parts["weights"]
        known = [name for name, net in NETWORKS.items() if name in before and checkpoint.below(held, net)]
        layers: dict[str, Any] = {name: tuple(before[name]) for name in known}
    else:
        layers = {"policy": shipped.hidden_of(shipped.weights_of(BrainFolder(origin))[0])}
    return dataclasses.replace(settings, learn=dataclasses.replace(settings.learn, **layers))


def _write_torques(trainer: Trainer, path: Path) -> None:
    """The largest torques of an expert by joint, as Table 4 of cheema2023 lists them."""
    if trainer.settings.task.fatigue.mode != "off":
        return
    table = {}
    for name, typical in {"highest": False, "typical": True}.items():
        peaks = trainer.peaks.symmetric(typical=typical).tolist()
        table[name] = {joint: round(peak, 1) for joint, peak in zip(trainer.task.body.joints, peaks, strict=True)}
    with whole_file(path) as temporary:
        note = "# Nm, left and right alike; highest: ever asked for; typical: 99.9th percentile of late\n"
        temporary.write_text(note + yaml.safe_dump(table, sort_keys=False))
