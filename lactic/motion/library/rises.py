"""Motions that lead a body up from the floor: a character's own, kept as rises.npz beside its brain."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library

FILE = "rises.npz"
RATES = (1.0, 1000.0)
"""Frames a second that such motions may have."""


def stored_rises(folder: Path, body: Body) -> list[BodyClip]:
    """The motions of a folder's rises.npz on a body with the same joints, as tall as it is; none without the file."""
    path = folder / FILE
    if not path.is_file():
        return []
    held = Library.load(path)
    made = [held.clip(i) for i in range(len(held))]
    if not made or not RATES[0] <= held.fps <= RATES[1] or min(clip.frames for clip in made) < 2:
        raise InputError(f"{path}: holds no motions, or damaged ones; export the run again")
    if made[0].body.joints != body.joints:
        raise InputError(f"{path}: motions of '{held.body_name}', not of '{body.name}'")
    tall = np.ones(body.model.nq)
    tall[:3] = body.rest[2] / made[0].body.rest[2]
    return [replace(clip, body_name=body.name, qpos=clip.qpos * tall) for clip in made]
