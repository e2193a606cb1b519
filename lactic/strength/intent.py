"""Intent, load and fatigued limits: one control step of a body's strength, on NumPy arrays and torch tensors alike.

Load is the torque that the engine gave over the last control step, as a share of what the fresh joint can give.
cheema2023 takes the torque that its PD formula intends (Eq. 11), since its simulator could not report torques; that
counts about half as much again (`lactic lab people load`).

The engine enforces the limit: the brain hands it stiffness, damping and ±limit once a control step, and MuJoCo clips
the actuator's force to them in every substep.
"""

from typing import Any, Literal, NamedTuple

from array_api_compat import array_namespace

from lactic import fatigue

Array = Any  # a NumPy array or a torch tensor
LoadKind = Literal["applied", "intended"]
"""What a body tires by: the torque given over the last control step, or what the PD formula asks for now (Eq. 11)."""
REST = 1e-3
"""A joint asked for less than this fraction of its strength rests. Without it the last digits of a hanging arm's PD
torque decide between recovery at R and at r·R."""


def pd_torque(targets: Array, beta: Array, q: Array, qd: Array, stiffness: Array, damping: Array) -> Array:
    """Torque the controller intends: τ = β·kp·(u − q) − β·kd·q̇ (Eq. 9)."""
    return beta * (stiffness * (targets - q) - damping * qd)


def load(torque: Array, torque_limit: Array) -> Array:
    """Target load: torque over maximal torque, at most 1 (Eq. 11; Alg. 1 clips the torque first), 0 below `REST`."""
    ratio = abs(torque) / torque_limit
    return array_namespace(ratio).where(ratio >= REST, ratio, 0.0).clip(max=1.0)


class Spent(NamedTuple):
    """What a control step leaves of a body's strength."""

    load: Array
    """Share of the fresh strength that was used, (…, joint)."""
    fatigue: Array
    """MA, MR, MF after it, (…, joint, 3)."""
    limits: Array
    """Torque that the fatigued joint can still give, RC·τmax with RC = 1 − MF (Eq. 4, 12), Nm."""


def spend(state: Array, torque: Array, torque_limit: Array, rates: Array, dt: float) -> Spent:
    """One control step of `dt` seconds under `torque`: load, fatigue and limits, in training and in a brain alike."""
    used = load(torque, torque_limit)
    after, left = fatigue.advance(state, used, rates, dt)
    return Spent(used, after, left * torque_limit)
