"""Hill muscles with a rigid tendon (jiang2019, Eq. 1): f = fₒ·(a·f_L(l)·f_V(v) + f_PE(l))·cos α.

The paper draws f_L, f_V and f_PE (Fig. 3) and gives no formulas. Used here are those of De Groote et al. 2016 (Annals
of Biomedical Engineering 44: 2922), the family its authors' published code uses too: f_L is three Gaussians, f_V a
logarithm, f_PE an exponential that reaches the maximal isometric force at a strain of 0.6 (`hill_values`). Two of the
constants of f_V are OpenSim's (DeGrooteFregly2016Muscle), which make f_V(0) = 1 and f_V(−1) = 0 hold exactly; the
printed ones, −0.318 and 0.886, miss by 0.002. All curves are pure functions of torch tensors.
"""

from dataclasses import dataclass

import torch

from lactic.muscle.hill_values import GAUSSIANS, PASSIVE_CAP, PASSIVE_SHAPE, PASSIVE_STRAIN, VELOCITY
from lactic.muscle.musculature import Musculature

Tensor = torch.Tensor


def active_length(length: Tensor) -> Tensor:
    """f_L: share of the maximal force at a fibre length in optimal lengths."""
    total = torch.zeros_like(length)
    for height, centre, width, growth in GAUSSIANS:
        total = total + height * torch.exp(-0.5 * ((length - centre) / (width + growth * length)) ** 2)
    return total


def active_velocity(velocity: Tensor) -> Tensor:
    """f_V: factor at a lengthening velocity in maximal shortening velocities; 0 where shortening is faster."""
    d1, d2, d3, d4 = VELOCITY
    return (d1 * torch.asinh(d2 * velocity + d3) + d4).clamp(min=0.0)


def passive_length(length: Tensor, cap: float = PASSIVE_CAP) -> Tensor:
    """f_PE: share of the maximal force that stretch alone gives; 0 up to the optimal length."""
    scale = torch.expm1(torch.tensor(PASSIVE_SHAPE, dtype=length.dtype))
    rise = torch.expm1((PASSIVE_SHAPE * (length - 1) / PASSIVE_STRAIN).clamp(max=80.0)) / scale
    return rise.clamp(0.0, cap)


@dataclass(frozen=True)
class Pull:
    """What muscles give at some states: τ = active·a + passive for activations a in [0, 1] (Eq. 2)."""

    active: Tensor  # (state, coordinate, muscle), Nm at full activation
    passive: Tensor  # (state, coordinate), Nm

    def torque(self, activation: Tensor) -> Tensor:
        """τ = D(a, q, q̇) for activations (state, muscle)."""
        return torch.einsum("scm,sm->sc", self.active, activation) + self.passive


def forces(limb: Musculature, lengths: Tensor, velocities: Tensor, cap: float = PASSIVE_CAP) -> tuple[Tensor, Tensor]:
    """Force along the tendon at full activation, and of stretch alone, in newtons.

    The tendon keeps its slack length; fibres keep their thickness, so pennation follows from their length. Where the
    whole muscle is shorter than its tendon it hangs slack: Eq. 1 would make it push.
    """
    slack = lengths <= limb.tendon
    along = torch.where(slack, limb.fibre, lengths - limb.tendon)  # any length will do where nothing pulls
    fibre = torch.hypot(along, limb.fibre * limb.pennation.sin())
    cosine = torch.where(slack, 0.0, along / fibre)
    length = fibre / limb.fibre
    velocity = velocities * cosine / (limb.speed * limb.fibre)
    active = limb.force * active_length(length) * active_velocity(velocity) * cosine
    return active, limb.force * passive_length(length, cap) * cosine


def pull(limb: Musculature, q: Tensor, qd: Tensor, cap: float = PASSIVE_CAP) -> Pull:
    """Torques the muscles can give at coordinates and velocities (state, coordinate)."""
    lengths, velocities, arms = limb.state(q, qd)
    active, passive = forces(limb, lengths, velocities, cap)
    return Pull(arms * active[:, None], torch.einsum("scm,sm->sc", arms, passive))
