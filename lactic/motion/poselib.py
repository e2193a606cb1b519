"""Reading poselib's npy files (NVIDIA's SkeletonMotion dicts, z up, xyzw quaternions), which hold a pickle."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.motion import safe_pickle
from lactic.motion.clip import Clip
from lactic.motion.reading import check_clip, check_fps, check_option_fps, complain, read_bytes, round_fps


def read_poselib(path: str | Path, *, fps: float | None = None) -> Clip:
    """Read a poselib motion or pose; where every pose is stored twice the copies are dropped and the rate halved."""
    path = Path(path)
    check_option_fps(fps)
    data = read_bytes(path)
    try:
        stream = io.BytesIO(data)
        version = np.lib.format.read_magic(stream)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = reader(stream)
        if dtype.kind != "O" or shape != ():
            raise InputError("it holds a plain array, not a motion")
        motion = safe_pickle.loads(stream.read())
    except InputError as error:
        complain(path, f"not a poselib motion: {error}")
    except Exception:  # NumPy lets many kinds through on a damaged header
        complain(path, "not a poselib motion: damaged file")
    if not isinstance(motion, dict):
        complain(path, "not a poselib motion: it holds no dictionary")

    tree = motion.get("skeleton_tree")
    names = tree.get("node_names") if isinstance(tree, dict) else None
    if not isinstance(tree, dict) or not isinstance(names, list) or {type(n) for n in names} != {str}:
        complain(path, "not a poselib motion: 'skeleton_tree' has no list of 'node_names'")
    if len(set(names)) != len(names):
        complain(path, "two joints have the same name")
    count = len(names)
    parents = _array(path, tree, "parent_indices", (count,)).astype(int)
    offsets = _array(path, tree, "local_translation", (count, 3))
    if parents[0] != -1 or any(not 0 <= p < j for j, p in enumerate(parents[1:], 1)):
        complain(path, "'parent_indices' is not a tree with parents before children")
    turned = _array(path, motion, "rotation", None)
    root = _array(path, motion, "root_translation", None)
    if turned.ndim == 2 and root.ndim == 1:  # a single pose (SkeletonState)
        turned, root = turned[None], root[None]
    if turned.ndim != 3 or turned.shape[1:] != (count, 4) or root.shape != (len(turned), 3):
        complain(path, f"'rotation' {turned.shape} and 'root_translation' {root.shape} do not fit {count} joints")
    rotations = np.roll(turned, 1, axis=-1)
    offsets[0] = 0.0
    if fps is None:
        held = motion.get("fps", 30.0)
        given = np.array(held if isinstance(held, int | float | np.ndarray) else np.nan)
        number = given.dtype.kind in "fiu" and given.size == 1
        fps = check_fps(path, round_fps(float(given.reshape(-1)[0])) if number else float("nan"))
    clip = Clip(path.stem, fps, tuple(names), tuple(int(p) for p in parents), offsets, root, rotations)
    clip = check_clip(path, clip)
    if motion.get("is_local") is False:
        local = clip.rotations.copy()
        for j, parent in enumerate(parents[1:], 1):
            local[:, j] = rotation.multiply(rotation.conjugate(clip.rotations[:, parent]), clip.rotations[:, j])
        clip = replace(clip, rotations=local)
    return without_doubles(clip)


def without_doubles(clip: Clip) -> Clip:
    """Drop the copies where every pose is stored twice (30 Hz content at 60 fps), else the clip as it is."""
    if clip.frames < 8:
        return clip
    packed = np.concatenate([clip.root_pos, clip.rotations.reshape(clip.frames, -1)], axis=1)
    same = np.abs(np.diff(packed, axis=0)).max(axis=1) < 1e-7
    for start in (0, 1):
        pairs, joins = same[start::2], same[1 - start :: 2]
        if pairs.mean() > 0.9 and joins.mean() < 0.5:
            keep = slice(start, None, 2)
            return replace(clip, fps=clip.fps / 2, root_pos=clip.root_pos[keep], rotations=clip.rotations[keep])
    return clip


def _array(path: Path, holder: dict, key: str, shape: tuple[int, ...] | None) -> np.ndarray:
    """The numbers of a poselib tensor, {'arr': …, 'context': …}."""
    entry: Any = holder.get(key)
    array = entry.get("arr") if isinstance(entry, dict) else None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu" or array.shape != (shape or array.shape):
        complain(path, f"'{key}' is missing or not an array of the right shape")
    array = np.array(array, dtype=float)
    if not np.isfinite(array).all():
        complain(path, f"'{key}' holds NaN or infinite values")
    return array
