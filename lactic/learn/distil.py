"""A smaller policy that does what a trained one does (DAgger, Ross et al. 2011): a smaller file, a faster step."""

import dataclasses
import math
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from lactic.errors import InputError
from lactic.files import output_folder
from lactic.learn import checkpoint, config
from lactic.learn.checkpoint import below
from lactic.learn.config import RunSettings, from_dict
from lactic.learn.networks import Actor
from lactic.learn.run import REPORT_EVERY, clips_folder
from lactic.learn.trainer import Trainer, make_world
from lactic.stopping import StopRequest
from lactic.task.registry import TASKS

TAUGHT = 0.1
"""Share of the rounds in which the teacher still acts; then the pupil does, and sees where its own mistakes lead."""
BATCH, BATCHES = 1024, 16
RATES = (1e-3, 1e-5)
REMEMBERED = 400_000


class Lesson:
    """A teacher, its pupil, and what the teacher would have done wherever they have been."""

    def __init__(self, trainer: Trainer, hidden: Sequence[int], teacher: Actor):
        s, task = trainer.settings.learn, trainer.task
        self.rollout, self.teacher = trainer.rollout, teacher
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(trainer.settings.seed)
            self.pupil = Actor(task.observer, task.action, hidden, s.log_deviation, activation=s.activation)
        self.pupil.normaliser.load_state_dict(self.teacher.normaliser.state_dict())
        self.pupil.to(task.device)
        self.optimiser = torch.optim.Adam(self.pupil.network.parameters(), RATES[0])
        self.seen = torch.zeros(REMEMBERED, task.observer.size, device=task.device)
        self.right = torch.zeros(REMEMBERED, task.action.size, device=task.device)
        self.kept, self.error = 0, math.nan
        self.rollout.begin()

    def round(self, share: float) -> None:
        """Act for a rollout, ask the teacher about it, and learn; `share` of the lesson is over."""
        self.rollout.actor = self.teacher if share < TAUGHT else self.pupil
        self.rollout.collect()
        observation = self.rollout.observation.flatten(0, 1)
        with torch.no_grad():
            right = self.teacher.mean(observation)
        rows = (self.kept + torch.arange(len(observation), device=self.seen.device)) % REMEMBERED
        self.seen[rows], self.right[rows] = observation, right
        self.kept += len(observation)
        rate = RATES[1] + (RATES[0] - RATES[1]) * 0.5 * (1.0 + math.cos(math.pi * share))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        known = min(self.kept, REMEMBERED)
        for _ in range(BATCHES):
            rows = torch.randint(known, (BATCH,), generator=self.rollout.generator, device=self.seen.device)
            loss = (self.pupil.mean(self.seen[rows]) - self.right[rows]).square().mean()
            self.optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.pupil.network.parameters(), 1.0)
            self.optimiser.step()
        with torch.no_grad():
            self.error = (self.pupil.mean(observation) - right).square().mean().sqrt().item()


def distil(
    run: str | Path,
    out: str | Path,
    hidden: Sequence[int] = (512, 256),
    *,
    clips: str | Path | None = None,
    rounds: int = 500,
    worlds: int = 128,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> Path:
    """Teach a policy with layers `hidden` what the policy of `run` does, as a run of its own that can be exported."""
    weights, values, settings = _read(run)
    settings = config.changed(settings, {"task.fatigue.torque": "body"})  # below, the checkpoint's own take its place
    settings = dataclasses.replace(settings, device=device, worlds=worlds)
    folder = output_folder(out)
    if checkpoint.exists(folder / checkpoint.FOLDER):
        raise InputError(f"{folder}: holds a checkpoint already; give another folder")
    reference = TASKS[settings.task.kind].reference_of(settings.task, clips_folder(clips))
    trainer = Trainer(settings, reference, make_world(settings))
    teacher = trainer.algorithm.actor
    teacher.load_state_dict(below(weights, "actor"))
    task, limit = trainer.task, torch.tensor(values["torque_limit"], device=trainer.device)
    task.torque_limit.mul_(limit / task.fresh_limit)
    task.fresh_limit.copy_(limit)
    lesson, stop = Lesson(trainer, hidden, teacher), StopRequest(lambda: say("stopping after this round"))
    began = reported = time.perf_counter()
    noise = math.exp(settings.learn.log_deviation)
    for k in range(rounds):
        lesson.round(k / rounds)
        now = time.perf_counter()
        if now - reported > REPORT_EVERY or k == rounds - 1 or stop.asked:
            reported, left = now, (now - began) * (rounds - k - 1) / (k + 1)
            means = trainer.rollout.meter.read()
            say(
                f"{k + 1:5} of {rounds}  off by {lesson.error:.4f} ({lesson.error / noise:.2f} of the noise)  "
                f"length {means['episode']:.0f}  falls {100 * means['fell']:.2f} %  {left:.0f} s left"
            )
        if stop.asked:
            break
    stop.restore()
    return _save(lesson.pupil, weights, values, hidden, Path(run), folder)


def _read(run: str | Path) -> tuple[dict[str, Tensor], dict, RunSettings]:
    """Weights, values and settings of a run."""
    source = checkpoint.find(run)
    parts, values = checkpoint.load(source, ("weights",))
    return parts["weights"], values, from_dict(RunSettings, values["settings"], str(source))


def _save(
    pupil: Actor, weights: dict[str, Tensor], values: dict, hidden: Sequence[int], run: Path, folder: Path
) -> Path:
    """The pupil as a checkpoint: the actor is new, the rest of what a brain needs is the teacher's."""
    kept = {f"peaks.{name}": tensor for name, tensor in below(weights, "peaks").items()}
    small = {f"actor.{name}": tensor.detach().clone() for name, tensor in pupil.state_dict().items()}
    changed = {**values["settings"], "learn": {**values["settings"]["learn"], "policy": list(hidden)}}
    config.write(from_dict(RunSettings, changed, str(run)), folder / "params.yaml")
    if (run / "torques.yaml").is_file():
        shutil.copy(run / "torques.yaml", folder / "torques.yaml")
    values = {**values, "settings": changed}
    checkpoint.save(folder / checkpoint.FOLDER, int(values["iteration"]), {"weights": {**kept, **small}}, values)
    return folder
