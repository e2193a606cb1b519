"""A body as triangles: its visible geoms at rest, round where the pictures draw them round."""

from dataclasses import dataclass

import numpy as np

from lactic.body import Body
from lactic.picture.figure import BOX, CAPSULE, Figure

STEPS = 5  # facets of a quarter circle
BOX_ROUND = 0.45  # radius of a box's edges over its smallest half extent, as the painter draws them


@dataclass(frozen=True)
class Mesh:
    """Triangles (m,3) of vertices (n,3) in the world at rest, z up, with normals (n,3) and their rigid body (n,)."""

    vertices: np.ndarray
    normals: np.ndarray
    body: np.ndarray
    triangles: np.ndarray


def body_mesh(body: Body) -> Mesh:
    """All visible geoms of `body` standing at rest, counter-clockwise seen from outside."""
    shapes = Figure(body.model).posed(body.rest)
    points, normals, owners, faces, count = [], [], [], [], 0
    for geom_type, centre, axes, size, owner in zip(
        shapes.geom_type, shapes.centre, shapes.axes, shapes.size, shapes.body, strict=True
    ):
        own, out, triangles = solid(int(geom_type), size)
        points.append(own @ axes.T + centre)
        normals.append(out @ axes.T)
        owners.append(np.full(len(own), owner))
        faces.append(triangles + count)
        count += len(own)
    return Mesh(np.concatenate(points), np.concatenate(normals), np.concatenate(owners), np.concatenate(faces))


def solid(geom_type: int, size: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, normals and triangles of a capsule, ellipsoid or box of the given half extents about the origin.

    All three are the sphere of directions d, cut into octants of sign s: a capsule parts its halves, a box its octants.
    """
    d, s, triangles = _sphere(STEPS)
    normals = d
    if geom_type == CAPSULE:
        points = size[0] * d + (size[2] - size[0]) * s * [0, 0, 1]
    elif geom_type == BOX:
        edge = BOX_ROUND * size.min()
        points = edge * d + (size - edge) * s
    else:
        points = size * d
        normals = d / size
        normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    # octants that were not parted share their seams: keep one vertex of each, and no triangle without area
    rows = np.round(np.hstack([points, normals]), 9)
    _, first, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    triangles = same.reshape(-1)[triangles]
    a, b, c = triangles.T
    return points[first], normals[first], triangles[(a != b) & (b != c) & (c != a)]


def _sphere(steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Directions (n,3), the signs of the octant each belongs to, and triangles that close all seams and both poles."""
    quarter = np.linspace(0, np.pi / 2, steps + 1)
    around = np.concatenate([quarter + k * np.pi / 2 for k in range(4)])
    up = np.concatenate([quarter - np.pi / 2, quarter])
    columns, rows = len(around), len(up)
    d = np.stack(
        [
            np.outer(np.cos(up), np.cos(around)),
            np.outer(np.cos(up), np.sin(around)),
            np.repeat(np.sin(up)[:, None], columns, 1),
        ],
        axis=-1,
    )
    s = np.empty_like(d)
    s[..., 0], s[..., 1] = (np.repeat(signs, steps + 1) for signs in ([1, -1, -1, 1], [1, 1, -1, -1]))
    s[..., 2] = np.repeat([-1, 1], steps + 1)[:, None]
    at = np.arange(rows * columns).reshape(rows, columns)
    low, high = at[:-1], at[1:]
    low_next, high_next = np.roll(low, -1, axis=1), np.roll(high, -1, axis=1)
    sides = [np.stack([low, low_next, high_next], -1), np.stack([low, high_next, high], -1)]
    top, bottom = at[-1, :: steps + 1], at[0, :: steps + 1]
    caps = np.array([top[[0, 1, 2]], top[[0, 2, 3]], bottom[[0, 2, 1]], bottom[[0, 3, 2]]])
    return d.reshape(-1, 3), s.reshape(-1, 3), np.concatenate([*(side.reshape(-1, 3) for side in sides), caps])
