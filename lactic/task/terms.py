"""What strides are paid for (jiang2019 Eq. 20, after Yu et al. 2018): small functions of batches, each at most 0."""

import torch
from torch import Tensor

from lactic import rotation

LEG_EFFORT = 15_000.0
"""N of maximal force at work that count as five joints at their limits (the paper's published code)."""
LEG_JOINTS = 5.0


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
