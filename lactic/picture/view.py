"""An orthographic camera, with its light."""

from dataclasses import dataclass

import numpy as np

from lactic.picture.figure import BOX, CAPSULE, Shapes


@dataclass(frozen=True)
class View:
    """An orthographic camera: pixel = scale · (right·p, −up·p) − corner."""

    azimuth: float  # radians from +x round to the camera, seen from above
    elevation: float  # radians above the horizon
    scale: float  # pixels per metre
    corner: tuple[float, float] = (0.0, 0.0)

    @property
    def frame(self) -> np.ndarray:
        """Rows: right, up, toward the camera."""
        ca, sa, ce, se = np.cos(self.azimuth), np.sin(self.azimuth), np.cos(self.elevation), np.sin(self.elevation)
        return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]])

    @property
    def light(self) -> np.ndarray:
        """Unit vector to the key light: high, over the camera's left shoulder."""
        right, up, toward = self.frame
        direction = 1.65 * up - 0.75 * right + 1.3 * toward
        return direction / np.linalg.norm(direction)

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Pixel coordinates (…,2) of points (…,3)."""
        return self.scale * (points @ (self.frame[:2] * [[1], [-1]]).T) - np.asarray(self.corner)

    def extent(self, shapes: Shapes) -> np.ndarray:
        """Bounds [[left, top], [right, bottom]] of the shapes in pixels."""
        across = np.einsum("kj,nji->nki", self.frame[:2], shapes.axes) * shapes.size[:, None]
        half = np.where((shapes.geom_type == BOX)[:, None], np.abs(across).sum(2), np.linalg.norm(across, axis=2))
        tall = shapes.geom_type == CAPSULE
        radius, spine = shapes.size[tall, :1], shapes.size[tall, 2:] - shapes.size[tall, :1]
        half[tall] = radius + np.abs(across[tall, :, 2]) / shapes.size[tall, 2:] * spine
        centre = self.pixels(shapes.centre)
        return np.stack([centre - half * self.scale, centre + half * self.scale], axis=1)

    def floor(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The points (…,3) of the ground z = 0 seen at pixels x, y."""
        right = self.frame[0]
        across, height = (x + self.corner[0]) / self.scale, -(y + self.corner[1]) / self.scale
        back = np.array([-np.cos(self.azimuth), -np.sin(self.azimuth), 0.0])
        return across[..., None] * right + (height / np.sin(self.elevation))[..., None] * back
