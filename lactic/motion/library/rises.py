"""Motions that lead a body up from the floor: a character's own, kept as rises.npz beside its brain."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.files import load_arrays
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library, collect

FILE = "rises.npz"
RATES = (1.0, 1000.0)
"""Frames a second that such motions may have."""


WORTH = "worth"
"""Name of the array of shares of bodies that got up by each motion."""


def save_rises(path: Path, made: Sequence[BodyClip], worth: np.ndarray) -> None:
    """Write such motions, and the share of bodies that got up by each (motion,)."""
    library = collect(made, ["rise"] * len(made), ["simulated"] * len(made))
    library.save(path, **{WORTH: np.asarray(worth, np.float32)})


def stored_worth(folder: Path) -> np.ndarray | None:
    """The share of bodies that got up by each motion of a folder's rises.npz, (motion,), if it tells."""
    path = folder / FILE
    held = load_arrays(path, "no such file", "damaged") if path.is_file() else {}
    if WORTH not in held:
        return None
    worth = held[WORTH]
    if worth.shape != held["cyclic"].shape or not ((worth >= 0.0) & (worth <= 1.0)).all():
        raise InputError(f"{path}: damaged ({WORTH}: must be a share for each motion); export the run again")
    return worth


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
