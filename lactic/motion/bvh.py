"""Reading BVH: the CMU library's files as they are, and anyone else's.

A position channel replaces the joint's OFFSET (as Blender reads it). Joints other than the root may carry position
channels, but a clip's bones do not stretch: the median over the clip becomes the offset.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.motion.bvh_hierarchy import BvhJoint, Hierarchy
from lactic.motion.clip import Clip
from lactic.motion.reading import (
    LARGEST,
    UNITS,
    check_clip,
    check_fps,
    check_option_fps,
    check_unit,
    complain,
    read_text,
    round_fps,
)
from lactic.motion.roles import NEEDED, known_roles, leg_length
from lactic.motion.upright import held, stood, up_axes

# file axes to ours (x forward, y left, z up): row i is our axis i in the file's frame
Y_UP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # BVH custom: looks along +z, +x at its left
Z_UP = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # Blender's: looks along -y, +x at its left
AXES = {"y": Y_UP, "z": Z_UP}
LEG = 0.82  # m, thigh and shin of an adult (Winter 2009: 0.49 of the height)
OTHER_SIZE = 1.7  # by what factor people differ; beyond it no unit is meant, and the skeleton is scaled
CMU_UNIT = 0.0254 / 0.45
CMU_JOINTS = {"Hips", "LHipJoint", "RHipJoint", "LowerBack", "LeftUpLeg", "RightUpLeg"}
# Every CMU file says 120 frames a second, but bodies in flight fall with 4 g in these: they were captured at 60.
CMU_60_FPS = {"75", "87", "88", "89", "106", "141", "143"}
CMU_60_FPS_CLIPS = {"90_08", "90_09", "90_11", "107_07", "121_08", "121_09", "121_11"}


def read_bvh(
    path: str | Path,
    *,
    unit: str | float | None = None,
    fps: float | None = None,
    up: str | None = None,
    rest_frame: bool | None = None,
    roles: dict[str, str | None] | None = None,
) -> Clip:
    """Read a BVH file; unit (m, cm, mm, inch or metres), rate, up axis and rest pose are found out unless given."""
    path = Path(path)
    check_option_fps(fps)
    metres = None if unit is None else check_unit(unit)
    if up not in (None, *AXES):
        complain(path, f"up '{up}': must be 'y' or 'z'")
    lines = read_text(path).splitlines()
    joints, motion_line = Hierarchy(path, lines).read()
    values, file_fps, first_line = motion_values(path, lines, motion_line, sum(len(j.channels) for j in joints))
    if not values.size:
        complain(path, "no joint has channels")
    bad = ~(np.isfinite(values).all(axis=1) & (np.abs(values) < LARGEST).all(axis=1))
    if bad.any():
        complain(path, "a NaN, infinite or absurd number", first_line[int(np.argmax(bad))])

    cmu = joints[0].name in CMU_JOINTS and CMU_JOINTS.issubset(j.name for j in joints)
    positions, rotations = channel_poses(joints, values)
    offsets = np.array([j.offset for j in joints])
    for j, moved in enumerate(positions):
        if j and moved is not None:
            offsets[j] = np.median(moved, axis=0)
    root = positions[0] if positions[0] is not None else np.tile(offsets[0], (len(values), 1))
    tips = np.array([j.tip or [0.0, 0.0, 0.0] for j in joints])
    offsets[0] = 0.0
    names, parents = tuple(j.name for j in joints), tuple(j.parent for j in joints)
    draft = Clip(path.stem, file_fps, names, parents, offsets, root, rotations, tips=tips, roles=roles or {})
    known = {} if cmu else known_roles(draft)
    root = root + _moved_above_hips(draft, positions, known.get("pelvis", 0))
    world_up, rest_up, upright = up or "y", up or "y", 0
    if all(role in known for role in NEEDED):
        draft = held(draft, known)
        world_up, rest_up, upright = up_axes(replace(draft, root_pos=root), known)
        world_up = up or world_up
    if metres is None:
        metres = CMU_UNIT if cmu else _guess_unit(draft, known)

    axes = AXES[world_up]
    rotations[..., 1:] = rotations[..., 1:] @ axes.T
    root, offsets, tips = (array @ axes.T * metres for array in (root, offsets, tips))
    rest = draft.rest.copy()
    rest[..., 1:] = rest[..., 1:] @ axes.T
    if rest_frame if rest_frame is not None else cmu and _is_added_rest(values, joints):
        if len(root) < 2:
            complain(path, "only a rest pose, no motion")
        rest, root, rotations, values = rotations[0].copy(), root[1:], rotations[1:], values[1:]
        rest[0] = rotation.without_heading(rest[0])
    elif not rest_up:  # zero angles are no pose of a person, as where every bone lies along one axis
        rest = stood(rotations[upright].copy(), replace(draft, offsets=offsets), known)
    elif rest_up != world_up:
        rest[0] = rotation.multiply(rotation.from_matrix(AXES[rest_up] @ axes.T), rest[0])
    if cmu:
        keep = _tracked(values, joints)
        root, rotations = root[keep], rotations[keep]
    if fps is None:
        slower = path.stem in CMU_60_FPS_CLIPS or path.stem.split("_")[0] in CMU_60_FPS
        fps = 60.0 if cmu and round(file_fps) == 120 and slower else file_fps
    changed = {"offsets": offsets, "root_pos": root, "rotations": rotations, "rest": rest, "tips": tips}
    return check_clip(path, replace(draft, fps=fps, **changed))


def motion_values(path: Path, lines: list[str], start: int, width: int) -> tuple[np.ndarray, float, list[int]]:
    """Channel values (frame, channel), frame rate, and the line each frame stands on."""
    filled = [(i, line) for i, line in enumerate(lines[start:], start + 1) if line.strip()]
    if len(filled) < 2:
        complain(path, "the file ends before 'Frames:' and 'Frame Time:'", len(lines))
    frames = _labelled(path, "frames", *filled[0])
    seconds = _labelled(path, "frame time", *filled[1])
    fps = check_fps(path, round_fps(1 / seconds) if seconds > 1e-6 else float("nan"), filled[1][0])
    rows: list[list[float]] = []
    for number, line in filled[2:]:
        words = line.split()
        if len(words) != width:
            complain(path, f"{len(words)} values where the channels need {width}", number)
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            complain(path, "a value that is not a number", number)
    if len(rows) != frames or not rows:
        complain(path, f"'Frames: {frames:g}' but {len(rows)} frames follow (truncated?)", len(lines))
    return np.array(rows), fps, [number for number, _ in filled[2:]]


def _labelled(path: Path, label: str, number: int, line: str) -> float:
    """The value of a 'Label: value' line."""
    found, _, value = line.partition(":")
    if found.strip().lower() != label:
        complain(path, f"expected '{label.title()}:' here", number)
    try:
        return float(value)
    except ValueError:
        complain(path, f"'{value.strip()[:40]}' is not a number", number)


def channel_poses(joints: list[BvhJoint], values: np.ndarray) -> tuple[list[np.ndarray | None], np.ndarray]:
    """Positions (frame, 3) of joints that have position channels, and all rotations, in the file's axes."""
    positions: list[np.ndarray | None] = []
    rotations = np.zeros((len(values), len(joints), 4))
    at = 0
    for j, joint in enumerate(joints):
        moved = np.tile(np.array(joint.offset), (len(values), 1))
        turned = np.zeros((len(values), 4))
        turned[:, 0] = 1.0
        any_position = False
        for channel in joint.channels:
            column, axis = values[:, at], channel[0]
            at += 1
            if channel.endswith("position"):
                moved[:, "xyz".index(axis)] = column
                any_position = True
            else:
                turned = rotation.multiply(turned, rotation.about(axis, np.radians(column)))
        positions.append(moved if any_position else None)
        rotations[:, j] = turned
    return positions, rotations


def _moved_above_hips(clip: Clip, positions: list[np.ndarray | None], hips: int) -> np.ndarray:
    """What position channels of the hips, and of joints above them, add to the root's position (frame, 3)."""
    added = np.zeros_like(clip.root_pos)
    turned = clip.globals()[1]
    while hips > 0:
        parent, moved = clip.parents[hips], positions[hips]
        if moved is not None:
            added += rotation.rotate(turned[:, parent], moved - clip.offsets[hips])
        hips = parent
    return added


def _guess_unit(clip: Clip, roles: dict[str, int]) -> float:
    """Metres per unit such that the legs, or else the skeleton, are of human size."""
    length = leg_length(clip, roles) if all(role in roles for role in NEEDED) else 0.0
    if length > 0:
        metres = min(UNITS.values(), key=lambda unit: abs(np.log(length * unit / LEG)))
        return metres if LEG / OTHER_SIZE < length * metres < LEG * OTHER_SIZE else LEG / length
    extent = float(np.ptp(clip.rest_globals()[0], axis=0).max())
    return 1.0 if extent < 10 else 0.01 if extent < 1000 else 0.001


def _is_added_rest(values: np.ndarray, joints: list[BvhJoint]) -> bool:
    """CMU's conversion put a T-pose before the capture: an unturned root and whole degrees."""
    turns = np.array([c.endswith("rotation") for j in joints for c in j.channels])
    first = values[0, turns]
    whole = bool(np.all(first == np.round(first)))
    return len(values) > 1 and whole and not first[:3].any() and float(np.mean(first == 0)) > 0.7


def _tracked(values: np.ndarray, joints: list[BvhJoint]) -> slice:
    """CMU's conversion wrote zeros before and after a marker was seen: the frames between."""
    missing = np.zeros(len(values), dtype=bool)
    at = 0
    for joint in joints:
        zero = ~values[:, at : at + len(joint.channels)].any(axis=1)
        if zero.mean() < 0.1:
            missing |= zero
        at += len(joint.channels)
    seen = np.flatnonzero(~missing)
    return slice(seen[0], seen[-1] + 1) if len(seen) else slice(None)
