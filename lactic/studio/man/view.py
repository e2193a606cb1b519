"""Muscles on the stage: tubes along their anchors, all in one object."""

from typing import Any

import numpy as np
import viser

from lactic import rotation
from lactic.picture.muscles import By, MuscleLook

SIDES = 6
RINGS = ((-0.5, 0.55), (-0.42, 1.0), (0.42, 1.0), (0.5, 0.55))
"""Height and radius of each ring of a tube of length and radius 1: its ends are a little narrower."""
BEYOND = 0.8
"""Radii by which a tube is longer than its piece at either end, so that a bend shows no gap."""


class MuscleView:
    """The muscles of one actor: a tube is drawn once and placed 928 times, so a frame is four arrays."""

    def __init__(self, server: viser.ViserServer, name: str, bodies: int):
        self._around = np.zeros((bodies + 1, 3)), np.tile(np.eye(3), (bodies + 1, 1, 1))
        self._seen: tuple[Any, ...] = ()
        vertices, faces = tube()
        self.tubes: Any = server.scene.add_batched_meshes_simple(
            f"{name}/muscles",
            vertices,
            faces,
            np.array([[1.0, 0.0, 0.0, 0.0]]),
            np.zeros((1, 3)),
            batched_scales=np.zeros((1, 3)),
            batched_colors=np.zeros((1, 3), np.uint8),
            lod="off",
            receive_shadow=False,
        )

    def show(self, xpos: np.ndarray, xquat: np.ndarray, state: np.ndarray, colour: By, width: By) -> None:
        """Place all tubes along the muscles of bodies at `xpos` (body, 3) and `xquat` (body, 4); what is on show
        already is not sent again."""
        now = xpos, xquat, state, colour, width
        if self._seen and all(np.array_equal(a, b) for a, b in zip(now, self._seen, strict=True)):
            return
        self._seen = now
        places, turns = self._around
        places[1:], turns[1:] = xpos, rotation.to_matrix(xquat)
        lines = MuscleLook(state[None], colour, width).lines(0, places, turns)
        along = lines.end - lines.start
        length = np.linalg.norm(along, axis=1)
        wide = lines.radius
        tubes = self.tubes
        tubes.batched_positions = ((lines.start + lines.end) / 2).astype(np.float32)
        tubes.batched_wxyzs = upright_to(along / np.maximum(length, 1e-9)[:, None]).astype(np.float32)
        tubes.batched_scales = np.stack([wide, wide, length + 2 * BEYOND * wide], 1).astype(np.float32)
        # viser 1.1 takes colours of such objects as linear light, where it takes those of others as sRGB
        tubes.batched_colors = np.round(255 * lines.colour).astype(np.uint8)


def tube() -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of a closed tube along z of radius 1 and length 1."""
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.stack([np.cos(angle), np.sin(angle)], 1)
    rows = [np.column_stack([radius * ring, np.full(SIDES, height)]) for height, radius in RINGS]
    faces = []
    for k in range(len(RINGS) - 1):
        for i in range(SIDES):
            a, b = k * SIDES + i, k * SIDES + (i + 1) % SIDES
            faces += [(a, b, b + SIDES), (a, b + SIDES, a + SIDES)]
    last = (len(RINGS) - 1) * SIDES
    for i in range(1, SIDES - 1):
        faces += [(0, i + 1, i), (last, last + i, last + i + 1)]
    return np.concatenate(rows).astype(np.float32), np.array(faces, np.uint32)


def upright_to(way: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) that turn the z axis to unit vectors (n, 3) or to their opposites, whichever is nearer."""
    x, y, z = (np.where(way[:, 2:] < 0, -1.0, 1.0) * way).T
    turn = np.stack([1.0 + z, -y, x, np.zeros_like(x)], 1)
    return turn / np.linalg.norm(turn, axis=1, keepdims=True)
