"""The law of the muscle man's muscles for many states at once: the reference (feng2023 Eq. 1–12, 18–37).

Arrays are batch first, of NumPy; what one muscle does takes tensors too. A step of a muscle:

1. Anchors follow the bodies, and give its length and, with that of the step before, its rate of change.
2. A spring on its length wants a force. Eq. 4 is printed with its sign turned round: a muscle pulls when it is longer
   than its target. kp is the maximal force (C.1), a force for a length, so lengths count in rest lengths.
3. Hill's curves turn that force into an activation. What the muscle can reach within the step, 3CC-r says.
4. The force that is left pulls on the anchors. Each passes it on to its bodies by the weights that move it, so the
   muscle's power is exactly that of the bodies.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from lactic.muscle.man.musculature import Strands

RATE_HALF_LIFE = 1 / 120  # s
"""Smoothing of the rate of length change; Eq. 24 has none. Explicit forces that follow the last step's rate make the
clavicles rattle at 60 Hz, up to 37 rad/s, where muscles are as active as they can be. (The published simulator divides
by the physics rate where it should multiply, so its muscles hardly damp.)"""
PASSIVE_CAP = 2.0
"""Largest passive force, in maximal forces; Eq. 25 has none. Without one a joint pushed to its end throws back."""
LEAST = 1e-3
"""Least share of the maximal force that an activation is computed by; a muscle that shortens too fast has none."""


Array = Any  # a NumPy array or a torch tensor
Fibres = Any  # has rest, tendon, fibre and force of muscles: `Strands`, or a module of tensors


class Gains(NamedTuple):
    """The spring on a muscle's length (feng2023 C.1)."""

    stiffness: float = 1.0  # maximal forces for a rest length
    damping: float = 0.1  # maximal forces for a rest length a second


class Pulled(NamedTuple):
    """What a step of the law gives, each (…, muscle) but the state."""

    force: Array  # N
    drive: Array  # C(u*) of 3CC-r, 1/s
    state: Array  # (…, muscle, 3): MA, MR, MF after the step; MA is the activation that gave the force


def anchors(strands: Strands, xpos: np.ndarray, xmat: np.ndarray) -> np.ndarray:
    """Anchors (…, anchor, 3) of bodies at `xpos` (…, body, 3) with rotations `xmat` (…, body, 3, 3) (Eq. 18)."""
    turned = np.einsum("...abij,abj->...abi", xmat[..., strands.body, :, :], strands.place)
    return np.einsum("ab,...abi->...ai", strands.weight, xpos[..., strands.body, :] + turned)


def lengths(strands: Strands, points: np.ndarray) -> np.ndarray:
    """Lengths (…, muscle) of paths through anchors (Eq. 19), m."""
    pieces = np.linalg.norm(np.diff(points, axis=-2), axis=-1)
    pieces[..., strands.start[1:-1] - 1] = 0.0  # from the end of a muscle to the beginning of the next
    return np.add.reduceat(pieces, strands.start[:-1], axis=-1)


def rate_of(length: Array, before: Array, rate: Array, dt: float) -> Array:
    """The rate of length change, m/s, from lengths now and a step before and the rate then (Eq. 24, smoothed)."""
    return rate + (1.0 - 0.5 ** (dt / RATE_HALF_LIFE)) * ((length - before) / dt - rate)


def active_length(fibre: Array) -> Array:
    """f_CE of the fibres' length, in best lengths (Eq. 25)."""
    return array_namespace(fibre).exp(-((fibre - 1.0) ** 2) / 0.5)


def active_velocity(rate: Array) -> Array:
    """f_CE of the fibres' lengthening, in best lengths a second (Eq. 25); none where they shorten faster than 10."""
    xp = array_namespace(rate)
    longer, shorter = xp.clip(rate, min=0.0), xp.clip(rate, max=0.0)
    lengthening = 1.5 + 0.5 * (longer - 10.0) / (37.8 * longer + 10.0)
    return xp.where(rate > 0.0, lengthening, xp.clip((-10.0 - shorter) / (5.0 * shorter - 10.0), min=0.0))


def passive_length(fibre: Array) -> Array:
    """f_PE of the fibres' length (Eq. 25): none up to the best one, and never more than `PASSIVE_CAP`."""
    xp = array_namespace(fibre)
    stretch = xp.clip(fibre - 1.0, 0.0, 2.0)  # the cap is reached at 1.7
    return xp.clip(xp.expm1(4.0 * stretch / 0.6) / math.expm1(4.0), max=PASSIVE_CAP)


def curves(muscles: Fibres, length: Array, rate: Array) -> tuple[Array, Array]:
    """Active force at full activation, and passive force, in maximal forces (Eq. 22–25)."""
    fibre = (length / muscles.rest - muscles.tendon) / muscles.fibre
    active = active_length(fibre) * active_velocity(rate / (muscles.rest * muscles.fibre))
    return active, passive_length(fibre)


def wanted(muscles: Fibres, length: Array, rate: Array, target: Array, gains: Gains) -> Array:
    """The spring's force in maximal forces (Eq. 4)."""
    spring = gains.stiffness * (length - target) + gains.damping * rate
    return array_namespace(spring).clip(spring / muscles.rest, min=0.0)


def reach(state: Array, rates: Array, dt: float) -> tuple[Array, Array]:
    """The least and the largest activation that 3CC-r allows a step later (Eq. 34, 35).

    `rates` (…, 5) are those of a `Fitness`: F, R, r, L, rule. L·dt counts as 1 at most: units are recruited once.
    """
    active, resting = state[..., 0], state[..., 1]
    xp, kept = array_namespace(active), (1.0 - dt * rates[..., 0]) * active
    moved = xp.clip(dt * rates[..., 3], max=1.0)
    return xp.clip(kept - moved * active, min=0.0), xp.clip(kept + moved * resting, max=1.0)


def tire(state: Array, activation: Array, rates: Array, dt: float) -> tuple[Array, Array]:
    """The state a step later, now at `activation`, and the drive C(u*) that led there (Eq. 26, 27, 37)."""
    xp = array_namespace(activation)
    active, resting, fatigued = (state[..., k] for k in range(3))
    F, R, r, _, rule = (rates[..., k] for k in range(5))
    drive = (activation - (1.0 - dt * F) * active) / dt
    # MA ≥ u where nothing is recruited; no load at all where the least activation is taken
    # (chosen among numbers, since ONNX Runtime cannot choose among truths)
    least = reach(state, rates, dt)[0]
    held, still = (xp.where(rested, r, xp.ones_like(r)) for rested in (drive <= 0.0, activation <= least))
    recovered = R * xp.where(rule > 0.5, still, held) * fatigued
    parts = activation, resting + dt * (recovered - drive), fatigued + dt * (F * active - recovered)
    return xp.stack(parts, axis=-1), drive


def pull(
    muscles: Fibres,
    length: Array,
    rate: Array,
    target: Array,
    state: Array,
    rates: Array,
    dt: float,
    gains: Gains | None = None,
) -> Pulled:
    """Forces of muscles of some length, m, and rate, m/s, with target lengths, all (…, muscle), and a step of 3CC-r."""
    xp, (active, passive) = array_namespace(length), curves(muscles, length, rate)
    ideal = (wanted(muscles, length, rate, target, gains or Gains()) - passive) / xp.clip(active, min=LEAST)  # Eq. 5
    least, most = reach(state, rates, dt)
    activation = xp.minimum(xp.maximum(ideal, least), most)  # Eq. 36
    after, drive = tire(state, activation, rates, dt)
    return Pulled(muscles.force * (activation * active + passive), drive, after)


def wrenches(
    strands: Strands, xpos: np.ndarray, xmat: np.ndarray, xipos: np.ndarray, points: np.ndarray, force: np.ndarray
) -> np.ndarray:
    """Force and torque (…, body, 6) about the bodies' centres of mass `xipos`, as MuJoCo's `xfrc_applied` (Eq. 20)."""
    ahead = np.diff(points, axis=-2)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-12)
    ahead *= np.repeat(force, np.diff(strands.start), axis=-1)[..., :-1, None]
    ahead[..., strands.start[1:-1] - 1, :] = 0.0
    on = np.zeros_like(points)
    on[..., :-1, :] += ahead
    on[..., 1:, :] -= ahead
    share = strands.weight[:, :, None] * on[..., :, None, :]  # (…, anchor, 2, 3)
    turned = np.einsum("...abij,abj->...abi", xmat[..., strands.body, :, :], strands.place)
    arm = xpos[..., strands.body, :] + turned - xipos[..., strands.body, :]
    both = np.concatenate([share, np.cross(arm, share)], -1)
    out = np.zeros((xpos.shape[-2], *xpos.shape[:-2], 6))
    np.add.at(out, strands.body, np.moveaxis(both, (-3, -2), (0, 1)))
    return np.moveaxis(out, 0, -2)
