"""Writing BVH that Blender and the usual animation tools import."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.files import whole_file
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh import Y_UP
from lactic.motion.clip import Clip
from lactic.motion.reading import check_unit


def write_bvh(path: str | Path, clip: Clip | BodyClip, unit: str | float = "m") -> None:
    """Write the clip y up, looking along +z, in metres unless `unit` says otherwise (cm, mm, inch, or metres per unit).

    Blender's importer takes one unit for one metre at scale 1, so the default needs no setting there; tools that think
    in centimetres want unit="cm". Angles are degrees, run on beyond ±180 rather than jump, and have six decimals.
    """
    per_metre = 1 / check_unit(unit)
    if isinstance(clip, BodyClip):
        clip = clip.to_clip()
    if not clip.frames or not (np.isfinite(clip.rotations).all() and np.isfinite(clip.root_pos).all()):
        raise InputError(f"clip '{clip.name}' holds no frames, or NaN: nothing written to {path}")
    lines = ["HIERARCHY"]
    order: list[int] = []
    _add_joint(lines, clip, 0, 0, per_metre, order)

    rotations = clip.rotations.copy()
    rotations[..., 1:] = rotations[..., 1:] @ Y_UP
    degrees = np.degrees(_unrolled(rotation.to_euler(rotations, "zyx")))[:, order]
    root = clip.root_pos @ Y_UP * per_metre
    values = np.concatenate([root, degrees.reshape(clip.frames, -1)], axis=1)
    lines += ["MOTION", f"Frames: {clip.frames}", f"Frame Time: {1 / clip.fps:.9f}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in values]
    with whole_file(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_recording(path: str | Path, body_name: str, qpos: np.ndarray, fps: float) -> None:
    """Write a simulated body's recorded poses (frame, nq) as BVH, in metres."""
    write_bvh(path, BodyClip(body_name, fps, np.asarray(qpos, dtype=float), Path(path).stem))


def _unrolled(angles: np.ndarray) -> np.ndarray:
    """The same rotations by angles (frame, joint, 3) that stay as near as they can to those of the frame before.

    Tools draw curves through each angle by itself, so a jump by a turn would spin the joint between two frames. The
    angles (a, b, c) and (a + pi, pi - b, c + pi) turn alike, and so do both with whole turns added.
    """
    angles = angles.copy()
    for before, now in pairwise(angles):
        same = np.stack([now, now * [1, -1, 1] + np.pi])
        same -= 2 * np.pi * np.round((same - before) / (2 * np.pi))
        now[:] = np.where((np.abs(same - before).sum(-1).argmin(0) == 0)[:, None], *same)
    return angles


def _add_joint(lines: list[str], clip: Clip, joint: int, depth: int, per_metre: float, order: list[int]) -> None:
    """The joint and all below it, depth first: the order in which BVH lists channels."""
    pad = "\t" * depth
    order.append(joint)
    name = clip.joints[joint].replace(" ", "_")
    position = "6 Xposition Yposition Zposition" if joint == 0 else "3"
    lines += [
        f"{pad}{'JOINT' if depth else 'ROOT'} {name}",
        f"{pad}{{",
        f"{pad}\tOFFSET {_vector(clip.offsets[joint], per_metre)}",
        f"{pad}\tCHANNELS {position} Zrotation Yrotation Xrotation",
    ]
    children = [j for j, parent in enumerate(clip.parents) if parent == joint]
    for child in children:
        _add_joint(lines, clip, child, depth + 1, per_metre, order)
    if not children:
        # a bone needs a length to show: a leaf without a known end gets a short one
        tip = clip.tips[joint] if np.any(clip.tips[joint]) else np.array([0.0, 0.0, -0.05])
        lines += [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {_vector(tip, per_metre)}", f"{pad}\t}}"]
    lines.append(f"{pad}}}")


def _vector(v: np.ndarray, per_metre: float) -> str:
    return " ".join(f"{x:.6f}" for x in v @ Y_UP * per_metre)
