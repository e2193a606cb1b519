"""A made-up man in MakeHuman's file formats: an eight-sided tube about every bone, moved by that bone alone."""

import gzip
import json
from pathlib import Path

import numpy as np

# bone: head, tail and radius in metres, our axes; the right side is mirrored from the left
MIDDLE = {
    "Hips": ((0, 0, 0.95), (0, 0, 1.05), 0.13),
    "LowerBack": ((-0.02, 0, 1.05), (-0.02, 0, 1.17), 0.13),
    "Spine": ((-0.02, 0, 1.17), (-0.02, 0, 1.30), 0.13),
    "Spine1": ((-0.02, 0, 1.30), (0, 0, 1.48), 0.13),
    "Neck": ((0, 0, 1.48), (0.01, 0, 1.53), 0.06),
    "Neck1": ((0.01, 0, 1.53), (0.02, 0, 1.58), 0.06),
    "Head": ((0.02, 0, 1.58), (0.02, 0, 1.76), 0.09),
}
LEFT = {
    "LHipJoint": ((0, 0.03, 0.95), (0, 0.09, 0.95), 0.10),
    "LeftUpLeg": ((0, 0.09, 0.95), (0.02, 0.12, 0.52), 0.075),
    "LeftLeg": ((0.02, 0.12, 0.52), (0, 0.15, 0.09), 0.05),
    "LeftFoot": ((0, 0.15, 0.09), (0.14, 0.16, 0.04), 0.04),
    "LeftToeBase": ((0.14, 0.16, 0.04), (0.20, 0.16, 0.03), 0.03),
    "LeftShoulder": ((0, 0.05, 1.42), (0, 0.17, 1.42), 0.06),
    "LeftArm": ((0, 0.18, 1.42), (0, 0.36, 1.22), 0.05),
    "LeftForeArm": ((0, 0.36, 1.22), (0.18, 0.48, 1.10), 0.04),
    "LeftHand": ((0.18, 0.48, 1.10), (0.21, 0.5, 1.08), 0.03),
    "LeftFingerBase": ((0.21, 0.5, 1.08), (0.28, 0.54, 1.03), 0.03),
    "LeftHandFinger1": ((0.28, 0.54, 1.03), (0.33, 0.57, 1.0), 0.02),
    "LThumb": ((0.20, 0.48, 1.08), (0.25, 0.48, 1.03), 0.012),
}
_RINGS, _SIDES = 7, 8


def bones() -> dict[str, tuple[np.ndarray, np.ndarray, float]]:
    """All bones by the rig's names."""
    table = {k: (np.array(a, float), np.array(b, float), r) for k, (a, b, r) in (MIDDLE | LEFT).items()}
    for name, (a, b, r) in list(table.items()):
        if name in LEFT:
            right = "Right" + name.removeprefix("Left") if name.startswith("Left") else "R" + name[1:]
            table[right] = a * [1, -1, 1], b * [1, -1, 1], r
    return table


def write(folder: Path, lacking: str | None = None) -> Path:
    """The man's data below `folder`, without the bone `lacking`."""
    vertices: list[np.ndarray] = []
    faces: list[list[int]] = []
    weights: dict[str, list] = {}
    normals = []
    for name, (head, tail, radius) in bones().items():
        axis = (tail - head) / np.linalg.norm(tail - head)
        side = np.cross(axis, [0.3, 0.5, 0.8])
        side /= np.linalg.norm(side)
        turn = np.arange(_SIDES) * 2 * np.pi / _SIDES
        ring = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(axis, side)
        first = len(vertices)
        for k in range(_RINGS):
            vertices += list(head + (tail - head) * k / (_RINGS - 1) + radius * ring)
            normals += list(ring)
        vertices += [head, tail]
        normals += [-axis * 0, axis * 0]
        low, high = first + _RINGS * _SIDES, first + _RINGS * _SIDES + 1
        for s in range(_SIDES):
            n = (s + 1) % _SIDES
            corners = np.array([s, n, n + _SIDES, s + _SIDES])
            faces += [list(first + j * _SIDES + corners) for j in range(_RINGS - 1)]
            last = first + (_RINGS - 1) * _SIDES
            faces += [[low, first + n, first + s], [high, last + s, last + n]]
        weights[name] = [[i, 1.0] for i in range(first, len(vertices))]
    body = len(vertices)
    groups, rig = {}, {}
    for name, (head, tail, _) in bones().items():
        for end, at in (("head", head), ("tail", tail)):
            groups[f"joint-{name}-{end}"] = [[len(vertices), len(vertices) + 7]]
            vertices += [at + 0.005 * np.array([x, y, z]) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        rig[name] = {end: {"strategy": "CUBE", "cube_name": f"joint-{name}-{end}"} for end in ("head", "tail")}
    if lacking is not None:
        del rig[lacking]
    lines = ["g body"] + ["v {:.5f} {:.5f} {:.5f}".format(*10 * v[[1, 2, 0]]) for v in vertices]
    lines += ["f " + " ".join(f"{i + 1}/1" for i in face) for face in faces]
    _put(folder / "3dobjs/base.obj", "\n".join(lines))
    _put(folder / "mesh_metadata/basemesh_vertex_groups.json", json.dumps(groups))
    _put(folder / "rigs/standard/rig.cmu_mb.json", json.dumps(rig))
    _put(folder / "rigs/standard/weights.cmu_mb.json", json.dumps({"weights": weights}))
    targets = folder / "targets/macrodetails"
    targets.mkdir(parents=True)
    for race in ("african", "asian", "caucasian"):
        (targets / f"{race}-male-young.target.gz").write_bytes(gzip.compress(b""))
    for muscle in ("min", "average", "max"):
        for weight, wider in (("min", -0.006), ("average", 0.0), ("max", 0.02)):
            moved = [f"{i} {' '.join(f'{10 * wider * x:.4f}' for x in normals[i][[1, 2, 0]])}" for i in range(body)]
            text = "\n".join(moved if wider else [])
            name = f"universal-male-young-{muscle}muscle-{weight}weight.target.gz"
            (targets / name).write_bytes(gzip.compress(text.encode()))
    return folder


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
