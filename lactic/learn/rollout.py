"""Collecting experience: policy, engine and task in turn, without a word to the host in between."""

from typing import Literal, Protocol

import torch
from torch import Tensor

from lactic.learn.graph import Captured
from lactic.learn.meter import Meter, Stopwatch
from lactic.learn.networks import Actor
from lactic.task.task import Task

Agent = Literal["policy", "zero", "random"]
METERS = ("episode", "fell", "speed", "task_reward", "capacity")


class Acting(Protocol):
    """Whoever can be followed for a rollout."""

    @property
    def log_deviation(self) -> Tensor: ...

    def mean(self, observation: Tensor) -> Tensor: ...


class Rollout:
    """`horizon` control steps of all worlds in static buffers, time first."""

    def __init__(
        self,
        task: Task,
        actor: Actor,
        horizon: int,
        generator: torch.Generator,
        graphs: bool = False,
        agent: Agent = "policy",
    ):
        self.task, self.horizon, self.generator, self.agent = task, horizon, generator, agent
        self.actor: Acting = actor

        n, device, size, actions = task.count, task.device, task.observer.size, task.action.size

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(horizon, n, *shape, device=device)

        self.observation, self.reached = zeros(size), zeros(size)
        self.action, self.noise = zeros(actions), zeros(actions)
        self.log_probability, self.reward, self.ease = zeros(), zeros(), zeros()
        self.fell, self.done = zeros(), zeros()
        self.explores = torch.ones(actions, device=device)
        """1 for actions that noise is added to, 0 for others, (action,)."""
        self.intent = zeros(task.joints)
        self.chance = torch.zeros(horizon, n, task.chance, device=device)
        self.now = torch.zeros(1, dtype=torch.long, device=device)
        self.meter = Meter((*METERS, *task.watched), device)
        work = {"decide": self._decide, "before": self._before, "judge": self._judge}
        self.work = {name: Captured(each, name, graphs) for name, each in work.items()}
        """What is done in every step, each replayed from a graph of its own: it never asks the host."""

    def begin(self) -> None:
        """Start all episodes."""
        self.chance.uniform_(generator=self.generator)
        self.task.begin(self.chance[0])

    @torch.no_grad()
    def collect(self, watch: Stopwatch | None = None) -> None:
        """Fill the buffers; episodes go on where the last rollout left them."""
        mark = watch.mark if watch else lambda phase: None
        before = (lambda _: self.work["before"]()) if self.task.interferes else None
        self.noise.normal_(generator=self.generator).mul_(self.explores)
        self.chance.uniform_(generator=self.generator)
        self.now.zero_()
        for _ in range(self.horizon):
            self.work["decide"]()
            mark("policy")
            self.task.arena.step(self.task.settings.substeps, before)
            mark("physics")
            self.work["judge"]()
            self.task.restart()
            mark("task")

    def _put(self, buffer: Tensor, value: Tensor) -> None:
        buffer.index_copy_(0, self.now, value[None].to(buffer.dtype))

    def _get(self, buffer: Tensor) -> Tensor:
        return buffer.index_select(0, self.now)[0]

    @torch.no_grad()
    def _decide(self) -> None:
        task, noise = self.task, self._get(self.noise)
        observation = task.observation()
        if self.agent == "policy":
            action = self.actor.mean(observation) + self.actor.log_deviation.exp() * noise
        else:
            action = noise if self.agent == "random" else torch.zeros_like(noise)
        self._put(self.observation, observation)
        self._put(self.action, action)
        self._put(self.log_probability, -0.5 * (noise * noise).sum(1) - self.actor.log_deviation.sum())
        task.decide(action)
        self._put(self.intent, task.intent)

    @torch.no_grad()
    def _before(self) -> None:
        self.task.before()

    @torch.no_grad()
    def _judge(self) -> None:
        task, meter = self.task, self.meter
        outcome = task.judge(self._get(self.chance))
        self._put(self.reached, outcome.observation)
        self._put(self.reward, outcome.reward)
        self._put(self.ease, outcome.ease)
        self._put(self.fell, outcome.fell)
        self._put(self.done, outcome.done)
        n = float(task.count)
        meter.add("episode", (outcome.age * outcome.done).sum(), outcome.done.sum())
        meter.add("fell", outcome.fell.sum(), n)
        meter.add("speed", task.arena.qvel[:, :2].norm(dim=1).sum(), n)
        meter.add("task_reward", outcome.reward.sum(), n)
        meter.add("capacity", (1.0 - task.fatigue[..., 2]).mean(1).sum(), n)
        for name, value in zip(task.watched, task.watch(), strict=True):
            meter.add(name, value.sum(), n)
        self.now.add_(1)
