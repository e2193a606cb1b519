"""A policy that learns what a trained one does (DAgger, Ross et al. 2011): a smaller file, a faster step; or a student
that is told less or other frames of a motion than its teacher (tired_actor Sec. 4.2)."""

import dataclasses
import math
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lactic.errors import InputError
from lactic.files import fresh_folder
from lactic.learn import checkpoint, config, teachers
from lactic.learn.checkpoint import below
from lactic.learn.config import RunSettings
from lactic.learn.networks import Actor
from lactic.learn.ppo import mirror_image
from lactic.learn.rollout import Rollout
from lactic.learn.run import REPORT_EVERY, clips_folder
from lactic.learn.teachers import Teacher
from lactic.learn.trainer import Trainer, make_world
from lactic.stopping import StopRequest
from lactic.task.mirror import Mirror
from lactic.task.registry import TASKS
from lactic.task.tracking.settings import WAITING, WHOLE, Targets, TrackTaskSettings
from lactic.task.tracking.task import Track

TAUGHT = 0.1
"""Share of the rounds in which the teacher still acts; then the pupil does, and sees where its own mistakes lead."""
BATCH, BATCHES, PARTS = 1024, 16, 4
"""Samples in a batch, or a part of a rollout where that is more; and batches in a round."""
RATES = (1e-3, 1e-5)
CAREFUL = 0.3
"""Of the first rate, where the pupil begins as its teacher is and others correct it, or as something that learnt."""
REMEMBERED = 400_000
AHEAD = (15, 30, 60, 90)
"""Frames ahead at which students are told places, where none are named."""
STRICT: dict[str, Any] = {f"task.track.{name}": 0.0 for name in ("strict", *WAITING)} | {
    f"task.track.{name}": False for name in ("waits", "heeds")
}
"""What a student changes that follows motions which wait for nobody."""


class Guided:
    """Teacher or pupil act, and the teacher always says what it would have done: in the pupil's actions."""

    def __init__(self, rollout: Rollout, teacher: Actor, pupil: Actor, mirrors: tuple[Mirror, Mirror] | None = None):
        self.rollout, self.teacher, self.pupil, self.mirrors = rollout, teacher, pupil, mirrors
        self.alike = teachers.alike(teacher, pupil)
        """Whether both see the same."""
        self.others: Sequence[Teacher] = ()
        """Who says what is right in some of the worlds."""
        self.right = torch.zeros_like(rollout.action)
        # a tensor, since the step may be a captured graph
        self.leads = torch.ones((), dtype=torch.bool, device=self.right.device)

    @property
    def log_deviation(self) -> Tensor:
        """Of the noise, whoever acts."""
        return self.teacher.log_deviation

    def mean(self, observation: Tensor) -> Tensor:
        """What is done now."""
        right = self._right(observation)
        self.right.index_copy_(0, self.rollout.now, right[None])
        return torch.where(self.leads, right, self.pupil.mean(observation))

    def _right(self, observation: Tensor) -> Tensor:
        task, teacher = self.rollout.task, self.teacher
        if self.mirrors is not None:  # as its own mirror image: left and right are alike, whatever it has learnt
            return 0.5 * (teacher.mean(observation) + mirror_image(teacher, observation, *self.mirrors))
        if self.alike or not isinstance(task, Track):
            right = teacher.mean(observation)
            for other in self.others:
                right = other.corrected(observation, right)
            return right
        command = task.told(teacher.observer)
        action = teacher.mean(teacher.observer(task.senses(command)))
        aims = self.pupil.action.aims(teacher.action(action, command)[0], task.command)
        return torch.cat([aims, action[:, aims.shape[1] :]], dim=1)


class Lesson:
    """A teacher, its pupil, and what the teacher would have done wherever they have been."""

    def __init__(
        self,
        trainer: Trainer,
        hidden: Sequence[int],
        teacher: Actor,
        mirrors: tuple[Mirror, Mirror] | None = None,
        begin: Actor | None = None,
    ):
        s, task = trainer.settings.learn, trainer.task
        self.rollout, self.teacher = trainer.rollout, teacher.to(task.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(trainer.settings.seed)
            parts = (task.observer, task.action)
            self.pupil = Actor(*parts, hidden, s.log_deviation, activation=s.activation, sight=s.sight)
        self.rollout.actor = self.guided = Guided(self.rollout, self.teacher, self.pupil, mirrors)
        self.rate = RATES[0]
        if begin is not None:
            shapes = [[layer.shape for layer in actor.network.parameters()] for actor in (begin, self.pupil)]
            if not teachers.alike(begin, self.pupil) or shapes[0] != shapes[1]:
                raise InputError(f"begin: it sees other things than the pupil, or its layers are not {list(hidden)}")
            self.pupil.load_state_dict(begin.state_dict())
            self.rate *= CAREFUL
        elif self.guided.alike:
            self.pupil.normaliser.load_state_dict(self.teacher.normaliser.state_dict())
            if tuple(hidden) == tuple(s.policy):  # nothing to begin anew
                self.pupil.network.load_state_dict(self.teacher.network.state_dict())
                self.rate *= CAREFUL
        self.pupil.to(task.device)
        self.optimiser = torch.optim.Adam(self.pupil.network.parameters(), self.rate)
        samples = self.rollout.reward.numel()
        self.batch, self.size = max(BATCH, samples // PARTS), max(REMEMBERED, 4 * samples)
        self.seen = torch.zeros(self.size, task.observer.size, device=task.device)
        self.right = torch.zeros(self.size, task.action.size, device=task.device)
        self.kept, self.error = 0, math.nan
        self.rollout.begin()

    def round(self, share: float) -> None:
        """Act for a rollout, ask the teacher about it, and learn; `share` of the lesson is over."""
        taught = share < TAUGHT
        self.guided.leads.fill_(taught)
        self.rollout.collect()
        observation, told = self.rollout.observation.flatten(0, 1), self.guided.right.flatten(0, 1)
        if taught and not self.guided.alike:
            self.pupil.normaliser.update(observation, self.pupil.network[0])
        rows = (self.kept + torch.arange(len(observation), device=self.seen.device)) % self.size
        self.seen[rows], self.right[rows] = observation, told
        self.kept += len(observation)
        rate = RATES[1] + (self.rate - RATES[1]) * 0.5 * (1.0 + math.cos(math.pi * share))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        known = min(self.kept, self.size)
        for _ in range(BATCHES):
            rows = torch.randint(known, (self.batch,), generator=self.rollout.generator, device=self.seen.device)
            seen, right = self.seen[rows], self.right[rows]
            if self.guided.mirrors is not None:  # what is right for one is right in the mirror
                of_observation, of_action = self.guided.mirrors
                seen, right = torch.cat([seen, of_observation(seen)]), torch.cat([right, of_action(right)])
            loss = (self.pupil.mean(seen) - right).square().mean()
            self.optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.pupil.network.parameters(), 1.0)
            self.optimiser.step()
        with torch.no_grad():
            self.error = (self.pupil.mean(observation) - told).square().mean().sqrt().item()


def distil(
    run: str | Path,
    out: str | Path,
    hidden: Sequence[int] = (512, 256),
    *,
    targets: Targets = WHOLE,
    later: Sequence[int] | None = None,
    held: bool = False,
    even: bool = False,
    split: str | None = None,
    strict: bool = False,
    also: Sequence[str | teachers.Maker] = (),
    practice: str | Path | None = None,
    begin: str | Path | None = None,
    clips: str | Path | None = None,
    rounds: int = 500,
    minutes: float | None = None,
    worlds: int = 128,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> Path:
    """Teach a policy with layers `hidden` what that of `run` or of a brain does, as a run of its own, for export.

    An `even` one learns the mean of that and of its mirror image: it does left what it does right. One that follows
    motions sees what its teacher sees, but poses so many frames `later`; with other `targets` than all it is told only
    where these are to be then or, where `held`, at the next multiples of these. It learns in the library's `split`, and
    if it is `strict`, only to follow motions that wait for nobody. Where it learns by the task and the noise of another
    recipe or YAML file, that is the `practice`. Further teachers, RUN:SPLIT or RUN:floor, say what is right in motions
    of a split that wait for nobody, or for bodies that get up; others are made for the task by a function. A pupil with
    the layers of the first begins as that. It may `begin` as another run or brain that sees what it sees.
    The lesson takes so many rounds, or `minutes`.
    """
    weights, values, settings = teachers.read(run)
    own = settings
    if practice is not None:
        given = config.read(practice)
        network = {name: getattr(own.learn, name) for name in ("policy", "activation", "sight")}
        settings = dataclasses.replace(settings, task=given.task, learn=dataclasses.replace(given.learn, **network))
        if type(settings.task) is not type(own.task):
            raise InputError(
                f"practice {practice}: its task is {settings.task.kind}, and that of {run} {own.task.kind}"
            )
    settings = config.changed(
        settings, _told(settings, targets, later, held, run) | _asked(settings, split, strict, run)
    )
    teacher = teachers.actor_of(weights, own, settings.task, str(run))
    saved = config.changed(settings, {"learn.policy": list(hidden)})
    settings = config.changed(settings, {"task.fatigue.torque": "body"})  # below, the checkpoint's own take its place
    settings = dataclasses.replace(settings, device=device, worlds=worlds)
    with fresh_folder(out) as folder:
        checkpoint.of_run(folder, resume=False)
        reference = TASKS[settings.task.kind].reference_of(settings.task, clips_folder(clips))
        trainer = Trainer(settings, reference, make_world(settings))
        mirrors = trainer.task.mirrors() if even else None
        task, limit = trainer.task, torch.tensor(values["torque_limit"], device=trainer.device)
        task.torque_limit.mul_(limit / task.fresh_limit)
        task.fresh_limit.copy_(limit)
        first = None if begin is None else teachers.known(begin, task.settings)
        lesson = Lesson(trainer, hidden, teacher, mirrors, first)
        lesson.guided.others = teachers.further(also, task, lesson.pupil, clips_folder(clips))
    stop = StopRequest(lambda: say("stopping after this round"))
    began = reported = time.perf_counter()
    noise, share, k = math.exp(settings.learn.log_deviation), 0.0, 0
    while share < 1.0 and not stop.asked:
        lesson.round(share)
        k += 1
        spent = time.perf_counter() - began
        share = min(k / rounds if minutes is None else spent / (60.0 * minutes), 1.0)
        if began + spent - reported > REPORT_EVERY or share == 1.0 or stop.asked:
            reported, means = began + spent, trainer.rollout.meter.read()
            say(
                f"{k:5} rounds, {share:4.0%}  off by {lesson.error:.4f} ({lesson.error / noise:.2f} of the noise)  "
                f"length {means['episode']:.0f}  falls {100 * means['fell']:.2f} %  {spent / share - spent:.0f} s left"
            )
    stop.restore()
    values.setdefault("starts", reference.examples())
    return _save(lesson.pupil, weights, values, saved, Path(run), folder)


def _told(
    settings: RunSettings, targets: Targets, later: Sequence[int] | None, held: bool, run: str | Path
) -> dict[str, Any]:
    """What a student's settings change of what it is told, by place."""
    if targets == WHOLE and held:
        raise InputError("held: whole poses cannot be; set targets to root or ends")
    if targets == WHOLE and later is None:
        return {}
    if not isinstance(settings.task, TrackTaskSettings):
        raise InputError(f"targets or later: the teacher must follow motions, and {run} does not")
    later = AHEAD if later is None else later
    if not later or min(later) < 1:
        raise InputError(f"later {list(later)}: name frames ahead of at least 1, such as 30 90")
    return {"task.track.targets": targets, "task.track.later": list(later), "task.track.held": held}


def _asked(settings: RunSettings, split: str | None, strict: bool, run: str | Path) -> dict[str, Any]:
    """What a student's settings change of what it follows, by place."""
    if (split is not None or strict) and not isinstance(settings.task, TrackTaskSettings):
        raise InputError(f"split or strict: the teacher must follow motions, and {run} does not")
    return (STRICT if strict else {}) | ({} if split is None else {"task.split": split})


def _save(
    pupil: Actor, weights: dict[str, Tensor], values: dict[str, Any], settings: RunSettings, run: Path, folder: Path
) -> Path:
    """The pupil as a checkpoint: the actor is new, the rest of what a brain needs is the teacher's."""
    kept = {f"peaks.{name}": tensor for name, tensor in below(weights, "peaks").items()}
    small = {f"actor.{name}": tensor.detach().clone() for name, tensor in pupil.state_dict().items()}
    config.write(settings, folder / "params.yaml")
    if (run / "torques.yaml").is_file():
        shutil.copy(run / "torques.yaml", folder / "torques.yaml")
    values = {**values, "settings": config.to_dict(settings)}
    checkpoint.save(folder / checkpoint.FOLDER, int(values["iteration"]), {"weights": {**kept, **small}}, values)
    return folder
