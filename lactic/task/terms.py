"""What strides are paid for (jiang2019 Eq. 20): small functions of batches, each at most 0; and help (Yu et al. 2018).

Virtual forces hold a beginner on its lane and push it along, and fade as it learns: once enough of the episodes that
ended of late lasted to their time limit, help is multiplied by `fade`, and so on until it is gone. All of it is
tensors, so no step waits for the host, and as a module it is part of every checkpoint.
"""

import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.task.stride_settings import HelpSettings

LEG_EFFORT = 15_000.0
"""N of maximal force at work that count as five joints at their limits (the paper's published code)."""
LEG_JOINTS = 5.0
DAMPING = 0.1
"""Seconds: this part of a stiffness is what a unit of speed meets."""


def forgetting_mean(before: Tensor, now: Tensor, dt: float, half_life: float) -> Tensor:
    """The exponential mean of a signal after `dt` seconds at `now`, which forgets half in `half_life` seconds."""
    keep = 0.0 if half_life <= 0.0 else 0.5 ** (dt / half_life)
    return keep * before + (1.0 - keep) * now


def pace(speed: Tensor, asked: Tensor) -> Tensor:
    """E_v: missing or excess speed, m/s, (world,)."""
    return -(speed - asked).abs()


def upright(chest: Tensor, cost: Tensor) -> Tensor:
    """E_u: the chest's turn (world, 4) from upright and forward as a rotation vector, its parts weighed by `cost`."""
    return -(rotation.log(chest).abs() * cost).sum(1)


def lean(chest: Tensor) -> Tensor:
    """Radians between the chest's own up axis and the vertical, (world,)."""
    return torch.acos(rotation.two_axes(chest)[:, 5].clamp(-1.0, 1.0))


def lateral(qpos: Tensor) -> Tensor:
    """E_l: metres from the lane along the world's x axis."""
    return -qpos[:, 1].abs()


def torque_effort(torque: Tensor, limit: Tensor) -> Tensor:
    """E_e of joint actuators: the sum of |τ|/τmax over joints (world, joint)."""
    return -(torque.abs() / limit).sum(1)


def muscle_effort(effort: Tensor) -> Tensor:
    """E_e of muscles: E of both legs (world, leg), N, such that LEG_EFFORT counts as a leg's five joints."""
    return -LEG_JOINTS * effort.sum(1) / LEG_EFFORT


def beyond(correction: Tensor) -> Tensor:
    """−‖R‖ summed over the legs (world, leg, coordinate), Nm."""
    return -correction.norm(dim=2).sum(1)


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
