"""The high-level policy: codes for a speed and a heading, trained through the world model (feng2023 Alg. 2)."""

import dataclasses
from pathlib import Path

import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.learn import checkpoint
from lactic.learn.graph import Captured
from lactic.learn.meter import Meter
from lactic.learn.networks import mlp
from lactic.learn.ppo import adam
from lactic.learn.vae.crowd import HEAD
from lactic.learn.vae.settings import GuideSettings, VaeSettings
from lactic.learn.vae.state import ManState, seen
from lactic.learn.vae.study import descend
from lactic.learn.vae.trainer import VaeTrainer
from lactic.motion.man import ManLibrary
from lactic.muscle.man.men import MuscleMen

METERS = ("loss", "heading", "speed", "fall", "shift")
KEPT = 8
"""Control steps of every character that start states are drawn from."""


class Guide(nn.Module):
    """The task policy: how far a goal moves the mean of the prior (Eq. 43)."""

    def __init__(self, sight: int, hidden: tuple[int, ...], latent: int):
        super().__init__()
        self.network = mlp(sight + 3, hidden, latent, last_gain=0.1, activation="elu")

    def forward(self, sight: Tensor, goal: Tensor) -> Tensor:
        """Shifts for what is seen and goals (…, 3)."""
        return self.network(torch.cat([sight, goal], -1))


def facing(state: ManState) -> Tensor:
    """The heading of the pelvis, rad."""
    forward = state.turn[..., 0, :, 0]
    return torch.atan2(forward[..., 1], forward[..., 0])


def goal_of(state: ManState, speed: Tensor, heading: Tensor) -> Tensor:
    """What is asked, as the character sees it (…, 3): speed, and cosine and sine of the way to turn."""
    away = heading - facing(state)
    return torch.stack([speed, torch.cos(away), torch.sin(away)], -1)


def errors(state: ManState, speed: Tensor, heading: Tensor) -> tuple[Tensor, Tensor]:
    """How far heading, rad, and speed, m/s, are from what is asked (Eq. 45)."""
    yaw = facing(state)
    along = torch.cos(yaw) * state.speed[..., 0] + torch.sin(yaw) * state.speed[..., 1]
    return rotation.wrap(heading - yaw).abs(), (speed - along).abs()


class SteerTrainer:
    """A run: characters move in the true simulation as the policy says, and it learns through the world model."""

    def __init__(
        self, settings: GuideSettings, own: VaeSettings, library: ManLibrary, men: MuscleMen, device: torch.device
    ):
        kept = own.study.window + KEPT
        own = dataclasses.replace(own, worlds=men.count, switch=0.0, kept=kept, steps=settings.steps, begin="")
        self.settings, self.device = settings, device
        self.vae = VaeTrainer(own, library, men, device)
        folder = checkpoint.find(settings.vae)
        self.vae.load(checkpoint.load(folder, ("weights",), device)[0]["weights"], str(folder))
        for network in (self.vae.controller, self.vae.model):
            network.requires_grad_(False)
        self.guide = Guide(self.vae.controller.size, settings.hidden, own.net.latent).to(device)
        self.optimiser = adam([self.guide], settings.rate, device)
        self.meter, self.watch = Meter(METERS, device), self.vae.watch
        first = self.vae.crowd.state()
        self.held = ManState(*(torch.zeros(KEPT, *part.shape, device=device) for part in first))
        self.speed, self.heading = (torch.zeros(men.count, device=device) for _ in range(2))
        self.work = Captured(self._learn, "the high-level policy's update", settings.graphs and device.type == "cuda")
        self.iteration, self.seconds = 0, 0.0
        for _ in range(KEPT // settings.steps + 1):
            self.collect()

    @property
    def about(self) -> str:
        """What it works on, in a few words."""
        return f"speed and heading for {self.settings.vae}"

    @property
    def samples(self) -> int:
        """Control steps so far, of all characters together."""
        return self.iteration * self.settings.steps * self.settings.worlds

    def asked(self, count: int) -> tuple[Tensor, Tensor]:
        """Random speeds and headings (count,)."""
        speed = self.settings.fastest * torch.rand(count, device=self.device)
        return speed, torch.pi * (2.0 * torch.rand(count, device=self.device) - 1.0)

    def code(self, sight: Tensor, goal: Tensor) -> tuple[Tensor, Tensor]:
        """Codes with noise, and the shift of the prior's mean."""
        shift = self.guide(sight, goal)
        mean = self.vae.controller.middle(sight) + shift
        return mean + self.vae.settings.net.deviation * torch.randn_like(mean), shift

    @torch.no_grad()
    def collect(self) -> None:
        """A few control steps in the true simulation; a character that is placed is asked anew, others by chance."""
        crowd, net = self.vae.crowd, self.vae.settings.net
        for _ in range(self.settings.steps):
            state = crowd.state()
            for kept, now in zip(self.held, state, strict=True):
                kept[:-1] = kept[1:].clone()
                kept[-1] = now
            fresh = (crowd.age == 0) | (torch.rand(crowd.count, device=self.device) < 0.02)
            for held, new in zip((self.speed, self.heading), self.asked(crowd.count), strict=True):
                held.copy_(torch.where(fresh, new, held))
            sight = self.vae.controller.sight(seen(crowd.skeleton, state), state.fatigue)
            z, _ = self.code(sight, goal_of(state, self.speed, self.heading))
            intent = self.vae.controller.intent(sight, z)
            crowd.step(self.vae.controller.act(intent + net.noise * torch.randn_like(intent), state))

    def _learn(self) -> None:
        settings, count = self.settings, self.vae.crowd.count
        row = torch.randint(KEPT, (settings.batch,), device=self.device)
        world = torch.randint(count, (settings.batch,), device=self.device)
        state = self.held.at((row, world))
        speed, heading = self.asked(settings.batch)
        sums = {name: torch.zeros((), device=self.device) for name in METERS}
        for _ in range(settings.window):
            view = seen(self.vae.model.skeleton, state)
            sight = self.vae.controller.sight(view, state.fatigue)
            z, shift = self.code(sight, goal_of(state, speed, heading))
            stretch = self.vae.model.muscles.stretch(state)
            action = self.vae.controller.act(self.vae.controller.intent(sight, z), state, stretch)
            state, _ = self.vae.model(state, action, view, stretch)
            turn, slow = errors(state, speed, heading)
            height = self.vae.model.skeleton.places(state)[..., HEAD, 2] + state.root[..., 2]
            low = (settings.low - height).clamp(min=0.0)
            cost = settings.heading * turn + settings.speed * slow / speed.clamp(min=1.0) + settings.fall * low
            moved = shift.square().sum(-1)
            terms = cost + settings.shift * moved, turn, slow, low, moved
            for name, term in zip(METERS, terms, strict=True):
                sums[name] = sums[name] + term.mean() / settings.window
        descend(self.optimiser, sums["loss"], settings.gradient)
        for name, value in sums.items():
            self.meter.add(name, value)

    def iterate(self) -> None:
        """A few steps, then updates."""
        self.watch.start()
        self.collect()
        self.watch.mark("simulation")
        for _ in range(self.settings.updates):
            self.work()
        self.watch.mark("policy")
        self.iteration += 1
        self.watch.stop()

    def report(self) -> dict[str, float]:
        """Means since the last report."""
        return self.meter.read()

    def save(self, folder: Path) -> None:
        """Write a checkpoint."""
        parts = {
            "weights": {f"guide.{k}": v for k, v in self.guide.state_dict().items()},
            "optimiser": checkpoint.optimiser_state({"guide": self.optimiser}),
        }
        checkpoint.save(folder, self.iteration, parts, {"iteration": self.iteration, "seconds": self.seconds})

    def resume(self, folder: Path) -> None:
        """Bring back the policy and its optimiser."""
        parts, values = checkpoint.load(folder, device=self.device)
        checkpoint.fill(self.guide.state_dict(), checkpoint.below(parts["weights"], "guide"), str(folder))
        checkpoint.load_optimisers({"guide": self.optimiser}, parts["optimiser"])
        self.iteration, self.seconds = int(values["iteration"]), float(values["seconds"])
