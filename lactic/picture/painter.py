"""A software painter for bodies: no display, no GL, nothing to install. Light is worked out per visible pixel."""

import numpy as np
from PIL import Image

from lactic.compiling import COMPILED
from lactic.picture.figure import Shapes
from lactic.picture.light import PENUMBRA, darken, lighten, occlusion
from lactic.picture.rays import RayHits, Rays, Scene, cast, pixel_rays, tile_of
from lactic.picture.view import View

SPREAD = np.array([[-0.125, -0.375], [0.375, -0.125], [-0.375, 0.125], [0.125, 0.375]], np.float32)
"""Where the rays of a pixel with an edge in it go, in pixels from its middle: no two in one row or column."""
CREASE = 0.9  # cosine between the normals of neighbours below which an edge lies between them


def paint(canvas: np.ndarray, shapes: Shapes, colours: np.ndarray, view: View) -> None:
    """Paint the shapes, coloured (n,3) in linear light, over `canvas` (H,W,3), also linear."""
    tile = tile_of(view.extent(shapes), canvas.shape, 2)
    if tile is None:
        return
    grid, scene = pixel_rays(view, tile), Scene.of(shapes, colours, view)
    shape = tile[0].stop - tile[0].start, tile[1].stop - tile[1].start
    whole = cast(scene, grid)
    edge = _edges(whole, shape)
    if not len(edge):
        return
    # most pixels see one smooth surface, for which a single ray will do; the others get several
    x, y = grid.x[edge] + SPREAD[:, :1] / view.scale, grid.y[edge] + SPREAD[:, 1:] / view.scale
    rays = Rays(x.ravel().astype(np.float32), y.ravel().astype(np.float32), view.scale)
    fine = cast(scene, rays)
    inner = np.isfinite(whole.depth)
    inner[edge] = False
    inside, split = np.flatnonzero(inner), np.flatnonzero(np.isfinite(fine.depth))
    x, y = np.concatenate([grid.x[inside], rays.x[split]]), np.concatenate([grid.y[inside], rays.y[split]])
    depth, normals, colour, body = (
        np.concatenate([getattr(whole, name)[inside], getattr(fine, name)[split]])
        for name in ("depth", "normal", "colour", "body")
    )
    on_edge = split % len(edge)

    pixel = np.concatenate([inside, edge[on_edge]])
    first, back = _shared_light(pixel, body, shape, max(1, round(view.scale / 150)))
    points = (np.stack([x[first], y[first], depth[first]], axis=1) @ view.frame).astype(np.float32)
    lit, open_ = occlusion(points, normals[first] @ view.frame.astype(np.float32), shapes, view.light)
    open_ *= 1 - 0.3 * np.clip(-(normals[first] @ view.frame[:, 2]), 0, 1)  # the floor is darker than the sky
    colour = _shade(normals, colour, lit[back], open_[back], view)

    under = canvas[tile].reshape(-1, 3)
    under[inside] = colour[: len(inside)]
    left = 1 - np.bincount(on_edge, minlength=len(edge)) / len(SPREAD)
    for channel in range(3):
        mixed = np.bincount(on_edge, colour[len(inside) :, channel], len(edge)) / len(SPREAD)
        under[edge, channel] = mixed + under[edge, channel] * left
    canvas[tile] = under.reshape(*shape, 3)


def _edges(seen: RayHits, shape: tuple[int, int]) -> np.ndarray:
    """Pixels that see something else than a neighbour: the rim of a shape, or a crease between two."""
    hit, normal = np.isfinite(seen.depth).reshape(shape), seen.normal.reshape(*shape, 3)
    edge = np.zeros(shape, bool)
    for one, other in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        apart = np.einsum("yxi,yxi->yx", normal[one], normal[other]) < CREASE  # 0 where either sees nothing
        apart &= hit[one] | hit[other]
        edge[one] |= apart
        edge[other] |= apart
    return np.flatnonzero(edge)


def _shared_light(
    pixel: np.ndarray, body: np.ndarray, shape: tuple[int, int], block: int
) -> tuple[np.ndarray, np.ndarray]:
    """One sample for each block of pixels and body, and for each sample which of those it shares its light with.

    Light that other shapes keep away changes slowly, so that a sample per block is enough."""
    rows, columns = np.divmod(pixel, shape[1])
    across = shape[1] // block + 1
    key = (rows // block * across + columns // block) * (int(body.max(initial=0)) + 1) + body
    number = np.empty(key.max(initial=0) + 1, np.int64)
    number[key] = np.arange(len(key))
    first = np.flatnonzero(number[key] == np.arange(len(key)))
    number[key[first]] = np.arange(len(first))
    return first, number[key]


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
    coarse = max(3, round(view.scale / 60))  # a soft shadow needs few points
    y, x = (np.arange(s.start, s.stop + coarse, coarse, dtype=np.float32) + coarse / 2 for s in tile)
    points = view.floor(*np.meshgrid(x, y)).astype(np.float32)
    up = np.broadcast_to(np.array([0, 0, 1], np.float32), (points.shape[0] * points.shape[1], 3))
    lit, open_ = occlusion(points.reshape(-1, 3), up, shapes, light)
    dark = 1 - (1 - strength * (1 - lit)) * (0.25 + 0.75 * open_)
    dark = np.maximum(dark - 0.012, 0)  # or the edge of the tile would show
    small = Image.fromarray(dark.reshape(points.shape[:2]).astype(np.float32))
    smooth = small.resize((small.width * coarse, small.height * coarse), Image.Resampling.BICUBIC)
    height, width = (s.stop - s.start for s in tile)
    dark, shares = np.asarray(smooth)[:height, :width], np.array([1.0, 0.97, 0.90], np.float32)
    if COMPILED:  # skylight leaves shadows a little blue
        darken(canvas[tile], dark, shares)
    else:
        canvas[tile] *= 1 - np.clip(dark[..., None], 0, 1) * shares


def _shade(normals, colours, lit, open_, view: View) -> np.ndarray:
    """Colour of points with normals in the camera's frame: a warm key, sky and bounce, and a rim."""
    light = (view.frame @ view.light).astype(np.float32)
    up = (view.frame @ [0.0, 0.0, 1.0]).astype(np.float32)
    half = light + np.array([0, 0, 1], np.float32)
    half /= np.linalg.norm(half)
    warm, cool = np.array([1.0, 0.97, 0.92], np.float32), np.array([0.90, 0.95, 1.0], np.float32)
    if COMPILED:
        lighten(normals, colours, lit, open_, light, up, half, warm, cool)
        return colours
    key = np.clip((normals @ light + 0.12) / 1.12, 0, 1) * lit
    sky = (0.5 + 0.5 * (normals @ up)) * open_
    gloss = np.clip(normals @ half, 0, 1) ** 32 * lit
    glow = 0.80 * key[:, None] * warm + 0.36 * sky[:, None] * cool + 0.20 * open_[:, None]
    rim = 0.20 * ((1 - np.clip(normals[:, 2], 0, 1)) ** 3 * sky)[:, None] * cool
    colour = colours * glow + rim + 0.04 * gloss[:, None]
    bright = np.maximum(colour, 0.7)
    return np.where(colour < bright, colour, 1 - 0.09 / (bright - 0.4))  # highlights fade to white, they do not clip
