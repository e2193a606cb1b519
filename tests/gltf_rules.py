"""The rules of glTF 2.0 that a skinned, animated GLB of ours can break, each checked on the bytes alone."""

import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

NUMBERS = {5121: np.dtype("u1"), 5123: np.dtype("<u2"), 5125: np.dtype("<u4"), 5126: np.dtype("<f4")}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}


def problems(data: bytes) -> list[str]:
    """What is wrong with a GLB, one line each; nothing for a sound one."""
    try:
        document, binary = _chunks(data)
        found = list(_buffers(document, binary))
        if not found:
            arrays = [_array(document, binary, k) for k in range(len(document["accessors"]))]
            found = [line for check in (_bounds, _mesh, _skin, _nodes, _animation) for line in check(document, arrays)]
    except (AssertionError, KeyError, IndexError, TypeError, ValueError, struct.error) as error:
        return [f"{type(error).__name__}: {error}"]
    return found


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    magic, version, length = struct.unpack_from("<4sII", data)
    assert magic == b"glTF" and version == 2, "not a GLB of version 2"
    assert length == len(data), f"says it has {length} bytes, has {len(data)}"
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON" and size % 4 == 0, "the first chunk is no JSON padded to four bytes"
    rest, kind = struct.unpack_from("<I4s", data, 20 + size)
    assert kind == b"BIN\0" and rest % 4 == 0, "the second chunk is not binary, padded to four bytes"
    assert 28 + size + rest == len(data), "the chunks do not fill the file"
    document = json.loads(data[20 : 20 + size])
    assert document["asset"]["version"] == "2.0", "no asset version"
    return document, data[28 + size :]


def _buffers(document: dict[str, Any], binary: bytes) -> Iterator[str]:
    (buffer,) = document["buffers"]
    if not 0 <= len(binary) - buffer["byteLength"] < 4:
        yield f"buffer of {buffer['byteLength']} bytes in a chunk of {len(binary)}"
    for k, view in enumerate(document["bufferViews"]):
        if view["byteOffset"] < 0 or view["byteOffset"] + view["byteLength"] > buffer["byteLength"]:
            yield f"view {k} reaches out of the buffer"
    for k, accessor in enumerate(document["accessors"]):
        parts = [(accessor.get("bufferView"), accessor["componentType"], accessor["count"] * WIDTH[accessor["type"]])]
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            parts += [
                (sparse["indices"]["bufferView"], sparse["indices"]["componentType"], sparse["count"]),
                (sparse["values"]["bufferView"], accessor["componentType"], sparse["count"] * WIDTH[accessor["type"]]),
            ]
        for number, kind, numbers in parts:
            if number is None:
                continue
            view, width = document["bufferViews"][number], NUMBERS[kind].itemsize
            at = view["byteOffset"] + accessor.get("byteOffset", 0)
            if at % width:
                yield f"accessor {k} is not aligned to its {width} bytes"
            if accessor.get("byteOffset", 0) + numbers * width > view["byteLength"]:
                yield f"accessor {k} reaches out of its view"
        if accessor["count"] < 1:
            yield f"accessor {k} is empty"


def _read(document: dict[str, Any], binary: bytes, number: int, kind: int, count: int, offset: int = 0) -> np.ndarray:
    return np.frombuffer(binary, NUMBERS[kind], count, document["bufferViews"][number]["byteOffset"] + offset)


def _array(document: dict[str, Any], binary: bytes, k: int) -> np.ndarray:
    accessor = document["accessors"][k]
    kind, shape = accessor["componentType"], (accessor["count"], WIDTH[accessor["type"]])
    array = np.zeros(shape, NUMBERS[kind])
    if "bufferView" in accessor:
        offset = accessor.get("byteOffset", 0)
        array = _read(document, binary, accessor["bufferView"], kind, shape[0] * shape[1], offset).reshape(shape).copy()
    if "sparse" in accessor:
        sparse = accessor["sparse"]
        where = _read(
            document, binary, sparse["indices"]["bufferView"], sparse["indices"]["componentType"], sparse["count"]
        )
        assert (np.diff(where.astype(int)) > 0).all() and where[-1] < shape[0], f"accessor {k}: sparse numbers"
        values = _read(document, binary, sparse["values"]["bufferView"], kind, sparse["count"] * shape[1])
        array[where] = values.reshape(-1, shape[1])
    return array


def _bounds(document: dict[str, Any], arrays: list[np.ndarray]) -> Iterator[str]:
    for k, (accessor, array) in enumerate(zip(document["accessors"], arrays, strict=True)):
        if not np.isfinite(array).all():
            yield f"accessor {k} holds NaN or infinity"
        for name, value in (("min", array.min(0)), ("max", array.max(0))):
            if name in accessor and value.tolist() != accessor[name]:
                yield f"accessor {k}: {name} is {value.tolist()}, not {accessor[name]}"
    wanted = [p["attributes"]["POSITION"] for mesh in document["meshes"] for p in mesh["primitives"]]
    wanted += [sampler["input"] for animation in document["animations"] for sampler in animation["samplers"]]
    yield from (f"accessor {k} must give its min and max" for k in wanted if "min" not in document["accessors"][k])


def _mesh(document: dict[str, Any], arrays: list[np.ndarray]) -> Iterator[str]:
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            attributes = {name: arrays[k] for name, k in primitive["attributes"].items()}
            count = len(attributes["POSITION"])
            if any(len(array) != count for array in attributes.values()):
                yield "attributes of different lengths"
            if any(len(arrays[k]) != count for target in primitive.get("targets", []) for k in target.values()):
                yield "a morph target of another length"
            indices = arrays[primitive["indices"]]
            if indices.max() >= count or len(indices) % 3:
                yield "indices beyond the vertices, or no triangles"
            if np.abs(np.linalg.norm(attributes["NORMAL"], axis=1) - 1).max() > 1e-3:
                yield "normals that are not unit"
            shares = attributes["WEIGHTS_0"].astype(float)
            if document["accessors"][primitive["attributes"]["WEIGHTS_0"]].get("normalized"):
                shares /= 255
            if np.abs(shares.sum(1) - 1).max() > 2e-3 or shares.min() < 0:
                yield "weights that do not add to one"
            if attributes["JOINTS_0"].max() >= len(document["skins"][0]["joints"]):
                yield "a vertex bound to no joint"
            if len(mesh.get("weights", [])) != len(primitive.get("targets", [])):
                yield "other weights than targets"


def _skin(document: dict[str, Any], arrays: list[np.ndarray]) -> Iterator[str]:
    for skin in document["skins"]:
        binds = arrays[skin["inverseBindMatrices"]].reshape(-1, 4, 4)
        if len(binds) < len(skin["joints"]):
            yield "fewer bind matrices than joints"
        if (binds[:, :, 3] != [0, 0, 0, 1]).any():
            yield "a bind matrix whose last row is not 0 0 0 1"
        if len(set(skin["joints"])) != len(skin["joints"]) or max(skin["joints"]) >= len(document["nodes"]):
            yield "joints that are no nodes, or named twice"


def _nodes(document: dict[str, Any], arrays: list[np.ndarray]) -> Iterator[str]:
    children = [child for node in document["nodes"] for child in node.get("children", [])]
    if len(set(children)) != len(children):
        yield "a node with two parents"
    roots = set(range(len(document["nodes"]))) - set(children)
    if any(root not in roots for scene in document["scenes"] for root in scene["nodes"]):
        yield "a scene whose root has a parent"
    if not roots:
        yield "a tree that is a ring"
    for node in document["nodes"]:
        if "rotation" in node and abs(np.linalg.norm(node["rotation"]) - 1) > 1e-5:
            yield f"{node.get('name')}: a rotation that is not unit"


def _animation(document: dict[str, Any], arrays: list[np.ndarray]) -> Iterator[str]:
    for animation in document["animations"]:
        targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
        if len(set(targets)) != len(targets):
            yield "two channels with one target"
        for (node, path), channel in zip(targets, animation["channels"], strict=True):
            sampler = animation["samplers"][channel["sampler"]]
            times, keys = arrays[sampler["input"]], arrays[sampler["output"]]
            if (np.diff(times[:, 0]) <= 0).any() or times.min() < 0:
                yield "times that do not rise"
            each = 1
            if path == "weights":
                each = len(document["meshes"][document["nodes"][node]["mesh"]].get("weights", []))
            if len(keys) != len(times) * each or document["accessors"][sampler["output"]]["type"] != PATHS[path]:
                yield f"{path} of node {node}: {len(keys)} keys at {len(times)} times"
            if path == "rotation" and np.abs(np.linalg.norm(keys.astype(float), axis=1) - 1).max() > 1e-5:
                yield f"rotations of node {node} that are not unit"
