"""Writing glTF: one GLB with an animated skeleton in the body's own shape, for Blender, Unreal and Unity.

The skeleton's joints are the rigid bodies; one mesh of all their geoms is bound to them by a skin, each vertex to one
body. A skin, rather than a mesh on each node, is what importers turn into an armature (Blender), a skeletal mesh
(Unreal) and a skinned renderer (Unity), and so what motion can be retargeted from. Colours cannot move in glTF, but
weights of morph targets can: fatigue is one target a body, whose weight is the fraction of strength that the body's
joint has lost. Its target moves no vertex; it reddens that body where a viewer applies colour targets (three.js), and
everywhere it arrives as a named curve. The format is little-endian JSON and arrays, so it is written here without a
library.

Ours to glTF's axes: x forward, y left, z up become z, x, y. The figure looks along +z, in metres, on the plane y = 0.
"""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lactic import __version__, rotation
from lactic.body import Body
from lactic.errors import InputError
from lactic.files import write_whole
from lactic.motion.bvh import Y_UP
from lactic.picture.mesh import body_mesh
from lactic.picture.stage import EXHAUSTED, FRESH

# numbers of the format
FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5121, 5123, 5125
VERTICES, INDICES = 34962, 34963
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_COMPONENTS = {"<f4": FLOAT, "|u1": UNSIGNED_BYTE, "<u2": UNSIGNED_SHORT, "<u4": UNSIGNED_INT}
STILL = 1e-6  # metres; a body that never leaves its place in its parent by more has only rotations


class BinaryChunk:
    """The binary part of a GLB, and the views and accessors that say what is where in it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def view(self, array: np.ndarray, target: int | None = None) -> int:
        """Append the bytes of `array`, padded to four; returns the number of their view."""
        data = np.ascontiguousarray(array).tobytes()
        self.views.append({"buffer": 0, "byteOffset": self.length, "byteLength": len(data)})
        if target is not None:
            self.views[-1]["target"] = target
        self.parts.append(data + bytes(-len(data) % 4))
        self.length += len(self.parts[-1])
        return len(self.views) - 1

    def add(self, array: np.ndarray, kind: str = "<f4", target: int | None = None, **more: Any) -> int:
        """Store `array` (n,) or (n, components) as numbers of a NumPy kind; returns the number of its accessor."""
        array = np.asarray(array).astype(kind)
        view = self.view(array, target)
        columns = array.reshape(len(array), -1)
        low, high = columns.min(0).tolist(), columns.max(0).tolist()
        return self._accessor(kind, columns.shape, bufferView=view, min=low, max=high, **more)

    def add_sparse(self, count: int, where: np.ndarray, values: np.ndarray) -> int:
        """Store `count` zero vectors but for `values` (m, components) at the numbers `where`."""
        kind = narrow(count)
        values = values.astype("<f4")
        sparse = {
            "count": len(where),
            "indices": {"bufferView": self.view(where.astype(kind)), "componentType": _COMPONENTS[kind]},
            "values": {"bufferView": self.view(values)},
        }
        return self._accessor("<f4", (count, values.shape[1]), sparse=sparse)

    def _accessor(self, kind: str, shape: tuple[int, ...], **more: Any) -> int:
        self.accessors.append({"componentType": _COMPONENTS[kind], "count": shape[0], "type": _TYPES[shape[1]], **more})
        return len(self.accessors) - 1


def write_glb(
    path: str | Path, body: Body, qpos: np.ndarray, fps: float, tint: np.ndarray | None = None, name: str = "motion"
) -> None:
    """Write the motion `qpos` (T,nq) of `body` as a GLB; `tint` (T, bodies) is the strength that each has lost."""
    data = glb(body, qpos, fps, tint, name)
    write_whole(path, data)


def glb(body: Body, qpos: np.ndarray, fps: float, tint: np.ndarray | None = None, name: str = "motion") -> bytes:
    """The bytes of the file that `write_glb` writes."""
    qpos = np.atleast_2d(np.asarray(qpos, dtype=float))
    if not len(qpos) or not np.isfinite(qpos).all():
        raise InputError(f"motion '{name}' holds no frames, or NaN: no glTF written")
    if not (np.isfinite(fps) and fps > 0):
        raise InputError(f"motion '{name}': {fps} frames a second; must be positive")
    buffer, count = BinaryChunk(), len(body.bodies)
    parents = body.model.body_parentid[1:].astype(int) - 1
    rest_at, rest_turned = (part[0] for part in _local(body, body.rest[None], parents))

    at, turned = _local(body, qpos, parents)
    moved = np.abs(at - rest_at).max((0, 2)) > STILL
    tracks = [(j, "translation", at[:, j]) for j in range(count) if moved[j] or parents[j] < 0]
    tracks += [(j, "rotation", turned[:, j]) for j in range(count)]
    if tint is not None:
        spent = np.clip(np.nan_to_num(np.asarray(tint, float), nan=1.0), 0, 1)
        if spent.shape != (len(qpos), count):
            raise InputError(f"motion '{name}': tint of shape {spent.shape}; must be {(len(qpos), count)}")
        tracks.append((count + 1, "weights", spent.reshape(-1)))
    mesh = _mesh(buffer, body, tint is not None)
    at_rest, turned_at_rest = (part[0] for part in body.places(body.rest[None]))
    joints = Joints(body.name, body.bodies, parents, rest_at, rest_turned, inverse_binds(at_rest, turned_at_rest))
    return assembled(buffer, (name, len(qpos), fps), joints, mesh, tracks)


class Joints(NamedTuple):
    """A skeleton at rest: places and turns in the parents, and matrices into the joints' frames, in glTF's axes."""

    name: str
    joints: Sequence[str]
    parents: np.ndarray
    at: np.ndarray
    turned: np.ndarray
    binds: np.ndarray


Track = tuple[int, str, np.ndarray]
"""Number of a node, what of it moves, and its values, a row a frame."""


def assembled(
    buffer: BinaryChunk, about: tuple[str, int, float], joints: Joints, mesh: dict[str, Any], tracks: list[Track]
) -> bytes:
    """The bytes of a file: a name, frames and frames a second; nodes are the joints, their armature, and the mesh."""
    (name, frames, fps), count = about, len(joints.joints)
    nodes: list[dict[str, Any]] = []
    for j, label in enumerate(joints.joints):
        node = {"name": label, "translation": _floats(joints.at[j]), "rotation": _floats(joints.turned[j])}
        children = np.flatnonzero(joints.parents == j).tolist()
        nodes.append(node | ({"children": children} if children else {}))
    nodes.append({"name": joints.name, "children": np.flatnonzero(joints.parents < 0).tolist()})
    nodes.append({"name": mesh["name"], "mesh": 0, "skin": 0})  # glTF wants it at the top
    times = buffer.add(np.arange(frames) / fps)
    animation: dict[str, Any] = {"name": name, "samplers": [], "channels": []}
    for k, (node_index, what, values) in enumerate(tracks):
        animation["channels"].append({"sampler": k, "target": {"node": node_index, "path": what}})
        animation["samplers"].append({"input": times, "interpolation": "LINEAR", "output": buffer.add(values)})
    document = {
        "asset": {
            "version": "2.0",
            "generator": f"lactic {__version__}",
            "extras": {"frames": frames, "fps": float(fps), "unit": "metre", "up": "+Y", "forward": "+Z"},
        },
        "scene": 0,
        "scenes": [{"name": name, "nodes": [count, count + 1]}],
        "nodes": nodes,
        "meshes": [mesh],
        "materials": [
            {
                "name": "skin",
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*FRESH.tolist(), 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.6,
                },
            }
        ],
        "skins": [
            {
                "name": joints.name,
                "skeleton": count,
                "joints": list(range(count)),
                "inverseBindMatrices": buffer.add(joints.binds),
            }
        ],
        "animations": [animation],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.length}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + buffer.length)
    return b"".join(
        [
            header,
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", buffer.length, b"BIN\0"),
            *buffer.parts,
        ]
    )


def _mesh(buffer: BinaryChunk, body: Body, with_fatigue: bool) -> dict[str, Any]:
    """The mesh of the whole body at rest, and a morph target a body where it is to show fatigue."""
    mesh = body_mesh(body)
    count = len(mesh.vertices)
    joints, weights = np.zeros((count, 4)), np.zeros((count, 4))
    joints[:, 0], weights[:, 0] = mesh.body, 1.0
    primitive: dict[str, Any] = {
        "attributes": {
            "POSITION": buffer.add(mesh.vertices @ Y_UP, target=VERTICES),
            "NORMAL": buffer.add(mesh.normals @ Y_UP, target=VERTICES),
            "JOINTS_0": buffer.add(joints, "|u1", VERTICES),
            "WEIGHTS_0": buffer.add(weights * 255, "|u1", VERTICES, normalized=True),
        },
        "indices": buffer.add(mesh.triangles.reshape(-1), narrow(count), INDICES),
        "material": 0,
    }
    held: dict[str, Any] = {"name": f"{body.name}_skin", "primitives": [primitive]}
    if with_fatigue:
        # vertex colours multiply the material's: white is fresh, and importers that ignore them show a fresh body
        white = np.full((count, 4), 255)
        primitive["attributes"]["COLOR_0"] = buffer.add(white, "|u1", VERTICES, normalized=True)
        still, reddened = buffer.add(np.zeros((count, 3)), target=VERTICES), np.append(EXHAUSTED / FRESH - 1, 0.0)
        primitive["targets"] = []
        for j in range(len(body.bodies)):
            own = np.flatnonzero(mesh.body == j)
            target = {"POSITION": still}
            if len(own):
                target["COLOR_0"] = buffer.add_sparse(count, own, np.tile(reddened, (len(own), 1)))
            primitive["targets"].append(target)
        held["weights"] = [0.0] * len(body.bodies)
        held["extras"] = {"targetNames": [f"fatigue_{label}" for label in body.bodies]}
    return held


def _local(body: Body, qpos: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (T, bodies, 3) and rotations (T, bodies, 4: x, y, z, w) of the bodies in their parents, glTF's axes."""
    at, turned = body.places(qpos)
    place, turn = at.copy(), turned.copy()
    for j, parent in enumerate(parents):
        if parent >= 0:
            place[:, j] = rotation.rotate_back(turned[:, parent], at[:, j] - at[:, parent])
            turn[:, j] = rotation.multiply(rotation.conjugate(turned[:, parent]), turned[:, j])
    return place @ Y_UP, gltf_turns(turn)


def gltf_turns(turn: np.ndarray) -> np.ndarray:
    """Rotations (T, …, 4: w, x, y, z) in our axes as x, y, z, w in glTF's."""
    turn = rotation.normalize(rotation.positive(turn))
    # q and -q are one rotation, but importers that mix numbers would spin between them: keep to the nearer of the two
    flips = (turn[1:] * turn[:-1]).sum(-1) < 0
    turn[1:] *= np.where(np.cumsum(flips, axis=0) % 2, -1.0, 1.0)[..., None]
    return np.concatenate([turn[..., 1:] @ Y_UP, turn[..., :1]], axis=-1)


def inverse_binds(at: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """For each joint, at (joint, 3) and turned (joint, 4) at rest, the matrix (joint, 16), by columns, from the mesh's
    space into its own."""
    back = Y_UP.T @ np.swapaxes(rotation.to_matrix(turned), 1, 2) @ Y_UP
    matrices = np.tile(np.eye(4), (len(at), 1, 1))
    matrices[:, :3, :3] = back
    matrices[:, :3, 3] = -np.einsum("nij,nj->ni", back, at @ Y_UP)
    return np.swapaxes(matrices, 1, 2).reshape(-1, 16)


def narrow(count: int) -> str:
    """The smallest kind of number that can count so many vertices (its largest value is reserved)."""
    return "<u2" if count < 65535 else "<u4"


def _floats(values: np.ndarray) -> list[float]:
    """Numbers for the JSON part, with the digits a float32 has."""
    return np.asarray(values, np.float32).astype(float).tolist()
