"""Marks on the floor: lines each half metre, stronger each metre, against which a foot that slides is seen to."""

from functools import lru_cache

import numpy as np

from lactic.picture.view import View

METRE, HALF = 0.20, 0.09  # share of the light that lines take away
PARTS = 2048  # of a metre that are told apart
WIDE = 1.3  # pixels of a line from its middle to where it has faded


def mark_floor(canvas: np.ndarray, view: View, top: float) -> None:
    """Draw lines on the ground of `canvas` (H,W,3), fainter towards the row `top` where the floor fades away."""
    from lactic.picture import light  # which compiles: who only asks for a picture need not

    height, width = canvas.shape[:2]
    first = max(0, int(np.ceil(top)))
    if first >= height:
        return
    # ground under a pixel, linear in its column and row: in parts of a metre, whole numbers
    origin, right, down = view.floor(np.array([0.5, 1.5, 0.5]), np.array([0.5, 0.5, 1.5]))
    right, down = right - origin, down - origin
    across = np.round(PARTS * right[:2, None] * np.arange(width)).astype(np.int32)
    along = np.round(PARTS * (origin[:2, None] + down[:2, None] * np.arange(first, height))).astype(np.int32)
    lines = [_profile(round(PARTS * float(np.hypot(right[axis], down[axis])))) for axis in (0, 1)]
    fade = np.clip((np.arange(first, height) - top) / (0.22 * height), 0, 1).astype(np.float32)
    if light.COMPILED:
        light.draw_lines(canvas[first:], along, across, *lines, fade)
        return
    one, other = (lines[axis][(along[axis, :, None] + across[axis]) & (PARTS - 1)] for axis in (0, 1))
    canvas[first:] *= (1 - fade[:, None] * (1 - one * other))[..., None]


@lru_cache(maxsize=8)
def _profile(pixel: int) -> np.ndarray:
    """Light left (PARTS,) at each part of a metre, for pixels so many parts wide."""
    at = np.arange(PARTS)
    metre, half = np.minimum(at, PARTS - at), np.abs(at - PARTS // 2)
    wide = WIDE * max(pixel, 1)
    dark = np.maximum(METRE * np.clip(1.3 - metre / wide, 0, 1), HALF * np.clip(1.3 - half / wide, 0, 1))
    return (1 - np.minimum(dark, METRE)).astype(np.float32)
