"""A software painter for bodies: no display, no GL, nothing to install.

Light is worked out per visible pixel. For shadows and creases each shape is a capsule: the distance of a light ray to a
capsule's axis is that of a point to a segment in the plane across the light, which also gives soft edges.
"""

from dataclasses import replace

import numpy as np
from PIL import Image

from lactic.play.figure import Shapes
from lactic.play.solids import rasterise, tile_of
from lactic.play.view import View

SAMPLES = 2  # per pixel and axis
PENUMBRA = 0.22  # metres of soft edge per metre between a shape and its shadow


def paint(canvas: np.ndarray, shapes: Shapes, colours: np.ndarray, view: View) -> None:
    """Paint the shapes, coloured (n,3) in linear light, over `canvas` (H,W,3), also linear."""
    tile = tile_of(view.extent(shapes), canvas.shape, 2)
    if tile is None:
        return
    height, width = (s.stop - s.start for s in tile)
    left, top = view.corner[0] + tile[1].start, view.corner[1] + tile[0].start
    sharp = replace(view, scale=view.scale * SAMPLES, corner=(left * SAMPLES, top * SAMPLES))
    seen = rasterise(shapes, colours, sharp, height * SAMPLES, width * SAMPLES)
    rows, columns = np.nonzero(np.isfinite(seen.depth))
    if len(rows) == 0:
        return
    depth, normals = seen.depth[rows, columns], seen.normal[rows, columns]
    # light that other shapes keep away changes slowly: once per pixel, for one of its samples
    pixel = (rows // SAMPLES) * width + columns // SAMPLES
    _, first, back = np.unique(pixel, return_index=True, return_inverse=True)
    points = sharp.points(columns[first], rows[first], depth[first])
    lit, open_ = _occlusion(points, normals[first] @ sharp.frame.astype(np.float32), shapes, view.light)
    open_ *= 1 - 0.3 * np.clip(-(normals[first] @ sharp.frame[:, 2]), 0, 1)  # the floor is darker than the sky
    colour = _shade(normals, seen.colour[rows, columns], lit[back], open_[back], view)
    image = np.zeros((height * width, 4), np.float32)
    for channel in range(3):
        image[:, channel] = np.bincount(pixel, colour[:, channel], height * width)
    image[:, 3] = np.bincount(pixel, minlength=height * width)
    image = image.reshape(height, width, 4) / SAMPLES**2
    canvas[tile] = image[..., :3] + canvas[tile] * (1 - image[..., 3:])


def paint_shadow(canvas: np.ndarray, shapes: Shapes, view: View, strength: float = 0.42) -> None:
    """Darken the ground of `canvas` (H,W,3) under and behind the shapes."""
    light, (start, end, radius) = view.light, shapes.capsules()
    fallen = [p - light * (np.maximum(p[:, 2:], 0) / light[2]) for p in (start, end)]
    reach = (radius + PENUMBRA * np.maximum(start[:, 2], end[:, 2])) * 1.5 * view.scale + 0.25 * view.scale
    spots = np.concatenate([view.pixels(p * [1, 1, 0]) for p in (*fallen, start, end)])
    reach = np.tile(reach, 4)[:, None]
    tile = tile_of(np.stack([spots - reach, spots + reach], axis=1), canvas.shape, 4)
    if tile is None:
        return
    coarse = 3  # a soft shadow needs few points
    y, x = (np.arange(s.start, s.stop + coarse, coarse, dtype=np.float32) + coarse / 2 for s in tile)
    points = view.floor(*np.meshgrid(x, y)).astype(np.float32)
    up = np.broadcast_to(np.array([0, 0, 1], np.float32), (points.shape[0] * points.shape[1], 3))
    lit, open_ = _occlusion(points.reshape(-1, 3), up, shapes, light)
    dark = 1 - (1 - strength * (1 - lit)) * (0.25 + 0.75 * open_)
    dark = np.maximum(dark - 0.012, 0)  # or the edge of the tile would show
    small = Image.fromarray(dark.reshape(points.shape[:2]).astype(np.float32))
    smooth = small.resize((small.width * coarse, small.height * coarse), Image.Resampling.BICUBIC)
    height, width = (s.stop - s.start for s in tile)
    dark = np.clip(np.asarray(smooth)[:height, :width, None], 0, 1)
    canvas[tile] *= 1 - dark * np.array([1.0, 0.97, 0.90], np.float32)  # skylight leaves shadows a little blue


def _occlusion(points, normals, shapes: Shapes, light: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of the key light and of the sky that reaches points (n,3) past the shapes."""
    side = np.cross(light, [0.0, 0.0, 1.0] if abs(light[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    basis = np.stack([side, np.cross(light, side), light], axis=1).astype(np.float32)  # z runs to the light
    start, end, radius = (a.astype(np.float32) for a in shapes.capsules())
    px, py, pz = np.ascontiguousarray((points @ basis).T)
    nx, ny, nz = np.ascontiguousarray((normals @ basis).T)
    lit, open_ = np.ones_like(px), np.ones_like(px)
    for (ax, ay, az), (sx, sy, sz), r in zip(start @ basis, (end - start) @ basis, radius, strict=True):
        x, y, z = px - ax, py - ay, pz - az
        flat = x * sx + y * sy
        t = np.clip(flat / max(sx * sx + sy * sy, 1e-9), 0, 1)
        ahead = t * sz - z  # how far along the light the axis is passed
        edge = PENUMBRA * np.maximum(ahead, 0) + np.float32(0.01)
        cover = np.clip(0.5 + (r - np.hypot(x - t * sx, y - t * sy)) / (2 * edge), 0, 1)
        lit *= 1 - cover * np.clip(ahead / r - 1, 0, 1)  # what is nearer than its own size is a neighbour, not a shade
        # sky kept away by a ball of radius r at the nearest point of the axis: cos / distance²
        t = np.clip((flat + z * sz) / max(sx * sx + sy * sy + sz * sz, 1e-9), 0, 1)
        x, y, z = t * sx - x, t * sy - y, t * sz - z
        square = np.maximum(x * x + y * y + z * z, r * r)
        facing = np.maximum(x * nx + y * ny + z * nz, 0) / np.sqrt(square)
        open_ *= 1 - np.float32(0.6) * np.minimum(facing, 1) * (r * r / square)
    return lit, open_


def _shade(normals, colours, lit, open_, view: View) -> np.ndarray:
    """Colour of points with normals in the camera's frame: a warm key, sky and bounce, and a rim."""
    light = (view.frame @ view.light).astype(np.float32)
    up = (view.frame @ [0.0, 0.0, 1.0]).astype(np.float32)
    key = np.clip((normals @ light + 0.12) / 1.12, 0, 1) * lit
    sky = (0.5 + 0.5 * (normals @ up)) * open_
    half = light + np.array([0, 0, 1], np.float32)
    gloss = np.clip(normals @ (half / np.linalg.norm(half)), 0, 1) ** 32 * lit
    warm, cool = np.array([1.0, 0.97, 0.92], np.float32), np.array([0.90, 0.95, 1.0], np.float32)
    glow = 0.80 * key[:, None] * warm + 0.36 * sky[:, None] * cool + 0.20 * open_[:, None]
    rim = 0.20 * ((1 - np.clip(normals[:, 2], 0, 1)) ** 3 * sky)[:, None] * cool
    colour = colours * glow + rim + 0.04 * gloss[:, None]
    bright = np.maximum(colour, 0.7)
    return np.where(colour < bright, colour, 1 - 0.09 / (bright - 0.4))  # highlights fade to white, they do not clip
