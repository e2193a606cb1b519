"""Smooth limbs: the surface around each rigid body's shapes, melted into each other and rounded over its joints."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.picture.figure import BOX, ELLIPSOID, Figure, Shapes
from lactic.picture.muscles import has_muscles, slim

CELL = 0.013
"""Width of the grid that the surface is found on, metres."""
MELT, MELT_JOINT = 1.3, 0.6
"""How far two shapes of a body, and a shape and the ball over a joint, flow into each other, in the thinner's radii."""
ROUNDING = 0.012
"""Radius of a box's edges, metres."""
Distance = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class LimbMesh:
    """One rigid body's skin in its own frame: vertices (n, 3) in metres and triangles (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray


class LimbShape(NamedTuple):
    """A shape of a body: its signed distance, bounds (2, 3), radius, and how far it melts into others."""

    distance: Distance
    bounds: np.ndarray
    radius: float
    melt: float


SHAPE = "geom_type geom_size geom_pos geom_quat geom_aabb geom_bodyid geom_group geom_rgba body_pos body_quat qpos0"
_made: dict[tuple[bytes, ...], tuple[LimbMesh, ...]] = {}


def limbs(body: Body) -> tuple[LimbMesh, ...]:
    """The skin of every rigid body, in the order of `body.bodies`; bodies of the same shape share it.

    It is remembered by shape: every actor has a body of its own, which would stay with its skin.
    """
    key = (*(getattr(body.model, name).tobytes() for name in SHAPE.split()), " ".join(body.joints).encode())
    if key not in _made:
        _made[key] = _limbs(body)
    return _made[key]


def _limbs(body: Body) -> tuple[LimbMesh, ...]:
    figure, model = Figure(body.model), body.model
    turns = np.asarray(rotation.to_matrix(model.geom_quat[figure.seen]))
    centres = model.geom_pos[figure.seen] + np.einsum("nij,nj->ni", turns, figure.shift)
    shapes = Shapes(figure.geom_type, centres, turns, figure.size, figure.body, figure.links, figure.crossed)
    if has_muscles(body):
        shapes = slim(shapes)
    radii = np.sort(shapes.size, axis=1)[:, 1]  # of the shape around its longest axis
    parts: list[list[LimbShape]] = [[] for _ in body.bodies]
    for i, (centre, turn, size) in enumerate(zip(shapes.centre, shapes.axes, shapes.size, strict=True)):
        reach, geom_type = np.abs(turn) @ size, int(shapes.geom_type[i])
        parts[figure.body[i]].append(
            LimbShape(
                _solid(geom_type, centre, turn, size),
                np.stack([centre - reach, centre + reach]),
                float(radii[i]),
                MELT_JOINT if geom_type == BOX else MELT,
            )
        )  # a sole must not swell through the floor
    for i, j in figure.links:  # a ball over each joint, in both of its bodies, so that a bend shows no gap
        if figure.body[i] != figure.body[j]:
            child = max(figure.body[i], figure.body[j])
            radius = 0.93 * float(min(radii[i], radii[j]))
            parent = model.body_parentid[child + 1] - 1
            # the parent's ball is a little smaller: two surfaces in one place would flicker
            for owner, at, size in ((child, np.zeros(3), radius), (parent, model.body_pos[child + 1], 0.93 * radius)):
                ball = _solid(ELLIPSOID, at, np.eye(3), np.full(3, size))
                parts[owner].append(LimbShape(ball, np.stack([at - size, at + size]), size, MELT_JOINT))
    return tuple(_skin(own) for own in parts)


def _solid(geom_type: int, centre: np.ndarray, turn: np.ndarray, size: np.ndarray) -> Distance:
    """The (nearly) signed distance of a shape."""

    def distance(points: np.ndarray) -> np.ndarray:
        local = (points - centre) @ turn
        if geom_type == BOX:
            beyond = np.abs(local) - (size - ROUNDING)
            outside = np.linalg.norm(np.maximum(beyond, 0), axis=-1)
            return outside + np.minimum(beyond.max(-1), 0) - ROUNDING
        if geom_type == ELLIPSOID:
            scaled = np.linalg.norm(local / size, axis=-1)
            return (scaled - 1.0) * size.min()
        radius = size[0]
        along = np.clip(local[..., 2], -(size[2] - radius), size[2] - radius)
        local = local.copy()
        local[..., 2] -= along
        return np.linalg.norm(local, axis=-1) - radius

    return distance


def _skin(parts: list[LimbShape]) -> LimbMesh:
    """The zero surface of the parts' smooth union."""
    if not parts:
        return LimbMesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32))

    def union(points: np.ndarray) -> np.ndarray:
        total, thick, melt = parts[0].distance(points), parts[0].radius, parts[0].melt
        for part in parts[1:]:
            other, width = part.distance(points), min(melt, part.melt) * min(thick, part.radius)
            share = np.clip(0.5 + 0.5 * (other - total) / width, 0, 1)
            total = other + share * (total - other) - width * share * (1 - share)
            thick = max(thick, part.radius)
        return total

    bounds = np.stack([part.bounds for part in parts])
    low, high = bounds[:, 0].min(0) - 2.5 * CELL, bounds[:, 1].max(0) + 2.5 * CELL
    axes = [np.arange(a, b + CELL, CELL) for a, b in zip(low, high, strict=True)]
    inside = union(np.stack(np.meshgrid(*axes, indexing="ij"), -1)) < 0
    vertices, faces = _nets(inside)
    points = low + CELL * (vertices + 0.5)
    for _ in range(4):  # Newton's method onto the surface itself
        step = 1e-4
        value = union(points)
        slope = np.stack([union(points + step * e) - union(points - step * e) for e in np.eye(3)], -1) / (2 * step)
        pull = value / np.maximum((slope**2).sum(-1), 0.1)
        points -= np.clip(pull, -CELL, CELL)[:, None] * slope
    return LimbMesh(points.astype(np.float32), faces.astype(np.uint32))


def _nets(inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Surface nets: a vertex in each cell the surface passes, a quad around each edge it cuts; outward by winding."""
    corners = np.lib.stride_tricks.sliding_window_view(inside, (2, 2, 2)).sum(axis=(3, 4, 5))
    cells = np.argwhere((corners > 0) & (corners < 8))
    number = np.full(corners.shape, -1)
    number[tuple(cells.T)] = np.arange(len(cells))
    triangles = []
    for axis in range(3):
        at = np.argwhere(np.diff(inside, axis=axis))
        leaving = inside[tuple(at.T)]  # the edge goes from inside to outside
        u, v = np.eye(3, dtype=int)[(axis + 1) % 3], np.eye(3, dtype=int)[(axis + 2) % 3]
        ring = [number[tuple((at - shift).T)] for shift in (u + v, v, 0 * u, u)]
        quad = np.stack(ring, 1)
        quad[~leaving] = quad[~leaving][:, ::-1]
        triangles += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    return cells, np.concatenate(triangles)
