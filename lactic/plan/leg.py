"""A leg's muscles in the sagittal plane, smooth: lengths as polynomials of hip, knee and ankle angle.

OpenSim's paths have points that come and go, so their moment arms jump, which no optimiser with exact Hessians
forgives. Here each muscle's length is a polynomial in the angles it depends on, fitted to lengths and moment arms at
once; moment arms are its slopes. How far both are from the exact ones is kept with the fit (`SmoothLeg.error`).
"""

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays
from lactic.muscle import hill, learned

ANGLES = ("hip_flexion", "knee_angle", "ankle_angle")
DEGREE = (9, 8)  # of muscles over one joint and over two
SHIPPED = Path(__file__).parent / "data"


@dataclass(frozen=True)
class SmoothLeg:
    """Muscles over `ANGLES`; polynomials are in angles scaled to [−1, 1] over the range of the fit."""

    names: np.ndarray
    force: np.ndarray  # maximal isometric force, N
    fibre: np.ndarray  # optimal fibre length, m
    tendon: np.ndarray  # slack length, m
    pennation: np.ndarray  # at optimal length, rad
    speed: np.ndarray  # maximal shortening, fibre lengths a second
    low: np.ndarray  # range of the fit, rad (3,)
    high: np.ndarray
    powers: np.ndarray  # (term, 3) of the monomials
    terms: np.ndarray  # (term, muscle) coefficients, metres
    knee: np.ndarray  # (2, 6) where the shin turns, in the thigh's frame: polynomials of the knee angle, m
    error: np.ndarray  # (muscle, 4) of length and arm, root mean square and largest, m
    source: np.ndarray  # name of the model file

    def lengths(self, q: np.ndarray) -> np.ndarray:
        """Muscle–tendon lengths (pose, muscle) at angles (pose, 3)."""
        return self._monomials(q) @ self.terms

    def arms(self, q: np.ndarray) -> np.ndarray:
        """Moment arms W (pose, 3, muscle): minus the slopes of the lengths."""
        return np.stack([-self._monomials(q, along) @ self.terms for along in range(3)], 1)

    def pull(self, q: Any, qd: Any, capacity: Any = 1.0) -> hill.Pull:
        """What the muscles can give at angles and speeds (state, 3), with a residual capacity of all or each."""
        return hill.pull(self.table, self.lengths(q), self.arms(q), qd, capacity)

    @property
    def table(self) -> np.ndarray:
        """The muscles (muscle, 5), columns as in `hill`."""
        return np.column_stack([self.force, self.fibre, self.tendon, self.pennation, self.speed])

    def _monomials(self, q: np.ndarray, along: int | None = None) -> np.ndarray:
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        x = (np.asarray(q, float) - middle) / half
        powers, factor = self.powers, np.ones(len(self.powers))
        if along is not None:
            factor = powers[:, along] / half[along]
            powers = np.maximum(powers - np.eye(3, dtype=int)[along], 0)
        table = x[:, :, None] ** np.arange(powers.max() + 1)
        return factor * np.prod([table[:, i, powers[:, i]] for i in range(3)], axis=0)

    def symbolic(self, q: Any) -> list[Any]:
        """Lengths as CasADi expressions of three angles."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        raised = []
        for i in range(3):
            x, row = (q[i] - middle[i]) / half[i], [1.0]
            for _ in range(int(self.powers.max())):
                row.append(row[-1] * x)
            raised.append(row)
        found = []
        for column in self.terms.T:
            total: Any = 0.0
            for (a, b, c), weight in zip(self.powers, column, strict=True):
                if weight:
                    total = total + weight * (raised[0][a] * raised[1][b] * raised[2][c])
            found.append(total)
        return found

    def save(self, path: str | Path) -> None:
        """Write everything to one npz without pickles."""
        save_arrays(path, {f.name: getattr(self, f.name) for f in fields(self)})

    @staticmethod
    def load(path: str | Path) -> "SmoothLeg":
        """Read what `save` wrote."""
        damaged = "not a leg saved by Lactic, or a damaged one"
        try:
            return SmoothLeg(**load_arrays(path, "there is no such leg", damaged))
        except TypeError as error:  # arrays that are missing, or too many
            raise InputError(f"{path}: {damaged} ({error})") from error


@cache
def shipped(folder: Path = SHIPPED) -> SmoothLeg:
    """The leg of gait2392 that comes with the package, or that of another folder of `lactic plan learn`."""
    return SmoothLeg.load(folder / "leg.npz")


@cache
def shipped_network(name: str, folder: Path = SHIPPED) -> learned.Network:
    """A network of the leg in its plane, `limits` (R) or `effort` (Ẽ): the package's, or another folder's."""
    return learned.load(folder / f"{name}.npz").double()


def fit_terms(
    angles: np.ndarray,
    lengths: np.ndarray,
    arms: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Powers, coefficients and errors of polynomials nearest to lengths (pose, muscle) and arms (pose, 3, muscle)."""
    grid = np.indices((max(DEGREE) + 1,) * 3).reshape(3, -1).T
    powers = grid[(grid.sum(1) <= max(DEGREE)) & ((grid > 0).sum(1) <= 2)]
    none = np.zeros(0)
    basis = SmoothLeg(none, none, none, none, none, none, low, high, powers, np.eye(len(powers)), none, none, none)
    values, slopes = basis.lengths(angles), basis.arms(angles)
    terms, errors = np.zeros((len(powers), lengths.shape[1])), np.zeros((lengths.shape[1], 4))
    for j in range(lengths.shape[1]):
        moves = np.abs(arms[:, :, j]).max(0) > 1e-9
        used = np.flatnonzero((powers[:, ~moves] == 0).all(1) & (powers.sum(1) <= DEGREE[0 if moves.sum() < 2 else 1]))
        joints = np.flatnonzero(moves)
        rows = [values[:, used], *(0.3 * slopes[:, i][:, used] for i in joints)]  # metres a rad count 0.3 as much
        right = [lengths[:, j], *(0.3 * arms[:, i, j] for i in joints)]
        terms[used, j] = np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=None)[0]
        off = values @ terms[:, j] - lengths[:, j]
        turn = np.concatenate([slopes[:, i] @ terms[:, j] - arms[:, i, j] for i in joints])
        errors[j] = np.sqrt((off**2).mean()), np.abs(off).max(), np.sqrt((turn**2).mean()), np.abs(turn).max()
    kept = terms.any(1)
    return powers[kept], terms[kept], errors
