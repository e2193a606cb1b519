"""Everything a run needs, put together from its settings: world, task, networks, algorithm; saved and brought back."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lactic import body as bodies
from lactic.body.variants import alike
from lactic.errors import InputError
from lactic.learn import checkpoint, shipped, together
from lactic.learn.amp import AMP
from lactic.learn.checkpoint import below, line_of, spent
from lactic.learn.config import RunSettings, from_dict, to_dict
from lactic.learn.exploring import explore
from lactic.learn.meter import Stopwatch
from lactic.learn.networks import Actor, Critic, Discriminator
from lactic.learn.ppo import PPO
from lactic.learn.rollout import Agent, Rollout
from lactic.task.peaks import Peaks
from lactic.task.reference import Starts
from lactic.task.registry import TASKS
from lactic.task.settings import TaskSettings
from lactic.world import CpuWorld, World

APART = 1_000_003
"""Between the seeds of processes that train together."""
LOOK_EVERY = 10
"""Rollouts between looks at the typical torque peaks, which need a sort."""
CAREFUL = 0.05
"""Of the learning rate that a warm start begins with; it rises while updates stay small."""
CONSTANT = 1e-3
"""A command whose deviation is below this never varied."""
MEMORY = 4e6
"""Samples that the statistics of an expert count as when another run starts from it."""


def make_world(settings: RunSettings, folder: Path | None = None) -> World:
    """The worlds of a run; explanations of lost ones go to `folder`."""
    body = TASKS[settings.task.kind].own_body(settings.task)
    device = together.device(settings.device)
    options: dict[str, Any] = {
        "contacts": settings.task.fall.may_touch is not None,
        "variants": tuple(map(alike, settings.task.persons)),
        "substeps": settings.task.substeps,
        "dump": folder,
    }
    if device == "cpu":
        return CpuWorld(body, together.share(settings.worlds), **options)
    from lactic.world.gpu import WarpWorld

    return WarpWorld(body, together.share(settings.worlds), "cpu" if device == "warp-cpu" else device, **options)


def rescale(weights: dict[str, Tensor], before: dict[str, Any], now: TaskSettings, source: str) -> None:
    """Let a policy whose actions reached less or further in the run it comes from still mean what it meant."""
    if (before.get("task") or {}).get("kind") != now.kind:
        return
    factor = TASKS[now.kind].growth(from_dict(TaskSettings, before["task"], source), now)
    if factor is not None:
        last = 2 * len(shipped.hidden_of(weights))  # layers and activations in turn
        for key in (f"actor.network.{last}.weight", f"actor.network.{last}.bias"):
            weights[key][: len(factor)] *= factor.view(-1, *[1] * (weights[key].ndim - 1))


class Trainer:
    """A run that can be stepped, saved and resumed."""

    def __init__(
        self,
        settings: RunSettings,
        reference: Starts,
        world: World,
        *,
        agent: Agent = "policy",
        start: Path | None = None,
    ):
        self.settings, s = settings, settings.learn
        warm = None
        self.line: list[list[float]] = []
        if start is not None:
            warm, values = shipped.learnt(start)
            self.line = line_of(values)
            rescale(warm, values.get("settings") or {}, settings.task, str(start))
        kind = TASKS[settings.task.kind]
        self.task = task = kind(world, reference, settings.task, self._torque(warm))
        self.device = device = task.device
        graphs = settings.graphs and device.type == "cuda"
        if device.type == "cuda":
            torch.set_float32_matmul_precision("highest" if s.precision == "fp32" else "high")
        self.generator = torch.Generator(device).manual_seed(settings.seed + APART * together.rank())
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            noise = (s.log_deviation, s.learn_deviation)
            actor = Actor(task.observer, task.action, s.policy, *noise, s.activation, s.sight)
            explores = explore(task, actor, s)
            critic = Critic(task.observer.size, s.value, s.activation, s.sight)
            judge = Discriminator(task.observer.features_size, s.discriminator, s.style.floor)
        self.rollout = Rollout(task, actor.to(device), s.horizon, self.generator, graphs, agent)
        self.rollout.explores.copy_(explores)
        graphs = graphs and together.count() == 1  # no message leaves a captured graph
        self.algorithm: PPO
        if task.imitates:
            self.algorithm = AMP(self.rollout, actor, critic.to(device), judge.to(device), s, graphs)
        else:
            self.algorithm = PPO(self.rollout, actor, critic.to(device), s, graphs)
        self.peaks = Peaks(task.body).to(device)
        self.watch = Stopwatch(device)
        self.iteration, self.seconds, self._begun = 0, 0.0, False
        self.waiting = 0
        """Updates in which the policy still waits for its value function and discriminator."""
        if warm is not None:
            self._warm_start(warm, str(start))

    @property
    def samples(self) -> int:
        """Control steps taken so far."""
        return self.iteration * self.settings.learn.horizon * self.settings.worlds

    def _torque(self, warm: dict[str, Tensor] | None) -> Tensor | None:
        """Maximal torques: the body's, or the expert's own peaks."""
        chosen = self.settings.task.fatigue.torque
        if chosen == "body":
            return None
        if warm is None:
            raise InputError(f"task.fatigue.torque {chosen}: needs an expert to start from")
        if not below(warm, "peaks"):
            raise InputError(f"task.fatigue.torque {chosen}: a brain tells no peaks; start from a run")
        peaks = Peaks(bodies.get(self.settings.task.body))
        peaks.load_state_dict(below(warm, "peaks"))
        return peaks.symmetric(typical=chosen == "expert_typical")

    def begin(self) -> None:
        """Start all episodes, and let the normalisers see one rollout before anything is learnt."""
        self.rollout.begin()
        self._begun = True
        if not self.algorithm.actor.normaliser.seen.item():
            self.rollout.collect()
            self.algorithm.prime()
            self.rollout.meter.read()

    def iterate(self) -> None:
        """One rollout and what is learnt from it."""
        if not self._begun:
            self.begin()
        self.watch.start()
        self.rollout.collect(self.watch)
        if self.settings.task.fatigue.mode == "off":
            self.peaks.update(self.rollout.intent, look=self.iteration % LOOK_EVERY == 0)
        if self.rollout.agent == "policy":
            if self.waiting and self.iteration == self.waiting:
                self.algorithm.wake(CAREFUL * self.settings.learn.rate)
            self.algorithm.update(self.watch)
        together.largest(self.peaks.highest)
        held = [buffer for module in self.task.modules().values() for buffer in module.buffers()]
        together.average([self.peaks.typical, *(buffer for buffer in held if buffer.is_floating_point())])
        self.watch.stop()
        self.iteration += 1

    def report(self) -> dict[str, float]:
        """Means since the last report."""
        return {**self.rollout.meter.read(), **self.algorithm.meter.read()}

    def weights(self) -> dict[str, Tensor]:
        """Networks, normalisers and torque peaks by name: what a brain or a transfer needs."""
        return {**self._learning(), **self.algorithm.shown()}

    def _learning(self) -> dict[str, Tensor]:
        """The same as they learn, where a running mean of the policy is kept."""
        held = self._modules().items()
        return {f"{name}.{key}": value for name, module in held for key, value in module.state_dict().items()}

    def _modules(self) -> dict[str, nn.Module]:
        return {**self.algorithm.modules(), "peaks": self.peaks, **self.task.modules()}

    def save(self, folder: Path, light: bool = False) -> None:
        """Write a checkpoint; a light one leaves out worlds and replay, and resumes with new episodes."""
        parts = {"weights": self.weights(), "optimiser": checkpoint.optimiser_state(self.algorithm.optimisers())}
        if shown := self.algorithm.shown():
            learning = self._learning()
            parts["learning"] = {name: learning[name] for name in shown}
        if not light:
            parts["world"] = {f"world.{k}": torch.from_numpy(v) for k, v in self.task.arena.world.remember().items()}
            parts["world"] |= {f"task.{k}": v for k, v in self.task.state().items() if v.numel()}
            parts["world"]["random"] = self.generator.get_state()
            parts["replay"] = self.algorithm.memory()
        values = {
            "iteration": self.iteration,
            "samples": self.samples,
            "seconds": self.seconds,
            "settings": to_dict(self.settings),
            "torque_limit": self.task.fresh_limit.tolist(),
            "joints": list(self.task.body.joints),
            "clip_speed": self.task.reference.speed,
            "starts": self.task.reference.examples(),
            "line": self.line,
            "before": spent(self.line),
            "waiting": self.waiting,
        }
        checkpoint.save(folder, self.iteration, parts, values)

    def resume(self, folder: Path) -> None:
        """Go on from a checkpoint of the same settings: bit for bit on a CpuWorld, unless it is a light one.

        Several processes begin new episodes: their worlds are shared out in another way.
        """
        light = "world" not in checkpoint.read_manifest(folder)["parts"] or together.count() > 1
        parts, values = checkpoint.load(folder, device=self.device)
        self._load(parts["weights"], str(folder))
        if "learning" in parts:
            self.algorithm.begin_mean()
            self._load({**parts["weights"], **parts["learning"]}, str(folder))
        checkpoint.load_optimisers(self.algorithm.optimisers(), parts["optimiser"])
        self.iteration, self.seconds = int(values["iteration"]), float(values["seconds"])
        self.line = line_of(values)[:-1]
        self.waiting = int(values.get("waiting", 0))
        if self.iteration < self.waiting:
            self.algorithm.wait()
        if light:
            seed = self.settings.seed + self.iteration + APART * together.rank()
            self.generator.manual_seed(seed)  # not the same numbers over again
            return
        checkpoint.fill(self.algorithm.memory(), parts["replay"], str(folder))
        held = {name: tensor for name, tensor in self.task.state().items() if tensor.numel()}
        checkpoint.fill(held, below(parts["world"], "task"), str(folder))
        self.task.arena.world.recall({k: v.cpu().numpy() for k, v in below(parts["world"], "world").items()})
        self.generator.set_state(parts["world"]["random"].cpu())
        self._begun = True

    def _load(self, weights: dict[str, Tensor], source: str) -> None:
        for name, module in self._modules().items():
            try:
                module.load_state_dict(below(weights, name))
            except RuntimeError as error:
                reason = str(error).splitlines()[-1].strip()
                raise InputError(f"{source}: {name} does not fit these settings ({reason})") from error

    def _warm_start(self, weights: dict[str, Tensor], source: str) -> None:
        """Begin with another run's networks and statistics; what it did not know starts without effect.

        A shipped brain has no value function and no discriminator: its policy waits until they have learnt.
        """
        observer = self.task.observer
        if any(name not in {key.split(".")[0] for key in weights} for name in self.algorithm.modules()):
            known = ("mean", "variance", "seen")
            seen = {f"critic.normaliser.{k}": weights[f"actor.normaliser.{k}"].clone() for k in known}
            own = {key: value.cpu().clone() for key, value in self.weights().items()}
            weights = {**own, **seen, **weights}
            self.waiting = self.settings.learn.wait
            if self.waiting:
                self.algorithm.wait()
        before = observer.layout.without(*observer.learnable)
        for net in ("actor", "critic"):
            for key, fill in (("normaliser.mean", 0.0), ("normaliser.variance", 1.0), ("network.0.weight", 0.0)):
                old = weights[f"{net}.{key}"]
                if old.shape[-1] == before.size:
                    weights[f"{net}.{key}"] = new = old.new_full((*old.shape[:-1], observer.size), fill)
                    for name, part in before.items():
                        new[..., observer.layout[name]] = old[..., part]
        if not self.settings.learn.learn_deviation:  # a fixed deviation is these settings', not the expert's
            weights["actor.log_deviation"] = self.algorithm.actor.log_deviation.detach().clone()
        # a command that never varied, such as one speed, taught the weights it meets nothing: they start without effect
        asked, fatigue = observer.layout.get("command", slice(0)), observer.layout["fatigue"]
        for net in ("actor", "critic"):
            varied = weights[f"{net}.normaliser.variance"][asked] > CONSTANT**2
            weights[f"{net}.network.0.weight"][:, asked] *= varied
        # MF is never negative: the policy was blind to it where its mean is 0 (a brain tells no variance below a floor)
        if observer.fatigue and not weights["actor.normaliser.mean"][fatigue].any():
            for net in ("actor", "critic"):
                weights[f"{net}.network.0.weight"][:, fatigue] = 0.0
                weights[f"{net}.normaliser.mean"][fatigue] = 0.5
                weights[f"{net}.normaliser.variance"][fatigue] = 1 / 12  # of a uniform share
        if self.settings.task.fatigue.mode == "off":
            weights = {**weights, **{f"peaks.{k}": v for k, v in Peaks(self.task.body).state_dict().items()}}
        for name, module in self.task.modules().items():  # a curriculum begins anew
            weights = {**weights, **{f"{name}.{k}": v for k, v in module.state_dict().items()}}
        self._load(weights, source)
        # an expert's statistics cut off what it never met: to a runner's eyes all walking was five deviations slow
        shown = self.task.reference.features
        for module in self.algorithm.modules().values() if len(shown) else ():
            if isinstance(module, Actor | Critic | Discriminator) and isinstance(first := module.network[0], nn.Linear):
                module.normaliser.widen(shown, observer.features_part, first, MEMORY)
        # with little noise the set rate can be ten times too high, and one update of it undoes what was learnt
        if not self.waiting:
            self.algorithm.rate.mul_(CAREFUL)
