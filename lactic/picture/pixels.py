"""Loops over pixels, compiled: what `painter`, `floor` and `stage` do with arrays where numba is missing."""

import numpy as np

from lactic.compiling import COMPILED, njit
from lactic.picture.solids import LAX, ONE, ZERO, within

__all__ = ["COMPILED", "darken", "draw_lines", "encode", "lighten"]


@njit(cache=True, error_model="numpy", fastmath=LAX)
def encode(canvas, table, codes):
    """Write the entry of a table for each share of light from 0 to 1."""
    flat, out, top = canvas.reshape(-1), codes.reshape(-1), np.float32(len(table) - 1)
    for n in range(flat.size):
        out[n] = table[int(within(flat[n] * top + np.float32(0.5), ZERO, top))]


@njit(cache=True, error_model="numpy", fastmath=LAX)
def darken(canvas, dark, shares):
    """Take shares (3,) of what is dark (H,W) off the light of a part of a canvas (H,W,3)."""
    for row in range(canvas.shape[0]):
        for column in range(canvas.shape[1]):
            here = within(dark[row, column], ZERO, ONE)
            for channel in range(3):
                canvas[row, column, channel] *= ONE - here * shares[channel]


@njit(cache=True, error_model="numpy", fastmath=LAX)
def draw_lines(canvas, along, across, first, second, fade):
    """Take off light where the ground under a pixel, in parts of a metre, lies on lines that run either way."""
    parts = len(first) - 1
    for row in range(canvas.shape[0]):
        for column in range(canvas.shape[1]):
            left = first[(along[0, row] + across[0, column]) & parts]
            left *= second[(along[1, row] + across[1, column]) & parts]
            if left < ONE:
                for channel in range(3):
                    canvas[row, column, channel] *= ONE - fade[row] * (ONE - left)


@njit(cache=True, error_model="numpy", fastmath=LAX)
def lighten(normals, colours, key, sky, light, up, half, warm, cool):
    """Turn colours into those of lit points: the law of `painter`."""
    for n in range(len(normals)):
        x, y, z = normals[n, 0], normals[n, 1], normals[n, 2]
        direct = x * light[0] + y * light[1] + z * light[2]
        direct = within((direct + np.float32(0.12)) / np.float32(1.12), ZERO, ONE) * key[n]
        above = (np.float32(0.5) + np.float32(0.5) * (x * up[0] + y * up[1] + z * up[2])) * sky[n]
        gloss = within(x * half[0] + y * half[1] + z * half[2], ZERO, ONE)
        for _ in range(5):
            gloss *= gloss
        away = ONE - within(z, ZERO, ONE)
        rim = np.float32(0.2) * away * away * away * above
        for k in range(3):
            glow = np.float32(0.8) * direct * warm[k] + np.float32(0.36) * above * cool[k] + np.float32(0.2) * sky[n]
            shade = colours[n, k] * glow + rim * cool[k] + np.float32(0.04) * gloss * key[n]
            if shade > np.float32(0.7):
                shade = ONE - np.float32(0.09) / (shade - np.float32(0.4))
            colours[n, k] = shade
