"""Persons as YAML files, and those that ship: fits of five men of one height, from lean to stout."""

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from lactic import rotation
from lactic.body.mass import MassProperties
from lactic.body.person import PARENTS, Person, Segment, between, check
from lactic.body.shapes import Box, Capsule, Shape
from lactic.errors import InputError
from lactic.files import read_yaml, whole_file

FORMAT = "lactic person 1"
BASIS_HEIGHT = 1.741  # metres; that of the humanoid, as are the default 73 kg
BASIS_MASSES = (52.0, 62.0, 73.0, 88.0, 102.0)  # kg
_FOLDER = Path(__file__).parent / "persons"


@cache
def shipped(height: float = BASIS_HEIGHT, mass: float = 73.0) -> Person:
    """The person of that height and mass between the shipped fits."""
    check(height, mass)
    as_basis = mass * (BASIS_HEIGHT / height) ** 3  # the same build at the height of the fits
    if not BASIS_MASSES[0] <= as_basis + 1e-9 or not as_basis - 1e-9 <= BASIS_MASSES[-1]:
        low, high = (m * (height / BASIS_HEIGHT) ** 3 for m in (BASIS_MASSES[0], BASIS_MASSES[-1]))
        raise InputError(f"a person of {height:g} m and {mass:g} kg: at that height from {low:.0f} to {high:.0f} kg")
    if height == BASIS_HEIGHT and mass in BASIS_MASSES:
        return load(_FOLDER / f"{mass:g}kg.yaml")
    above = int(np.clip(np.searchsorted(BASIS_MASSES, as_basis), 1, len(BASIS_MASSES) - 1))
    low, high = BASIS_MASSES[above - 1], BASIS_MASSES[above]
    lean, stout = (load(_FOLDER / f"{m:g}kg.yaml") for m in (low, high))
    return between(lean, stout, (as_basis - low) / (high - low)).scaled(height, mass).weighed()


def load(path: str | Path) -> Person:
    """Read a person's YAML file."""
    table = read_yaml(path)
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise InputError(f"{path}: is no person (no 'format: {FORMAT}'); make one with `lactic bodies fit`")
    try:
        segments = {name: _segment(table["segments"][name]) for name in PARENTS}
        if any(segment.inertia is None for segment in segments.values()):
            raise KeyError("mass")
        person = Person(float(table["height"]), float(table["mass"]), float(table["scalp"]), segments)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(f"{path}: is damaged ({type(error).__name__}: {error}); fit it again") from error
    check(person.height, person.mass)
    return person


def writable(path: str | Path, option: str, suffixes: tuple[str, ...]) -> None:
    """Say at once, not after minutes of work, why a file cannot be written."""
    path = Path(path)
    if path.suffix not in suffixes:
        raise InputError(f"{option} {path}: the name must end in {' or '.join(suffixes)}")
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"{option} {path}: cannot write there")


def save(person: Person, path: str | Path) -> None:
    """Write a person with its masses; read back, it is the same but for tenths of a millimetre."""
    segments = {}
    for name, segment in person.segments.items():
        assert segment.inertia is not None
        segments[name] = _build(segment) | {
            "mass": float(segment.inertia.mass),
            "centre": _plain(segment.inertia.centre, 6),
            "moments": _plain(segment.inertia.moments, 9),
            "frame": _plain(segment.inertia.turn, 6),
        }
    table = {"format": FORMAT, "height": person.height, "mass": person.mass, "scalp": round(person.scalp, 4)}
    with whole_file(path) as draft:
        text = yaml.safe_dump(table | {"segments": segments}, sort_keys=False, default_flow_style=None, width=120)
        draft.write_text(text)


def rounded(person: Person) -> Person:
    """The person as its file will hold it, so that masses are those of the shapes that are written."""
    segments = {name: _segment(_build(segment)) for name, segment in person.segments.items()}
    return replace(person, scalp=round(person.scalp, 4), segments=segments)


def _build(segment: Segment) -> dict[str, Any]:
    """All of a segment but its mass, as the file holds it."""
    shapes = [_described(*pair) for pair in zip(segment.shapes, segment.touches, strict=True)]
    return {"offset": _plain(segment.offset), "bind": _plain(segment.bind, 6), "shapes": shapes}


def _plain(values: Iterable[float], digits: int = 4) -> list[float]:
    return [round(float(v), digits) + 0.0 for v in values]


def _described(shape: Shape, touches: bool) -> dict[str, Any]:
    extra = {} if touches else {"touches": False}
    if isinstance(shape, Capsule):
        return {"capsule": _plain([*shape.start, *shape.end]), "radius": round(shape.radius, 4)} | extra
    return {"box": _plain(shape.centre), "half": _plain(shape.half), "turn": _plain(shape.turn, 6)} | extra


def _shape(table: dict[str, Any]) -> tuple[Shape, bool]:
    touches = bool(table.get("touches", True))
    if "capsule" in table:
        ends = _vector(table["capsule"], 6)
        return Capsule(ends[:3], ends[3:], float(table["radius"])), touches
    turn = rotation.normalize(_vector(table["turn"], 4))
    return Box(_vector(table["box"], 3), _vector(table["half"], 3), turn), touches


def _segment(table: dict[str, Any]) -> Segment:
    shapes, touches = zip(*(_shape(row) for row in table["shapes"]), strict=True)
    inertia = None
    if "mass" in table:
        centre, moments = _vector(table["centre"], 3), _vector(table["moments"], 3)
        inertia = MassProperties(float(table["mass"]), centre, moments, rotation.normalize(_vector(table["frame"], 4)))
    return Segment(_vector(table["offset"], 3), rotation.normalize(_vector(table["bind"], 4)), shapes, touches, inertia)


def _vector(values: Any, size: int) -> np.ndarray:
    vector = np.array(values, dtype=float)
    if vector.shape != (size,) or not np.isfinite(vector).all():
        raise ValueError(f"{size} numbers expected, not {values}")
    return vector
