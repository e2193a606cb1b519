"""What every reader shares: bytes and text from untrusted files, checked numbers, clear complaints."""

from pathlib import Path
from typing import NoReturn

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.motion.clip import Clip

LARGEST = 1e6  # metres, and file units; anything beyond is damage, not motion
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254}


def complain(path: Path, problem: str, line: int | None = None) -> NoReturn:
    """Raise the error that names file and line."""
    raise InputError(f"{path}{'' if line is None else f', line {line}'}: {problem}")


def read_bytes(path: Path) -> bytes:
    """The whole file, which must exist and hold something."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read it ({error.strerror or error})") from error
    if not data:
        complain(path, "the file is empty")
    return data


def read_text(path: Path) -> str:
    """The file as text; binary content is refused."""
    data = read_bytes(path)
    if b"\0" in data:
        complain(path, "not a text file (binary data)", data[: data.index(b"\0")].count(b"\n") + 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # joint names of old Western European software


def round_fps(fps: float) -> float:
    """Frame times are written with few digits: 1/.0083333 means 120."""
    return float(round(fps)) if abs(fps - round(fps)) < 5e-4 * fps else fps


def check_fps(path: Path, fps: float, line: int | None = None) -> float:
    """A frame rate that can be."""
    if not np.isfinite(fps) or not 0.1 <= fps <= 10000:
        complain(path, f"frame rate {fps:g} per second cannot be right", line)
    return float(fps)


def check_option_fps(fps: float | None) -> None:
    """Refuse an impossible frame rate asked for by the user."""
    if fps is not None and not (np.isfinite(fps) and 0.1 <= fps <= 10000):
        raise InputError(f"fps {fps}: must be between 0.1 and 10000")


def check_unit(unit: str | float) -> float:
    """Metres per file unit from a name or a number."""
    if isinstance(unit, str) and unit in UNITS:
        return UNITS[unit]
    try:
        metres = float(unit)
    except ValueError:
        metres = 0.0
    if not (np.isfinite(metres) and 1e-6 < metres < 1e6):
        raise InputError(f"unit '{unit}': must be one of {', '.join(UNITS)} or metres per unit as a positive number")
    return metres


def check_clip(path: Path, clip: Clip) -> Clip:
    """A clip with finite numbers, unit quaternions and consistent shapes; says which frame is bad."""
    count = len(clip.joints)
    shapes = (clip.offsets.shape, clip.rest.shape, clip.tips.shape, clip.rotations.shape[1:])
    if shapes != ((count, 3), (count, 4), (count, 3), (count, 4)) or clip.root_pos.shape != (len(clip.rotations), 3):
        complain(path, "skeleton and motion do not fit together")
    if not clip.frames:
        complain(path, "no frames")
    for what, values in (("offset", clip.offsets), ("bone end", clip.tips)):
        if not (np.isfinite(values).all() and np.abs(values).max(initial=0) < LARGEST):
            complain(path, f"a joint {what} is not a sensible number")
    bad = ~(np.isfinite(clip.root_pos).all(axis=1) & (np.abs(clip.root_pos) < LARGEST).all(axis=1))
    norms = np.linalg.norm(clip.rotations, axis=-1)
    bad |= ~((norms > 1e-3) & (norms < 1e3)).all(axis=1)
    if bad.any():
        complain(path, f"frame {int(np.argmax(bad))} holds NaN, infinite or impossible values")
    if not np.isfinite(clip.rest).all():
        complain(path, "the rest pose holds NaN or infinite values")
    clip.rotations[...] = rotation.normalize(clip.rotations)
    clip.rest[...] = rotation.normalize(clip.rest)
    return clip
