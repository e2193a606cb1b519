"""PD intent, load and fatigued limits of cheema2023, on NumPy arrays and torch tensors alike.

The engine enforces the limit: the brain hands it stiffness, damping and ±limit once a control step, and MuJoCo clips
the actuator's force to them in every substep.
"""

from typing import Any

Array = Any  # a NumPy array or a torch tensor
REST = 1e-3
"""A joint asked for less than this fraction of its strength rests. Without it the last digits of a hanging arm's PD
torque decide between recovery at R and at r·R."""


def pd_torque(targets: Array, beta: Array, q: Array, qd: Array, stiffness: Array, damping: Array) -> Array:
    """Torque the controller intends: τ = β·kp·(u − q) − β·kd·q̇ (Eq. 9)."""
    return beta * (stiffness * (targets - q) - damping * qd)


def load(torque: Array, torque_limit: Array) -> Array:
    """Target load: intended over maximal torque, at most 1 (Eq. 11; Alg. 1 clips the torque first), 0 below `REST`."""
    ratio = abs(torque) / torque_limit
    return (ratio * (ratio >= REST)).clip(max=1.0)


def fatigued_limit(state: Array, torque_limit: Array) -> Array:
    """Torque the tired joint can still give: RC·τmax with RC = 1 − MF (Eq. 4, 12)."""
    return (1.0 - state[..., 2]) * torque_limit
