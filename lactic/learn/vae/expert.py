"""An expert that follows clips in the true simulation: a plain network that is told how far each joint is off.

Pupils learn from it (`pupil.py`). It says wishes of joints (`wishes.py`): those of a spring at each joint that pulls to
the clip's next pose, and its own beside them.
"""

import torch
from torch import Tensor, nn

from lactic.body.muscle_man import DAMPING
from lactic.errors import InputError
from lactic.learn import checkpoint
from lactic.learn.networks import mlp
from lactic.learn.normaliser import Normaliser
from lactic.learn.vae.muscles import PARTS
from lactic.learn.vae.precision import swift
from lactic.learn.vae.reference import ManReference
from lactic.learn.vae.reward import RewardTrainer
from lactic.learn.vae.state import ManState, seen
from lactic.learn.vae.wishes import Wishes

STIFFNESS, SWIFTNESS = 2.0, 0.05
"""Wishes of a joint's spring for a radian off, and for a radian a second too slow."""
MOST = 3.0
"""The largest wish of a spring."""
OFF, SLOW = 5.0, 0.2
"""What the network sees of a radian off, and of a radian a second too slow."""


class Expert(nn.Module):
    """What is seen of a character and of the frame that it shall reach to wishes."""

    def __init__(self, wishes: Wishes, hidden: tuple[int, ...]):
        super().__init__()
        self.wishes, self.joints = wishes, wishes.count
        self.view = Normaliser(371, floor=1e-3, bound=8.0)
        self.network = mlp(2 * 371 + 3 * PARTS + 2 * self.joints, hidden, self.joints, last_gain=0.01, activation="elu")

    def senses(self, state: ManState, frame: Tensor, reference: ManReference) -> dict[str, Tensor]:
        """What it sees, and the wishes of the springs at the joints."""
        gap = self.wishes.apart(state, reference.joints[frame])
        wanted = self.wishes.own(reference.qvel[frame])
        lag = wanted - self.wishes.speeds(state)
        spring = STIFFNESS * gap + SWIFTNESS * lag + DAMPING * wanted / self.wishes.torque
        view = self.view(seen(self.wishes.skeleton, state).flat())
        return {
            "sight": torch.cat([view, 2.0 * state.fatigue - 1.0], -1),
            "goal": torch.cat([self.view(reference.flat[frame]), OFF * gap, SLOW * lag], -1),
            "spring": spring.clamp(-MOST, MOST),
        }

    def forward(self, parts: dict[str, Tensor]) -> Tensor:
        """Wishes (…, 50) for what `senses` gave."""
        with swift():
            own = self.network(torch.cat([parts["sight"], parts["goal"]], -1))
        return parts["spring"] + own


class ExpertTrainer(RewardTrainer):
    """A run of PPO by which an expert learns; neither codes nor the world model learn."""

    actor: Expert

    def policy(self) -> nn.Module:
        """The expert."""
        if self.controller.wishes is None:
            raise InputError("by expert: needs control wish")
        made = Expert(self.controller.wishes, self.settings.pay.expert).to(self.device)
        made.view.load_state_dict(self.controller.view.state_dict())
        return made

    def sizes(self) -> dict[str, int]:
        """Numbers of what a rollout holds of each step."""
        joints = self.actor.joints
        view = self.controller.view.mean.numel()
        return {"sight": self.controller.size, "goal": view + 2 * joints, "spring": joints, "intent": joints}

    def sights(self, state: ManState, frame: Tensor) -> dict[str, Tensor]:
        """What the expert sees."""
        return self.actor.senses(state, frame, self.reference)

    def mean(self, parts: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """What the expert says; there is no code that could be far from a prior."""
        wishes = self.actor(parts)
        return wishes, torch.zeros_like(wishes[..., :1])

    def fill(self) -> None:
        """The buffer is for a world model, which does not learn here."""

    def collect(self, steps: int) -> None:
        """Nothing, for the same reason: codes, which do not learn either, would let everybody fall."""

    def parts(self) -> tuple[dict[str, Tensor], dict[str, torch.optim.Adam]]:
        """Weights and optimiser of a checkpoint, by name."""
        weights = {f"expert.{k}": v for k, v in self.actor.state_dict().items()}
        return weights | {f"critic.{k}": v for k, v in self.critic.state_dict().items()}, {"reward": self.optimiser}

    def load(self, weights: dict[str, Tensor], source: str) -> None:
        """Take over the weights of a checkpoint."""
        for name, network in (("expert", self.actor), ("critic", self.critic)):
            checkpoint.fill(network.state_dict(), checkpoint.below(weights, name), source)
