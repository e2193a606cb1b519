"""Mass, centre and principal frame of bodies made of overlapping shapes (bergamin2020 Sec. 4.1.2).

One density fills the union of all shapes. Where bodies overlap, each takes an equal share of the mass. The integrals
are sums over a grid of cubes; other than in the thesis, a cube that the surface crosses counts by the part inside,
which a signed distance tells to first order: the error then falls with the square of the cube's edge.
"""

from dataclasses import dataclass

import numpy as np

from lactic import rotation
from lactic.body.shapes import REFLECT, REFLECT_QUAT, Shape, nearest_axes

CELL = 0.004  # metres
THIN = 0.2  # a cell is at most this part of a shape's half thickness: a hand is two centimetres flat


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Of one body: mass in kg, centre in m, principal moments in kg·m² and the turn (w, x, y, z) to their frame."""

    mass: float
    centre: np.ndarray
    moments: np.ndarray
    turn: np.ndarray

    @property
    def tensor(self) -> np.ndarray:
        """Inertia about the centre along the axes, (3, 3)."""
        matrix = rotation.to_matrix(self.turn)
        return matrix @ np.diag(self.moments) @ matrix.T

    def seen_from(self, turn: np.ndarray, origin: np.ndarray) -> "MassProperties":
        """The same in a frame turned so and placed there."""
        matrix = rotation.to_matrix(rotation.multiply(rotation.conjugate(turn), self.turn))
        axes = nearest_axes(matrix)
        moments = np.abs(axes.T @ matrix).round() @ self.moments
        return MassProperties(
            self.mass, rotation.rotate_back(turn, self.centre - origin), moments, rotation.from_matrix(axes)
        )

    def mirrored(self) -> "MassProperties":
        """Of the body on the other side."""
        return MassProperties(self.mass, self.centre * REFLECT, self.moments, self.turn * REFLECT_QUAT)


def share_mass(bodies: dict[str, list[Shape]], total: float, cell: float = CELL) -> dict[str, MassProperties]:
    """Share `total` kg among bodies, each the union of its shapes; all shapes in one frame."""
    sums = _sums(bodies, cell)
    density = total / sum(volume for volume, _, _ in sums.values())
    return {
        name: principal(density * volume, first / volume, density * second)
        for name, (volume, first, second) in sums.items()
    }


def union_volume(bodies: dict[str, list[Shape]], cell: float = CELL) -> float:
    """Volume of all shapes together in m³, overlaps counted once."""
    return sum(volume for volume, _, _ in _sums(bodies, cell).values())


def principal(mass: float, centre: np.ndarray, second: np.ndarray) -> MassProperties:
    """Principal frame from the mass, its centre and the second moments ∫ρ r rᵀ about the origin."""
    about = second - mass * np.outer(centre, centre)
    tensor = np.trace(about) * np.eye(3) - about
    axes = nearest_axes(np.linalg.eigh(tensor)[1])
    return MassProperties(float(mass), centre, np.diag(axes.T @ tensor @ axes).copy(), rotation.from_matrix(axes))


def _sums(bodies: dict[str, list[Shape]], cell: float) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """Volume, first and second moments of each body's share of the union."""
    cells = {name: min(cell, THIN * min(s.thinnest for s in shapes)) for name, shapes in bodies.items()}
    bounds = {name: _bounds(shapes, cells[name]) for name, shapes in bodies.items()}
    sums = {}
    for name, (low, high) in bounds.items():
        near = [k for k, (a, b) in bounds.items() if k != name and np.all(a < high) and np.all(b > low)]
        sums[name] = _integrate(bodies[name], [bodies[k] for k in near], low, high, cells[name])
    return sums


def _bounds(shapes: list[Shape], cell: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the shapes' box, on a lattice that is symmetric about the origin, and a cell to spare."""
    corners = [shape.bounds for shape in shapes]
    low, high = np.min([a for a, _ in corners], axis=0), np.max([b for _, b in corners], axis=0)
    return (np.floor(low / cell) - 1) * cell, (np.ceil(high / cell) + 1) * cell


def _integrate(
    own: list[Shape], others: list[list[Shape]], low: np.ndarray, high: np.ndarray, cell: float
) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, first and second moments of the share that a body has in its box."""
    counts = np.rint((high - low) / cell).astype(int)
    x, y, z = ((np.arange(n) + 0.5) * cell + a for n, a in zip(counts, low, strict=True))
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    plane = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    layers = max(int(200_000 / len(plane)), 1)
    for k in range(0, len(z), layers):
        height = z[k : k + layers]
        points = np.column_stack([np.tile(plane, (len(height), 1)), np.repeat(height, len(plane))])
        mine = _filled(_within(own, height, cell), points, cell)
        points, mine = points[mine > 0], mine[mine > 0]
        theirs = [_filled(_within(shapes, height, cell), points, cell) for shapes in others]
        share = _shared(mine, theirs)
        volume += share.sum()
        first += share @ points
        second += (points * share[:, None]).T @ points
    # the soft surface is as if the body were smeared over a cube: take that cube's own second moment off again
    second -= volume * cell**2 / 12 * np.eye(3)
    return float(volume) * cell**3, first * cell**3, second * cell**3


def _shared(mine: np.ndarray, theirs: list[np.ndarray]) -> np.ndarray:
    """What of each cube is mine if the part that k bodies fill is split in k; all shares add to the largest part."""
    parts = np.sort([mine, *theirs], axis=0)[::-1]
    steps = np.minimum(mine, parts) - np.minimum(mine, np.append(parts[1:], np.zeros_like(parts[:1]), axis=0))
    return (steps / np.arange(1, len(parts) + 1)[:, None]).sum(0)


def _within(shapes: list[Shape], heights: np.ndarray, cell: float) -> list[Shape]:
    """The shapes that reach some of these heights."""
    return [s for s in shapes if s.bounds[0][2] < heights[-1] + cell and s.bounds[1][2] > heights[0] - cell]


def _filled(shapes: list[Shape], points: np.ndarray, cell: float) -> np.ndarray:
    """The part of each cube that lies inside any of the shapes."""
    if not shapes:
        return np.zeros(len(points))
    nearest = np.min([shape.distance(points) for shape in shapes], axis=0)  # negative inside any
    return np.clip(0.5 - nearest / cell, 0.0, 1.0)
