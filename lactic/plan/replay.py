"""The paper's proof as a check (jiang2019, Sec. 3.4): can muscles give a plan's torques at every node, and how dearly?

Done twice with the exact solvers: on the smooth leg that plans are made with, and on OpenSim's own geometry, whose
paths have points that come and go. Needs lactic[muscle].
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lactic.muscle import hill
from lactic.muscle.exact import correction, effort
from lactic.muscle.leg import shipped_leg
from lactic.plan.leg import ANGLES, SmoothLeg


@dataclass(frozen=True)
class MuscleReplay:
    """What muscles make of torques (node, 3) at hip, knee and ankle."""

    beyond: np.ndarray
    """R (node, 3), Nm: what they cannot give. τ − R they give with activations in [0, RC]."""
    activation: np.ndarray
    """Of least effort for τ − R (node, muscle)."""
    rate: np.ndarray
    """Σ fₒ·a of that (node,), N."""

    def summary(self, dt: np.ndarray) -> dict[str, float]:
        """Numbers for people; `dt` are the seconds each node stands for."""
        size = np.abs(self.beyond).max(1)
        return {
            "largest_beyond_Nm": float(size.max()),
            "mean_beyond_Nm": float((size * dt).sum() / dt.sum()),
            "share_of_time_within_5_Nm": float(dt[size <= 5].sum() / dt.sum()),
            "activation_least": float(self.activation.min()),
            "activation_most": float(self.activation.max()),
            "effort_N_s": float((self.rate * dt).sum()),
        }


def replay(leg: SmoothLeg, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any = 1.0) -> MuscleReplay:
    """On the smooth leg."""
    return _replayed(leg.pull(q, qd, capacity), torque, leg.force, capacity)


def replay_exact(
    leg: SmoothLeg, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any = 1.0
) -> MuscleReplay:
    """On OpenSim's geometry: the leg that ships with `lactic.muscle`, its other coordinates at 0."""
    whole = shipped_leg()
    at = [whole.coordinates.index(angle) for angle in ANGLES]
    bent = np.zeros((len(q), len(whole.coordinates)))
    bent[:, at] = q
    lengths, arms = whole.arms(bent)
    order = [whole.muscles.index(name) for name in leg.names]
    pulls = hill.pull(leg.table, np.ascontiguousarray(lengths[:, order]), arms[:, at][:, :, order], qd, capacity)
    return _replayed(pulls, torque, leg.force, capacity)


def _replayed(pulls: hill.Pull, torque: np.ndarray, force: np.ndarray, capacity: Any) -> MuscleReplay:
    beyond = correction(pulls, torque).torque
    spent = effort(pulls, torque - beyond, force)
    share = np.broadcast_to(np.asarray(capacity, float), spent.activation.shape[1:])
    return MuscleReplay(beyond, spent.activation * share, (spent.activation * share) @ force)
