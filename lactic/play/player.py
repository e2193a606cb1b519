"""A brain in its body, running: one control step at a time, with fitness and fatigue changeable between steps."""

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from lactic import body as bodies
from lactic import fatigue
from lactic.brain.file import BrainFile
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.world.cpu import CpuWorld

Strength = Literal["box", "muscle", "judge"]


class Player:
    """Characters of one brain in a CpuWorld, fresh at the start; in its own body or, by name, in one with its joints.

    Their strength is a box, RC·τmax; "muscle" bounds the legs by what their muscles can give in every physics step, and
    "judge" leaves the box in force and only asks the muscles (`strength.limit.MuscleLimit`, here `muscles`). None means
    as in training: muscle for brains that were trained so, box for all others. Joints are `strong` times as strong as
    the brain knows, a number or one for each joint.
    """

    def __init__(
        self,
        brain: BrainFile,
        fitness: Fitness | None = None,
        count: int = 1,
        threads: int = 1,
        strength: Strength | None = None,
        body: str | None = None,
        contacts: bool = False,
        world: CpuWorld | None = None,
        strong: np.ndarray | float = 1.0,
    ):
        self.brain, self.info = brain, brain.info
        self.body = bodies.get(body or self.info.body, self.info.pinned)
        if self.body.joints != self.info.joints:
            raise InputError(f"{brain.path}: made for other joints than those of body '{self.body.name}'")
        self.scale = self.body.scale / bodies.get(self.info.body).scale
        """How strong the body is beside the one that the brain was made for, whose gains, limits and torques it
        knows."""
        self.strong = self.scale * np.asarray(strong, np.float32)
        """The same of its torque limits alone, a number or (joint,)."""
        self.body = self.body.limited(self.strong * np.array(self.info.torque_limit))
        # a given world holds this body first in its state, and other things after it
        self.world = world or CpuWorld(
            self.body, count, threads=threads, contacts=contacts, substeps=self.info.substeps
        )
        count = self.world.count
        self.dt = 1.0 / self.info.control_rate
        self._part = self.dt / self.info.substeps
        self._other = bool(np.any(self.strong != 1.0))
        self.second = 0.0
        joints = len(self.info.joints)
        self.feed = {
            "qpos": np.zeros((count, 7 + joints), np.float32),
            "qvel": np.zeros((count, 6 + joints), np.float32),
            "xpos": np.zeros((count, len(self.body.bodies), 3), np.float32),
            "command": np.zeros((count, self.info.command), np.float32),
            "fatigue": np.zeros((count, joints, 3), np.float32),
            "fitness": np.zeros((count, joints, 5), np.float32),
        }
        self.feed["torque"] = np.zeros((count, joints), np.float32)
        self.seen = [
            (self.feed[name], getattr(self.world, name)[:, : self.feed[name].shape[1]])
            for name in ("qpos", "qvel", "xpos", "torque")
            if name in brain.inputs
        ]
        self.fatigue, self.command = self.feed["fatigue"], self.feed["command"]
        self.fatigue[..., 1] = 1.0
        self._think = brain.bind(self.feed)
        self.outputs = self._think.outputs
        # the baseline after Cheema 2020 is only paid for sparing itself: its body tires, but its strength stays whole
        self.whole_strength = self.info.tires == "reward"
        self._fresh_limits = np.array(self.info.torque_limit)
        self.muscles: Any = None
        strength = strength or ("muscle" if self.info.host == "muscle" else "box")
        if strength != "box":
            from lactic.muscle.limit import MuscleLimit

            self.muscles = MuscleLimit(self.body, self.world.timestep, count, enforce=strength == "muscle")
        self.set_fitness(fitness)

    def set_fitness(self, fitness: Fitness | None) -> None:
        """Change the body's fitness from the next step on; None is the preset the brain was made for."""
        fitness = fatigue.preset(self.info.fitness) if fitness is None else fitness
        self.fitness = fitness
        self.feed["fitness"][:] = fatigue.rates(fitness, self.body.groups)

    @property
    def given(self) -> np.ndarray:
        """Torque that joints gave in the last physics step, (character, joint), Nm."""
        return self.world.force

    @property
    def push(self) -> np.ndarray:
        """Force and torque on bodies from outside, (character, body, 6), until overwritten or placed."""
        return self.world.push

    def place(self, who: np.ndarray | None, qpos: np.ndarray, qvel: np.ndarray, rest: bool = False) -> None:
        """Put those of a mask, or all, into states (character, …), as tired as they are unless they `rest` first."""
        self.world.reset(who, qpos, qvel)
        if rest:
            self.fatigue[slice(None) if who is None else who] = (0.0, 1.0, 0.0)

    def exhaust(self, joints: Iterable[str], spent: float) -> None:
        """Set the fatigued fraction MF of some joints now (0 refreshes them)."""
        for name in joints:
            self.fatigue[:, self.info.joints.index(name)] = (0.0, 1.0 - spent, spent)

    def step(self, command: np.ndarray) -> dict[str, np.ndarray]:
        """One control step: think, tire, act. Returns the brain's outputs, rewritten at the next step."""
        outputs = self.think(command)
        self.act(self.info.substeps)
        return outputs

    def think(self, command: np.ndarray) -> dict[str, np.ndarray]:
        """The first half of a control step: what the brain wants, and what that does to the body's fatigue."""
        for held, seen in self.seen:
            held[:] = seen
        if self._other:
            self.feed["torque"] /= self.strong
        if command is not self.command:
            self.command[:] = command
        outputs = self._think()
        self.fatigue[:] = outputs["fatigue_next"]
        if self.whole_strength:
            outputs["limits"][:] = self._fresh_limits
        if self._other:
            outputs["stiffness"] *= self.scale
            outputs["damping"] *= self.scale
            outputs["limits"] *= self.strong
        return outputs

    def act(self, substeps: int, again: bool = False) -> None:
        """The second half, or a part of it: physics steps under the outputs as they are now; only their targets have
        changed where it is done again."""
        outputs, world = self.outputs, self.world
        law = outputs["targets"], outputs["stiffness"], outputs["damping"], outputs["limits"]
        if again:
            world.aim(law[0])
        else:
            world.drive(*law)
        if self.muscles is not None:
            self.muscles.drive(*law)
        world.step(substeps, self.muscles)
        self.second += self._part * substeps
