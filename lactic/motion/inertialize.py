"""Inertialization by interpolation (bergamin2020, Sec. 3.2.2): a blend that starts with the source's pose and velocity.

    p_B = lerp(p_T, p_S + v_S·b, a)        q_B = slerp(q_T, q_S·exp(ω_S·b), a)
    a = (1 + αt)·e^(−αt)                   b = (1 − e^(−βt))/β

a(0) = 1, a'(0) = 0 and b(0) = 0, b'(0) = 1, so at t = 0 pose and velocity are the source's exactly, and both approach
the target's. Velocities are the exact time derivatives of these, not differences: a chain of transitions loses nothing.
Angular velocities are those of the rotating frame, as MuJoCo's free joint has them.
"""

from math import exp as exponential
from typing import Any

from lactic.motion.compiled import (
    Quaternion,
    Vector,
    conjugate,
    exp,
    log,
    multiply,
    njit,
    right_jacobian,
    right_jacobian_inverse,
    rotate_back,
)

Factors = Any  # a, a', b, b'


@njit(cache=True)
def factors(t: float, alpha: float, beta: float) -> Factors:
    """The interpolation factors a, a', b, b' at t seconds after the transition."""
    decay, fade = exponential(-alpha * t), exponential(-beta * t)
    return (1 + alpha * t) * decay, -alpha * alpha * t * decay, (1 - fade) / beta, fade


@njit(cache=True)
def blend(source: float, rate: float, target: float, target_rate: float, f: Factors) -> tuple[float, float]:
    """Value and rate of a blended coordinate."""
    a, da, b, db = f
    gap = source + rate * b - target
    return target + gap * a, target_rate + (rate * db - target_rate) * a + gap * da


@njit(cache=True)
def blend_rotation(
    source: Quaternion, spin: Vector, target: Quaternion, target_spin: Vector, f: Factors
) -> tuple[Quaternion, Vector]:
    """Blended rotation and its angular velocity, each in its own frame."""
    a, da, b, db = f
    ahead = multiply(source, exp((spin[0] * b, spin[1] * b, spin[2] * b)))
    gap = multiply(conjugate(target), ahead)
    v = log(gap)
    # the gap turns with what the source adds and the target takes, seen in the source's frame
    seen = rotate_back(gap, target_spin)
    rate = right_jacobian_inverse(v, (spin[0] * db - seen[0], spin[1] * db - seen[1], spin[2] * db - seen[2]))
    part = (a * v[0], a * v[1], a * v[2])
    change = (a * rate[0] + da * v[0], a * rate[1] + da * v[1], a * rate[2] + da * v[2])
    share = exp(part)
    own, carried = right_jacobian(part, change), rotate_back(share, target_spin)
    return multiply(target, share), (own[0] + carried[0], own[1] + carried[1], own[2] + carried[2])
