"""Recordings of Lactic's own simulated characters (`lactic play`) as clips, without their falls."""

import json
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic import rotation
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip

LOW = 0.42
"""Share of its standing height below which a root lies on the ground."""
UPRIGHT = 0.3
"""Cosine of the angle between a root's long axis and the vertical below which the character has fallen over."""
BEFORE, AFTER = 1.2, 0.25
"""Seconds ahead of a fall's end that belong to it, and after it until a body that was put back stands as it would."""
SHORTEST = 1.5
"""Seconds of a piece worth keeping."""


def arrays_in(path: str | Path) -> set[str]:
    """Names of the arrays in a file; none where it is no archive, or a damaged one: its reader says so."""
    try:
        with np.load(path, allow_pickle=False) as held:
            return set(held.files)
    except Exception:  # NumPy and zipfile let many kinds through
        return set()


def is_recording(path: str | Path) -> bool:
    """Whether a file is a recording rather than a clip."""
    return {"about", "qpos", "fatigue"} <= arrays_in(path)


def read_recording(path: str | Path) -> tuple[BodyClip, np.ndarray]:
    """All of a recording as one clip, and the frames at which its character was put back onto its feet."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as held:
            about = json.loads(str(held["about"]))
            qpos = np.asarray(held["qpos"], dtype=float)
            cuts = np.asarray(held["cuts"], dtype=int) if "cuts" in held.files else np.zeros(0, int)
        body = bodies.get(str(about["body"]))
        clip = BodyClip(body.name, float(about["fps"]), qpos, path.stem)
        joints = tuple(about["joints"])
    except InputError:
        raise
    except Exception as error:  # NumPy, zipfile and JSON let many kinds through on damaged archives
        raise InputError(f"{path}: not a recording by Lactic, or a damaged one ({error})") from error
    if joints != body.joints or qpos.ndim != 2 or qpos.shape[1] != body.model.nq or not np.isfinite(qpos).all():
        raise InputError(f"{path}: a damaged recording, or one of another version of the body '{body.name}'")
    return clip, cuts


def fallen(clip: BodyClip, cuts: np.ndarray) -> np.ndarray:
    """Frames (frame,) of falling, lying, and being put back."""
    up = rotation.rotate(clip.qpos[:, 3:7], np.broadcast_to([0.0, 0.0, 1.0], (clip.frames, 3)))[:, 2]
    down = (clip.qpos[:, 2] < LOW * clip.body.rest[2]) | (up < UPRIGHT)
    bad = down.copy()
    for at in np.flatnonzero(down | np.isin(np.arange(clip.frames), cuts)):
        bad[max(0, at - round(BEFORE * clip.fps)) : at + round(AFTER * clip.fps)] = True
    return bad


def stretches(good: np.ndarray, shortest: float) -> list[tuple[int, int]]:
    """Where frames (frame,) are good for longer than `shortest` frames in a row: first, and first after."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2) if b - a > shortest]


def pieces(clip: BodyClip, cuts: np.ndarray, shortest: float = SHORTEST) -> list[BodyClip]:
    """What lies between the falls of a clip, as clips of their own named after it, the short ones left out."""
    long = stretches(~fallen(clip, cuts), shortest * clip.fps)
    names = [clip.name] if len(long) == 1 else [f"{clip.name}_{k + 1}" for k in range(len(long))]
    return [BodyClip(clip.body_name, clip.fps, clip.qpos[a:b], name) for (a, b), name in zip(long, names, strict=True)]
