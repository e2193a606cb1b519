"""Writing a clip as glTF on its own skeleton: an armature with a bone's shape for each bone, for lack of a skin."""

from pathlib import Path
from typing import Any

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.files import write_whole
from lactic.motion.bvh import Y_UP
from lactic.motion.clip import Clip
from lactic.play.gltf import INDICES, VERTICES, BinaryChunk, Joints, assembled, gltf_turns, inverse_binds, narrow

WIDE = 0.08  # of a bone's length
SHORTEST = 1e-4  # metres; joints nearer than that have no bone between them
FACES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])


def write_clip_glb(path: str | Path, clip: Clip) -> None:
    """Write the clip as a GLB: its joints by name, as they hang, and a pointed box along each bone."""
    if not clip.frames or not (np.isfinite(clip.rotations).all() and np.isfinite(clip.root_pos).all()):
        raise InputError(f"clip '{clip.name}' holds no frames, or NaN: no glTF written")
    buffer, parents = BinaryChunk(), np.array(clip.parents)
    rest_at, rest_turned = clip.rest_globals()
    local_at, local_turned = np.where(parents[:, None] < 0, 0.0, clip.offsets) @ Y_UP, gltf_turns(clip.rest[None])[0]
    turned = gltf_turns(clip.rotations)
    tracks = [(int(np.argmax(parents < 0)), "translation", clip.root_pos @ Y_UP)]
    tracks += [(j, "rotation", turned[:, j]) for j in range(len(parents))]
    binds = inverse_binds(rest_at, rest_turned)
    joints = Joints(clip.name, clip.joints, parents, local_at, local_turned, binds)
    mesh = _mesh(buffer, clip, rest_at, rest_turned)
    data = assembled(buffer, (clip.name, clip.frames, clip.fps), joints, mesh, tracks)
    write_whole(path, data)


def _mesh(buffer: BinaryChunk, clip: Clip, at: np.ndarray, turned: np.ndarray) -> dict[str, Any]:
    """All bones at rest as one mesh; each vertex belongs to the joint that its bone hangs from."""
    bones = [(parent, at[parent], at[j]) for j, parent in enumerate(clip.parents) if parent >= 0]
    ends = at + rotation.rotate(turned, clip.tips)
    bones += [(j, at[j], ends[j]) for j in range(len(at)) if j not in clip.parents]
    bones = [bone for bone in bones if np.linalg.norm(bone[2] - bone[1]) > SHORTEST]
    if not bones:
        raise InputError(f"clip '{clip.name}': its skeleton has no bones")
    corners = np.stack([_bone(start, end)[FACES].reshape(-1, 3) for _, start, end in bones])  # (bone, 24, 3)
    faces = corners.reshape(-1, 3, 3)
    normals = rotation.normalize(rotation.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]))
    vertices = corners.reshape(-1, 3)
    joints, weights = np.zeros((len(vertices), 4)), np.zeros((len(vertices), 4))
    joints[:, 0], weights[:, 0] = np.repeat([bone[0] for bone in bones], 3 * len(FACES)), 1.0
    attributes = {
        "POSITION": buffer.add(vertices @ Y_UP, target=VERTICES),
        "NORMAL": buffer.add(np.repeat(normals, 3, axis=0) @ Y_UP, target=VERTICES),
        "JOINTS_0": buffer.add(joints, "<u2", VERTICES),
        "WEIGHTS_0": buffer.add(weights * 255, "|u1", VERTICES, normalized=True),
    }
    indices = buffer.add(np.arange(len(vertices)), narrow(len(vertices)), INDICES)
    return {"name": f"{clip.name}_bones", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}


def _bone(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Corners (6, 3) of a bone: its start, a square near it, and its end."""
    along = end - start
    length = np.linalg.norm(along)
    aside = rotation.normalize(np.cross(along, np.eye(3)[np.argmin(np.abs(along))]))
    other = np.cross(along / length, aside)
    ring = [start + along / 6 + WIDE * length * side for side in (aside, other, -aside, -other)]
    return np.stack([start, *ring, end])
