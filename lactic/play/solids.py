"""Meeting shapes with parallel rays: capsules, ellipsoids and boxes, and the fillets where they join.

The view is orthographic, so a ray is a pixel. Each shape is met in closed form inside its own bounding box and the
nearest hit is kept; where two shapes of a body join, the smooth minimum of their distances is marched, so that limbs
flow into each other and their colours with them.
"""

import numpy as np

from lactic.play.figure import BOX, CAPSULE, ELLIPSOID, Shapes
from lactic.play.view import View

BLEND = 1.3  # width of the fillet where two shapes join, in radii of the thinner
Tile = tuple[slice, slice]


def tile_of(bounds: np.ndarray, shape: tuple[int, ...], margin: int) -> Tile | None:
    """The part of an image that holds all the bounds (n,2,2), or None where nothing shows."""
    left, top = np.floor(bounds[:, 0].min(0)).astype(int) - margin
    right, bottom = np.ceil(bounds[:, 1].max(0)).astype(int) + margin
    rows, columns = slice(max(top, 0), min(bottom, shape[0])), slice(max(left, 0), min(right, shape[1]))
    return None if rows.start >= rows.stop or columns.start >= columns.stop else (rows, columns)


class Buffer:
    """Per pixel the nearest hit: depth toward the camera (m, −inf: nothing), normal in its frame, and colour."""

    def __init__(self, view: View, height: int, width: int):
        self.view, self.depth = view, np.full((height, width), -np.inf, np.float32)
        self.normal, self.colour = np.zeros((height, width, 3), np.float32), np.zeros((height, width, 3), np.float32)

    def rays(self, tile: Tile) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates right (1,w) and up (h,1) of the pixel centres of a tile, in metres."""
        x = (np.arange(tile[1].start, tile[1].stop) + 0.5 + self.view.corner[0]) / self.view.scale
        y = -(np.arange(tile[0].start, tile[0].stop) + 0.5 + self.view.corner[1]) / self.view.scale
        return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]

    def add(self, tile: Tile, start: np.ndarray, group: list["Solid"], colours: np.ndarray, march: bool) -> None:
        """Keep what is nearer of a group of joined solids, met at or (where marched) beyond the heights `start`."""
        hit = start > self.depth[tile]  # false for NaN: the ray misses
        x, y, z = (a[hit] for a in np.broadcast_arrays(*self.rays(tile), start))
        if march:
            z, arrived = _march(x, y, z, group, self.view.scale)
            arrived &= z > self.depth[tile][hit]
            hit[hit] = arrived
            x, y, z = x[arrived], y[arrived], z[arrived]
        slope, colour = group[0].slope(x, y, z), np.repeat(colours[:1], len(z), axis=0)
        for k, share in enumerate(_union(x, y, z, group)[1], 1):
            share = share[:, None]
            slope = slope + share * (group[k].slope(x, y, z) - slope)
            colour = colour + share * (colours[k] - colour)
        self.depth[tile][hit], self.colour[tile][hit] = z, colour
        self.normal[tile][hit] = slope / np.linalg.norm(slope, axis=1, keepdims=True)


def rasterise(shapes: Shapes, colours: np.ndarray, view: View, height: int, width: int) -> Buffer:
    """What each pixel of a view sees of the shapes, coloured (n,3)."""
    buffer, bounds, frame = Buffer(view, height, width), view.extent(shapes), view.frame
    parts = zip(shapes.kind, shapes.centre, shapes.axes, shapes.size, strict=True)
    solids = [Solid(int(kind), frame @ centre, frame @ axes, size) for kind, centre, axes, size in parts]
    colours = colours.astype(np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        for i, solid in enumerate(solids):
            tile = tile_of(bounds[i : i + 1], buffer.depth.shape, 1)
            if tile is not None:
                buffer.add(tile, solid.meet(*buffer.rays(tile)), [solid], colours[i : i + 1], solid.kind == BOX)
        for i, j in shapes.links:
            later, partner = solids[max(i, j)], solids[min(i, j)]
            later.blend = np.float32(BLEND * min(later.radius, partner.radius))
            later.partner = partner if (i, j) in shapes.crossed else None
        for i, j in shapes.links:
            # only rays that meet both shapes, swollen by the blend, may meet the fillet between them
            blend = BLEND * min(solids[i].radius, solids[j].radius)
            lens = np.stack([np.maximum(bounds[i, 0], bounds[j, 0]), np.minimum(bounds[i, 1], bounds[j, 1])])
            tile = tile_of((lens + blend * view.scale * np.array([[-1], [1]]))[None], buffer.depth.shape, 0)
            if tile is not None:
                start = np.maximum(*(solids[k].swollen(blend).meet(*buffer.rays(tile)) for k in (i, j)))
                members = np.flatnonzero(np.isin(shapes.body, shapes.body[[i, j]]))
                buffer.add(tile, start, [solids[k] for k in members], colours[members], True)
    return buffer


def _union(x, y, z, solids: list["Solid"]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Distance of points to solids that flow into each other, and each solid's share in the last blends."""
    far = solids[0].distance(x, y, z)
    shares: list[np.ndarray] = []
    distances: dict[Solid | None, np.ndarray] = {solids[0]: far}
    for solid in solids[1:]:
        distances[solid] = other = solid.distance(x, y, z)
        blend: np.ndarray | np.float32 = solid.blend
        if solid.partner in distances:  # the fillet ends where that is as far as the fillet is wide
            blend = blend * np.clip(2 - 2 * distances[solid.partner] / blend, np.float32(1e-3), np.float32(1))
        share = np.clip(0.5 + (far - other) / (2 * blend), 0, 1)  # quadratic smooth minimum
        far = far + share * (other - far - blend * (1 - share))
        shares.append(share)
    return far, shares


def _march(x, y, z, solids: list["Solid"], scale: float) -> tuple[np.ndarray, np.ndarray]:
    """March rays from z down to the surface of joined solids; says which arrive."""
    close = np.float32(0.3 / scale)
    arrived, going, height, z = np.zeros(len(x), bool), np.arange(len(x)), z, z.copy()
    last = np.full(len(x), np.inf, np.float32)
    for step in range(12):
        far, _ = _union(x, y, height, solids)
        near = far < close
        # a ray that starts inside belongs to another shape
        found = going[near if step else near & (far > -close)]
        arrived[found] = True
        z[going] = height
        on = np.flatnonzero(~near & (far < last))  # what moves away will not come back
        x, y, going, last = x[on], y[on], going[on], far[on]
        height = height[on] - last
        if len(going) == 0:
            break
    return z, arrived


class Solid:
    """One shape in the camera's frame, met by rays along −z."""

    def __init__(self, kind: int, centre: np.ndarray, axes: np.ndarray, size: np.ndarray):
        self.kind, self.centre = kind, centre.astype(np.float32)
        self.axes, self.size = axes.astype(np.float32), size.astype(np.float32)
        self.radius = float(np.sort(size)[:2].mean())
        self.spine, self.half = self.axes[:, 2], max(self.size[2] - self.size[0], np.float32(0))
        self.blend = np.float32(0.01)  # width of the fillet to the shapes before it
        self.partner: Solid | None = None  # the only one of them that it flows into
        self.round = np.float32(0.45) * self.size.min()  # of a box's edges

    def swollen(self, by: float) -> "Solid":
        """The same shape with its surface moved outward."""
        return Solid(self.kind, self.centre, self.axes, self.size + np.float32(by))

    def meet(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height z at which rays x (1,w), y (h,1) meet the shape, NaN where they miss; boxes with sharp edges."""
        x, y = x - self.centre[0], y - self.centre[1]
        return self.centre[2] + {CAPSULE: self._capsule, ELLIPSOID: self._ellipsoid, BOX: self._box}[self.kind](x, y)

    def _capsule(self, x, y):
        spine, square = self.spine, self.size[0] ** 2
        along = x * spine[0] + y * spine[1]
        rise, flat = along * spine[2], np.maximum(1 - spine[2] ** 2, np.float32(1e-9))
        z = (rise + np.sqrt(rise * rise - flat * (x * x + y * y - along * along - square))) / flat
        # here the ray enters the endless cylinder; past an end of the spine it can only meet that end's ball
        at = np.clip(along + z * spine[2], -self.half, self.half)
        return at * spine[2] + np.sqrt(square - (x - at * spine[0]) ** 2 - (y - at * spine[1]) ** 2)

    def _ellipsoid(self, x, y):
        form = (self.axes / self.size**2) @ self.axes.T  # p·form·p = 1
        slope = form[0, 2] * x + form[1, 2] * y
        rest = form[0, 0] * x * x + 2 * form[0, 1] * x * y + form[1, 1] * y * y - 1
        return (np.sqrt(slope * slope - form[2, 2] * rest) - slope) / form[2, 2]

    def _box(self, x, y):
        steps = np.where(np.abs(self.axes[2]) > 1e-6, self.axes[2], np.float32(1e-6))
        local = [self.axes[0, k] * x + self.axes[1, k] * y for k in range(3)]
        faces = self.size * np.sign(steps)
        enter = np.minimum.reduce([(faces[k] - local[k]) / steps[k] for k in range(3)])  # the last slab entered
        leave = np.maximum.reduce([(-faces[k] - local[k]) / steps[k] for k in range(3)])
        return np.where(enter >= leave, enter, np.nan)

    def distance(self, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Distance of points (n,) to the surface, negative inside; boxes have round edges."""
        x, y, z = x - self.centre[0], y - self.centre[1], z - self.centre[2]
        if self.kind == CAPSULE:
            a, b, c = self.spine
            at = np.clip(x * a + y * b + z * c, -self.half, self.half)
            return np.sqrt((x - at * a) ** 2 + (y - at * b) ** 2 + (z - at * c) ** 2) - self.size[0]
        local = [x * self.axes[0, k] + y * self.axes[1, k] + z * self.axes[2, k] for k in range(3)]
        if self.kind == ELLIPSOID:  # to first order
            once = np.sqrt(sum((local[k] / self.size[k]) ** 2 for k in range(3)))
            twice = np.sqrt(sum((local[k] / self.size[k] ** 2) ** 2 for k in range(3)))
            return once * (once - 1) / np.maximum(twice, np.float32(1e-6))
        out = [np.abs(local[k]) - (self.size[k] - self.round) for k in range(3)]
        outside = np.sqrt(sum(np.maximum(q, 0) ** 2 for q in out))
        return outside + np.minimum(np.maximum.reduce(out), 0) - self.round

    def slope(self, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Unit gradient (n,3) of the distance."""
        point = np.stack([x, y, z], axis=1) - self.centre
        if self.kind == CAPSULE:
            at = np.clip(point @ self.spine, -self.half, self.half)
            out = point - at[:, None] * self.spine
        else:
            local = point @ self.axes
            if self.kind == ELLIPSOID:
                local = local / self.size**2
            else:
                core = self.size - self.round
                local = local - np.clip(local, -core, core)
            out = local @ self.axes.T
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), np.float32(1e-9))
