"""A brain of the muscle man, running: its codes and actions at 20 Hz, its muscles in every physics step."""

import numpy as np

from lactic import fatigue
from lactic.body import muscle_man
from lactic.brain.file import BrainFile
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.muscle.man.men import MuscleMen
from lactic.muscle.man.muscled import muscled
from lactic.play.player import Player
from lactic.world.cpu import CpuWorld


class MusclePlayer(Player):
    """Muscle men of one brain in a CpuWorld, fresh at the start; muscles stand where other players have joints."""

    def __init__(
        self, brain: BrainFile, fitness: Fitness | None = None, count: int = 1, threads: int = 1, contacts: bool = False
    ):
        info = brain.info
        if not info.moves_muscles:
            raise InputError(f"{brain.path}: does not move the muscle man")
        self.brain, self.info, self.body = brain, info, muscled(info.pinned)
        if info.joints != self.body.joints:
            raise InputError(f"{brain.path}: made for other muscles than those of this version; export it again")
        self.scale, self.whole_strength, self.muscles = 1.0, False, None
        world = CpuWorld(muscle_man(info.pinned), count, threads=threads, contacts=contacts, substeps=info.substeps)
        self.men = MuscleMen(world, fatigue.preset(info.fitness), substeps=info.substeps, threads=threads)
        self.world, self.fatigue = world, self.men.fatigue
        self.dt, self.second = 1.0 / info.control_rate, 0.0
        model, muscles = world.body.model, len(info.joints)
        self.feed = {
            "qpos": np.zeros((count, model.nq), np.float32),
            "qvel": np.zeros((count, model.nv), np.float32),
            "xquat": np.zeros((count, model.nbody - 1, 4), np.float32),
            "command": np.zeros((count, info.command), np.float32),
            "fatigue": np.zeros((count, muscles, 3), np.float32),
            "noise": np.zeros((count, info.codes.size if info.codes else 0), np.float32),
        }
        self.seen = [
            (self.feed[name], getattr(self.men, name))
            for name in ("qpos", "qvel", "xquat", "fatigue")
            if name in brain.inputs
        ]
        self.command, self.noise = self.feed["command"], self.feed["noise"]
        self._think = brain.bind(self.feed)
        self.outputs = self._think.outputs | {name: np.zeros((count, muscles), np.float32) for name in LOOKS}
        self.set_fitness(fitness)

    @property
    def given(self) -> np.ndarray:
        """Force that muscles gave in the last physics step, (character, muscle), N."""
        return self.men.force

    @property
    def push(self) -> np.ndarray:
        """Force and torque on bodies beside those of their muscles, (character, body, 6)."""
        return self.men.push

    def set_fitness(self, fitness: Fitness | None) -> None:
        """Change how fast muscles tire from the next step on; None is the preset the brain was made for."""
        self.fitness = fatigue.preset(self.info.fitness) if fitness is None else fitness
        self.men.rates[:] = fatigue.rates(self.fitness, ["whole body"] * len(self.info.joints))

    def place(self, who: np.ndarray | None, qpos: np.ndarray, qvel: np.ndarray, rest: bool = False) -> None:
        """Put those of a mask, or all, into states (character, …), as tired as they are unless they `rest` first."""
        self.men.reset(who, qpos, qvel, None if rest else self.fatigue.copy())

    def think(self, command: np.ndarray) -> dict[str, np.ndarray]:
        """The first half of a control step: the action that the brain wants."""
        for held, seen in self.seen:
            held[:] = seen
        if command is not self.command:
            self.command[:] = command
        self._think()
        return self.outputs

    def act(self, substeps: int, again: bool = False) -> None:
        """The second half: physics steps in each of which the muscles tire and pull."""
        if substeps != self.men.substeps:
            raise ValueError("muscle men take whole control steps")
        self.men.step(self.outputs["action"])
        self.outputs["load"][:] = self.fatigue[..., 0]
        self.outputs["limits"][:] = (1.0 - self.fatigue[..., 2]) * self.body.torque_limit
        self.second += self.dt


LOOKS = ("load", "limits")
"""What recordings want to know beside the action: activation, and the force that is left to a muscle."""
