"""How a clip is tired: the options of `lactic tire`, and what they mean for body and strength."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lactic.body import Body
from lactic.body.humanoid import MASS
from lactic.body.person_file import BASIS_HEIGHT
from lactic.errors import InputError

LEFT = 0.2
"""Strength that is left in what is exhausted, unless told otherwise."""


@dataclass(frozen=True, kw_only=True)
class TireOptions:
    """How a clip is tired."""

    brain: str = "actor"
    """what follows the clip: a shipped brain or a folder with a brain.onnx."""
    fitness: str | None = None
    """a preset of `lactic fitness`; by default the one the brain was made for."""
    time_scale: float | None = None
    """how many times faster than in people fatigue runs."""
    start: float = 1.0
    """strength at the beginning, 0 to 1, all joints alike."""
    exhaust: tuple[str, ...] = ()
    """what is weak at the beginning: left_leg, right_leg, left_arm, right_arm, trunk, legs, arms, or a joint; 20 % of
    its strength is left, or as much as left_leg=0.5 says."""
    loop: int | None = None
    """how many times the clip is done in a row, each time going on where the last ended."""
    seconds: float | None = None
    """how long the result is: the clip is repeated, or cut."""
    mass: float | None = None
    """kilograms of the body; with this or --height a person follows, otherwise the body of the brain."""
    height: float | None = None
    """metres of the body."""
    fall: Literal["get-up", "stop"] = "get-up"
    """what happens when the motion is lost: with get-up the body gets up and goes on, or is led back where it cannot;
    stop ends the result a second later."""
    strict: bool = False
    """hold the clock at 1: the motion does not wait for a tired body."""
    map: Path | None = None
    """YAML file that says which joint plays which part (see `lactic clips map`)."""
    film: bool = True
    """whether to make film.mp4; --no-film saves the time that takes."""
    film_size: str = "640x360"
    """width and height of the film in pixels."""
    film_fps: float = 15.0
    """frames a second of the film."""


def person_of(height: float | None, mass: float | None) -> str | None:
    """Name of the body of that height and mass; a missing one goes with the other. None where neither is given."""
    for what, value in (("height", height), ("mass", mass)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise InputError(f"{what} {value:g}: must be above 0")
    if height is None and mass is None:
        return None
    tall = BASIS_HEIGHT if height is None else height
    heavy = MASS * (tall / BASIS_HEIGHT) ** 2 if mass is None else mass
    return f"person-{tall:g}-{heavy:.4g}"


def weakened(body: Body, start: float, names: tuple[str, ...]) -> dict[str, float]:
    """Strength left at the beginning, 0 to 1, by joint; those that are whole are left out."""
    if not 0.0 < start <= 1.0:
        raise InputError(f"start {start:g}: must be above 0 and at most 1, the strength at the beginning")
    parts = {region.replace(" ", "_"): joints for region, joints in body.regions.items()}
    for pair in ("leg", "arm"):
        parts[f"{pair}s"] = parts.get(f"left_{pair}", ()) + parts.get(f"right_{pair}", ())
    left = dict.fromkeys(body.joints, start)
    for asked in names:
        name, given, share = asked.replace(" ", "_").partition("=")
        joints = parts.get(name) or tuple(joint for joint in body.joints if joint in (name, f"{name}_{joint[-1]}"))
        if not joints:
            raise InputError(f"exhaust {asked}: no such part; there are {', '.join(k for k in parts if parts[k])}")
        try:
            value = float(share) if given else LEFT
        except ValueError:
            value = -1.0
        if not 0.0 < value <= 1.0:
            raise InputError(f"exhaust {asked}: the strength left must be above 0 and at most 1, as in {name}=0.3")
        left |= {joint: min(left[joint], value) for joint in joints}
    return {joint: value for joint, value in left.items() if value < 1.0}
