"""What muscles can give, exactly: the correction R, feasibility C and the least effort E of jiang2019 (Eq. 4, 5, 7).

All take the `Pull` of some states and a torque for each. The solvers are compiled at their first use, which takes some
seconds once a machine, and run on all cores.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.muscle import compiled
from lactic.muscle.hill import Pull

SMALLEST_SHARE = 256  # problems worth a thread


@dataclass(frozen=True)
class Correction:
    """The smallest change that makes a torque feasible."""

    torque: np.ndarray
    """R(q, q̇, τ) (state, coordinate), Nm: τ − R is the nearest feasible torque. Exactly 0 where τ is feasible."""
    activation: np.ndarray
    """Of the muscles (state, muscle), giving τ − R. R is unique, activations are not; others may cost less."""

    @property
    def feasible(self) -> np.ndarray:
        """Where C(q, q̇, τ) = −1 (Eq. 4): the muscles can give the torque."""
        return np.asarray(~self.torque.any(axis=1))


@dataclass(frozen=True)
class Effort:
    """The least effort that gives a torque."""

    rate: np.ndarray
    """E(q, q̇, τ) (state,) in newtons of maximal force at work, Σ fₒ·a (Eq. 8); infinite where τ cannot be given."""
    activation: np.ndarray
    """The activations that cost least (state, muscle); not numbers where τ cannot be given."""


def correction(pull: Pull, torque: Any) -> Correction:
    """R of torques (state, coordinate), Nm."""
    active, wanted = _problem(pull, torque)
    found = Correction(np.empty(wanted.shape), np.empty((len(wanted), active.shape[2])))
    steps = np.empty(len(wanted), np.int64)
    _share(compiled("projection").project, len(wanted), active, wanted, found.torque, found.activation, steps)
    _settled(steps >= 0)
    return found


def effort(pull: Pull, torque: Any, cost: Any) -> Effort:
    """E of torques (state, coordinate), with the muscles' costs (maximal forces in Eq. 8) above 0."""
    simplex = compiled("simplex")
    active, wanted = _problem(pull, torque)
    weights = np.ascontiguousarray(cost, np.float64)
    if weights.shape != active.shape[2:] or not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(f"cost: needs a number above 0 for each of {active.shape[2]} muscles")
    found = Effort(np.empty(len(wanted)), np.empty((len(wanted), active.shape[2])))
    steps = np.empty(len(wanted), np.int64)

    def solve(active: np.ndarray, *rest: np.ndarray) -> None:
        simplex.least(active, weights, *rest)

    _share(solve, len(wanted), active, wanted, found.rate, found.activation, steps)
    _settled(steps >= -1)
    return found


def _problem(pull: Pull, torque: Any) -> tuple[np.ndarray, np.ndarray]:
    """Columns and right-hand sides: what the muscles must give beyond their passive torque."""
    given = np.asarray(torque, np.float64)
    if given.shape != tuple(pull.passive.shape):
        raise InputError(f"torque: shape {given.shape}, but the states have {tuple(pull.passive.shape)}")
    active = np.ascontiguousarray(pull.active, np.float64)
    wanted = np.ascontiguousarray(given - pull.passive)
    for name, values in (("torque", given), ("muscles' torque", active)):
        broken = np.asarray(~np.isfinite(values).all(axis=tuple(range(1, values.ndim))))
        if broken.any():
            raise InputError(f"{name}: not finite in state {broken.argmax()} ({broken.sum()} of {len(broken)} states)")
    return active, wanted


def _share(solve: Callable[..., None], count: int, *arrays: np.ndarray) -> None:
    """Run a solver over all problems, in equal shares on all cores."""
    shares = max(1, min(os.cpu_count() or 1, count // SMALLEST_SHARE))
    edges = np.linspace(0, count, shares + 1).astype(int)
    parts = [[array[low:high] for array in arrays] for low, high in pairwise(edges)]
    if shares == 1:
        solve(*parts[0])
        return
    with ThreadPoolExecutor(shares) as pool:
        list(pool.map(lambda part: solve(*part), parts))


def _settled(good: np.ndarray) -> None:
    if not good.all():
        raise RuntimeError(f"the solver did not settle in state {(~good).argmax()} ({(~good).sum()} of {len(good)})")
