"""How fatigued an episode starts, at which rates it tires, and what it costs: pure functions on batches."""

import torch
from torch import Tensor

LEAST_CAPACITY = 0.05
"""Residual capacity that exertion reckons with at least."""
LEVELS = 2.5
"""λ of the level's exponential distribution; tired_actor raises its own from 1 to 3."""
MOST_FATIGUED = 0.92
"""MF that an episode starts with at most."""


def exertion(load: Tensor, fatigued: Tensor, power: float = 2.0) -> Tensor:
    """Σ (TL/RC)^power over the joints, at most 1 each, (world,): how hard these loads feel with RC = 1 − MF."""
    return (load / (1.0 - fatigued).clamp(min=LEAST_CAPACITY)).clamp(max=1.0).pow(power).sum(1)


def without_noise(torque: Tensor, noise: Tensor) -> Tensor:
    """Torques (world, joint) less what `noise` (world, joint) of exploration adds to them: squares add up."""
    return (torque.square() - noise.square()).clamp(min=0.0).sqrt()


def common_fatigue(
    u: Tensor,
    limbs: Tensor,
    lame: float,
    levels: float = LEVELS,
    most: float = MOST_FATIGUED,
    fresh: Tensor | None = None,
) -> Tensor:
    """MF (world, joint) of uniform numbers (world, joint, 2): a common level, each joint a little off it.

    The level's capacity is exponential with λ = `levels`, so that deep fatigue is common (tired_actor Eq. 7); MF is at
    most `most`. Where `fresh` (world, 1) it is 0. By `lame` a share, of fresh bodies too, has one of the `limbs`
    (limb, joint) left with a tenth to a half of the others' capacity.
    """
    level = -torch.log((1.0 - u[:, :1, 0]).clamp(min=1e-6)) / levels
    capacity = level.clamp(max=1.0) * (0.7 + 0.6 * u[..., 0])
    if fresh is not None:
        capacity = torch.where(fresh, 1.0, capacity)
    if lame and len(limbs):
        which = (u[:, 0, 1] * len(limbs)).long().clamp(max=len(limbs) - 1)
        hurt = limbs.index_select(0, which) * (u[:, 1:2, 1] < lame)
        third = min(2, u.shape[1] - 1)  # the smallest bodies have two joints
        capacity = torch.where(hurt, capacity * (0.1 + 0.4 * u[:, third, 1, None]), capacity)
    return (1.0 - capacity).clamp(0.0, most)


def at_rest(fatigued: Tensor) -> Tensor:
    """States MA, MR, MF (…, 3) of muscles that rest, of their MF."""
    return torch.stack([torch.zeros_like(fatigued), 1.0 - fatigued, fatigued], dim=-1)


def rate_factors(u: Tensor, spread: Tensor) -> Tensor:
    """Factors (world, 1, 5) on the rates, of uniform numbers (world, 3); `spread` are logarithms for F, R and time."""
    F, R, both = torch.exp((2.0 * u - 1.0) * spread).split(1, dim=1)
    one = torch.ones_like(F)
    return torch.stack([F * both, R * both, one, both, one], dim=2)
