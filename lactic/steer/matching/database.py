"""The motion-matching database: every frame of all clips as named arrays, and what a search needs (bergamin2020)."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.files import load_arrays, packed, save_arrays, unpacked
from lactic.motion.body_clip import BodyClip
from lactic.steer.matching import features as layout
from lactic.steer.matching.index import Index
from lactic.steer.matching.labels import TAGS

VERSION = 2
ANGLE_STEP = 1e-4  # radians; hinge angles are rounded to whole steps, as files keep them
ROOT_STEP = 1e-5  # m, and of the four numbers of a rotation: likewise
LARGEST = 32767 * ANGLE_STEP  # radians that fit into 16 bits


@dataclass(frozen=True, eq=False)
class Database:
    """Frames of all clips in a row, mirrored clips included; made by `build`. Files hold poses, clips and settings;
    all else follows from them."""

    body_name: str
    fps: float
    clip_names: tuple[str, ...]
    clip_start: np.ndarray
    """(clip + 1,) clip c holds the frames clip_start[c] … clip_start[c + 1] - 1."""
    mirror_of: np.ndarray
    """(clip,) the clip of which this one is the mirror image, -1 for none."""
    qpos: np.ndarray
    """(frame, nq) in MuJoCo's order: root position, root quaternion, hinge angles."""
    qvel: np.ndarray
    """(frame, nv) in MuJoCo's convention: root linear in the world, root angular in its own frame, hinges."""
    positions: np.ndarray
    """(frame, body, 3) world positions of the rigid bodies, float32."""
    contacts: np.ndarray
    """(frame, 2) whether the left and right foot stand."""
    tags: np.ndarray
    """(frame, tag) bool, in the order of `TAGS`."""
    searchable: np.ndarray
    """(frame,) bool: at least the longest look ahead lies before the clip's end."""
    features: np.ndarray
    """(frame, feature) float32 in the units of the world, not normalised; see `features.SLICES`."""
    mean: np.ndarray
    scale: np.ndarray
    """(feature,) deviation over all searchable frames: what a feature is divided by."""
    weights: np.ndarray
    """(feature,) importance."""
    every: int = 1
    """Each clip's first frame and every so many-th after it were in the clip; those between were found from them."""
    _indices: dict[str, Index] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def body(self) -> bodies.Body:
        """The body of the clips."""
        return bodies.get(self.body_name)

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """How long all clips last."""
        return self.frames / self.fps

    @property
    def tags_present(self) -> tuple[str, ...]:
        """The tags that at least one searchable frame carries."""
        return tuple(tag for i, tag in enumerate(TAGS) if (self.tags[:, i] & self.searchable).any())

    query = staticmethod(layout.vector)
    """A query (feature,), in the units of the world and not normalised; all seen from the character frame.

    Root velocity (3,); feet (2, 3), left and right; trajectory (3, 2) and headings (3, 2, unit vectors) after 0.33,
    0.66 and 1.0 s.
    """

    def cost(self, query: np.ndarray, frame: int) -> float:
        """Squared distance of a query to a frame, normalised and weighted: what searches make small."""
        return float(np.sum(((query - self.features[frame]) * (self.weights / self.scale)) ** 2))

    def group_weights(self) -> list[float]:
        """The weight of each group of features."""
        return [float(self.weights[part.start]) for part in layout.SLICES.values()]

    def index(self, tag: str) -> Index:
        """The frames that carry a tag, arranged for searching; made at the first call."""
        if tag not in self._indices:
            if tag not in TAGS:
                raise InputError(f"unknown tag '{tag}'; there are: {', '.join(TAGS)}")
            frames = np.flatnonzero(self.tags[:, TAGS.index(tag)] & self.searchable)
            if not len(frames):
                has = ", ".join(self.tags_present)
                raise InputError(f"the database has no frame tagged '{tag}' (only {has}); build it with such clips")
            self._indices[tag] = Index.of(frames, self.features, self.mean, self.weights / self.scale)
        return self._indices[tag]

    def save(self, path: str | Path) -> None:
        """Write an npz of named arrays: angles in 16 bits, roots in steps of 0.01 mm. Mirrored clips and frames between
        those of the clips are left out, since they are made again."""
        path, own = Path(path), np.flatnonzero(self.mirror_of < 0)
        parts = [np.arange(self.clip_start[c], self.clip_start[c + 1], self.every) for c in own]
        qpos = self.qpos[np.concatenate(parts)]
        if np.abs(qpos[:, 7:]).max(initial=0.0) > LARGEST:
            raise InputError(f"{path}: a joint turns beyond {LARGEST:.2f} rad, more than the file can hold")
        arrays: dict[str, Any] = {
            "version": VERSION,
            "body": self.body_name,
            "joints": self.body.joints,
            "fps": self.fps,
            "every": self.every,
            "clip_names": [self.clip_names[c] for c in own],
            "clip_frames": np.array([len(part) for part in parts], dtype=np.int32),
            "mirror": len(own) < len(self.clip_names),
            "roots": packed(qpos[:, :7] / ROOT_STEP, np.int32),
            "hinges": packed(qpos[:, 7:] / ANGLE_STEP, np.int16),
            "step": ANGLE_STEP,
            "feature_names": list(layout.GROUPS),
            "weights": self.group_weights(),
        }
        save_arrays(path, arrays)

    @staticmethod
    def load(path: str | Path) -> "Database":
        """Read what `save` wrote and build it again; a damaged file, or one for another body, is a plain error."""
        arrays = load_arrays(path, "no such file", "not a motion-matching database, or a damaged one")
        try:
            version = int(arrays["version"]) if "clip_frames" in arrays else None
            if version is None:
                raise InputError(f"{path}: not a motion-matching database; make one with `lactic match build`")
            if version != VERSION:
                raise InputError(f"{path}: version {version}, and this Lactic reads version {VERSION}; build it again")
            return _built(path, arrays)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, InputError):
                raise InputError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
            raise InputError(f"{path}: a damaged motion-matching database ({error})") from error


def _built(path: str | Path, arrays: dict[str, np.ndarray]) -> Database:
    from lactic.steer.matching.build import build

    body = bodies.get(str(arrays["body"].item()))
    if tuple(map(str, arrays["joints"])) != body.joints:
        raise InputError(f"{path}: made for another version of the body '{body.name}'; build it again")
    roots, hinges = unpacked(arrays["roots"], np.int32) * ROOT_STEP, unpacked(arrays["hinges"], np.int16)
    turned = roots[:, 3:]
    lengths, names, step = arrays["clip_frames"], tuple(map(str, arrays["clip_names"])), float(arrays["step"])
    count = int(lengths.sum())
    fits = (roots.shape, hinges.shape) == ((count, 7), (count, len(body.joints)))
    if not fits or lengths.shape != (len(names),) or (lengths < 1).any():
        raise InputError(f"{path}: a damaged motion-matching database (arrays do not fit each other)")
    if tuple(map(str, arrays["feature_names"])) != tuple(layout.GROUPS):
        raise InputError(f"{path}: holds other features than {', '.join(layout.GROUPS)}; build it again")
    if abs(step - ANGLE_STEP) > 1e-12:
        raise InputError(f"{path}: a damaged motion-matching database (values that cannot be)")
    if np.any(np.abs(np.linalg.norm(turned, axis=1) - 1) > 1e-3):
        raise InputError(f"{path}: a damaged motion-matching database (root rotations are no rotations)")
    qpos = rounded(np.concatenate([roots, hinges * step], axis=1))
    ends, every = np.cumsum(lengths), int(arrays.get("every", 1))
    if every < 1:
        raise InputError(f"{path}: a damaged motion-matching database (values that cannot be)")
    clips = [
        BodyClip(body.name, float(arrays["fps"]) / every, qpos[end - length : end], name)
        for name, length, end in zip(names, lengths, ends, strict=True)
    ]
    return build(
        clips,
        fps=float(arrays["fps"]),
        mirror=bool(arrays["mirror"]),
        weights=dict(zip(layout.GROUPS, map(float, arrays["weights"]), strict=True)),
    )


def rounded(qpos: np.ndarray) -> np.ndarray:
    """Poses as files keep them: in whole steps."""
    steps = np.where(np.arange(qpos.shape[1]) < 7, ROOT_STEP, ANGLE_STEP)
    return np.round(qpos / steps) * steps


def foot_bodies(body: bodies.Body) -> tuple[int, int]:
    """Indices of a body's left and right foot among its rigid bodies."""
    found = [name for side in layout.SIDES for name in body.feet if name.startswith(f"{side}_")]
    if len(found) != 2:
        raise InputError(f"body '{body.name}': motion matching needs one left and one right foot")
    return body.bodies.index(found[0]), body.bodies.index(found[1])
