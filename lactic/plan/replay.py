"""The paper's proof as a check (jiang2019, Sec. 3.4): can muscles give a plan's torques at every node, and how dearly?

Done twice with the exact solvers: on the smooth leg that plans are made with, and on OpenSim's own geometry, whose
paths have points that come and go. Needs lactic[train,muscle].
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lactic.plan.leg import ANGLES, Leg


@dataclass(frozen=True)
class Replay:
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


def replay(leg: Leg, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any = 1.0) -> Replay:
    """On the smooth leg."""
    from lactic.plan.prepare import leg_pull

    return _replayed(leg_pull(leg, q, qd, capacity), torque, leg.force, capacity)


def replay_exact(leg: Leg, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, capacity: Any = 1.0) -> Replay:
    """On OpenSim's geometry: the leg that ships with `lactic.strength`, its other coordinates at 0."""
    import torch

    from lactic.muscle import hill, swift
    from lactic.muscle.leg import shipped_leg
    from lactic.plan.prepare import Limb

    whole = shipped_leg()
    at = [next(i for i, c in enumerate(whole.coordinates) if c.startswith(a)) for a in ANGLES]
    lengths = np.zeros((len(q), len(whole.muscles)))
    arms = np.zeros((*lengths.shape, len(whole.coordinates)))
    for k, pose in enumerate(q):
        bent = np.zeros(len(whole.coordinates))
        bent[at] = pose
        swift.arms(whole.geometry, bent, lengths[k], arms[k])
    order = [[m.removesuffix("_r").removesuffix("_l") for m in whole.muscles].index(name) for name in leg.names]
    lengths, turned = lengths[:, order], arms[:, order][:, :, at].transpose(0, 2, 1)
    speeds = -np.einsum("pcm,pc->pm", turned, qd)
    limb: Any = Limb(leg)
    active, passive = hill.forces(limb, torch.from_numpy(lengths), torch.from_numpy(speeds))
    share = torch.as_tensor(np.asarray(capacity, float))
    lever = torch.from_numpy(np.ascontiguousarray(turned))
    pulls = hill.Pull(lever * (active * share)[:, None], torch.einsum("scm,sm->sc", lever, passive))
    return _replayed(pulls, torque, leg.force, capacity)


def _replayed(pulls: Any, torque: np.ndarray, force: np.ndarray, capacity: Any) -> Replay:
    from lactic.muscle.exact import correction, effort

    beyond = correction(pulls, torque).torque
    spent = effort(pulls, torque - beyond, force)
    share = np.broadcast_to(np.asarray(capacity, float), spent.activation.shape[1:])
    return Replay(beyond, spent.activation * share, (spent.activation * share) @ force)
