"""What the exporter writes breaks no rule, for every body; and the rules notice what is damaged."""

import json
import struct

import numpy as np
import pytest
from gltf_rules import problems

from lactic import body as bodies
from lactic import rotation
from lactic.play.gltf import glb


def motion(body: bodies.Body, frames: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Tumbling poses, and a tint."""
    rng = np.random.default_rng(5)
    qpos = np.tile(body.rest, (frames, 1))
    qpos[:, :3] += rng.normal(size=(frames, 3))
    qpos[:, 3:7] = rotation.normalize(rng.normal(size=(frames, 4)))
    qpos[:, 7:] = rng.uniform(*body.range.T, (frames, len(body.joints)))
    return qpos, rng.uniform(size=(frames, len(body.bodies)))


@pytest.mark.parametrize("tinted", [True, False])
@pytest.mark.parametrize("name", [*bodies.NAMES, "person-1.62-55"])
def test_every_body_gives_a_valid_file(name, tinted):
    body = bodies.get(name)
    qpos, tint = motion(body)
    assert problems(glb(body, qpos, 30.0, tint if tinted else None)) == []
    assert problems(glb(body, qpos[:1], 30.0, tint[:1] if tinted else None)) == []


@pytest.fixture(scope="module")
def sound() -> bytes:
    body = bodies.get("ant")
    qpos, tint = motion(body)
    return glb(body, qpos, 30.0, tint)


def rewritten(data: bytes, change) -> bytes:
    """The file with its JSON changed."""
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + size :]
    return struct.pack("<4sII", b"glTF", 2, 12 + len(rest)) + rest


def output(document: dict, path: str) -> dict:
    """The accessor of the first channel of that kind."""
    channel = next(c for c in document["animations"][0]["channels"] if c["target"]["path"] == path)
    return document["accessors"][document["animations"][0]["samplers"][channel["sampler"]]["output"]]


def poke(data: bytes, path: str, value: float) -> bytes:
    """The file with the first number of a channel's keys replaced, and its bounds too."""
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    at = 28 + size + document["bufferViews"][output(document, path)["bufferView"]]["byteOffset"]
    data = data[:at] + struct.pack("<f", value) + data[at + 4 :]
    return rewritten(data, lambda d: [output(d, path).pop(name) for name in ("min", "max")])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda d: d[:-4], "says it has"),
        (lambda d: b"GLTF" + d[4:], "not a GLB"),
        (lambda d: rewritten(d, lambda j: j["bufferViews"][-1].update(byteLength=10**6)), "out of the buffer"),
        (lambda d: rewritten(d, lambda j: j["accessors"][0].update(count=10**5)), "out of its view"),
        (lambda d: rewritten(d, lambda j: j["accessors"][0].update(byteOffset=2)), "aligned"),
        (lambda d: rewritten(d, lambda j: j["accessors"][0].update(max=[9.0])), "max is"),
        (lambda d: rewritten(d, lambda j: j["accessors"][0].pop("min")), "must give its min"),
        (lambda d: rewritten(d, lambda j: j["buffers"][0].update(byteLength=12)), "bytes in a chunk"),
        (lambda d: rewritten(d, lambda j: j["nodes"][0].update(rotation=[0, 0, 0, 2])), "not unit"),
        (lambda d: rewritten(d, lambda j: j["nodes"][1].setdefault("children", []).append(2)), "two parents"),
        (lambda d: rewritten(d, lambda j: j["skins"][0]["joints"].append(99)), "fewer bind"),
        (lambda d: rewritten(d, lambda j: j["meshes"][0]["weights"].pop()), "weights"),
        (lambda d: poke(d, "rotation", 3.0), "not unit"),
        (lambda d: poke(d, "translation", np.nan), "NaN"),
    ],
)
def test_damage_is_noticed(sound, damage, words):
    found = problems(damage(sound))
    assert any(words in line for line in found), found
