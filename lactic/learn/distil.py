"""A smaller policy that does what a trained one does (DAgger, Ross et al. 2011): a smaller file, a faster step.

Or what two do: one that performs while its legs are strong, and one that comes to rest when they are not.
"""

import copy
import dataclasses
import math
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from lactic.body import Body
from lactic.errors import InputError
from lactic.files import output_folder
from lactic.learn import checkpoint, config
from lactic.learn.clock import StopRequest
from lactic.learn.config import RunSettings, from_dict
from lactic.learn.networks import Actor
from lactic.learn.run import CHECKPOINT, REPORT_EVERY, checkpoint_of, clips_folder
from lactic.learn.trainer import TASKS, Trainer, below, line_of, make_reference, make_world, spent
from lactic.motion.standing import NAME as STAND
from lactic.motion.steering import legs_capacity
from lactic.task.observe import VELOCITY, Observer
from lactic.task.settings import FatigueSettings
from lactic.task.task import Task

TAUGHT = 0.1
"""Share of the rounds in which the teacher still acts; then the pupil does, and sees where its own mistakes lead."""
BATCH, BATCHES = 1024, 16
RATES = (1e-3, 1e-5)
REMEMBERED = 400_000
PRACTICE = 240
"""Control steps of an episode with two teachers: the way from one to the other is short, and must be seen often."""
SPREAD, TIRELESS = 3.0, 0.25
"""Factor within which F and R vary in that practice, and share of the worlds that never tire."""


class Teachers(nn.Module):
    """Two actors as one: whoever has legs of residual capacity below `least` does as the one that rests.

    So does whoever is slower than `slow`, m/s, with less than `again`: else a body that recovers while it stops would
    be torn between the two. A command that only the first understands is not told to the second.
    """

    def __init__(self, body: Body, acts: Actor, rests: Actor, least: float, again: float = math.inf, slow: float = 0.0):
        super().__init__()
        self.body, self.acts, self.rests, self.least, self.again, self.slow = body, acts, rests, least, again, slow
        self.joints, self.told = len(body.joints), acts.observer.size - rests.observer.size
        self.log_deviation = acts.log_deviation
        self.normaliser = copy.deepcopy(acts.normaliser)
        own, other = self.normaliser, rests.normaliser
        self.blind = not own.variance[-self.joints :].any()  # an expert, to whom MF means nothing
        seen = self._without_command(torch.arange(acts.observer.size))
        apart = (other.mean - own.mean[seen]) / 2
        own.variance[seen] = (own.variance[seen] + other.variance) / 2 + apart * apart
        own.mean[seen] += apart
        if self.blind:
            last = slice(-self.joints, None)
            own.mean[last], own.variance[last] = other.mean[last], other.variance[last]

    def _without_command(self, observation: Tensor) -> Tensor:
        wide = observation.shape[-1] - self.joints
        return torch.cat([observation[..., : wide - self.told], observation[..., wide:]], dim=-1)

    def mean(self, observation: Tensor) -> Tensor:
        """The action of whoever's turn it is."""
        capacity = torch.from_numpy(legs_capacity(self.body, observation[:, -self.joints :].numpy()))
        rested, seen = self.rests.mean(self._without_command(observation)), observation
        if self.blind:
            seen = torch.cat([seen[:, : -self.joints], torch.zeros_like(seen[:, -self.joints :])], dim=1)
        slow = observation[:, VELOCITY].norm(dim=1) < self.slow
        tired = (capacity < self.least) | (slow & (capacity < self.again))
        return torch.where(tired[:, None], rested, self.acts.mean(seen))


class Lesson:
    """A teacher, its pupil, and what the teacher would have done wherever they have been."""

    def __init__(self, trainer: Trainer, hidden: Sequence[int], teacher: Actor | Teachers):
        s, task = trainer.settings.learn, trainer.task
        self.rollout, self.teacher = trainer.rollout, teacher
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(trainer.settings.seed)
            self.pupil = Actor(task.observer, task.action, hidden, s.log_deviation, activation=s.activation)
        self.pupil.normaliser.load_state_dict(self.teacher.normaliser.state_dict())
        self.optimiser = torch.optim.Adam(self.pupil.network.parameters(), RATES[0])
        self.seen = torch.zeros(REMEMBERED, task.observer.size)
        self.right = torch.zeros(REMEMBERED, task.action.size)
        self.kept, self.error = 0, math.nan
        self.rollout.begin()

    def round(self, share: float) -> None:
        """Act for a rollout, ask the teacher about it, and learn; `share` of the lesson is over."""
        self.rollout.actor = self.teacher if share < TAUGHT else self.pupil
        self.rollout.collect()
        observation = self.rollout.observation.flatten(0, 1)
        with torch.no_grad():
            right = self.teacher.mean(observation)
        rows = (self.kept + torch.arange(len(observation))) % REMEMBERED
        self.seen[rows], self.right[rows] = observation, right
        self.kept += len(observation)
        rate = RATES[1] + (RATES[0] - RATES[1]) * 0.5 * (1.0 + math.cos(math.pi * share))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        known = min(self.kept, REMEMBERED)
        for _ in range(BATCHES):
            rows = torch.randint(known, (BATCH,), generator=self.rollout.generator)
            loss = (self.pupil.mean(self.seen[rows]) - self.right[rows]).square().mean()
            self.optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.pupil.network.parameters(), 1.0)
            self.optimiser.step()
        with torch.no_grad():
            self.error = (self.pupil.mean(observation) - right).square().mean().sqrt().item()


def distil(
    run: str | Path, out: str | Path, hidden: Sequence[int] = (512, 256), *, clips: str | Path | None = None,
    rounds: int = 500, worlds: int = 128, rest: str | Path | None = None, least: float = 0.75,
    again: float | None = None, say: Callable[[str], None] = print,
) -> Path:  # fmt: skip
    """Teach a policy with layers `hidden` what the policy of `run` does, as a run of its own that can be exported.

    With `rest`, a run that stands when it is tired, the pupil does as that one while its legs have less than `least`
    of their strength and, once it has slowed to half its pace, until they have `again`, if ever. It practises in bodies
    that tire as that one did, up to three times faster or slower, or never.
    """
    weights, values, settings = _read(run)
    parts = None if rest is None else _read(rest)
    if parts is not None:
        values, settings = _tiring(values, settings, parts[1], parts[2].task.fatigue, least, again)
    settings = config.changed(settings, ("task.fatigue.torque=body",))  # below, the checkpoint's own take its place
    settings = dataclasses.replace(settings, device="cpu", worlds=worlds)
    folder = output_folder(out)
    if checkpoint.exists(folder / CHECKPOINT):
        raise InputError(f"{folder}: holds a checkpoint already; give another --out")
    trainer = Trainer(settings, make_reference(settings.task, clips_folder(clips)), make_world(settings))
    acts = trainer.algorithm.actor
    acts.load_state_dict(below(weights, "actor"))
    teacher: Actor | Teachers = acts
    if parts is not None:
        teacher = _both(trainer.task, acts, parts[0], parts[2], least, again, str(rest))
        rates = trainer.task.typical.repeat(worlds, 1, 1)
        rates[: round(TIRELESS * worlds), :, :2] = 0.0
        trainer.task.typical = rates
    trainer.task.torque_limit.copy_(torch.tensor(values["torque_limit"]))
    lesson, stop = Lesson(trainer, hidden, teacher), StopRequest(say)
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
                f"length {means['episode']:.0f}  falls {100 * means['fell']:.2f} %  {left:.0f} s left")
        if stop.asked:
            break
    stop.restore()
    return _save(lesson.pupil, weights, values, hidden, Path(run), folder, expert=rest is None)


def _read(run: str | Path) -> tuple[dict[str, Tensor], dict, RunSettings]:
    """Weights, values and settings of a run."""
    source = checkpoint_of(run)
    if not checkpoint.exists(source):
        raise InputError(f"{run}: no whole checkpoint there")
    parts, values = checkpoint.load(source, ("weights",))
    return parts["weights"], values, from_dict(RunSettings, values["settings"], str(source))


def _tiring(
    values: dict, settings: RunSettings, rests: dict, fatigue: FatigueSettings, least: float, again: float | None
) -> tuple[dict, RunSettings]:  # fmt: skip
    """Values of a pupil whose second teacher has values `rests`, and the settings it practises with."""
    task = settings.task
    task = dataclasses.replace(task, fatigue=fatigue, clips={**task.clips, STAND: sum(task.clips.values())})
    # both teachers' training counts, what they share once
    *line, last = line_of(values)
    line += [run for run in line_of(rests) if run not in [*line, last]]
    values = {
        **values, "torque_limit": rests["torque_limit"], "rests_below": least, "until": again,
        "settings": config.to_dict(dataclasses.replace(settings, task=task)),
        "line": line, "before": spent(line),
    }  # fmt: skip
    fatigue = dataclasses.replace(fatigue, F_spread=SPREAD, R_spread=SPREAD)
    task = dataclasses.replace(task, episode=PRACTICE, fatigue=fatigue)
    return values, dataclasses.replace(settings, task=task)


def _both(
    task: Task, acts: Actor, weights: dict[str, Tensor], settings: RunSettings, least: float, again: float | None,
    rest: str,
) -> Teachers:  # fmt: skip
    """The teacher that acts and the one that rests, if they are of one body and mean the same by an action."""
    own, kind = task.settings, TASKS[settings.task.kind]
    plain = all(isinstance(x, Observer) for x in (task.observer, kind.parts(task.body, settings.task)[0]))
    alike = own.body == settings.task.body and own.centre == settings.task.centre
    if not plain or not alike or kind.command_kind not in ("none", task.command_kind):
        raise InputError(f"--rest {rest}: must imitate clips with the same body, pose of action 0 and command, or none")
    if not 0.0 < least < 1.0 or not (again is None or least <= again < 1.0):
        raise InputError(f"--least {least:g}, --again {again}: shares of the legs' strength, in order, between 0 and 1")
    s = settings.learn
    rests = Actor(*kind.parts(task.body, settings.task), s.policy, s.log_deviation, activation=s.activation)
    rests.load_state_dict(below(weights, "actor"))
    return Teachers(task.body, acts, rests, least, again or math.inf, task.reference.fastest / 2)


def _save(
    pupil: Actor, weights: dict[str, Tensor], values: dict, hidden: Sequence[int], run: Path, folder: Path, expert: bool
) -> Path:  # fmt: skip
    """The pupil as a checkpoint: the actor is new, the rest of what a brain needs is the teacher's."""
    kept = {f"peaks.{name}": tensor for name, tensor in below(weights, "peaks").items()}
    small = {f"actor.{name}": tensor.detach().clone() for name, tensor in pupil.state_dict().items()}
    changed = {**values["settings"], "learn": {**values["settings"]["learn"], "policy": list(hidden)}}
    config.write(from_dict(RunSettings, changed, str(run)), folder / "params.yaml")
    if expert and (run / "torques.yaml").is_file():
        shutil.copy(run / "torques.yaml", folder / "torques.yaml")
    values = {**values, "settings": changed}
    checkpoint.save(folder / CHECKPOINT, int(values["iteration"]), {"weights": {**kept, **small}}, values)
    return folder
