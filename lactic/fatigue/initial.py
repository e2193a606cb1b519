"""Fatigue states to start an episode from, as pure functions of uniform random numbers in [0, 1).

The caller draws them (NumPy Generator, torch on any device), so nothing here synchronises with a GPU, and the same
numbers give the same states everywhere. Their shape decides what is shared: one draw per world, or per world and joint.
"""

from __future__ import annotations

import numpy as np
from array_api_compat import array_namespace, device

from lactic.fatigue.law import Array, Rule, track


def fresh(shape: tuple[int, ...], like: Array | None = None) -> Array:
    """States (*shape, 3) of rested bodies, MR = 1; of the library, dtype and device of `like` (NumPy otherwise)."""
    if like is None:
        like = np.zeros(0)
    xp = array_namespace(like)
    zero = xp.zeros(shape, dtype=like.dtype, device=device(like))
    return xp.stack([zero, zero + 1.0, zero], axis=-1)


def uniform(u: Array) -> Array:
    """cheema2023 Alg. 1, lines 11–13, from `u` (..., 2): MR ~ U(0, 1), MA ~ U(0, 1 − MR), MF the remainder."""
    resting = u[..., 0]
    left = 1.0 - resting
    active = u[..., 1] * left
    return array_namespace(u).stack([active, resting, left - active], axis=-1)


def exponential(u: Array, rate: float) -> Array:
    """tired_actor Eq. 7, from `u` (..., 2): RC ~ Exp(rate) clipped to [0, 1], MF = 1 − RC; `rate` is its λ_ep.

    How RC divides into MA and MR is not published. Here MA is a uniform share of it, as in cheema2023 Alg. 1; the drive
    forgets the choice within 1/L.
    """
    xp = array_namespace(u)
    capacity = (-xp.log1p(-u[..., 0]) / rate).clip(0.0, 1.0)
    active = u[..., 1] * capacity
    return xp.stack([active, capacity - active, 1.0 - capacity], axis=-1)


def exponential_rate(episode: float) -> float:
    """λ_ep of tired_actor A.1: 1 at first, 3 from episode 20,000; "gradually" in between is taken as linear."""
    return 1.0 + 2.0 * min(max(episode / 20_000.0, 0.0), 1.0)


def curve(
    rates: Array, load: float = 0.5, work: float = 20.0, rest: float = 20.0, dt: float = 1 / 30, rule: Rule = "held"
) -> Array:
    """The states (n, ..., 3) of actuators with `rates` (..., 4) through `work` seconds at `load`, then `rest` at 0.

    This is the square wave of feng2023 Fig. 15 (0.5 for 20 s, then 0), whose rates and rest are not published.
    """
    steps = [load] * round(work / dt) + [0.0] * round(rest / dt)
    loads = array_namespace(rates).asarray(steps, dtype=rates.dtype, device=device(rates))
    return track(loads.reshape(-1, *[1] * (rates.ndim - 1)) + 0.0 * rates[..., 0], rates, dt, rule=rule)


def from_curve(u: Array, states: Array) -> Array:
    """feng2023 B.4: a random point of the fatigue curve `states` (n, ..., 3), one for every element of `u`.

    For a curve (n, 3) the result is (*u.shape, 3). For a curve (n, nu, 3), `u` is (..., nu), each actuator on its own
    curve, or (..., 1) to take all of them at the same moment.
    """
    xp = array_namespace(u, states)
    count = states.shape[0]
    index = xp.astype(xp.floor(u * count), xp.int64).clip(0, count - 1)  # float32 can round u·n up to n
    if states.ndim == 2:
        return states[index]
    return states[index, xp.arange(states.shape[1], device=device(states))]
