"""Going where and as fast as one is asked, in the clips' style, in a body that tires."""

import torch
from torch import Tensor

from lactic import rotation
from lactic.task.observe import local_direction
from lactic.task.pose_task import CommandTask
from lactic.task.settings import PaceTaskSettings

SLOWEST, FASTEST = 0.4, 4.0
"""Speeds asked for, m/s; below the first it is asked to stand."""
STANDING = 0.25
"""Share of commands that ask it to stand."""
AHEAD = 0.45
"""Share of commands that ask for about the direction it faces; the others for any."""
TURN = 1.2
"""Radians that the first kind is off, at most."""
RESTFUL = 12.0
"""Times that exertion counts as much while it is asked to stand."""
NARROW = 8.0
"""Sharpness of the narrow peak; with 4 a slow walk was 0.4 m/s too fast, as most clips are faster."""
FACING = 0.3
"""m/s below which any direction may be faced."""


def going_reward(qpos: Tensor, qvel: Tensor, velocity: Tensor) -> Tensor:
    """At most 1 for the velocity asked for, (world, 2): a wide and a narrow peak, and facing where one goes.

    The wide peak still pays a body that cannot go as fast as asked for every bit of speed that it has left.
    """
    missing = (qvel[:, :2] - velocity).square().sum(1)
    fast = velocity.norm(dim=1)
    facing = torch.where(fast > FACING, 0.5 * (local_direction(qpos, velocity)[:, 0] + 1.0), torch.ones_like(fast))
    wide, narrow = torch.exp(-missing / (0.5 + fast)), torch.exp(-NARROW * missing / (0.25 + fast))
    return 0.4 * wide + 0.4 * narrow + 0.2 * facing


class Pace(CommandTask[PaceTaskSettings]):
    """The command is a velocity over the floor, in the world's frame."""

    command_kind = "velocity"
    imitates = True
    watched = ("missing", "asked")

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """Paid for the velocity."""
        return going_reward(qpos, qvel, self.command)

    def felt(self) -> Tensor:
        """Where it is asked to stand, nothing but ease is asked: exertion counts more."""
        return torch.where(self.command.norm(dim=1) < FACING, RESTFUL, 1.0) * self.exertion

    def new_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """Any speed, or standing; most often ahead."""
        speed = (u[:, 1] - STANDING) / (1.0 - STANDING)
        ahead = u[:, 0] < AHEAD
        near, far = u[:, 0] / AHEAD, (u[:, 0] - AHEAD) / (1.0 - AHEAD)
        turn = torch.where(ahead, TURN * (2.0 * near - 1.0).pow(3), torch.pi * (2.0 * far - 1.0))
        heading = rotation.heading(qpos[:, 3:7]) + turn
        size = torch.where(speed < 0.0, 0.0, SLOWEST + speed * (FASTEST - SLOWEST))
        return torch.stack([torch.cos(heading), torch.sin(heading)], dim=1) * size[:, None]

    def watch(self) -> tuple[Tensor, ...]:
        """How far off the velocity is, and how fast it is asked to be."""
        return (self.arena.qvel[:, :2] - self.command).norm(dim=1), self.command.norm(dim=1)
