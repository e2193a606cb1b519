"""Tasks whose policy sees its own pose and a command, and whose episodes start in frames of a reference."""

from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from lactic import body as bodies
from lactic import rotation
from lactic.body import Body
from lactic.task.action import ActionMap
from lactic.task.observe import Observer
from lactic.task.reference import Reference, clips_of, from_rest
from lactic.task.settings import CommandSettings, PoseSettings, StyleTaskSettings
from lactic.task.task import Task
from lactic.world.interface import World

FINE = 4096.0
"""What a uniform number is multiplied by for another: its lower digits are independent of the upper ones."""
MIDDLE = 64.0
"""The same, for the digits between."""
GOLDEN = 0.6180339887498949
"""Multiples of it spread evenly over (0, 1) and go with nothing else that depends on a world's number."""
SPEED_NOISE = 10.0
"""1/s: how much more start velocities are disturbed than start poses."""
JOLT = 4.0
"""m/s: how much more a jolt changes the root's velocity."""
P = TypeVar("P", bound=PoseSettings)
C = TypeVar("C", bound=CommandSettings)


class PoseTask(Task[P]):
    """Start in a frame of the reference; features of the pose, a command and fatigue are seen."""

    kept = (*Task.kept, "features", "command")
    reference: Reference

    def __init__(self, world: World, reference: Reference, settings: P, torque_limit: Tensor | None = None):
        super().__init__(world, reference, settings, torque_limit)
        self.own_chance = self.observer.command_size + 1
        self.metres = torch.where(self.observer.lengths, self.tall, 1.0)
        self.features = torch.zeros(self.count, self.observer.features_size, device=self.device)
        self.command = torch.zeros(self.count, self.observer.command_size, device=self.device)
        self.jolted = torch.zeros(self.count, dtype=torch.bool, device=self.device)

    @classmethod
    def parts(cls, body: Body, settings: P) -> tuple[Any, Any]:
        """What the policy sees by and acts through."""
        fatigue = settings.fatigue
        return Observer(body, cls.command_kind, fatigue.seen), ActionMap(body, fatigue.beta, settings.centre)

    @classmethod
    def reference_of(cls, settings: P, clips: Path) -> Reference:
        """The clips, or poses about the body's rest where there are none."""
        if isinstance(settings, StyleTaskSettings):
            return clips_of(settings, clips)
        return from_rest(bodies.get(settings.body))

    def new_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """Commands made of uniform numbers (world, size of the command) for bodies at `qpos`."""
        return u

    def changed_command(self, qpos: Tensor, u: Tensor, chance: Tensor) -> Tensor:
        """The commands from now on, of uniform numbers (world, size of the command) and (world, 1)."""
        return self.command

    def observation(self) -> Tensor:
        """What the policy sees now, (world, size)."""
        command = self.observer.command(self.arena.qpos, self.command)
        return self.observer.assemble(self.features, command, self.fatigue[..., 2])

    def look(self) -> Tensor:
        """Find the features of the state reached."""
        arena = self.arena
        seen = self.observer.features(arena.qpos, arena.qvel, arena.xpos)
        # a lost world was reset by the engine: what it shows now belongs to another episode
        self.features.copy_(torch.where(arena.faulted[:, None], self.features, seen))
        return self.observation()

    def start(self, u: Tensor, own: Tensor) -> None:
        """Frames of the reference, and commands; the features are the reference's own."""
        numbers, chance = own.split([self.observer.command_size, 1], dim=1)
        command = self.changed_command(self.arena.qpos, numbers, chance)
        frame, over = self.reference.draw(u), self.over[:, None]
        self.start_qpos.copy_(self.reference.qpos.index_select(0, frame))
        self.start_qvel.copy_(self.reference.qvel.index_select(0, frame))
        self.start_qpos[:, 2].mul_(self.tall[:, 0])
        shown = self.reference.features.index_select(0, frame) * self.metres
        self.features.copy_(torch.where(over, shown, self.features))
        self.command.copy_(torch.where(over, self.new_command(self.start_qpos, numbers), command))

    def renew(self, u: Tensor) -> None:
        """Also disturb the start states, by the lower digits of the numbers for fatigue, and jolt some that go on."""
        super().renew(u)
        if not (noise := self.settings.start_noise):
            return
        pairs = u[:, 1 : 1 + 2 * self.joints].reshape(self.count, self.joints, 2)
        off = 3.0**0.5 * noise * (2.0 * (pairs * FINE).frac() - 1.0)  # uniform, of that deviation
        digits = (pairs.flatten(1).repeat(1, 3)[:, :6] * MIDDLE).frac()
        tilt, spin = (3.0**0.5 * noise * (2.0 * digits - 1.0)).split(3, dim=1)
        self.start_qpos[:, 7:].add_(off[..., 0])
        self.start_qpos[:, 3:7] = rotation.multiply(self.start_qpos[:, 3:7], rotation.exp(tilt))
        if self.settings.jolts:  # the number for a start state is free in an episode that goes on
            self.jolted.copy_(~self.over & (u[:, 0] < self.control_dt / self.settings.jolts))
            hit = self.jolted[:, None]
            self.start_qpos.copy_(torch.where(hit, self.arena.qpos, self.start_qpos))
            self.start_qvel.copy_(torch.where(hit, self.arena.qvel, self.start_qvel))
            self.start_qvel[:, :3].add_(torch.where(hit, JOLT * tilt, 0.0))
        self.start_qvel[:, 6:].add_(SPEED_NOISE * off[..., 1])
        self.start_qvel[:, 3:6].add_(SPEED_NOISE * spin)

    def restart(self) -> None:
        """Place the worlds whose episodes are over, and those that were jolted."""
        self.arena.reset(self.over | self.jolted, self.start_qpos, self.start_qvel)


class CommandTask(PoseTask[C]):
    """Now and then another command comes in mid-episode, so that live changes are nothing new."""

    def __init__(self, world: World, reference: Reference, settings: C, torque_limit: Tensor | None = None):
        super().__init__(world, reference, settings, torque_limit)
        even = (torch.arange(self.count, device=self.device, dtype=torch.float64)[:, None] * GOLDEN).frac().float()
        self.patience = settings.command_change * settings.command_spread ** (2.0 * even - 1.0)
        """Mean seconds between commands of each world, (world, 1)."""

    def changed_command(self, qpos: Tensor, u: Tensor, chance: Tensor) -> Tensor:
        """Another command once in `command_change` seconds on average."""
        change = chance < self.control_dt / self.patience
        return torch.where(change, self.new_command(qpos, u), self.command)
