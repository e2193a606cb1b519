"""Imitating clips while facing a given direction (cheema2023 Appendix A)."""

import torch
from torch import Tensor

from lactic.task.observe import local_direction
from lactic.task.task import Task


def facing_reward(qpos: Tensor, direction: Tensor) -> Tensor:
    """(⟨Γ, Γ̂⟩ + 1)/2 of the facing direction Γ and the one asked for: 1 when facing it, 0 when turned away."""
    return 0.5 * (local_direction(qpos, direction)[:, 0] + 1.0)


class Heading(Task):
    """The command is a direction in the floor plane, in the world's frame."""

    command_kind = "direction"

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """Paid for facing the direction."""
        return facing_reward(qpos, self.command)

    def new_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """Any direction."""
        turn = 2.0 * torch.pi * u[:, 0]
        return torch.stack([torch.cos(turn), torch.sin(turn)], dim=1)
