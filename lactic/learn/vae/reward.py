"""PPO in muscle space: the same posterior, prior and policy, paid for following clips in the true simulation.

The way out where the world model does not get there. Codes keep their noise: what was drawn for them counts as seen, so
the policy's probabilities are those of actions given it. The world model is fitted on the same rollouts, for the
high-level policy (Alg. 2).
"""

import dataclasses

import torch
from torch import Tensor, nn

from lactic.errors import InputError
from lactic.learn import checkpoint
from lactic.learn.graph import Captured
from lactic.learn.meter import Meter
from lactic.learn.networks import Critic
from lactic.learn.ppo import adam, advantages, geared, log_probability, surrogate
from lactic.learn.vae.losses import apart, divergence
from lactic.learn.vae.settings import VaeSettings
from lactic.learn.vae.state import ManState, seen
from lactic.learn.vae.study import descend
from lactic.learn.vae.trainer import VaeTrainer
from lactic.motion.man import ManLibrary
from lactic.muscle.man.men import MuscleMen

FIRST = 0.05
"""Of the highest learning rate, that of a run's beginning: 284 deviations of actions are soon left behind."""
METERS = ("reward", "explained", "moved", "clipped", "shift", "rate")


class Taken:
    """What a rollout holds, time first."""

    def __init__(self, steps: int, worlds: int, sizes: dict[str, int], device: torch.device):
        self.parts = {
            name: torch.zeros(steps, worlds, *[size] * (size > 0), device=device) for name, size in sizes.items()
        }

    def __getitem__(self, name: str) -> Tensor:
        """A part, (step, world, …)."""
        return self.parts[name]

    def rows(self, name: str, chosen: Tensor) -> Tensor:
        """Samples of a part, by their numbers over steps and worlds."""
        return self.parts[name].flatten(0, 1).index_select(0, chosen)


class RewardTrainer(VaeTrainer):
    """A run: `iterate` collects a rollout, improves controller and value function, and fits the world model."""

    def __init__(self, settings: VaeSettings, library: ManLibrary, men: MuscleMen, device: torch.device):
        super().__init__(dataclasses.replace(settings, begin=""), library, men, device)
        self.settings = settings
        pay, samples = settings.pay, settings.steps * settings.worlds
        if samples % pay.minibatches:
            raise InputError(f"pay.minibatches {pay.minibatches}: must divide the {samples} samples of worlds × steps")
        self.actor = self.policy()
        """The network that learns."""
        sizes = self.sizes()
        self.critic = Critic(sizes["sight"] + sizes["goal"], pay.value, "elu").to(device)
        self.optimiser = adam([self.actor, self.critic], pay.rate, device)
        self.optimiser.param_groups[0]["lr"].mul_(FIRST)
        self.deviation = torch.full((sizes["intent"],), pay.noise, device=device).log()
        self.told = tuple(name for name in sizes if name != "intent")
        single = ("chance", "paid", "value", "later", "lost", "over")
        self.taken = Taken(settings.steps, settings.worlds, sizes | dict.fromkeys(single, 0), device)
        self.advantage, self.target = torch.zeros(samples, device=device), torch.zeros(samples, device=device)
        self.order = torch.zeros(pay.minibatches, samples // pay.minibatches, dtype=torch.long, device=device)
        self.learns = torch.ones((), device=device)
        """Whether the policy learns, 1 or 0; the value function always does."""
        self.turn, self.moved = torch.zeros(1, dtype=torch.long, device=device), torch.zeros((), device=device)
        self.paid = Meter(METERS, device)
        graphs = settings.graphs and device.type == "cuda"
        self.work = Captured(self._minibatch, "a minibatch of PPO", graphs)
        self.start()

    def policy(self) -> nn.Module:
        """What learns: here posterior, prior and policy together."""
        return self.controller

    def sizes(self) -> dict[str, int]:
        """Numbers of what a rollout holds of each step: what is seen, noise of codes, and what the policy says."""
        controller = self.controller
        intents = controller.intents(self.model.muscles.count)
        view = controller.view.mean.numel()
        return {"sight": controller.size, "goal": view, "noise": controller.net.latent, "intent": intents}

    def sights(self, state: ManState, frame: Tensor) -> dict[str, Tensor]:
        """What is seen of states, and of the frames that they shall reach, and noise for the code."""
        sight = self.controller.sight(seen(self.model.skeleton, state), state.fatigue)
        noise = torch.randn(len(sight), self.controller.net.latent, device=self.device)
        return {"sight": sight, "goal": self.controller.view(self.reference.flat[frame]), "noise": noise}

    def mean(self, parts: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """What the policy says of what is seen, and how far the posterior is from the prior."""
        shift = self.controller.shift(parts["sight"], parts["goal"])
        z = self.controller.middle(parts["sight"]) + shift + self.settings.net.deviation * parts["noise"]
        return self.controller.intent(parts["sight"], z), shift

    def worth(self, parts: dict[str, Tensor]) -> Tensor:
        """What the value function sees."""
        return torch.cat([parts["sight"], parts["goal"]], -1)

    def pay(self, state: ManState, frame: Tensor, activation: Tensor) -> Tensor:
        """What is paid for having reached states where frames were asked for, 0 to 1."""
        weights = self.settings.loss
        terms = apart(seen(self.model.skeleton, state), self.reference.goal(frame), weights)
        off = torch.stack(list(terms.values())).sum(0) + weights.active * activation.sum(-1)
        return torch.exp(-off / self.settings.pay.mild).nan_to_num(0.0)

    @torch.no_grad()
    def roll(self) -> None:
        """A rollout in the true simulation, into the buffer of the world model too."""
        crowd, taken, steps = self.crowd, self.taken, self.settings.steps
        self.buffer.forget(steps)
        for k in range(steps):
            state, frame = crowd.state(), crowd.goal()
            found = self.sights(state, frame)
            mean, _ = self.mean(found)
            intent = mean + self.deviation.exp() * torch.randn_like(mean)
            action = self.controller.act(intent, state)
            self.buffer.write(steps - k, state, action, frame, crowd.age)
            self.watch.mark("policy")
            for name, total in crowd.step(action).items():
                self.counts.add(name, total)
            self.counts.add("steps", torch.ones((), device=self.device))
            self.watch.mark("simulation")
            after = crowd.after
            ahead = self.sights(after.state, torch.minimum(frame + 1, self.reference.last[frame]))
            found |= {
                "intent": intent,
                "chance": log_probability(intent, mean, self.deviation),
                "paid": self.pay(after.state, frame, after.activation) * ~after.lost,
                "value": self.critic(self.worth(found)),
                "later": self.critic(self.worth(ahead)).nan_to_num(0.0),
                "lost": after.lost,
                "over": after.over,
            }
            for name, value in found.items():
                taken[name][k] = value
            self.watch.mark("policy")

    @torch.no_grad()
    def prepare(self) -> None:
        """Advantages and targets of the rollout."""
        t, pay = self.taken, self.settings.pay
        advantage = advantages(t["paid"], t["value"], t["later"], t["lost"], t["over"], pay.gamma, pay.lam)
        returns = advantage + t["value"]
        self.paid.add("reward", t["paid"].mean())
        self.paid.add("explained", 1.0 - advantage.var() / (returns.var() + 1e-8))
        self.critic.returns.update(returns.reshape(-1, 1))
        self.advantage.copy_(((advantage - advantage.mean()) / (advantage.std() + 1e-8)).flatten())
        self.target.copy_(((returns - self.critic.returns.mean) / self.critic.returns.deviation).flatten())

    def _minibatch(self) -> None:
        pay, taken = self.settings.pay, self.taken
        rows = self.order.index_select(0, self.turn % pay.minibatches)[0]
        parts = {name: taken.rows(name, rows) for name in self.told}
        mean, shift = self.mean(parts)
        value = self.critic.normalised(self.worth(parts))[:, 0]
        change = log_probability(taken.rows("intent", rows), mean, self.deviation) - taken.rows("chance", rows)
        ratio = change.exp()
        apart_ = divergence(shift, self.settings.net.deviation).mean()
        loss = surrogate(ratio, self.advantage.index_select(0, rows), pay.clip) + pay.kl * apart_
        loss = self.learns * loss + (value - self.target.index_select(0, rows)).square().mean()
        descend(self.optimiser, loss, self.settings.study.gradient)
        self.moved.copy_((ratio.detach() - 1.0 - change.detach()).mean())
        self.paid.add("moved", self.moved)
        self.paid.add("clipped", ((ratio - 1.0).abs() > pay.clip).float().mean())
        self.paid.add("shift", apart_)
        self.turn.add_(1)

    def iterate(self) -> None:
        """One rollout, and what is learnt of it."""
        self.watch.start()
        if self.iteration == 0:
            self.fill()
        self.roll()
        self.prepare()
        pay, rate = self.settings.pay, self.optimiser.param_groups[0]["lr"]
        self.order.copy_(torch.randperm(self.order.numel(), device=self.device).view_as(self.order))
        self.turn.zero_()
        self.learns.fill_(float(self.iteration >= pay.warm))
        for _ in range(pay.epochs * pay.minibatches):
            self.work()
        if self.iteration >= pay.warm:
            rate.copy_(geared(rate, self.moved, pay.moved, pay.rate))
        self.paid.add("rate", rate)
        self.watch.mark("controller")
        for _ in range(pay.model_updates):
            self.study.learn_model()
        self.watch.mark("world model")
        self.iteration += 1
        self.watch.stop()

    def report(self) -> dict[str, float]:
        """Means since the last report."""
        return super().report() | self.paid.read()

    def parts(self) -> tuple[dict[str, Tensor], dict[str, torch.optim.Adam]]:
        """Weights and optimisers of a checkpoint, by name."""
        weights, optimisers = super().parts()
        weights |= {f"critic.{k}": v for k, v in self.critic.state_dict().items()}
        return weights, optimisers | {"reward": self.optimiser}

    def load(self, weights: dict[str, Tensor], source: str) -> None:
        """Take over the weights of a checkpoint; one that has no value function leaves it as it is."""
        super().load(weights, source)
        own = checkpoint.below(weights, "critic")
        if own:
            checkpoint.fill(self.critic.state_dict(), own, source)
