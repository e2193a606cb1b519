"""The networks of MuscleVAE (feng2023 B.1): prior, posterior, a policy of blended experts, and the world model."""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from lactic.learn.networks import mlp
from lactic.learn.normaliser import Normaliser
from lactic.learn.vae.muscles import PARTS, Stretch, TorchMuscles
from lactic.learn.vae.precision import swift
from lactic.learn.vae.settings import NetSettings
from lactic.learn.vae.state import STEP, ManState, ManView, Skeleton, seen, turned_by
from lactic.learn.vae.wishes import Wishes

FLOORS = {"place": 0.05, "axes": 0.1, "motion": 0.3, "spin": 0.7, "height": 0.05, "up": 0.05}
"""Least deviations of what is seen: what hardly varies in clips is not blown up to noise."""


class Blend(nn.Module):
    """A network whose weights are a blend of those of several, by weights that a gate gives; z enters every layer."""

    def __init__(
        self, inputs: int, latent: int, hidden: Sequence[int], outputs: int, experts: int, gate: Sequence[int]
    ):
        super().__init__()
        self.gate = mlp(inputs + latent, gate, experts, activation="elu")
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for k, (a, b) in enumerate(pairwise([inputs, *hidden, outputs])):
            bound = 1.0 / math.sqrt(a + latent) * (0.1 if k == len(hidden) else 1.0)
            self.weights.append(nn.Parameter(torch.empty(experts, a + latent, b).uniform_(-bound, bound)))
            self.biases.append(nn.Parameter(torch.zeros(experts, b)))

    def forward(self, seen: Tensor, z: Tensor) -> Tensor:
        """Outputs for inputs (batch, …) and codes."""
        share = torch.softmax(self.gate(torch.cat([seen, z], -1)), -1)
        x = seen
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if k:
                x = nn.functional.elu(x)
            # inputs weighed for each expert, then one product with all experts' weights
            inputs = torch.cat([x, z], -1)
            weighed = (share[..., :, None] * inputs[..., None, :]).flatten(-2)
            x = weighed @ weight.flatten(0, 1) + share @ bias
        return x


class Controller(nn.Module):
    """Prior, posterior and policy."""

    def __init__(self, net: NetSettings, muscles: TorchMuscles, control: str = "length"):
        super().__init__()
        self.net, self.control = net, control
        self.wishes = Wishes(muscles.skeleton, muscles) if control == "wish" else None
        self.size = 371 + 3 * PARTS
        self.view = Normaliser(371, floor=1e-3, bound=8.0)
        self.prior = mlp(self.size, net.encoder, net.latent, last_gain=0.1, activation="elu")
        self.posterior = mlp(self.size + 371, net.encoder, net.latent, last_gain=0.1, activation="elu")
        self.policy = Blend(self.size, net.latent, net.policy, self.intents(muscles.count), net.experts, net.gate)

    def intents(self, muscles: int) -> int:
        """How many numbers the policy says."""
        return muscles if self.wishes is None else self.wishes.count

    @torch.no_grad()
    def fit(self, views: ManView) -> None:
        """Take mean and deviation of what is seen from clips; they stay."""
        floors = torch.cat(
            [torch.full((part[0].numel(),), FLOORS[name], device=part.device) for name, part in views._asdict().items()]
        )
        variance, mean = torch.var_mean(views.flat(), 0, correction=0)
        self.view.mean.copy_(mean)
        self.view.variance.copy_(torch.maximum(variance, floors**2))

    def sight(self, view: ManView, fatigue: Tensor) -> Tensor:
        """What networks see of a character."""
        return torch.cat([self.view(view.flat()), 2.0 * fatigue - 1.0], -1)

    def middle(self, sight: Tensor) -> Tensor:
        """The prior's mean (Eq. 38)."""
        with swift():
            return self.prior(sight)

    def shift(self, sight: Tensor, goal: Tensor) -> Tensor:
        """How far the posterior's mean is from the prior's, for a clip's next frame (Eq. 40); `goal` is normalised."""
        with swift():
            return self.posterior(torch.cat([sight, goal], -1))

    def intent(self, sight: Tensor, z: Tensor) -> Tensor:
        """What the policy says, without noise: actions, or the wishes that they are made of."""
        with swift():
            out = self.policy(sight, z)
        return torch.relu(torch.tanh(out)) if self.control == "activation" else out

    def act(self, intent: Tensor, state: ManState, stretch: Stretch | None = None) -> Tensor:
        """The action of all muscles; what is known of the state helps."""
        return intent if self.wishes is None else self.wishes(state, intent, stretch)


class WorldModel(nn.Module):
    """What a control step makes of states and actions.

    The network predicts how root velocity and angular velocities change, and by how much their means over the step
    differ from those of its ends. Kinematics give everything else, so no bone is ever stretched.
    """

    def __init__(self, net: NetSettings, skeleton: Skeleton, muscles: TorchMuscles, activation: bool = False):
        super().__init__()
        self.skeleton, self.muscles, self.activation = skeleton, muscles, activation
        bodies = skeleton.count
        self.view = Normaliser(371, floor=1e-3, bound=8.0)
        self.moment = Normaliser(3 * bodies, floor=1.0, bound=8.0)
        self.change = Normaliser(6 + 6 * bodies + 2 * PARTS, floor=1e-6)
        inputs = 371 + 3 * PARTS + 3 * bodies + 2 * PARTS + muscles.count
        self.network = mlp(inputs, net.world, 6 + 6 * bodies + 2 * PARTS, last_gain=0.1, activation="elu")

    def effort(self, state: ManState, action: Tensor, stretch: Stretch | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Joint moments of the muscles, the activation they reach, and the one that was asked for."""
        stretch = self.muscles.stretch(state) if stretch is None else stretch
        asked, active, passive = self.muscles.asked(stretch, action)
        asked = action if self.activation else asked
        reached = self.muscles.reached(asked, state.fatigue)
        return self.muscles.moments(state, stretch, reached * active + passive), reached, asked

    def forward(
        self, state: ManState, action: Tensor, view: ManView | None = None, stretch: Stretch | None = None
    ) -> tuple[ManState, Tensor]:
        """The state a control step later, and the activation that was asked for; what is known of the state helps."""
        view = seen(self.skeleton, state) if view is None else view
        moments, reached, asked = self.effort(state, action, stretch)
        own = state.turn[..., 0, :, :]
        means = self.muscles.means(reached)
        both = torch.cat([means, self.muscles.means(reached.square())], -1)
        inputs = torch.cat(
            [
                self.view(view.flat()),
                2.0 * state.fatigue - 1.0,
                self.moment((moments @ own).flatten(-2)),
                4.0 * both,
                4.0 * action,
            ],
            -1,
        )
        with swift():
            change = self.change.undo(self.network(inputs))
        return self.moved(state, change, means), asked

    def moved(self, state: ManState, change: Tensor, means: Tensor) -> ManState:
        """The state after `change` (…, 6 + 6·bodies + 10), in the root's frame."""
        own, bodies = state.turn[..., 0, :, :], self.skeleton.count
        vectors, inner = change.split([6 + 6 * bodies, 2 * PARTS], -1)
        vectors = vectors.unflatten(-1, (2 + 2 * bodies, 3)) @ own.transpose(-1, -2)
        quicker, drift, twist, slip = vectors.split([1, 1, bodies, bodies], -2)
        speed, spin = state.speed + quicker[..., 0, :], state.spin + twist
        root = state.root + STEP * (0.5 * (state.speed + speed) + drift[..., 0, :])
        turn = turned_by(state.turn, STEP * (0.5 * (state.spin + spin) + slip))
        active = (means + inner[..., :PARTS]).clamp(0.0, 1.0)
        fatigued = (state.fatigue.unflatten(-1, (PARTS, 3))[..., 1] + inner[..., PARTS:]).clamp(0.0, 1.0)
        fatigue = torch.stack([active, fatigued, 1.0 - active - fatigued], -1).flatten(-2)
        return ManState(root, turn, speed, spin, fatigue)

    @torch.no_grad()
    def changes(self, before: ManState, after: ManState, action: Tensor) -> tuple[Tensor, Tensor]:
        """What `moved` would need to be right, and the moments in the root's frame: for first statistics."""
        moments, reached, _ = self.effort(before, action)
        own, transposed = before.turn[..., 0, :, :], before.turn.transpose(-1, -2)
        relative = after.turn @ transposed
        axis = torch.stack([relative[..., i, j] - relative[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], -1) / 2
        sine = axis.norm(dim=-1, keepdim=True).clamp(min=1e-9)
        cosine = (relative.diagonal(dim1=-2, dim2=-1).sum(-1, keepdim=True) - 1) / 2
        turned = axis / sine * torch.atan2(sine, cosine) / STEP
        gone = (after.root - before.root) / STEP
        vectors = torch.cat(
            [
                (after.speed - before.speed)[..., None, :],
                (gone - (after.speed + before.speed) / 2)[..., None, :],
                after.spin - before.spin,
                turned - (after.spin + before.spin) / 2,
            ],
            -2,
        )
        parts = (before.fatigue.unflatten(-1, (PARTS, 3)), after.fatigue.unflatten(-1, (PARTS, 3)))
        inner = [parts[1][..., 0] - self.muscles.means(reached), parts[1][..., 1] - parts[0][..., 1]]
        return torch.cat([(vectors @ own).flatten(-2), *inner], -1), (moments @ own).flatten(-2)

    @torch.no_grad()
    def fit(self, before: ManState, after: ManState, action: Tensor) -> None:
        """Take mean and deviation of moments and changes from simulated steps; they stay."""
        for held, rows in zip((self.change, self.moment), self.changes(before, after, action), strict=True):
            variance, mean = torch.var_mean(rows, 0, correction=0)
            held.mean.copy_(mean)
            held.variance.copy_(variance)
