"""Which shape each ray of a picture sees, many rays at once or, where numba is installed, one by one and compiled.

Each shape is met in closed form inside its own bounding box and the nearest hit is kept; where two shapes of a body
join, the smooth minimum of their distances is marched, so that limbs flow into each other and their colours with them.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lactic.compiling import COMPILED
from lactic.picture import solids
from lactic.picture.figure import BOX, Shapes
from lactic.picture.solids import KIND, LEAP, PARTNER, STEPS, WIDTH, distance, meet, melt, slope
from lactic.picture.view import View

CLOSE = 0.06  # pixels from a surface at which a ray has arrived: where two fillets meet, the outer one must win
Tile = tuple[slice, slice]


def tile_of(bounds: np.ndarray, shape: tuple[int, ...], margin: int) -> Tile | None:
    """The part of an image that holds all the bounds (n,2,2), or None where nothing shows."""
    left, top = np.floor(bounds[:, 0].min(0)).astype(int) - margin
    right, bottom = np.ceil(bounds[:, 1].max(0)).astype(int) + margin
    rows, columns = slice(max(top, 0), min(bottom, shape[0])), slice(max(left, 0), min(right, shape[1]))
    return None if rows.start >= rows.stop or columns.start >= columns.stop else (rows, columns)


class Scene(NamedTuple):
    """Shapes as rays meet them; bounds are [[left, bottom], [right, top]] in metres."""

    rows: np.ndarray
    bounds: np.ndarray
    """(n,2,2)."""
    colours: np.ndarray
    """(n,3) in linear light."""
    body: np.ndarray
    pairs: np.ndarray
    """Shapes that join, (m,2)."""
    lenses: np.ndarray
    """Bounds of the fillet between them, (m,2,2): only rays that meet both, swollen by the blend, may meet it."""
    swollen: np.ndarray
    """Those two as rows, one after the other, (2m, COLUMNS)."""
    members: np.ndarray
    """Which shapes take part in a fillet, (m,n)."""
    covers: np.ndarray
    """Whether the shapes of a fillet are among those of another, (m,m): where that was met, this one need not be."""
    reach: float
    """Metres from its bounds at which a shape still takes part in a fillet."""

    @classmethod
    def of(cls, shapes: Shapes, colours: np.ndarray, view: View) -> "Scene":
        """The shapes, coloured (n,3), in a view."""
        rows, radius = solids.rows_of(shapes, view), solids.radii(shapes)
        extent = replace(view, scale=1.0, corner=(0.0, 0.0)).extent(shapes)
        bounds = np.stack([extent[:, :, 0], -extent[:, ::-1, 1]], axis=2)  # rows of pixels run down
        pairs = np.array(shapes.links, int).reshape(-1, 2)
        of = shapes.body[:, None] == shapes.body[pairs.T][:, None]  # (2,n,m)
        members = (of[0] | of[1]).T
        larger = np.argsort(-members.sum(1), kind="stable")
        pairs, members = pairs[larger], members[larger]
        i, j = pairs.T
        blend = solids.BLEND * np.minimum(radius[i], radius[j])
        lenses = np.stack([np.maximum(bounds[i, 0], bounds[j, 0]), np.minimum(bounds[i, 1], bounds[j, 1])], axis=1)
        lenses += blend[:, None, None] * np.array([[-1], [1]])
        both = np.stack([solids.swollen(rows[k], blend) for k in (i, j)], axis=1).reshape(-1, solids.COLUMNS)
        covers = ~(members[None] & ~members[:, None]).any(2)
        seen = rows, bounds, colours.astype(np.float32), shapes.body
        return cls(*seen, pairs, lenses, both, members, covers, 1.25 * float(rows[:, WIDTH].max()))


class Rays(NamedTuple):
    """Rays at coordinates right (n,) and up (n,), in metres, of a picture with so many pixels a metre."""

    x: np.ndarray
    y: np.ndarray
    scale: float


def pixel_rays(view: View, part: Tile) -> Rays:
    """A ray through the middle of each pixel of a part of a view's picture, row by row."""
    y, x = (np.arange(s.start, s.stop) + 0.5 + corner for s, corner in zip(part, view.corner[::-1], strict=True))
    right, up = (x / view.scale).astype(np.float32), (-y / view.scale).astype(np.float32)
    return Rays(np.tile(right, len(up)), np.repeat(up, len(right)), view.scale)


class RayHits(NamedTuple):
    """Per ray the nearest hit: depth toward the camera (m, −inf: nothing), normal in its frame, colour, and body."""

    depth: np.ndarray
    normal: np.ndarray
    colour: np.ndarray
    body: np.ndarray

    @classmethod
    def none(cls, count: int) -> "RayHits":
        """Of so many rays that hit nothing."""
        depth, normal = np.full(count, -np.inf, np.float32), np.zeros((count, 3), np.float32)
        return cls(depth, normal, np.zeros_like(normal), np.zeros(count, np.int64))


def cast(scene: Scene, rays: Rays) -> RayHits:
    """What rays hit of a scene."""
    hits = RayHits.none(len(rays.x))
    if COMPILED:
        from lactic.picture.traced import trace

        trace(rays.x, rays.y, scene, np.float32(CLOSE / rays.scale), hits)
    else:
        _cast_plainly(scene, rays, hits)
    return hits


def _cast_plainly(scene: Scene, rays: Rays, hits: RayHits) -> None:
    """The same without a compiler: shape by shape."""
    with np.errstate(invalid="ignore", divide="ignore"):
        for i, bounds in enumerate(scene.bounds):
            near, x, y = _inside(rays, bounds)
            _keep(hits, scene, rays, near, meet(x, y, scene.rows, i), [i], scene.body[i])
        for k, lens in enumerate(scene.lenses):
            near, x, y = _inside(rays, lens)
            start = np.maximum(meet(x, y, scene.swollen, 2 * k), meet(x, y, scene.swollen, 2 * k + 1))
            near_by = (scene.bounds[:, 0] - scene.reach < lens[1]) & (scene.bounds[:, 1] + scene.reach > lens[0])
            group = np.flatnonzero(scene.members[k] & near_by.all(1)).tolist()
            _keep(hits, scene, rays, near, start, group, scene.body[scene.pairs[k, 0]])


def _inside(rays: Rays, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of the rays inside bounds, and their coordinates."""
    (left, bottom), (right, top) = bounds
    near = np.flatnonzero((rays.x > left) & (rays.x < right) & (rays.y > bottom) & (rays.y < top))
    return near, rays.x[near], rays.y[near]


def _keep(
    hits: RayHits, scene: Scene, rays: Rays, near: np.ndarray, start: np.ndarray, group: list[int], body: int
) -> None:
    """Keep what is nearer of a group of joined shapes, met at or (where marched) beyond the heights `start`."""
    hit = start > hits.depth[near]  # false for NaN: the ray misses
    at, z = near[hit], start[hit].astype(np.float32)
    x, y = rays.x[at], rays.y[at]
    if len(group) > 1 or scene.rows[group[0], KIND] == BOX:
        z, arrived = _march(x, y, z, scene.rows, group, CLOSE / rays.scale)
        arrived &= z > hits.depth[at]
        at, x, y, z = at[arrived], x[arrived], y[arrived], z[arrived]
    normal = np.stack(slope(x, y, z, scene.rows, group[0]), axis=1)
    colour = np.repeat(scene.colours[group[:1]], len(z), axis=0)
    for k, share in zip(group[1:], _union(x, y, z, scene.rows, group)[1], strict=True):
        share = share[:, None]
        normal += share * (np.stack(slope(x, y, z, scene.rows, k), axis=1) - normal)
        colour += share * (scene.colours[k] - colour)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    hits.depth[at], hits.colour[at], hits.normal[at], hits.body[at] = z, colour, normal, body


def _union(x, y, z, rows: np.ndarray, group: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Distance of points to shapes that flow into each other, and each one's share in the last blends."""
    far, shares = distance(x, y, z, rows, group[0]), []
    distances = {group[0]: far}
    for k in group[1:]:
        distances[k] = other = distance(x, y, z, rows, k)
        far, share = melt(far, other, rows[k, WIDTH], distances.get(int(rows[k, PARTNER]), np.float32(0)))
        shares.append(share)
    return far, shares


def _march(x, y, z, rows: np.ndarray, group: list[int], close: float) -> tuple[np.ndarray, np.ndarray]:
    """March rays from z down to the surface of joined shapes; says which arrive."""
    arrived, going, height, z = np.zeros(len(x), bool), np.arange(len(x)), z, z.copy()
    last, fall = np.full(len(x), np.inf, np.float32), np.ones(len(x), np.float32)
    for step in range(STEPS):
        far, _ = _union(x, y, height, rows, group)
        near = np.abs(far) < close
        arrived[going[near]] = True
        z[going] = height
        # what moves away will not come back, and a ray that starts inside belongs to another shape
        on = np.flatnonzero(~near & ((far < last) | (last < 0) if step else far > 0))
        if len(on) == 0:
            break
        x, y, going = x[on], y[on], going[on]
        far, height, before, fall = far[on], height[on], last[on], fall[on]
        # the distance shrank by less than the ray has gone, and will again: a secant, held back so as not to pass by
        last, fall = far, far * (np.minimum(fall / (before - far), np.float32(LEAP)) if step else fall)
        height = height - fall
    return z, arrived
