"""How long a constant load can be held: the moment at which residual capacity falls below the load.

This is the unit people can feel: "holds 50 % for 58 s". Everything here is NumPy and broadcasts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def endurance_limit(F: ArrayLike, R: ArrayLike) -> np.ndarray:
    """The load that can be held for ever, θ = R / (F + R) (1 where nothing tires)."""
    F, R = np.asarray(F, float), np.asarray(R, float)
    return np.where(F > 0, R / np.where(F > 0, F + R, 1.0), 1.0)


def endurance_time(F: ArrayLike, R: ArrayLike, load: ArrayLike, L: ArrayLike = np.inf) -> np.ndarray:
    """Seconds from rest until `load` cannot be held, in closed form: −ln(1 − R(1−TL)/(F·TL))/R; infinite up to θ.

    That is the published form, of a drive without delay. A finite `L` gives the same for a drive that recruits at the
    rate L and has settled by then: TL·L/(L+F) instead of TL is active, and it comes 1/(L+F) later.
    """
    F, R, load, L = np.broadcast_arrays(*(np.asarray(x, float) for x in (F, R, load, L)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        tiring = F * load / (1.0 + F / L)  # F·MA once settled
        # ∫exp(−R·t) of the tiring up to the end must fill 1 − TL; log1p(−R·x)/R tends to −x as R vanishes
        filled = (1.0 - load) / tiring
        delay = 1.0 / (L + F)
        still = R < 1e-12
        rate = np.where(still, 1.0, R)
        held = np.where(still, filled, -np.log1p(-np.minimum(rate * filled, 1.0)) / rate)
        ramp = np.where(still, delay, -np.log1p(-np.minimum(rate * delay, 1.0)) / rate)
    seconds = np.where((tiring > 0) & np.isfinite(held), held + ramp, np.inf)
    return np.where(load >= 1.0, 0.0, np.where(np.isnan(load), np.nan, seconds))
