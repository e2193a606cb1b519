"""Virtual forces that hold a beginner on its lane and push it along, and fade as it learns (Yu et al. 2018).

The curriculum follows the learner: once enough of the episodes that ended of late lasted to their time limit, help is
multiplied by `fade`, and so on until it is gone. All of it is tensors, so no step waits for the host, and as a module
it is part of every checkpoint.
"""

import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.task.settings import HelpSettings

DAMPING = 0.1
"""Seconds: this part of a stiffness is what a unit of speed meets."""


def wrench(qpos: Tensor, qvel: Tensor, asked: Tensor, settings: HelpSettings, share: Tensor) -> Tensor:
    """Force and torque (world, 6) on the root, N and Nm: to the asked speed along x, to y = 0, and upright."""
    along = settings.push * (asked - qvel[:, 0])
    across = -settings.balance * (qpos[:, 1] + DAMPING * qvel[:, 1])
    up, spin = rotation.two_axes(qpos[:, 3:7])[:, 3:], rotation.rotate(qpos[:, 3:7], qvel[:, 3:6])
    # up × z, the axis about which the shortest turn makes upright
    over = settings.upright * (up[:, 1] - DAMPING * spin[:, 0]), settings.upright * (-up[:, 0] - DAMPING * spin[:, 1])
    force, torque, none = settings.largest, settings.largest_torque, torch.zeros_like(along)
    parts = [along.clamp(-force, force), across.clamp(-force, force), none]
    parts += [*(part.clamp(-torque, torque) for part in over), none]
    return share * torch.stack(parts, dim=1)


class Fading(nn.Module):
    """The share of help left, and the record by which it fades."""

    def __init__(self, settings: HelpSettings):
        super().__init__()
        self.settings = settings
        self.share: Tensor
        self.ended: Tensor
        self.stood: Tensor
        self.steps: Tensor
        self.register_buffer("share", torch.tensor(float(any((settings.push, settings.balance, settings.upright)))))
        self.register_buffer("ended", torch.zeros(()))
        self.register_buffer("stood", torch.zeros(()))
        self.register_buffer("steps", torch.zeros(()))

    @torch.no_grad()
    def forward(self, fell: Tensor, done: Tensor) -> None:
        """Count the episodes that ended in this step, and fade at the end of a window in which enough stood."""
        s = self.settings
        self.steps.add_(1.0)
        self.ended.add_(done.sum())
        self.stood.add_((done & ~fell).sum())
        due = (self.steps >= s.window) & (self.ended > 0)
        good = due & (self.stood >= s.standing * self.ended)
        faded = s.fade * self.share
        faded = torch.where(faded < s.least, torch.zeros_like(faded), faded)
        self.share.copy_(torch.where(good, faded, self.share))
        for count in (self.steps, self.ended, self.stood):
            count.mul_(~due)
