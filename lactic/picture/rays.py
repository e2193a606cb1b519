"""Which shape each ray of a picture sees, many rays at once or, where numba is installed, one by one and compiled.

Each shape is met in closed form inside its own bounding box and the nearest hit is kept; where two shapes of a body
join, the smooth minimum of their distances is marched, so that limbs flow into each other and their colours with them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lactic.picture import solids
from lactic.picture.figure import BOX, Shapes
from lactic.picture.solids import KIND, LEAP, PARTNER, STEPS, WIDTH, distance, meet, melt, slope
from lactic.picture.view import View

CLOSE = 0.06  # pixels from a surface at which a ray has arrived: where two fillets meet, the outer one must win
COMPILED = hasattr(meet, "py_func")  # by numba
Tile = tuple[slice, slice]


def tile_of(bounds: np.ndarray, shape: tuple[int, ...], margin: int) -> Tile | None:
    """The part of an image that holds all the bounds (n,2,2), or None where nothing shows."""
    left, top = np.floor(bounds[:, 0].min(0)).astype(int) - margin
    right, bottom = np.ceil(bounds[:, 1].max(0)).astype(int) + margin
    rows, columns = slice(max(top, 0), min(bottom, shape[0])), slice(max(left, 0), min(right, shape[1]))
    return None if rows.start >= rows.stop or columns.start >= columns.stop else (rows, columns)


@dataclass(frozen=True)
class Scene:
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
    """Those two as rows, (m,2,COLUMNS)."""
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
        both = np.stack([solids.swollen(rows[k], blend) for k in (i, j)], axis=1)
        covers = ~(members[None] & ~members[:, None]).any(2)
        return cls(
            rows,
            bounds,
            colours.astype(np.float32),
            shapes.body,
            pairs,
            lenses,
            both,
            members,
            covers,
            1.25 * float(rows[:, WIDTH].max()),
        )


class Grid:
    """A ray for each pixel of a part of a view's picture."""

    def __init__(self, view: View, part: Tile):
        self.shape = part[0].stop - part[0].start, part[1].stop - part[1].start
        self.count = self.shape[0] * self.shape[1]
        self.corner = view.corner[0] + part[1].start, view.corner[1] + part[0].start
        self.scale = view.scale
        self.x = ((np.arange(self.shape[1]) + 0.5 + self.corner[0]) / self.scale).astype(np.float32)
        self.y = (-(np.arange(self.shape[0]) + 0.5 + self.corner[1]) / self.scale).astype(np.float32)

    def near(self, bounds: np.ndarray) -> Tile | None:
        """The rays inside bounds."""
        (left, bottom), (right, top) = bounds * self.scale
        pixels = np.array([[left, -top], [right, -bottom]]) - self.corner
        return tile_of(pixels[None], self.shape, 0)

    def at(self, tile: Tile) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates right (1,w) and up (h,1) of rays, in metres."""
        return self.x[None, tile[1]], self.y[tile[0], None]

    def of(self, values: np.ndarray, tile: Tile) -> np.ndarray:
        """What a buffer (count,) holds for rays."""
        return values.reshape(self.shape)[tile]

    def picked(self, tile: Tile, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of the rays that hit, and their coordinates right and up."""
        rows, columns = np.nonzero(hit)
        rows, columns = rows + tile[0].start, columns + tile[1].start
        return rows * self.shape[1] + columns, self.x[columns], self.y[rows]

    def all(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates (count,) of all rays."""
        return np.tile(self.x, self.shape[0]), np.repeat(self.y, self.shape[1])


class Scatter:
    """Rays anywhere: coordinates right (n,) and up (n,) in metres."""

    def __init__(self, x: np.ndarray, y: np.ndarray, scale: float):
        self.x, self.y, self.scale, self.count = x, y, scale, len(x)

    def near(self, bounds: np.ndarray) -> np.ndarray | None:
        """Numbers of the rays inside bounds."""
        (left, bottom), (right, top) = bounds
        near = np.flatnonzero((self.x > left) & (self.x < right) & (self.y > bottom) & (self.y < top))
        return near if len(near) else None

    def at(self, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of rays."""
        return self.x[near], self.y[near]

    def of(self, values: np.ndarray, near: np.ndarray) -> np.ndarray:
        """What a buffer (count,) holds for rays."""
        return values[near]

    def picked(self, near: np.ndarray, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of the rays that hit, and their coordinates."""
        found = near[hit]
        return found, self.x[found], self.y[found]

    def all(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates (count,) of all rays."""
        return self.x, self.y


class Buffer:
    """Per ray the nearest hit: depth toward the camera (m, −inf: nothing), normal in its frame, colour, and body."""

    def __init__(self, count: int):
        self.depth = np.full(count, -np.inf, np.float32)
        self.normal, self.colour = np.zeros((count, 3), np.float32), np.zeros((count, 3), np.float32)
        self.body = np.zeros(count, np.int64)


def rasterise(scene: Scene, rays: Grid | Scatter) -> Buffer:
    """What rays see of a scene."""
    if not COMPILED:
        return rasterise_plainly(scene, rays)
    from lactic.picture.traced import trace

    seen = Buffer(rays.count)
    trace(
        *rays.all(),
        scene.rows,
        scene.bounds,
        scene.colours,
        scene.body,
        scene.pairs,
        scene.lenses,
        scene.swollen.reshape(-1, solids.COLUMNS),
        scene.members,
        scene.covers,
        scene.reach,
        CLOSE / rays.scale,
        seen.depth,
        seen.normal,
        seen.colour,
        seen.body,
    )
    return seen


def rasterise_plainly(scene: Scene, rays: Any) -> Buffer:
    """The same without a compiler: shape by shape."""
    seen = Buffer(rays.count)
    with np.errstate(invalid="ignore", divide="ignore"):
        for i in range(len(scene.rows)):
            near = rays.near(scene.bounds[i])
            if near is not None:
                x, y = rays.at(near)
                _keep(seen, scene, rays, near, meet(x, y, scene.rows, i), [i], scene.body[i])
        for k, lens in enumerate(scene.lenses):
            near = rays.near(lens)
            if near is not None:
                x, y = rays.at(near)
                start = np.maximum(meet(x, y, scene.swollen[k], 0), meet(x, y, scene.swollen[k], 1))
                near_by = (scene.bounds[:, 0] - scene.reach < lens[1]) & (scene.bounds[:, 1] + scene.reach > lens[0])
                group = np.flatnonzero(scene.members[k] & near_by.all(1)).tolist()
                _keep(seen, scene, rays, near, start, group, scene.body[scene.pairs[k, 0]])
    return seen


def _keep(seen: Buffer, scene: Scene, rays: Any, near: Any, start: np.ndarray, group: list[int], body: int) -> None:
    """Keep what is nearer of a group of joined shapes, met at or (where marched) beyond the heights `start`."""
    hit = start > rays.of(seen.depth, near)  # false for NaN: the ray misses
    at, x, y = rays.picked(near, hit)
    z = start[hit].astype(np.float32)
    if len(group) > 1 or scene.rows[group[0], KIND] == BOX:
        z, arrived = _march(x, y, z, scene.rows, group, CLOSE / rays.scale)
        arrived &= z > seen.depth[at]
        at, x, y, z = at[arrived], x[arrived], y[arrived], z[arrived]
    normal = np.stack(slope(x, y, z, scene.rows, group[0]), axis=1)
    colour = np.repeat(scene.colours[group[:1]], len(z), axis=0)
    for k, share in zip(group[1:], _union(x, y, z, scene.rows, group)[1], strict=True):
        share = share[:, None]
        normal += share * (np.stack(slope(x, y, z, scene.rows, k), axis=1) - normal)
        colour += share * (scene.colours[k] - colour)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    seen.depth[at], seen.colour[at], seen.normal[at], seen.body[at] = z, colour, normal, body


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
