"""MuscleVAE put together from its settings: simulations, networks, buffer, updates; saved and brought back."""

from pathlib import Path
from typing import Any

import torch

from lactic import fatigue
from lactic.errors import InputError
from lactic.learn import checkpoint, together
from lactic.learn.meter import Meter, Stopwatch
from lactic.learn.vae.crowd import Buffer, Crowd
from lactic.learn.vae.muscles import TorchMuscles
from lactic.learn.vae.networks import Controller, WorldModel
from lactic.learn.vae.reference import ManReference, TiredStarts
from lactic.learn.vae.settings import VaeSettings
from lactic.learn.vae.state import Skeleton, seen
from lactic.learn.vae.study import Study
from lactic.motion.man import ManLibrary
from lactic.muscle.man.law import Gains
from lactic.muscle.man.men import MuscleMen, muscle_men

COUNTS = ("lost", "ended", "lasted", "off", "steps")


def simulated(settings: Any, count: int, fitness: str) -> tuple[MuscleMen, torch.device]:
    """The muscle men of a run, and where they are."""
    device = together.device(settings.device)
    where = {"cpu": None, "warp-cpu": "cpu"}.get(device, device)
    men = muscle_men(count, fatigue.preset(fitness), where)
    return men, torch.device("cpu" if device == "warp-cpu" else device)


class VaeTrainer:
    """A run: `iterate` collects a few steps and learns from the buffer (feng2023 Alg. 1)."""

    def __init__(self, settings: VaeSettings, library: ManLibrary, men: MuscleMen, device: torch.device):
        if settings.kept <= max(settings.study.window, settings.study.world_window) + settings.steps:
            raise InputError(f"kept {settings.kept}: must be above the windows and steps, at least 1.5 times them")
        torch.manual_seed(settings.seed)
        torch.backends.cuda.matmul.allow_tf32 = False  # but where `precision.swift` says so
        self.settings, self.device = settings, device
        skeleton = Skeleton().to(device)
        muscles = TorchMuscles(skeleton, Gains()).to(device)
        self.reference = ManReference(library, skeleton, muscles)
        activation = settings.control == "activation"
        self.controller = Controller(settings.net, muscles, settings.control).to(device)
        self.model = WorldModel(settings.net, skeleton, muscles, activation).to(device)
        self.controller.fit(self.reference.views)
        self.model.view.load_state_dict(self.controller.view.state_dict())
        starts = TiredStarts(fatigue.preset(settings.fitness), muscles, settings.tires)
        self.crowd = Crowd(men, skeleton, muscles, self.reference, starts, settings)
        self.buffer = Buffer(settings.kept, self.crowd.state(), muscles.count)
        self.study = Study(self.controller, self.model, self.reference, self.buffer, settings)
        self.counts = Meter(COUNTS, device)
        self.watch = Stopwatch(device)
        self.iteration, self.seconds = 0, 0.0
        self.start()

    def start(self) -> None:
        """Begin with the weights of another run, where one is named."""
        if self.settings.begin:
            folder = checkpoint.find(self.settings.begin)
            self.load(checkpoint.load(folder, ("weights",), self.device)[0]["weights"], str(folder))

    @property
    def about(self) -> str:
        """What it works on, in a few words."""
        frames = len(self.reference.qpos)
        return f"{len(self.reference.names)} clips, {frames / self.reference.fps / 60:.1f} minutes"

    @property
    def model_updates(self) -> int:
        """Updates of the world model in an iteration."""
        return self.settings.study.updates

    @property
    def samples(self) -> int:
        """Control steps so far, of all characters together."""
        return (self.iteration * self.settings.steps + self.settings.kept) * self.settings.worlds

    @torch.no_grad()
    def collect(self, steps: int) -> None:
        """Follow clips in the true simulation for so many control steps, into the buffer."""
        self.buffer.forget(steps)
        net = self.settings.net
        for k in range(steps):
            state, goal = self.crowd.state(), self.crowd.goal()
            sight = self.controller.sight(seen(self.model.skeleton, state), state.fatigue)
            mean = self.controller.middle(sight)
            mean = mean + self.controller.shift(sight, self.controller.view(self.reference.flat[goal]))
            intent = self.controller.intent(sight, mean + net.deviation * torch.randn_like(mean))
            action = self.controller.act(intent + net.noise * torch.randn_like(intent), state)
            self.buffer.write(steps - k, state, action, goal, self.crowd.age)
            self.watch.mark("policy")
            for name, total in self.crowd.step(action).items():
                self.counts.add(name, total)
            self.counts.add("steps", torch.ones((), device=self.device))
            self.watch.mark("simulation")

    def fill(self) -> None:
        """Fill the buffer for the first time, take the world model's statistics, and let it learn ahead."""
        self.collect(self.settings.kept)
        if not self.settings.begin:  # or they came with the weights
            row, world = self.buffer.draw(2048, 1)
            before, after = self.buffer.state.at((row, world)), self.buffer.state.at((row + 1, world))
            self.model.fit(before, after, self.buffer.action[row, world])
        for _ in range(self.settings.study.warm):
            self.study.learn_model()

    def iterate(self) -> None:
        """One iteration of Alg. 1."""
        self.watch.start()
        if self.iteration == 0:
            self.fill()
        self.collect(self.settings.steps)
        for _ in range(self.model_updates):
            self.study.learn_model()
        self.watch.mark("world model")
        for _ in range(self.settings.study.updates):
            self.study.learn_controller()
        self.watch.mark("controller")
        self.iteration += 1
        self.watch.stop()

    def report(self) -> dict[str, float]:
        """Means since the last report."""
        means = self.study.meter.read()
        sums = self.counts.read()  # means over control steps, of sums over characters
        ended, lost = sums["ended"], sums["lost"]
        means["lost"] = lost / self.crowd.count
        means["lasts"] = sums["lasted"] / ended if ended else float("nan")
        means["hold"] = self.crowd.count / lost if lost else float("inf")
        means["off"] = sums["off"] / self.crowd.count
        return means

    def parts(self) -> tuple[dict[str, torch.Tensor], dict[str, torch.optim.Adam]]:
        """Weights and optimisers of a checkpoint, by name."""
        weights = {f"controller.{k}": v for k, v in self.controller.state_dict().items()}
        weights |= {f"model.{k}": v for k, v in self.model.state_dict().items()}
        return weights, self.study.optimisers

    def save(self, folder: Path) -> None:
        """Write a checkpoint."""
        weights, optimisers = self.parts()
        parts = {"weights": weights, "optimiser": checkpoint.optimiser_state(optimisers)}
        checkpoint.save(folder, self.iteration, parts, {"iteration": self.iteration, "seconds": self.seconds})

    def resume(self, folder: Path) -> None:
        """Bring back networks and optimisers; characters begin anew, and fill the buffer first."""
        parts, values = checkpoint.load(folder, device=self.device)
        self.load(parts["weights"], str(folder))
        checkpoint.load_optimisers(self.parts()[1], parts["optimiser"])
        self.iteration, self.seconds = int(values["iteration"]), float(values["seconds"])
        self.study.begin(self.iteration * self.settings.study.updates)
        self.watch.start()
        self.collect(self.settings.kept)

    def load(self, weights: dict[str, torch.Tensor], source: str) -> None:
        """Take over the weights of a checkpoint."""
        for name, network in (("controller", self.controller), ("model", self.model)):
            checkpoint.fill(network.state_dict(), checkpoint.below(weights, name), source)
