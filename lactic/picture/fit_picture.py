"""A picture of fitted shapes beside the mesh they were fitted to: front and side, both as clouds of small discs."""

from pathlib import Path

import numpy as np
from PIL import Image

from lactic.body.fit_person import outside
from lactic.body.shapes import Shape
from lactic.body.skin import SkinnedMesh
from lactic.files import whole_file
from lactic.picture.view import View

SKIN, SHAPE, PAPER = (0.80, 0.72, 0.64), (0.45, 0.62, 0.78), (0.97, 0.97, 0.96)
SAMPLES = 2  # per pixel and axis
AZIMUTHS = (0.0, np.radians(-55))


def draw_fit(mesh: SkinnedMesh, shapes: list[Shape], path: str | Path, height: int = 560) -> None:
    """Draw the mesh, the shapes, and both over each other (shapes where they stand out), from two sides."""
    scale = SAMPLES * height / (np.ptp(mesh.vertices[:, 2]) * 1.12)
    skin, solid = _mesh_points(mesh, 1.0 / scale), _shape_points(shapes, 0.9 / scale)
    pictures = []
    for azimuth in AZIMUTHS:
        view = View(float(azimuth), np.radians(4), scale)
        for parts in ([(skin, SKIN)], [(solid, SHAPE)], [(skin, SKIN), (solid, SHAPE)]):
            pictures.append(_splat(parts, view, int(0.70 * height) * SAMPLES, height * SAMPLES))
    image = Image.fromarray((np.concatenate(pictures, axis=1) * 255).astype(np.uint8))
    image = image.resize((image.width // SAMPLES, image.height // SAMPLES), Image.Resampling.LANCZOS)
    with whole_file(path) as draft:
        image.save(draft)


def _mesh_points(mesh: SkinnedMesh, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Points all over the triangles, and their smooth normals."""
    corners = mesh.vertices[mesh.triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(mesh.vertices)
    for i in range(3):
        np.add.at(normals, mesh.triangles[:, i], flat)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True) + 1e-12
    wanted = np.ceil(np.sqrt(np.linalg.norm(flat, axis=1)) / spacing * 1.2).astype(int)
    points, slopes = [], []
    for steps in np.unique(wanted):
        u, v = np.meshgrid(*[(np.arange(steps) + 0.5) / steps] * 2)
        u, v = np.where(u + v > 1, 1 - u, u).ravel(), np.where(u + v > 1, 1 - v, v).ravel()
        shares, chosen = np.stack([1 - u - v, u, v], axis=1), wanted == steps
        points.append(np.einsum("sk,tkx->tsx", shares, corners[chosen]).reshape(-1, 3))
        slopes.append(np.einsum("sk,tkx->tsx", shares, normals[mesh.triangles[chosen]]).reshape(-1, 3))
    return np.concatenate(points).astype(np.float32), np.concatenate(slopes).astype(np.float32)


def _shape_points(shapes: list[Shape], spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Points on the surface of all shapes together, and the slopes of the distance there."""
    points = outside(shapes, spacing)
    slopes = [
        np.stack([shape.distance(own + step) for step in 1e-5 * np.eye(3)], axis=1) / 1e-5
        for shape, own in zip(shapes, points, strict=True)
    ]
    return np.concatenate(points).astype(np.float32), np.concatenate(slopes).astype(np.float32)


def _splat(parts: list, view: View, width: int, height: int) -> np.ndarray:
    """An image (height, width, 3): of all points the nearest in each pixel, lit from the camera's left."""
    image, depth = np.full((height * width, 3), PAPER, np.float32), np.full(height * width, -np.inf, np.float32)
    everything = np.concatenate([points for (points, _), _ in parts])
    middle = (everything.min(0) + everything.max(0)) / 2
    for (points, normals), colour in parts:
        facing = normals @ view.frame[2].astype(np.float32) > 0
        points, normals = points[facing], normals[facing]
        across, up, near = ((points - middle) @ view.frame.T.astype(np.float32)).T
        column = (across * view.scale + width / 2).astype(int).clip(0, width - 1)
        row = (height / 2 - up * view.scale).astype(int).clip(0, height - 1)
        pixel, bright = row * width + column, normals @ view.light.astype(np.float32)
        order = np.argsort(near)  # what is drawn last stays
        pixel, near, bright = pixel[order], near[order], bright[order]
        last = np.full(height * width, -1)
        last[pixel] = np.arange(len(pixel))
        wins = np.flatnonzero(last >= 0)
        wins = wins[near[last[wins]] > depth[wins]]
        depth[wins] = near[last[wins]]
        image[wins] = (0.35 + 0.65 * np.clip(bright[last[wins]], 0, 1))[:, None] * np.array(colour)
    return _without_holes(image.reshape(height, width, 3), depth.reshape(height, width))


def _without_holes(image: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """Pixels deeper than most of their neighbours, which the points happened to miss, take a neighbour's colour."""
    for _ in range(2):
        shifts = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1)]
        around = np.stack([np.roll(depth, shift, (0, 1)) for shift in shifts])
        middle = np.argsort(around, axis=0)[5]  # one of the nearer half
        found = np.take_along_axis(around, middle[None], 0)[0]
        holes = depth < found - 0.01
        rows, columns = np.nonzero(holes)
        step = np.array(shifts)[middle[holes]]
        image[holes] = image[(rows - step[:, 0]) % len(image), (columns - step[:, 1]) % image.shape[1]]
        depth = np.where(holes, found, depth)
    return image
