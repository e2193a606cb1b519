"""Inertialization by interpolation (bergamin2020, Sec. 3.2.2): a blend that starts with the source's pose and velocity.

    p_B = lerp(p_T, p_S + v_S·b, a)        a = (1 + αt)·e^(−αt)        b = (1 − e^(−βt))/β

a(0) = 1, a'(0) = 0 and b(0) = 0, b'(0) = 1, so at t = 0 pose and velocity are the source's exactly, and both approach
the target's. Velocities are the exact time derivatives of these, not differences: a chain of transitions loses nothing.

For rotations the thesis writes slerp(q_T, exp(ω_S·b)·q_S, a). There the target may turn away from the source by more
than half a turn before the blend is over, and the short way round flips. So here what lies between them at the
transition, a rotation vector and its rate seen from the target, is blended to zero by the same factors, and the target
carries it along. Angular velocities are those of the rotating frame, as MuJoCo's free joint has them.
"""

from math import exp as exponential
from typing import Any

from lactic.compiling import njit
from lactic.steer.compiled import (
    Quaternion,
    Vector,
    conjugate,
    exp,
    log,
    multiply,
    right_jacobian,
    right_jacobian_inverse,
    rotate_back,
)
from lactic.steer.spring import HALF_WAY, LN2

Factors = Any  # a, a', b, b'


@njit(cache=True)
def factors(t: float, blend: float, fade: float) -> Factors:
    """The interpolation factors a, a', b, b' at t seconds after the transition; `blend` is the half-life of a, and
    `fade` that of b'."""
    alpha, beta = HALF_WAY / blend, LN2 / fade
    decay, left = exponential(-alpha * t), exponential(-beta * t)
    return (1 + alpha * t) * decay, -alpha * alpha * t * decay, (1 - left) / beta, left


@njit(cache=True)
def blend(source: float, rate: float, target: float, target_rate: float, f: Factors) -> tuple[float, float]:
    """Value and rate of a blended coordinate."""
    a, da, b, db = f
    gap = source + rate * b - target
    return target + gap * a, target_rate + (rate * db - target_rate) * a + gap * da


@njit(cache=True)
def apart(source: Quaternion, spin: Vector, target: Quaternion, target_spin: Vector) -> tuple[Vector, Vector]:
    """The rotation vector from target to source, in the target's frame, and its rate; spins are in their own frames."""
    gap = multiply(conjugate(target), source)
    v = log(gap)
    seen = rotate_back(gap, target_spin)
    return v, right_jacobian_inverse(v, (spin[0] - seen[0], spin[1] - seen[1], spin[2] - seen[2]))


@njit(cache=True)
def beside(v: Vector, rate: Vector, target: Quaternion, target_spin: Vector) -> tuple[Quaternion, Vector]:
    """The rotation that is apart by `v` from a target, and its angular velocity: what `apart` took to pieces."""
    turn = exp(v)
    own, carried = right_jacobian(v, rate), rotate_back(turn, target_spin)
    return multiply(target, turn), (own[0] + carried[0], own[1] + carried[1], own[2] + carried[2])
