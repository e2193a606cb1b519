"""Walking to a goal without a clip: the ant of cheema2023 Appendix A."""

import torch
from torch import Tensor

from lactic import rotation
from lactic.task.pose_task import PoseTask
from lactic.task.settings import AntTaskSettings

NEAR, FAR = 3.0, 10.0
"""Goals lie between these distances, m."""
REACHED = 0.5


def progress(qpos: Tensor, qvel: Tensor, goal: Tensor) -> Tensor:
    """Speed towards the goal, m/s."""
    return (rotation.normalize(goal - qpos[:, :2]) * qvel[:, :2]).sum(1)


def upright(qpos: Tensor) -> Tensor:
    """Height of the body's own up axis: 1 upright, −1 on its back."""
    return rotation.two_axes(qpos[:, 3:7])[:, 5]


class Ant(PoseTask[AntTaskSettings]):
    """The command is a point on the floor; a new one comes when it is reached."""

    command_kind = "goal"

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """Progress, and a little for staying upright."""
        return progress(qpos, qvel, self.command) + 0.2 * upright(qpos)

    def new_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """A point at a random distance in a random direction."""
        turn, distance = 2.0 * torch.pi * u[:, 0], NEAR + (FAR - NEAR) * u[:, 1]
        return qpos[:, :2] + torch.stack([distance * torch.cos(turn), distance * torch.sin(turn)], dim=1)

    def changed_command(self, qpos: Tensor, u: Tensor, chance: Tensor) -> Tensor:
        """Another point once this one is reached."""
        reached = ((self.command - qpos[:, :2]) ** 2).sum(1, keepdim=True) < REACHED**2
        return torch.where(reached, self.new_command(qpos, u), self.command)
