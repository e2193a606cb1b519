"""Capsules and boxes: signed distances (bergamin2020 Sec. 4.1.1), volumes, and how they move and mirror."""

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from lactic import rotation

REFLECT = np.array([1.0, -1.0, 1.0])  # in the x–z plane: left becomes right
REFLECT_QUAT = np.array([1.0, -1.0, 1.0, -1.0])
NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Capsule:
    """All points within `radius` of the segment from `start` to `end`."""

    start: np.ndarray
    end: np.ndarray
    radius: float

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Signed distance of points (…, 3) to the surface, negative inside."""
        along, d = self.end - self.start, points - self.start
        share = np.clip(d @ along / max(along @ along, 1e-12), 0.0, 1.0)
        return np.linalg.norm(d - share[..., None] * along, axis=-1) - self.radius

    @property
    def volume(self) -> float:
        """A cylinder and two half balls."""
        length = float(np.linalg.norm(self.end - self.start))
        return np.pi * self.radius**2 * (length + 4 / 3 * self.radius)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest corner of the box along the axes that holds the shape."""
        return np.minimum(self.start, self.end) - self.radius, np.maximum(self.start, self.end) + self.radius

    @property
    def thinnest(self) -> float:
        """Half of what it measures where it is thinnest."""
        return self.radius

    def moved(self, turn: np.ndarray, shift: np.ndarray) -> "Capsule":
        """The shape turned about the origin, then shifted."""
        return replace(
            self, start=rotation.rotate(turn, self.start) + shift, end=rotation.rotate(turn, self.end) + shift
        )

    def mirrored(self) -> "Capsule":
        """The shape of the other side."""
        return replace(self, start=self.start * REFLECT, end=self.end * REFLECT)

    def scaled(self, factor: float) -> "Capsule":
        """The shape `factor` times as large, about the origin."""
        return Capsule(self.start * factor, self.end * factor, self.radius * factor)

    def tidied(self) -> "Capsule":
        """The same capsule with its upper end first (or the left one, or that in front)."""
        low = self.start[[2, 1, 0]] - self.end[[2, 1, 0]]
        return Capsule(self.end, self.start, self.radius) if low[np.abs(low).argmax()] < 0 else self

    def surface(self, spacing: float) -> np.ndarray:
        """Points (n, 3) spread evenly over the surface, about one for each `spacing`²."""
        length = float(np.linalg.norm(self.end - self.start))
        area = 2 * np.pi * self.radius * (length + 2 * self.radius)
        count = max(int(area / spacing**2), 32)
        # Archimedes: equal steps of height along the axis cut equal areas from ball and cylinder alike
        height = (np.arange(count) + 0.5) / count * (length + 2 * self.radius) - self.radius
        middle = np.clip(height, 0.0, length)
        ring = np.sqrt(np.maximum(self.radius**2 - (height - middle) ** 2, 0.0))
        angle = np.arange(count) * np.pi * (3 - np.sqrt(5))
        axis = (self.end - self.start) / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
        turn = rotation.between(np.array([0.0, 0.0, 1.0]), axis)
        local = np.stack([ring * np.cos(angle), ring * np.sin(angle), height], axis=-1)
        return rotation.rotate(turn, local) + self.start


@dataclass(frozen=True, eq=False)
class Box:
    """A box by its centre, its orientation (w, x, y, z) and half its edges."""

    centre: np.ndarray
    half: np.ndarray
    turn: np.ndarray

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Signed distance of points (…, 3) to the surface, negative inside."""
        # the thesis takes half the edges off before the absolute value, which gives no box: a slip of the pen
        d = np.abs(rotation.rotate_back(self.turn, points - self.centre)) - self.half
        return np.linalg.norm(np.maximum(d, 0.0), axis=-1) + np.minimum(d.max(-1), 0.0)

    @property
    def volume(self) -> float:
        """Product of the edges."""
        return float(8 * np.prod(self.half))

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest corner of the box along the axes that holds the shape."""
        edges = rotation.rotate(self.turn, np.diag(self.half))
        reach = np.abs(edges).sum(0)
        return self.centre - reach, self.centre + reach

    @property
    def thinnest(self) -> float:
        """Half of what it measures where it is thinnest."""
        return float(self.half.min())

    def moved(self, turn: np.ndarray, shift: np.ndarray) -> "Box":
        """The shape turned about the origin, then shifted."""
        return replace(self, centre=rotation.rotate(turn, self.centre) + shift, turn=rotation.multiply(turn, self.turn))

    def mirrored(self) -> "Box":
        """The shape of the other side."""
        return replace(self, centre=self.centre * REFLECT, turn=self.turn * REFLECT_QUAT)

    def scaled(self, factor: float) -> "Box":
        """The shape `factor` times as large, about the origin."""
        return replace(self, centre=self.centre * factor, half=self.half * factor)

    def tidied(self) -> "Box":
        """The same box by the orientation that turns it least."""
        matrix = rotation.to_matrix(self.turn)
        axes = nearest_axes(matrix)
        return Box(self.centre, np.abs(axes.T @ matrix) @ self.half, rotation.from_matrix(axes))

    def surface(self, spacing: float) -> np.ndarray:
        """Points (n, 3) spread evenly over the surface, about one for each `spacing`²."""
        points = []
        for axis in range(3):
            others = [i for i in range(3) if i != axis]
            steps = [max(int(np.ceil(2 * self.half[i] / spacing)), 1) for i in others]
            grids = [(np.arange(n) + 0.5) / n * 2 - 1 for n in steps]
            face = np.zeros((steps[0], steps[1], 3))
            face[..., others[0]], face[..., others[1]] = np.meshgrid(*grids, indexing="ij")
            for sign in (-1.0, 1.0):
                face[..., axis] = sign
                points.append((face * self.half).reshape(-1, 3))
        return rotation.rotate(self.turn, np.concatenate(points)) + self.centre


Shape = Capsule | Box


def nearest_axes(axes: np.ndarray) -> np.ndarray:
    """The columns of a frame reordered and signed so that it is turned least: a box or tensor has 24 such frames."""
    best = max(permutations(range(3)), key=lambda order: sum(abs(axes[i, k]) for i, k in enumerate(order)))
    axes = axes[:, list(best)]
    axes = axes * np.where(np.diag(axes) < 0, -1.0, 1.0)
    if np.linalg.det(axes) < 0:
        weakest = int(np.argmin(np.abs(np.diag(axes))))
        axes[:, weakest] *= -1
    return axes
