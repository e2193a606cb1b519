"""Proximal policy optimisation over many worlds (Schulman et al. 2017)."""

import copy
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from lactic.errors import InputError
from lactic.learn import together
from lactic.learn.config import LearnSettings
from lactic.learn.graph import Captured
from lactic.learn.meter import Meter, Stopwatch
from lactic.learn.networks import Actor, Critic
from lactic.learn.rollout import Rollout
from lactic.task.mirror import Mirror

METERS = ("reward", "value_loss", "clipped", "kl", "explained", "rate")
GEAR = 1.2
"""The learning rate changes by this factor from update to update, or not at all."""
SLOWEST = 0.01
"""Of the learning rate that was set."""


def advantages(
    reward: Tensor, value: Tensor, next_value: Tensor, fell: Tensor, done: Tensor, gamma: float | Tensor, lam: float
) -> Tensor:
    """Generalised advantage estimates, time first (Schulman et al. 2016).

    An episode ended by its time limit goes on in `next_value`, the value of the state reached; a fall does not.
    """
    delta = reward + gamma * next_value * (1.0 - fell) - value
    keep = gamma * lam * (1.0 - done)
    result = torch.empty_like(delta)
    ahead = torch.zeros_like(delta[0])
    for t in range(len(delta) - 1, -1, -1):
        ahead = delta[t] + keep[t] * ahead
        result[t] = ahead
    return result


def log_probability(action: Tensor, mean: Tensor, log_deviation: Tensor) -> Tensor:
    """Of actions under a normal distribution, up to the constant −n/2·log 2π."""
    z = (action - mean) * torch.exp(-log_deviation)
    return -0.5 * (z * z).sum(-1) - log_deviation.sum()


def geared(rate: Tensor, moved: Tensor, kl: float, highest: float) -> Tensor:
    """The next learning rate: lower where the policy `moved` well beyond `kl`, higher where well below it."""
    factor = torch.where(moved > 1.5 * kl, 1.0 / GEAR, torch.where(moved < kl / 1.5, GEAR, 1.0))
    return (rate * factor).clamp(SLOWEST * highest, highest)


def surrogate(ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """The clipped objective, as a loss."""
    return -torch.minimum(ratio * advantage, ratio.clamp(1.0 - clip, 1.0 + clip) * advantage).mean()


def mirror_image(actor: Actor, observation: Tensor, of_observation: Mirror, of_action: Mirror) -> Tensor:
    """The mirror image of the mean action for the mirrored observation: what an even policy does too."""
    return of_action(actor.mean(of_observation(observation)).float())


def mirror_loss(actor: Actor, observation: Tensor, mean: Tensor, of_observation: Mirror, of_action: Mirror) -> Tensor:
    """Squared difference of the mean action and the mirror image of the mirrored observation's (Yu et al. 2018)."""
    return (mean - mirror_image(actor, observation, of_observation, of_action)).square().sum(1).mean()


def adam(networks: Iterable[nn.Module], rate: float, device: torch.device) -> torch.optim.Adam:
    """Adam over the trained weights of `networks`, a group each; on a GPU fused and fit for capture."""
    fast = device.type == "cuda"
    # a tensor can be changed under a captured graph, and each network has its own
    groups = [
        {"params": [p for p in network.parameters() if p.requires_grad], "lr": torch.tensor(rate, device=device)}
        for network in networks
    ]
    return torch.optim.Adam(groups, fused=fast, capturable=fast)


def descend(optimiser: torch.optim.Adam, loss: Tensor, largest: float) -> None:
    """One step down the gradient of `loss`, its norm limited to `largest` in each network."""
    groups = [group["params"] for group in optimiser.param_groups]
    parameters = [parameter for group in groups for parameter in group]
    # autograd.grad leaves no accumulators bound to a stream, which a capture would trip over
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
        parameter.grad = gradient
    together.average([parameter.grad for parameter in parameters if parameter.grad is not None])
    for group in groups:
        torch.nn.utils.clip_grad_norm_(group, largest)
    optimiser.step()


class PPO:
    """One actor, one critic, and the minibatch updates that improve them from a rollout."""

    meters: tuple[str, ...] = METERS

    def __init__(self, rollout: Rollout, actor: Actor, critic: Critic, settings: LearnSettings, graphs: bool = False):
        self.rollout, self.actor, self.critic, self.settings = rollout, actor, critic, settings
        self.device = rollout.observation.device
        samples = rollout.horizon * rollout.task.count
        if samples % settings.minibatches:
            raise InputError(
                f"learn.minibatches {settings.minibatches}: must divide the {samples} samples of worlds × horizon"
            )
        self.optimiser = adam([actor, critic], settings.rate, self.device)
        self.moved, self.moves = torch.zeros((), device=self.device), torch.ones((), device=self.device)
        """How far the last update moved the policy, and whether updates do at all, 1 or 0."""
        self.waits = False
        """Whether the policy waits for the others to learn; `moves` says the same to captured graphs."""
        self.meter = Meter(self.meters, self.device)
        self.advantage, self.target = (torch.zeros(samples, device=self.device) for _ in range(2))
        self.gamma = torch.full((rollout.task.count,), settings.gamma, device=self.device)
        """γ of each world."""
        if rollout.task.farsighted:
            first, far = rollout.task.farsighted
            self.gamma[first:] = far
        count = settings.minibatches
        self.order = torch.zeros(count, samples // count, dtype=torch.long, device=self.device)
        self.turn = torch.zeros(1, dtype=torch.long, device=self.device)
        task = rollout.task
        self.mirrors: tuple[Mirror, Mirror] | None = None
        if settings.mirror:
            self.meter = Meter((*self.meters, "asymmetry"), self.device)
            self.mirrors = task.mirrors()
        work = {"prepare": self._prepare, "minibatch": self._next_minibatch}
        self.work = {name: Captured(each, name, graphs) for name, each in work.items()}
        """What is done in every update, each replayed from a graph of its own: it never asks the host."""
        self.mean: nn.Module | None = None
        """The policy's layers as a running mean, where settings ask for it; begun at the first update."""

    @property
    def rate(self) -> Tensor:
        """The policy's learning rate now; that of the value function stays as it was set."""
        return self.optimiser.param_groups[0]["lr"]

    def update(self, watch: Stopwatch | None = None) -> None:
        """Learn from the rollout just collected."""
        mark = watch.mark if watch else lambda phase: None
        self.work["prepare"]()
        self.shuffle()
        mark("advantages")
        for _ in range(self.settings.epochs * self.settings.minibatches):
            self.work["minibatch"]()
        together.average([self.moved])
        if not self.waits:
            self.rate.copy_(geared(self.rate, self.moved, self.settings.kl, self.settings.rate))
        self.meter.add("rate", self.rate)
        mark("update")
        self.absorb()
        mark("statistics")

    def wait(self) -> None:
        """Leave the policy as it is until `wake`: its weights, and the statistics that it sees by."""
        self.waits = True
        self.moves.fill_(0.0)

    def wake(self, rate: float) -> None:
        """Let a policy that waited move from now on, with small steps at first."""
        self.waits = False
        self.moves.fill_(1.0)
        self.rate.fill_(rate)
        for parameter in self.actor.parameters():  # Adam's steps are long after many without a gradient
            for value in self.optimiser.state.get(parameter, {}).values():
                value.zero_()

    def prime(self) -> None:
        """Let the normalisers see a first rollout before anything is learnt."""
        self.absorb(learnt=False)

    # What AMP adds to: where the reward comes from, what is drawn, what a minibatch does, what is remembered.

    def rewards(self) -> Tensor:
        """Rewards of the rollout, (time, world)."""
        return self.rollout.reward

    def shuffle(self) -> None:
        """Draw the order of samples for this update, shared by its epochs."""
        order = torch.randperm(self.order.numel(), generator=self.rollout.generator, device=self.device)
        self.order.copy_(order.view_as(self.order))
        self.turn.zero_()

    def minibatch(self, rows: Tensor) -> None:
        """Improve actor and critic on the samples `rows`."""
        s, take = self.settings, lambda x: x.flatten(0, 1).index_select(0, rows)
        observation, action = take(self.rollout.observation), take(self.rollout.action)
        before = take(self.rollout.log_probability)
        advantage, target = self.advantage.index_select(0, rows), self.target.index_select(0, rows)
        with self.precision():
            mean = self.actor.mean(observation).float()
            if self.settings.only:  # what does not explore does not learn
                mean = torch.where(self.rollout.explores > 0.0, mean, mean.detach())
            value = self.critic.normalised(observation).float()[:, 0]
        change = log_probability(action, mean, self.actor.log_deviation) - before
        ratio = change.exp()
        value_loss = (value - target).square().mean()
        # a soft wall: beyond it targets lie far outside the joints' ranges and say nothing new
        excess = (mean.abs() - s.action_bound).clamp(min=0.0).square().sum(1).mean()
        loss = surrogate(ratio, advantage, s.clip) + s.bound_weight * excess
        loss = self.moves * (loss - s.entropy * self.actor.log_deviation.sum()) + s.value_weight * value_loss
        if self.mirrors is not None:
            with self.precision():
                uneven = mirror_loss(self.actor, observation, mean, *self.mirrors)
            loss = loss + self.moves * s.mirror * uneven
            self.meter.add("asymmetry", uneven)
        descend(self.optimiser, loss, s.gradient_norm)
        self.meter.add("value_loss", value_loss)
        self.meter.add("clipped", ((ratio - 1.0).abs() > s.clip).float().mean())
        self.moved.copy_((ratio.detach() - 1.0 - change.detach()).mean())
        self.meter.add("kl", self.moved)

    def absorb(self, learnt: bool = True) -> None:
        """Take the rollout into the normalisers' statistics; what was `learnt` of them before stays as it is."""
        self.critic.normaliser.update(self.rollout.observation, self.critic.network[0] if learnt else None)
        if self.waits:
            return
        seen = self.actor.normaliser
        before = seen.mean.clone(), seen.deviation
        if not self.settings.only:
            seen.update(self.rollout.observation, self.actor.network[0] if learnt else None)
        if learnt and self.settings.averaged:
            self.average(*before)

    @torch.no_grad()
    def average(self, mean: Tensor, deviation: Tensor) -> None:
        """Take the policy's layers into their running mean, which saw by statistics that were these until now."""
        if self.mean is None:
            self.begin_mean()
            return
        first = self.mean[0]  # type: ignore[index]
        self.actor.normaliser.refit(first, mean, deviation)
        share = min(self.rollout.reward.numel() * together.count() / self.settings.averaged, 1.0)
        for kept, own in zip(self.mean.parameters(), self.actor.network.parameters(), strict=True):
            kept.lerp_(own, share)

    def begin_mean(self) -> None:
        """Let the running mean be the policy as it is."""
        self.mean = copy.deepcopy(self.actor.network).requires_grad_(False)

    def precision(self) -> AbstractContextManager:
        """The arithmetic of the large products; some CPUs have no such of 16 bits."""
        if self.settings.precision == "bf16" and self.device.type == "cuda":
            return torch.autocast(self.device.type, torch.bfloat16, cache_enabled=False)
        return nullcontext()

    def modules(self) -> dict[str, nn.Module]:
        """Everything with weights or statistics, by name."""
        return {"actor": self.actor, "critic": self.critic}

    def optimisers(self) -> dict[str, torch.optim.Adam]:
        """All optimisers, by name."""
        return {"adam": self.optimiser}

    def shown(self) -> dict[str, Tensor]:
        """Weights that are kept in place of those that learn, by name."""
        held = {} if self.mean is None else self.mean.state_dict()
        return {f"actor.network.{name}": value for name, value in held.items()}

    def memory(self) -> dict[str, Tensor]:
        """What else a resumed run needs."""
        return {"rate": self.rate}

    @torch.no_grad()
    def _prepare(self) -> None:
        s, r = self.settings, self.rollout
        reward = self.rollout.ease * self.rewards()
        value, next_value = self.critic(r.observation), self.critic(r.reached)
        # returns of all worlds are of the same size, whatever their γ
        paid = reward * (1.0 - self.gamma) / (1.0 - s.gamma)
        advantage = advantages(paid, value, next_value, r.fell, r.done, self.gamma, s.lam)
        returns = advantage + value
        self.critic.returns.update(returns.reshape(-1, 1))
        apart = r.task.farsighted[0] if r.task.farsighted else 0
        for part in (advantage[:, :apart], advantage[:, apart:]):
            if part.numel():
                deviation, mean = together.std_mean(part)
                part.sub_(mean).div_(deviation + 1e-8)
        self.advantage.copy_(advantage.flatten())
        self.target.copy_(((returns - self.critic.returns.mean) / self.critic.returns.deviation).flatten())
        self.meter.add("reward", reward.mean())
        self.meter.add("explained", 1.0 - (returns - value).var() / (returns.var() + 1e-8))

    def _next_minibatch(self) -> None:
        rows = self.order.index_select(0, self.turn % self.settings.minibatches)[0]
        self.minibatch(rows)
        self.turn.add_(1)
