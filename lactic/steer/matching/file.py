"""Databases as files: an npz of named arrays. Only poses, clips and settings are kept; all else follows from them."""

from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays
from lactic.motion.body_clip import BodyClip
from lactic.steer.matching import features as layout
from lactic.steer.matching.build import ANGLE_STEP, ROOT_STEP, build, rounded
from lactic.steer.matching.database import Database
from lactic.steer.matching.labels import Standing, Tagging
from lactic.steer.packing import packed, unpacked

VERSION = 2
LARGEST = 32767 * ANGLE_STEP  # radians that fit into 16 bits


def save(database: Database, path: str | Path) -> None:
    """Write a database: angles in 16 bits, roots in steps of 0.01 mm; mirrored clips and frames between those of the
    clips are left out (they are made again)."""
    path = Path(path)
    own = np.flatnonzero(database.mirror_of < 0)
    parts = [np.arange(database.clip_start[c], database.clip_start[c + 1], database.every) for c in own]
    kept = np.concatenate(parts)
    qpos = database.qpos[kept]
    if np.abs(qpos[:, 7:]).max(initial=0.0) > LARGEST:
        raise InputError(f"{path}: a joint turns beyond {LARGEST:.2f} rad, more than the file can hold")
    arrays: dict[str, Any] = {
        "version": VERSION,
        "body": database.body_name,
        "joints": database.body.joints,
        "fps": database.fps,
        "every": database.every,
        "clip_names": [database.clip_names[c] for c in own],
        "clip_frames": np.array([len(part) for part in parts], dtype=np.int32),
        "mirror": len(own) < len(database.clip_names),
        "roots": packed(qpos[:, :7] / ROOT_STEP, np.int32),
        "hinges": packed(qpos[:, 7:] / ANGLE_STEP, np.int16),
        "step": ANGLE_STEP,
        "feature_names": list(layout.GROUPS),
        "weights": database.group_weights(),
        "tagging": astuple(database.tagging),
        "standing": astuple(database.standing),
    }
    save_arrays(path, arrays)


def load(path: str | Path) -> Database:
    """Read a database and build it again; a damaged file, or one for another body, is a plain error."""
    arrays = load_arrays(path, "no such file", "not a motion-matching database, or a damaged one")
    try:
        version = int(arrays["version"]) if "clip_frames" in arrays else None
        if version is None:
            raise InputError(f"{path}: not a motion-matching database; make one with `lactic match build`")
        if version != VERSION:
            raise InputError(f"{path}: version {version}, and this Lactic reads version {VERSION}; build it again")
        return _built(path, arrays)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, InputError):
            raise InputError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
        raise InputError(f"{path}: a damaged motion-matching database ({error})") from error


def _built(path: str | Path, arrays: dict[str, np.ndarray]) -> Database:
    body = bodies.get(str(arrays["body"].item()))
    if tuple(map(str, arrays["joints"])) != body.joints:
        raise InputError(f"{path}: made for another version of the body '{body.name}'; build it again")
    roots, hinges = unpacked(arrays["roots"], np.int32) * ROOT_STEP, unpacked(arrays["hinges"], np.int16)
    turned = roots[:, 3:]
    lengths, names, step = arrays["clip_frames"], tuple(map(str, arrays["clip_names"])), float(arrays["step"])
    count = int(lengths.sum())
    fits = (roots.shape, hinges.shape) == ((count, 7), (count, len(body.joints)))
    if not fits or lengths.shape != (len(names),) or (lengths < 1).any():
        raise InputError(f"{path}: a damaged motion-matching database (arrays do not fit each other)")
    if tuple(map(str, arrays["feature_names"])) != tuple(layout.GROUPS):
        raise InputError(f"{path}: holds other features than {', '.join(layout.GROUPS)}; build it again")
    if abs(step - ANGLE_STEP) > 1e-12:
        raise InputError(f"{path}: a damaged motion-matching database (values that cannot be)")
    if np.any(np.abs(np.linalg.norm(turned, axis=1) - 1) > 1e-3):
        raise InputError(f"{path}: a damaged motion-matching database (root rotations are no rotations)")
    qpos = rounded(np.concatenate([roots, hinges * step], axis=1))
    ends, every = np.cumsum(lengths), int(arrays.get("every", 1))
    if every < 1:
        raise InputError(f"{path}: a damaged motion-matching database (values that cannot be)")
    clips = [
        BodyClip(body.name, float(arrays["fps"]) / every, qpos[end - length : end], name)
        for name, length, end in zip(names, lengths, ends, strict=True)
    ]
    return build(
        clips,
        fps=float(arrays["fps"]),
        mirror=bool(arrays["mirror"]),
        weights=dict(zip(layout.GROUPS, map(float, arrays["weights"]), strict=True)),
        tagging=_settings(Tagging, arrays["tagging"]),
        standing=_settings(Standing, arrays["standing"]),
    )


def _settings(kind: Any, values: np.ndarray) -> Any:
    """Thresholds as they were kept, in the order of their fields."""
    if len(values) != len(fields(kind)) or not np.isfinite(values).all():
        raise ValueError(f"{kind.__name__} needs {len(fields(kind))} numbers")
    return kind(*map(float, values))
