"""Hill muscles with a rigid tendon (jiang2019, Eq. 1): f = fₒ·(a·f_L(l)·f_V(v) + f_PE(l))·cos α.

The paper draws f_L, f_V and f_PE (Fig. 3) and gives no formulas. Used here are those of De Groote et al. 2016 (Annals
of Biomedical Engineering 44: 2922), the family its authors' published code uses too: f_L is three Gaussians, f_V a
logarithm, f_PE an exponential that reaches the maximal isometric force at a strain of 0.6. Two of the constants of f_V
are OpenSim's (DeGrooteFregly2016Muscle), which make f_V(0) = 1 and f_V(−1) = 0 hold exactly; the printed ones, −0.318
and 0.886, miss by 0.002.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lactic.compiling import njit
from lactic.errors import InputError

GAUSSIANS = (  # height, centre, width, growth of the width with length
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
VELOCITY = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)  # the first and the last are OpenSim's
PASSIVE_SHAPE, PASSIVE_STRAIN = 4.0, 0.6
PASSIVE_CAP = 1.0
"""Largest passive force as a share of the maximal isometric one. With a rigid tendon fibres reach twice their optimal
length at the ends of the joints' ranges, where the exponential gives up to 27 times what the muscle can pull."""
FORCE, FIBRE, TENDON, PENNATION, SPEED = range(5)
"""Columns of a table of muscles: maximal force N, optimal fibre m, tendon m, pennation rad, speed 1/s."""


@njit(cache=True, error_model="numpy")
def active_length(length: float) -> float:
    """f_L: share of the maximal force at a fibre length in optimal lengths."""
    total = 0.0
    for height, centre, width, growth in GAUSSIANS:
        off = (length - centre) / (width + growth * length)
        total += height * math.exp(-0.5 * off * off)
    return total


@njit(cache=True, error_model="numpy")
def active_velocity(speed: float, cosine: float, fastest: float) -> float:
    """f_V: factor of a fibre on a path that lengthens at `speed`; 0 where the fibre shortens faster than `fastest`."""
    d1, d2, d3, d4 = VELOCITY
    v = d2 * speed * cosine / fastest + d3
    arsinh = math.copysign(math.log(abs(v) + math.sqrt(v * v + 1.0)), v)  # asinh, three times faster
    return max(d1 * arsinh + d4, 0.0)


@njit(cache=True, error_model="numpy")
def passive_length(length: float, cap: float) -> float:
    """f_PE: share of the maximal force that stretch alone gives, at most `cap`; 0 up to the optimal length."""
    if length <= 1.0:
        return 0.0
    stretch = math.expm1(min(PASSIVE_SHAPE * (length - 1.0) / PASSIVE_STRAIN, 80.0)) / math.expm1(PASSIVE_SHAPE)
    return min(stretch, cap)


@njit(cache=True, error_model="numpy")
def forces(muscle: np.ndarray, length: np.ndarray, speed: np.ndarray, active: np.ndarray, passive: np.ndarray) -> None:
    """Fill each muscle's force along its tendon at full activation, and of stretch alone, N.

    The tendon keeps its slack length; fibres keep their thickness, so pennation follows from their length. Where the
    whole muscle is shorter than its tendon it hangs slack: Eq. 1 would make it push.
    """
    for m in range(len(length)):
        along, fibre = length[m] - muscle[m, TENDON], muscle[m, FIBRE]
        active[m] = passive[m] = 0.0
        if along <= 0.0:
            continue
        thick = fibre * math.sin(muscle[m, PENNATION])
        slant = math.sqrt(along * along + thick * thick)
        cosine, x = along / slant, slant / fibre
        pull = active_length(x) * active_velocity(speed[m], cosine, muscle[m, SPEED] * fibre)
        active[m] = muscle[m, FORCE] * pull * cosine
        passive[m] = muscle[m, FORCE] * passive_length(x, PASSIVE_CAP) * cosine


@dataclass(frozen=True)
class Pull:
    """What muscles give at some states: τ = active·a + passive for activations a in [0, 1] (Eq. 2)."""

    active: np.ndarray  # (state, coordinate, muscle), Nm at full activation
    passive: np.ndarray  # (state, coordinate), Nm

    def torque(self, activation: np.ndarray) -> np.ndarray:
        """τ = D(a, q, q̇) for activations (state, muscle)."""
        return np.einsum("scm,sm->sc", self.active, activation) + self.passive


class Muscles(Protocol):
    """Muscles over some coordinates: OpenSim's (`leg.Leg`) or a plan's."""

    @property
    def force(self) -> np.ndarray:
        """Maximal forces (muscle,), N."""

    def pull(self, q: Any, qd: Any) -> Pull:
        """What the muscles can give at coordinates and velocities (state, coordinate)."""


def pull(muscle: np.ndarray, length: np.ndarray, arms: np.ndarray, qd: Any, capacity: Any = 1.0) -> Pull:
    """Torques at lengths (state, muscle), moment arms (state, coordinate, muscle) and velocities (state, coordinate).

    `capacity` is what fatigue leaves of each muscle, a number, (muscle,) or (state, muscle), 0 to 1.
    """
    share = np.asarray(capacity, float)
    if not ((share >= 0) & (share <= 1)).all():
        raise InputError(f"capacity: must lie in [0, 1] and reaches from {share.min():g} to {share.max():g}")
    speed = -np.einsum("scm,sc->sm", arms, np.asarray(qd, float))
    active, passive = np.empty_like(length), np.empty_like(length)
    for k in range(len(length)):
        forces(muscle, length[k], speed[k], active[k], passive[k])
    return Pull(arms * (active * share)[:, None], np.einsum("scm,sm->sc", arms, passive))
