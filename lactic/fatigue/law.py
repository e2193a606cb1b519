"""The three-compartment law of muscle fatigue: 3CC (Xia & Frey-Law 2008) and 3CC-r (Looft et al. 2018).

Motor units are active (MA), resting (MR) or fatigued (MF). A drive C recruits resting units towards the load TL, active
units tire at the rate F, fatigued units recover at the rate R, and r·R while the muscle rests (cheema2023 Eqs. 1–3):

    MA' = C − F·MA      MR' = −C + Rr·MF      MF' = F·MA − Rr·MF      C = L·(min(TL, MA + MR) − MA)

The three cases of C in the papers are this one minimum. `step` advances the law by any dt:

1. The drive aims at T = L/(L+F)·min(TL, RC), where RC = MA + MR is predicted for the middle of the step.
2. MA relaxes to T at the rate L + F. While the load is met this is exact, and so is the mean of MA over the step.
3. MF changes at F·mean(MA) − Rr·MF, by the trapezoidal rule, limited so that it never passes its equilibrium.

So states stay in [0, 1] and sum to 1 for any dt, equilibria are exact, and the error is of second order in dt. Where
L·dt exceeds 1 it falls more slowly: at 30 Hz it is 2.2e-3 with r = 1 and 1.3e-2 at worst, over the published settings.
The one part of first order is the moment at which the rule "held" ends, known to within one step.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from array_api_compat import array_namespace, device

Array = Any  # a NumPy array or a torch tensor
Rule = Literal["held", "rest"]
RULES: tuple[Rule, ...] = ("held", "rest")
UNREACHED = 1e12
"""Times a load: more than any drive."""
SLOWEST = 1e-30
"""1/s: a drive that float32 still tells from none."""


def fresh(shape: tuple[int, ...], like: Array | None = None) -> Array:
    """States (*shape, 3) of rested bodies, MR = 1; of the library, dtype and device of `like` (NumPy otherwise)."""
    like = np.zeros(0) if like is None else like
    xp = array_namespace(like)
    zero = xp.zeros(shape, dtype=like.dtype, device=device(like))
    return xp.stack([zero, zero + 1.0, zero], axis=-1)


def uniform(u: Array) -> Array:
    """First states (..., 3) from random numbers `u` (..., 2), uniform in [0, 1): cheema2023 Alg. 1, lines 11–13.

    MR ~ U(0, 1), MA ~ U(0, 1 − MR), MF the remainder.
    """
    resting = u[..., 0]
    left = 1.0 - resting
    active = u[..., 1] * left
    return array_namespace(u).stack([active, resting, left - active], axis=-1)


def step(state: Array, load: Array, rates: Array, dt: float) -> Array:
    """Advance `state` (..., 3) = MA, MR, MF by `dt` seconds under `load` (...) and `rates` (..., 5) of a `Fitness`.

    Rates are F, R, r, L and the rule. Rule 0, "held", recovers with r·R while MA ≥ TL (cheema2023 Eq. 2, feng2023
    Eq. 27); rule 1, "rest", only while TL = 0 (Rakshit et al. 2021). MR is what MA and MF leave. A load that is
    negative or NaN counts as none, and above 1 as 1; every element depends on its own inputs alone. Rates must not be
    negative; where all are 0 nothing moves.
    """
    return advance(state, array_namespace(load).where(load >= 0, load, 0.0), rates, dt)[0]


def advance(state: Array, load: Array, rates: Array, dt: float) -> tuple[Array, Array]:
    """`step` under a load that is known to be 0 or more; and the strength left after it, RC = 1 − MF."""
    # Kept to few operations: inside a brain this runs at batch 1, where every operation costs the same.
    xp = array_namespace(state, load, rates)
    active, _, fatigued = _columns(state)
    F, R, r, L, resting = _columns(rates)
    load = load[..., None]

    capacity = 1.0 - fatigued
    recovery = R * fatigued
    # a linearly implicit half step: positive, at most 1, and still where the law is still
    middle = capacity - (F * active - recovery) / (F + R + 2.0 / dt)
    # L = F = 0 must not divide by zero; a sum would not do, since the ONNX exporter drops what adds less than 1e-8
    speed = (L + F).clip(SLOWEST)
    decay = speed * -dt
    target = L * xp.minimum(load, middle) / speed
    driven = target + (active - target) * xp.exp(decay)
    mean = target + (driven - active) / decay

    # "held" looks at the end of the step, which is like most of it when L·dt > 1; one comparison for both rules, as
    # under "rest" no drive reaches any load but 0
    rested = driven >= load * UNREACHED**resting
    boost = xp.where(rested, r, 1.0)
    Rr = R * boost
    change = (F * mean - recovery * boost) / xp.maximum(0.5 * Rr + 1.0 / dt, Rr)
    fatigued = (fatigued + change).clip(0.0, 1.0)
    capacity = 1.0 - fatigued
    active = xp.minimum(driven, capacity)
    return xp.concat([active, capacity - active, fatigued], axis=-1), capacity[..., 0]


def residual_capacity(state: Array) -> Array:
    """The strength left, RC = MA + MR = 1 − MF (cheema2023 Eq. 4), shaped like `state` without its last axis."""
    return 1.0 - state[..., 2]


def track(loads: Array, rates: Array, dt: float, state: Array | None = None) -> Array:
    """The states (n + 1, ..., 3) through `loads` (n, ...), each held for `dt`, from `state` or from rest."""
    xp = array_namespace(loads, rates)
    if state is None:
        zero = 0.0 * (loads[0] + rates[..., 0])
        state = xp.stack([zero, zero + 1.0, zero], axis=-1)
    states = [state]
    for load in loads:
        states.append(step(states[-1], load, rates, dt))
    return xp.stack(states)


def _columns(array: Array) -> tuple[Array, ...]:
    # torch's split becomes one ONNX node where four slices would be four
    if hasattr(array, "split"):
        return array.split(1, -1)
    return tuple(array[..., i : i + 1] for i in range(array.shape[-1]))
