"""The high-level policy by PPO in the true simulation: the way out where the world model is not good enough.

An action is a shift of the prior's mean. Its noise takes the place of the prior's, so it explores by what codes of a
brain vary by anyway, but it lasts: a turn is not found by codes that are new twenty times a second. All that lies below
stays as it is.
"""

import dataclasses
import math

import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.errors import InputError
from lactic.learn import checkpoint
from lactic.learn.meter import Meter
from lactic.learn.ppo import log_probability
from lactic.learn.vae.crowd import HEAD, Crowd
from lactic.learn.vae.reward import RewardTrainer
from lactic.learn.vae.settings import GuideSettings, VaeSettings
from lactic.learn.vae.state import STEP, ManState, seen
from lactic.learn.vae.steer import Guide, facing, goal_of
from lactic.motion.man import ManLibrary
from lactic.muscle.man.men import MuscleMen

LOW = 1.0
"""Height of the head below which a character has fallen, m: as in an exported brain."""
HALF = 0.5
"""m/s off what is asked, sideways too, at which pay is halved."""
TURN = 1.0
"""How sharply pay falls with the heading's error: to exp(−2·TURN) behind the back."""
STILL, WIDE, ANEW = 0.2, 0.5, 0.02
"""Of what is asked, the share that is standing, and that of turns to anywhere; how likely something new is, a step."""
NARROW = torch.pi / 4
"""Largest of the other turns, rad."""
LASTS = 0.5 ** (STEP / 0.3)
"""Share of the noise that stays for the next control step: its half-life is 0.3 s."""
METERS = ("heading", "speed", "falls")


def asked(yaw: Tensor, fastest: float) -> tuple[Tensor, Tensor]:
    """Random speeds and headings (world,) for characters that face `yaw`."""
    speed, turn, still, wide = torch.rand(4, len(yaw), device=yaw.device)
    far = NARROW + (torch.pi - NARROW) * (wide < WIDE)
    return fastest * speed * (still >= STILL), rotation.wrap(yaw + far * (2.0 * turn - 1.0))


def apart(state: ManState, speed: Tensor, heading: Tensor) -> tuple[Tensor, Tensor]:
    """How far the heading, rad, and the velocity over the floor, m/s, are from what is asked."""
    wanted = speed[..., None] * torch.stack([torch.cos(heading), torch.sin(heading)], -1)
    return rotation.wrap(heading - facing(state)).abs(), (state.speed[..., :2] - wanted).norm(dim=-1)


def paid(turn: Tensor, slow: Tensor) -> Tensor:
    """What is paid for such errors, 0 to 1.

    It falls with the square of the speed's error at first, but slowly in the end: a bell would say nothing to a
    character that stands and should run.
    """
    return torch.exp(-TURN * (1.0 - torch.cos(turn))) / (1.0 + (slow / HALF).square())


class FreeCrowd(Crowd):
    """Muscle men that follow no clip: lost is who falls."""

    def astray(self, height: Tensor, off: Tensor) -> Tensor:
        """Who has fallen (world,), wherever a clip's head would be."""
        return ~(height > LOW)


class SteerRewardTrainer(RewardTrainer):
    """A run of PPO by which the high-level policy learns; neither MuscleVAE nor its world model do."""

    actor: Guide

    def __init__(
        self, settings: GuideSettings, own: VaeSettings, library: ManLibrary, men: MuscleMen, device: torch.device
    ):
        self.task = settings
        brief = dataclasses.replace(own.study, window=1, world_window=1, gradient=settings.gradient)
        own = dataclasses.replace(
            own,
            worlds=men.count,
            seed=settings.seed,
            graphs=settings.graphs,
            steps=settings.steps,
            kept=settings.steps + 2,  # the buffer is for a world model, which does not learn here
            switch=0.0,
            study=brief,
            pay=dataclasses.replace(settings.pay, model_updates=0),
        )
        super().__init__(own, library, men, device)
        folder = checkpoint.find(settings.vae)
        held = checkpoint.load(folder, ("weights",), device)[0]["weights"]
        checkpoint.fill(self.controller.state_dict(), checkpoint.below(held, "controller"), str(folder))
        self.controller.requires_grad_(False)
        reference = self.reference
        high = reference.views.height[reference.begins, HEAD] > settings.low
        reference.begins = reference.begins[high]
        if not len(reference.begins):
            raise InputError(f"low {settings.low:g}: no clip has a frame to start from whose head is higher")
        self.crowd = FreeCrowd(men, self.model.skeleton, self.model.muscles, reference, self.crowd.starts, own)
        self.speed, self.heading = asked(facing(self.crowd.state()), settings.fastest)
        self.deviation.add_(0.5 * math.log(1.0 - LASTS**2))  # of what is new in each step
        self.off = torch.zeros(men.count, own.net.latent, device=device)
        """How far each one's noise has taken its code, (world, latent)."""
        self.course = Meter(METERS, device)

    @property
    def about(self) -> str:
        """What it works on, in a few words."""
        return f"speed and heading for {self.task.vae}, by reward"

    @property
    def samples(self) -> int:
        """Control steps so far, of all characters together."""
        return self.iteration * self.task.steps * self.task.worlds

    def policy(self) -> nn.Module:
        """The high-level policy."""
        return Guide(self.controller.size, self.task.hidden, self.controller.net.latent).to(self.device)

    def sizes(self) -> dict[str, int]:
        """Numbers of what a rollout holds of each step; what the policy says is a shift."""
        latent = self.controller.net.latent
        return {"sight": self.controller.size, "goal": 3, "kept": latent, "intent": latent}

    def sights(self, state: ManState, frame: Tensor) -> dict[str, Tensor]:
        """What the high-level policy sees of states; frames of clips are nothing to it."""
        sight = self.controller.sight(seen(self.model.skeleton, state), state.fatigue)
        return {"sight": sight, "goal": goal_of(state, self.speed, self.heading)}

    def mean(self, parts: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The shift and what is left of older noise, and the shift alone, which is how far it is from the prior."""
        shift = self.actor(parts["sight"], parts["goal"])
        return shift + parts["kept"], shift

    def pay(self, state: ManState, frame: Tensor, activation: Tensor) -> Tensor:
        """What is paid for having reached states, 0 to 1."""
        turn, slow = (off.nan_to_num(0.0) for off in apart(state, self.speed, self.heading))
        self.course.add("heading", turn.mean())
        self.course.add("speed", slow.mean())
        return paid(turn, slow)

    def ask(self, state: ManState) -> None:
        """Ask those that were placed for something new, and others by chance."""
        fresh = (self.crowd.age == 0) | (torch.rand(self.crowd.count, device=self.device) < ANEW)
        for held, new in zip((self.speed, self.heading), asked(facing(state), self.task.fastest), strict=True):
            held.copy_(torch.where(fresh, new, held))

    @torch.no_grad()
    def roll(self) -> None:
        """A rollout in the true simulation."""
        crowd, taken = self.crowd, self.taken
        for k in range(self.settings.steps):
            state = crowd.state()
            self.ask(state)
            found = self.sights(state, crowd.frame) | {"kept": LASTS * self.off * (crowd.age > 0)[:, None]}
            mean, own = self.mean(found)
            shift = mean + self.deviation.exp() * torch.randn_like(mean)
            self.off.copy_(shift - own)
            z = self.controller.middle(found["sight"]) + shift
            action = self.controller.act(self.controller.intent(found["sight"], z), state)
            self.watch.mark("policy")
            crowd.step(action)
            self.watch.mark("simulation")
            after = crowd.after
            found |= {
                "intent": shift,
                "chance": log_probability(shift, mean, self.deviation),
                "paid": self.pay(after.state, crowd.frame, after.activation) * ~after.lost,
                "value": self.critic(self.worth(found)),
                "later": self.critic(self.worth(self.sights(after.state, crowd.frame))).nan_to_num(0.0),
                "lost": after.lost,
                "over": after.over,
            }
            for name, value in found.items():
                taken[name][k] = value
            self.course.add("falls", after.lost.float().mean() / STEP)
            self.watch.mark("policy")

    def fill(self) -> None:
        """Nothing: there is no world model to begin."""

    def collect(self, steps: int) -> None:
        """Nothing, for the same reason."""

    def report(self) -> dict[str, float]:
        """Means since the last report."""
        return self.paid.read() | self.course.read()

    def parts(self) -> tuple[dict[str, Tensor], dict[str, torch.optim.Adam]]:
        """Weights and optimiser of a checkpoint, by name."""
        weights = {f"guide.{k}": v for k, v in self.actor.state_dict().items()}
        return weights | {f"critic.{k}": v for k, v in self.critic.state_dict().items()}, {"reward": self.optimiser}

    def load(self, weights: dict[str, Tensor], source: str) -> None:
        """Take over the weights of a checkpoint."""
        for name, network in (("guide", self.actor), ("critic", self.critic)):
            checkpoint.fill(network.state_dict(), checkpoint.below(weights, name), source)
