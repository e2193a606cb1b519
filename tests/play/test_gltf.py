"""The GLB obeys glTF 2.0 where Python can tell, and its own nodes, skin and weights show what was simulated."""

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from lactic import rotation
from lactic.body import ant, humanoid
from lactic.cli import main
from lactic.errors import InputError
from lactic.motion.bvh import Y_UP
from lactic.picture.figure import Figure
from lactic.picture.stage import EXHAUSTED, FRESH, tinted
from lactic.play.gltf import glb, write_glb

NUMBERS = {5121: np.dtype("u1"), 5123: np.dtype("<u2"), 5125: np.dtype("<u4"), 5126: np.dtype("<f4")}
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A GLB taken apart by the rules of the format, each of them checked on the way."""

    def __init__(self, data: bytes):
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.json: dict[str, Any] = json.loads(data[20 : 20 + size])
        binary, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0" and binary % 4 == 0 and 28 + size + binary == len(data)
        self.binary = data[28 + size :]
        assert self.json["buffers"] == [{"byteLength": binary}] and self.json["asset"]["version"] == "2.0"
        end = 0
        for view in self.json["bufferViews"]:
            assert view["byteOffset"] % 4 == 0 and view["byteLength"] > 0
            assert view["byteOffset"] >= end and view["byteOffset"] + view["byteLength"] <= binary
            end = view["byteOffset"] + view["byteLength"]
        self.arrays = [self._array(accessor) for accessor in self.json["accessors"]]

    def _view(self, number: int, kind: np.dtype, count: int) -> np.ndarray:
        view = self.json["bufferViews"][number]
        assert view["byteLength"] == count * kind.itemsize
        return np.frombuffer(self.binary, kind, count, view["byteOffset"])

    def _array(self, accessor: dict[str, Any]) -> np.ndarray:
        kind, width, count = NUMBERS[accessor["componentType"]], WIDTH[accessor["type"]], accessor["count"]
        assert count > 0
        if "sparse" in accessor:
            sparse, array = accessor["sparse"], np.zeros((count, width), kind)
            where = self._view(
                sparse["indices"]["bufferView"], NUMBERS[sparse["indices"]["componentType"]], sparse["count"]
            )
            assert 0 < len(where) <= count and (np.diff(where.astype(int)) > 0).all() and where[-1] < count
            array[where] = self._view(sparse["values"]["bufferView"], kind, sparse["count"] * width).reshape(-1, width)
            return array
        array = self._view(accessor["bufferView"], kind, count * width).reshape(count, width)
        assert np.isfinite(array).all()
        assert array.min(0).tolist() == accessor["min"] and array.max(0).tolist() == accessor["max"]
        return array / np.iinfo(kind).max if accessor.get("normalized") else array

    @property
    def parents(self) -> list[int]:
        found = [-1] * len(self.json["nodes"])
        for i, node in enumerate(self.json["nodes"]):
            for child in node.get("children", []):
                assert found[child] == -1, "a node with two parents"
                found[child] = i
        return found

    @property
    def times(self) -> np.ndarray:
        inputs = {sampler["input"] for sampler in self.json["animations"][0]["samplers"]}
        assert len(inputs) == 1
        return self.arrays[inputs.pop()][:, 0]

    def track(self, node: int, path: str) -> np.ndarray | None:
        """The keys of a node's channel, if it has one."""
        animation = self.json["animations"][0]
        found = [c for c in animation["channels"] if c["target"] == {"node": node, "path": path}]
        assert len(found) <= 1
        return self.arrays[animation["samplers"][found[0]["sampler"]]["output"]] if found else None

    def matrices(self, frame: int | None) -> np.ndarray:
        """World matrices (node, 4, 4) at a frame, or of the nodes as they stand, by glTF's own definition."""
        nodes, parents = self.json["nodes"], self.parents
        world: list[np.ndarray | None] = [None] * len(nodes)

        def at(i: int) -> np.ndarray:
            if world[i] is None:
                parts = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1]} | nodes[i]
                for path in ("translation", "rotation"):
                    keys = self.track(i, path)
                    if frame is not None and keys is not None:
                        parts[path] = keys[frame]
                x, y, z, w = np.asarray(parts["rotation"], float)
                own = np.eye(4)
                own[:3, :3] = rotation.to_matrix(np.array([w, x, y, z]))
                own[:3, 3] = parts["translation"]
                world[i] = own if parents[i] < 0 else at(parents[i]) @ own
            return world[i]

        return np.stack([at(i) for i in range(len(nodes))])


def poses(body, frames: int = 12, seed: int = 0) -> np.ndarray:
    """Tumbling random poses anywhere, the first of them at rest."""
    rng = np.random.default_rng(seed)
    qpos = np.tile(body.rest, (frames, 1))
    qpos[1:, :3] += 3 * rng.normal(size=(frames - 1, 3))
    qpos[1:, 3:7] = rotation.normalize(rng.normal(size=(frames - 1, 4)))
    qpos[1:, 7:] = rng.uniform(*body.range.T, (frames - 1, len(body.joints)))
    return qpos


def arms_out(body, frames: int = 40) -> np.ndarray:
    """As in hold-arms: standing, arms raised aside."""
    qpos = np.tile(body.rest, (frames, 1))
    for side, sign in (("right", -1), ("left", 1)):
        qpos[:, 7 + body.joints.index(f"{side}_shoulder_x")] = sign * np.linspace(0, np.pi / 2, frames)
    return qpos


MOTIONS = {
    "tumbling humanoid": (humanoid(), poses(humanoid())),
    "tumbling ant": (ant(), poses(ant())),
    "arms out": (humanoid(), arms_out(humanoid())),
    "pinned": (humanoid(pinned=True), arms_out(humanoid(), 3)),
    "one pose": (humanoid(), poses(humanoid(), 2)[1:]),
    "one pose of an ant": (ant(), poses(ant(), 2)[1:]),
}


def tint_of(body, qpos: np.ndarray) -> np.ndarray:
    """How tired each part is in each frame, at random."""
    return np.random.default_rng(3).uniform(size=(len(qpos), len(body.bodies)))


@pytest.fixture(scope="module", params=MOTIONS)
def moved(request):
    """A body, its motion, its tint, and the GLB of them."""
    body, qpos = MOTIONS[request.param]
    tint = tint_of(body, qpos)
    return body, qpos, tint, Glb(glb(body, qpos, 30.0, tint, "test"))


def test_nodes_stand_where_mujoco_has_the_bodies(moved):
    body, qpos, _, file = moved
    data = mujoco.MjData(body.model)
    names = [node["name"] for node in file.json["nodes"]]
    for frame, pose in [(None, body.rest), *enumerate(qpos)]:
        data.qpos[:] = pose
        mujoco.mj_kinematics(body.model, data)
        matrices = file.matrices(frame)
        for i, name in enumerate(body.bodies, 1):
            here = matrices[names.index(name)]
            assert here[:3, 3] == pytest.approx(data.xpos[i] @ Y_UP, abs=1e-5)
            turned = Y_UP.T @ data.xmat[i].reshape(3, 3) @ Y_UP
            assert here[:3, :3] == pytest.approx(turned, abs=1e-5)


def test_axes_are_y_up_looking_along_z_with_the_left_hand_on_the_plus_x_side():
    file = Glb(glb(humanoid(), humanoid().rest, 30.0))
    at = {node["name"]: m[:3, 3] for node, m in zip(file.json["nodes"], file.matrices(0), strict=True)}
    assert at["head"][1] > 1.4 and at["left_hand"][0] > 0.15 and at["right_hand"][0] < -0.15
    assert np.linalg.det(Y_UP) == pytest.approx(1)  # a turn, not a mirror
    vertices = file.arrays[file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    assert vertices[:, 1].min() == pytest.approx(0, abs=0.002)  # soles on the ground
    toes = vertices[vertices[:, 1] < 0.05]
    assert toes[:, 2].max() > 0.14 and toes[:, 2].min() > -0.06


def test_tree_skin_and_times_are_as_the_format_demands(moved):
    body, qpos, _, file = moved
    nodes, (skin,), parents = file.json["nodes"], file.json["skins"], file.parents
    roots = file.json["scenes"][file.json["scene"]]["nodes"]
    assert sorted(roots) == [i for i, parent in enumerate(parents) if parent < 0]
    assert [nodes[i]["name"] for i in skin["joints"]] == list(body.bodies)
    for i, joint in enumerate(skin["joints"]):
        at, above = joint, []
        while parents[at] >= 0:
            at = parents[at]
            above.append(at)
        assert skin["skeleton"] in above
        mujoco_parent = body.model.body_parentid[i + 1] - 1
        assert parents[joint] == (skin["joints"][mujoco_parent] if mujoco_parent >= 0 else skin["skeleton"])
    binds = file.arrays[skin["inverseBindMatrices"]].reshape(-1, 4, 4).swapaxes(1, 2)
    assert (binds[:, 3] == [0, 0, 0, 1]).all()
    stand = file.matrices(None)[skin["joints"]]
    assert np.abs(binds @ stand - np.eye(4)).max() < 1e-6  # at rest the skin lies as it was modelled
    times = file.times
    assert len(times) == len(qpos) and times[0] == 0 and (np.diff(times) > 0).all()
    assert times == pytest.approx(np.arange(len(qpos)) / 30, abs=1e-6)
    (mesh_node,) = [node for node in nodes if "mesh" in node]
    assert mesh_node["skin"] == 0 and not {"translation", "rotation", "scale", "matrix"} & set(mesh_node)


def test_rotations_are_unit_and_never_jump_to_the_far_sign(moved):
    body, _, _, file = moved
    moving = []
    for i in range(len(body.bodies)):
        keys = file.track(i, "rotation")
        assert np.abs(np.linalg.norm(keys.astype(float), axis=1) - 1).max() < 1e-6
        assert ((keys[1:] * keys[:-1]).sum(1) >= 0).all()
        moving.append(file.track(i, "translation") is not None)
    assert moving == [True] + [False] * (len(body.bodies) - 1)  # only the root travels


def test_mesh_is_sound_and_bound_to_the_bodies_whose_geoms_it_shows(moved):
    body, qpos, _, file = moved
    (primitive,) = file.json["meshes"][0]["primitives"]
    points, normals, joints, weights = (
        file.arrays[primitive["attributes"][name]] for name in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0")
    )
    indices = file.arrays[primitive["indices"]].reshape(-1, 3).astype(int)
    assert len(points) == len(normals) == len(joints) == len(weights) < 65535
    assert indices.max() == len(points) - 1 and set(np.unique(indices)) == set(range(len(points)))
    assert np.abs(np.linalg.norm(normals, axis=1) - 1).max() < 1e-5
    assert (weights == [1, 0, 0, 0]).all() and (joints[:, 1:] == 0).all()
    # posed by the skin, every body's vertices fill the bounds of its shapes
    binds = file.arrays[file.json["skins"][0]["inverseBindMatrices"]].reshape(-1, 4, 4).swapaxes(1, 2)
    frame = len(qpos) - 1
    carry = (file.matrices(frame)[file.json["skins"][0]["joints"]] @ binds)[joints[:, 0]]
    posed = (np.einsum("nij,nj->ni", carry[:, :3, :3], points) + carry[:, :3, 3]) @ Y_UP.T
    shapes = Figure(body.model).posed(qpos[frame])
    for j in np.unique(shapes.body):
        own, near = posed[joints[:, 0] == j], np.inf
        for k in np.flatnonzero(shapes.body == j):
            local = np.abs((own - shapes.centre[k]) @ shapes.axes[k]) / shapes.size[k]
            near = np.minimum(near, local.max(1))
        assert near.max() < 1 + 1e-4, "a vertex outside all shapes of its body"


def test_fatigue_is_a_named_weight_a_body_that_reddens_it_as_the_pictures_do(moved):
    body, qpos, tint, file = moved
    (mesh,), (node,) = file.json["meshes"], [i for i, n in enumerate(file.json["nodes"]) if "mesh" in n]
    assert mesh["extras"]["targetNames"] == [f"fatigue_{name}" for name in body.bodies]
    assert mesh["weights"] == [0] * len(body.bodies)
    weights = file.track(node, "weights").reshape(len(qpos), -1)
    assert weights == pytest.approx(tint, abs=1e-6)
    (primitive,) = mesh["primitives"]
    owner, colour = (file.arrays[primitive["attributes"][name]] for name in ("JOINTS_0", "COLOR_0"))
    assert (colour == 1).all()
    shown = colour[:, :3].astype(float)
    for target, weight in zip(primitive["targets"], weights[-1], strict=True):
        assert not file.arrays[target["POSITION"]].any()
        shown = shown + weight * file.arrays[target["COLOR_0"]][:, :3]
    base = file.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"]
    assert base == [*FRESH, 1.0] and (EXHAUSTED <= FRESH).all()
    assert shown * base[:3] == pytest.approx(tinted(tint[-1])[owner[:, 0]], abs=1e-5)


def test_without_tint_there_are_neither_weights_nor_colours():
    file = Glb(glb(ant(), poses(ant()), 60.0))
    (mesh,) = file.json["meshes"]
    assert "weights" not in mesh and "targets" not in mesh["primitives"][0]
    assert "COLOR_0" not in mesh["primitives"][0]["attributes"]
    assert {c["target"]["path"] for c in file.json["animations"][0]["channels"]} == {"translation", "rotation"}


def test_tint_that_is_not_a_fraction_is_kept_in_bounds():
    tint = np.array([[np.nan, -1.0, 2.0] + [0.5] * 6])
    file = Glb(glb(ant(), ant().rest, 30.0, tint))
    assert file.track(10, "weights")[:4, 0].tolist() == [1, 0, 1, 0.5]


@pytest.mark.parametrize("damage", ["nan", "empty", "rate", "tint"])
def test_nothing_is_left_of_a_motion_that_cannot_be_written(damage, tmp_path):
    qpos, fps, tint = poses(ant()), 30.0, None
    if damage == "nan":
        qpos[2, 9] = np.nan
    elif damage == "empty":
        qpos = qpos[:0]
    elif damage == "rate":
        fps = 0.0
    else:
        tint = np.zeros((3, 9))
    with pytest.raises(InputError):
        write_glb(tmp_path / "motion.glb", ant(), qpos, fps, tint)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("form", "files"), [("glb", {"motion.glb"}), ("all", {"motion.glb", "motion.bvh"})])
def test_play_writes_the_motion_in_the_formats_asked_for(form, files, tmp_path):
    assert main(["play", "hold-arms", "--seconds", "1", "--format", form, "--no-film", "--out", str(tmp_path)]) == 0
    assert {p.name for p in tmp_path.glob("motion.*")} == files
    file = Glb((tmp_path / "motion.glb").read_bytes())
    with np.load(tmp_path / "recording.npz") as record:
        qpos = record["qpos"]
    assert file.json["asset"]["extras"]["frames"] == len(qpos) == 30
    assert file.track(0, "translation") == pytest.approx(qpos[:, :3] @ Y_UP, abs=1e-5)


def test_the_khronos_validator_has_nothing_to_say(tmp_path):
    """Runs where node finds the package gltf-validator (NODE_PATH)."""
    script = (
        "const bytes = new Uint8Array(require('fs').readFileSync(process.argv[1]));"
        "require('gltf-validator').validateBytes(bytes).then(r => console.log(JSON.stringify(r.issues)))"
    )
    folder = Path(os.environ.get("NODE_PATH", tmp_path)) / "gltf-validator"
    if shutil.which("node") is None or not folder.is_dir():
        pytest.skip("no validator: npm install gltf-validator, and set NODE_PATH to its node_modules")
    for name, (body, qpos) in MOTIONS.items():
        write_glb(tmp_path / "motion.glb", body, qpos, 30.0, tint_of(body, qpos))
        words = ["node", "-e", script, str(tmp_path / "motion.glb")]
        said = subprocess.run(words, capture_output=True, text=True, check=True)
        issues = json.loads(said.stdout)
        assert not issues["messages"], (name, issues["messages"])
