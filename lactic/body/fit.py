"""Capsules and boxes fitted to a skinned mesh (bergamin2020 Sec. 4.1.1 and Alg. 4.12).

Each shape minimises the squared signed distances of the vertices its bones move, weighted by how much they move them,
plus a small multiple of its volume, which closes the ends of limbs that no vertex sees. Other than in the thesis,
vertices count by the surface they stand for (the mesh is finest in face and fingers); both sides are fitted as one, and
shapes on the midline are symmetric; the descent is Levenberg and Marquardt's, restarted from random shapes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from lactic import rotation
from lactic.body.shapes import NO_TURN, REFLECT, Box, Capsule, Shape

# against squared metres of distance, averaged over the mesh's surface. The thesis' 0.01 leaves a sixth of the mesh's
# volume out; with this one the shapes hold about as much as the mesh, and come nearest to it
VOLUME_WEIGHT = 0.003
RESTARTS = 12
_LEAST = 0.005  # metres; of radii and half edges


@dataclass(frozen=True)
class Family:
    """Shapes of one kind: from parameters to a shape, and where to begin."""

    make: Callable[[np.ndarray], Shape]
    start: Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
    """Random parameters from the middle and the spread of the points."""


def _size(value: float) -> float:
    return float(np.hypot(value, _LEAST))


def _free_capsule(p: np.ndarray) -> Capsule:
    return Capsule(p[:3], p[3:6], _size(p[6]))


def _lateral_capsule(p: np.ndarray) -> Capsule:
    half = np.array([0.0, _size(p[2]), 0.0])
    centre = np.array([p[0], 0.0, p[1]])
    return Capsule(centre - half, centre + half, _size(p[3]))


def _sagittal_capsule(p: np.ndarray) -> Capsule:
    return Capsule(np.array([p[0], 0.0, p[1]]), np.array([p[2], 0.0, p[3]]), _size(p[4]))


def _free_box(p: np.ndarray) -> Box:
    return Box(p[:3], np.hypot(p[6:], _LEAST), rotation.exp(p[3:6]))


def _ends(mean: np.ndarray, spread: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    along = rotation.normalize(rng.normal(size=3)) * spread
    return mean - along, mean + along


def _start_capsule(mean: np.ndarray, spread: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([*_ends(mean, spread, rng), [spread.min() * rng.uniform(0.5, 1.5)]])


CAPSULE = Family(_free_capsule, _start_capsule)
LATERAL = Family(
    _lateral_capsule,
    lambda mean, spread, rng: np.array([mean[0], mean[2], spread[1], spread.min()]) * rng.uniform(0.5, 1.5, 4),
)
SAGITTAL = Family(_sagittal_capsule, lambda mean, spread, rng: _start_capsule(mean, spread, rng)[[0, 2, 3, 5, 6]])
BOX = Family(
    _free_box,
    lambda mean, spread, rng: np.concatenate([mean, rng.normal(0, 1.0, 3), spread * rng.uniform(0.5, 2.0, 3)]),
)


def standing(floor: float) -> Family:
    """Boxes along the axes that stand on a floor at that height: soles."""

    def make(p: np.ndarray) -> Box:
        half = np.hypot(p[2:], _LEAST)
        return Box(np.array([p[0], p[1], floor + half[2]]), half, NO_TURN)

    return Family(make, lambda mean, spread, rng: np.concatenate([mean[:2], spread * rng.uniform(0.8, 2.0, 3)]))


def fit_shape(
    points: np.ndarray, weights: np.ndarray, family: Family, seed: int = 0, restarts: int = RESTARTS
) -> Shape:
    """The shape of that family nearest to points (n, 3), the best of all restarts (Alg. 4.12)."""
    scale = np.sqrt(weights)
    mean = weights @ points / weights.sum()
    spread = np.sqrt(weights @ (points - mean) ** 2 / weights.sum())
    rng = np.random.default_rng(seed)

    def residual(p: np.ndarray) -> np.ndarray:
        shape = family.make(p)
        return np.append(scale * shape.distance(points), np.sqrt(VOLUME_WEIGHT * shape.volume))

    found = [least_squares(residual, family.start(mean, spread, rng), method="lm", ftol=1e-7) for _ in range(restarts)]
    return family.make(min(found, key=lambda one: one.cost).x)


def both_sides(points: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of the right side: those of the right, and those of the left mirrored, at half weight each."""
    stacked = np.concatenate([points, points * REFLECT])
    weights = np.concatenate([right, left]) / 2
    return stacked[weights > 0], weights[weights > 0]
