"""Writing BVH that Blender and the usual animation tools import."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.errors import InputError
from lactic.files import write_whole
from lactic.motion.body_clip import BodyClip, skeleton_clip
from lactic.motion.bvh import AXES, Y_UP, channel_poses, motion_values
from lactic.motion.bvh_hierarchy import Hierarchy
from lactic.motion.clip import Clip, forward
from lactic.motion.reading import check_unit, complain, read_text
from lactic.motion.roles import find_roles

LEAST_TURN = 1e-6  # radians that are worth a channel


def write_bvh(path: str | Path, clip: Clip | BodyClip, unit: str | float = "m") -> None:
    """Write the clip y up, looking along +z, in metres unless `unit` says otherwise (cm, mm, inch, or metres per unit).

    Blender's importer takes one unit for one metre at scale 1, so the default needs no setting there; tools that think
    in centimetres want unit="cm". Angles are degrees, run on beyond ±180 rather than jump, and have six decimals.
    """
    per_metre = 1 / check_unit(unit)
    if isinstance(clip, BodyClip):
        clip = clip.to_clip()
    lines = ["HIERARCHY"]
    order: list[int] = []
    _add_joint(lines, clip, 0, 0, per_metre, order)

    rotations = clip.rotations.copy()
    rotations[..., 1:] = rotations[..., 1:] @ Y_UP
    degrees = np.degrees(_unrolled(rotation.to_euler(rotations, "zyx")))[:, order]
    root = clip.root_pos @ Y_UP * per_metre
    _write(path, clip, lines, np.concatenate([root, degrees.reshape(clip.frames, -1)], axis=1))


def write_like(path: str | Path, clip: Clip, source: str | Path) -> None:
    """Write the clip as the BVH file `source` of its skeleton is written: same hierarchy, unit, axes and channels.

    A joint that turns about an axis for which it has no channel gets one.
    """
    lines = read_text(Path(source)).splitlines()
    joints, motion_line = Hierarchy(Path(source), lines).read()
    if tuple(joint.name for joint in joints) != clip.joints:
        raise InputError(f"{source}: its skeleton is not that of clip '{clip.name}'")
    values, _, _ = motion_values(Path(source), lines, motion_line, sum(len(joint.channels) for joint in joints))
    tracks, _ = channel_poses(joints, values)
    # as they were read: a position channel replaces the OFFSET
    places = np.array([j.offset if t is None else np.median(t, axis=0) for j, t in zip(joints, tracks, strict=True)])
    axes, metres = _file_frame(places[1:], clip.offsets[1:])
    rotations = clip.rotations.copy()
    rotations[..., 1:] = rotations[..., 1:] @ axes
    moved = clip.root_pos @ axes / metres
    positions = np.tile(places, (clip.frames, 1, 1))
    carrier = _carrier(clip, tracks)
    positions[:, carrier] = moved
    if carrier > 0:
        _, turned = forward(clip.parents, places, moved, rotations)
        away = rotation.rotate_back(turned[:, clip.parents[carrier]], moved - places[0])
        positions[:, carrier] = places[carrier] + away

    channels = [list(joint.channels) for joint in joints]
    if tracks[carrier] is None:
        channels[carrier] = ["xposition", "yposition", "zposition", *channels[carrier]]
    turns = [[channel[0] for channel in own if channel.endswith("rotation")] for own in channels]
    orders = ["".join(dict.fromkeys([*own, *"zyx"])) for own in turns]
    angles = _unrolled(np.stack([rotation.to_euler(rotations[:, j], order) for j, order in enumerate(orders)], axis=1))
    columns = []
    for j, order in enumerate(orders):
        if np.abs(angles[:, j, len(turns[j]) :]).max(initial=0) > LEAST_TURN:
            channels[j] += [f"{axis}rotation" for axis in order[len(turns[j]) :]]
        for axis, what in ((channel[0], channel[1:]) for channel in channels[j]):
            turn = np.degrees(angles[:, j, order.index(axis)])
            columns.append(turn if what == "rotation" else positions[:, j, "xyz".index(axis)])
    header = _with_channels(Path(source), "\n".join(lines[: motion_line - 1]), [j.channels for j in joints], channels)
    _write(path, clip, [header], np.stack(columns, axis=1))


def _carrier(clip: Clip, tracks: list[np.ndarray | None]) -> int:
    """The joint whose position channels move the whole body most in the file: the hips, or one above; else the root."""
    joint, best, most = find_roles(clip)["pelvis"], 0, 0.0
    while joint >= 0:
        track = tracks[joint]
        if track is not None and np.ptp(track, axis=0).max() >= most:
            best, most = joint, np.ptp(track, axis=0).max()
        joint = clip.parents[joint]
    return best


def _file_frame(there: np.ndarray, here: np.ndarray) -> tuple[np.ndarray, float]:
    """Axes and metres per unit of a file, from offsets there and in the clip that was read from it."""
    found = []
    for axes in AXES.values():
        turned = there @ axes.T
        metres = float(np.sum(turned * here) / np.sum(turned**2))
        found.append((float(np.abs(turned * metres - here).max()), metres, axes))
    _, metres, axes = min(found, key=lambda one: one[0])
    return axes, metres


def _with_channels(source: Path, header: str, old: list[list[str]], new: list[list[str]]) -> str:
    """The text of a hierarchy with the new channels where they differ from the old; the rest as it is."""
    statement = re.compile(r"\bCHANNELS\s+\d+((\s+[XYZ](position|rotation))*)", re.IGNORECASE)
    owners = iter(
        range(len(old)) if len(statement.findall(header)) == len(old) else [j for j, o in enumerate(old) if o]
    )
    changed = {j for j, (before, now) in enumerate(zip(old, new, strict=True)) if before != now}

    def put(match: re.Match[str]) -> str:
        j = next(owners)
        if j not in changed:
            return match.group()
        changed.remove(j)
        return f"CHANNELS {len(new[j])} " + " ".join(channel.capitalize() for channel in new[j])

    text = statement.sub(put, header)
    if changed:
        complain(source, "a joint that moves has no CHANNELS")
    return text


def _write(path: str | Path, clip: Clip, lines: list[str], values: np.ndarray) -> None:
    """Write a hierarchy and the values of its channels (frame, channel)."""
    if not clip.frames or not np.isfinite(values).all():
        raise InputError(f"clip '{clip.name}' holds no frames, or NaN: nothing written to {path}")
    lines += ["MOTION", f"Frames: {clip.frames}", f"Frame Time: {1 / clip.fps:.9f}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in values]
    write_whole(path, "\n".join(lines) + "\n")


def write_recording(path: str | Path, body: Body, qpos: np.ndarray, fps: float) -> None:
    """Write a simulated body's recorded poses (frame, nq) as BVH, in metres."""
    write_bvh(path, skeleton_clip(body, qpos, fps, Path(path).stem))


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
