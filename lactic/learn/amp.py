"""Adversarial motion priors (Peng et al. 2021; cheema2023 Eqs. 6–8): what AMP adds to PPO.

A discriminator learns to tell the clips' pairs of features from the agent's; what it takes for a clip's is paid.
"""

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from lactic.learn.config import LearnSettings
from lactic.learn.networks import Actor, Critic, Discriminator
from lactic.learn.ppo import METERS, PPO, adam, descend
from lactic.learn.rollout import Rollout

LARGEST_LOGIT = 9.0
"""The reward is cut where D = 0.9999."""


def style_reward(logit: Tensor) -> Tensor:
    """−log(1 − D) (Eq. 8), from the logit without losing digits."""
    return nnf.softplus(logit.clamp(max=LARGEST_LOGIT))


def discriminator_loss(
    discriminator: Discriminator, agent: Tensor, clip: Tensor, penalty: float, logit_weight: float, decay: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Cross-entropy, gradient penalty on the clip's pairs (Eq. 7) and costs of large weights; and both logits."""
    agent_logit = discriminator(agent)
    shown = discriminator.normalise(clip).requires_grad_()
    clip_logit = discriminator.network(shown)[:, 0]
    (slope,) = torch.autograd.grad(clip_logit.sum(), shown, create_graph=True)
    loss = 0.5 * (nnf.softplus(agent_logit).mean() + nnf.softplus(-clip_logit).mean())
    loss = loss + penalty * slope.square().sum(1).mean()
    layers = [layer.weight for layer in discriminator.network if isinstance(layer, nn.Linear)]
    loss = loss + logit_weight * layers[-1].square().sum()
    loss = loss + decay * sum(weight.square().sum() for weight in layers)
    return loss, agent_logit, clip_logit


class Replay:
    """The agent's pairs of earlier rollouts, old ones overwritten at random once it is full."""

    def __init__(self, size: int, width: int, device: torch.device):
        self.pairs = torch.zeros(size, width, device=device)
        self.filled = torch.zeros((), dtype=torch.long, device="cpu")  # known to the host without asking the device

    def store(self, pairs: Tensor, generator: torch.Generator) -> None:
        """Keep `pairs`."""
        size, filled = len(self.pairs), int(self.filled)
        room = min(size - filled, len(pairs))
        self.pairs[filled : filled + room] = pairs[:room]
        self.filled.fill_(filled + room)
        if room < len(pairs):
            rows = torch.randint(size, (len(pairs) - room,), generator=generator, device=self.pairs.device)
            self.pairs.index_copy_(0, rows, pairs[room:])


class AMP(PPO):
    """PPO paid for style."""

    meters = (*METERS, "style", "d_agent", "d_clip", "d_loss")

    def __init__(
        self,
        rollout: Rollout,
        actor: Actor,
        critic: Critic,
        discriminator: Discriminator,
        settings: LearnSettings,
        graphs: bool = False,
    ):
        super().__init__(rollout, actor, critic, settings, graphs)
        self.discriminator = discriminator
        self.judge_optimiser = adam([discriminator], settings.style.rate, self.device)
        self.features = rollout.task.observer.features_size
        self.reference, self.metres = rollout.task.reference, rollout.task.metres
        samples = self.order.numel()
        self.batch = min(settings.style.batch, self.order.shape[1])
        self.replay = Replay(max(settings.style.replay, self.batch), 2 * self.features, self.device)
        turns = settings.epochs * settings.minibatches
        self.clip_rows = torch.zeros(turns, self.batch, dtype=torch.long, device=self.device)
        self.old_rows = torch.zeros(turns, self.batch, dtype=torch.long, device=self.device)
        self.kept = min(settings.style.keep, samples, len(self.replay.pairs))
        self.pairs = torch.zeros(*rollout.reward.shape, 2 * self.features, device=self.device)
        """The agent's pairs of this rollout, (time, world, 2·features), in lengths of the task's own body."""

    def pair(self) -> None:
        """Make the pairs of the rollout just collected."""
        r, shown = self.rollout, self.rollout.task.observer.features_part
        self.pairs.copy_(torch.cat([seen[..., shown] / self.metres for seen in (r.observation, r.reached)], dim=-1))

    def prime(self) -> None:
        """Let the normalisers see a first rollout before anything is learnt."""
        self.pair()
        super().prime()

    def rewards(self) -> Tensor:
        """The task's reward and the weighted style of the whole rollout at once."""
        self.pair()
        with self.precision():
            logit = self.discriminator(self.pairs).float()
        style = self.settings.style.scale * style_reward(logit)
        self.meter.add("style", style.mean())
        return super().rewards() + self.rollout.task.settings.style_weight * style

    def shuffle(self) -> None:
        """Also draw clip pairs and replayed pairs for every minibatch."""
        super().shuffle()
        generator = self.rollout.generator
        uniform = torch.rand(self.clip_rows.shape, generator=generator, device=self.device)
        self.clip_rows.copy_(self.reference.draw(uniform))
        if not int(self.replay.filled):
            self.remember()
        self.old_rows.random_(int(self.replay.filled), generator=generator)

    def minibatch(self, rows: Tensor) -> None:
        """Also improve the discriminator, on new, replayed and clip pairs in equal number."""
        super().minibatch(rows)
        s, new = self.settings.style, rows[: self.batch]
        fresh = self.pairs.flatten(0, 1).index_select(0, new)
        old = self.replay.pairs.index_select(0, self.old_rows.index_select(0, self.turn)[0])
        agent = torch.cat([fresh, old])
        clip = self.reference.shown(self.clip_rows.index_select(0, self.turn)[0])
        with self.precision():
            loss, agent_logit, clip_logit = discriminator_loss(
                self.discriminator, agent, clip, s.gradient_penalty, s.logit_weight, s.weight_decay
            )
        descend(self.judge_optimiser, loss.float(), self.settings.gradient_norm)
        self.meter.add("d_agent", torch.sigmoid(agent_logit.detach().float()).mean())
        self.meter.add("d_clip", torch.sigmoid(clip_logit.detach().float()).mean())
        self.meter.add("d_loss", loss.detach().float())

    def absorb(self, learnt: bool = True) -> None:
        """Also let the discriminator's normaliser see agent and clip in equal parts, and remember some pairs."""
        super().absorb(learnt)
        uniform = torch.rand(self.rollout.reward.numel(), generator=self.rollout.generator, device=self.device)
        shown = self.reference.shown(self.reference.draw(uniform))[:, : self.features]
        agent = self.pairs[..., self.features :].reshape(-1, self.features)
        first = self.discriminator.network[0] if learnt else None
        self.discriminator.normaliser.update(torch.cat([agent, shown]), first)
        self.remember()

    def remember(self) -> None:
        """Keep a random part of this rollout's pairs."""
        generator = self.rollout.generator
        rows = torch.randint(self.order.numel(), (self.kept,), generator=generator, device=self.device)
        self.replay.store(self.pairs.flatten(0, 1).index_select(0, rows), generator)

    def modules(self) -> dict[str, nn.Module]:
        """And the discriminator."""
        return {**super().modules(), "discriminator": self.discriminator}

    def optimisers(self) -> dict[str, torch.optim.Adam]:
        """And the discriminator's."""
        return {**super().optimisers(), "judge": self.judge_optimiser}

    def memory(self) -> dict[str, Tensor]:
        """And the replayed pairs."""
        return {**super().memory(), "replay": self.replay.pairs, "replay_filled": self.replay.filled}
