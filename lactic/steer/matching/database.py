"""The motion-matching database: every frame of all clips as named arrays, and what a search needs (bergamin2020)."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.steer.matching import features as layout
from lactic.steer.matching.index import Index
from lactic.steer.matching.labels import TAGS, Standing, Tagging


@dataclass(frozen=True, eq=False)
class Database:
    """Frames of all clips in a row, mirrored clips included; made by `build`, kept in files by `save` and `load`."""

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
    tagging: Tagging
    standing: Standing
    """The thresholds that tags and contacts were found with."""
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
        """Write the database to an npz of plain arrays."""
        from lactic.steer.matching.file import save

        save(self, path)

    @staticmethod
    def load(path: str | Path) -> "Database":
        """Read what `save` wrote and check it; nothing is unpickled."""
        from lactic.steer.matching.file import load

        return load(path)


def foot_bodies(body: bodies.Body) -> tuple[int, int]:
    """Indices of a body's left and right foot among its rigid bodies."""
    found = [name for side in layout.SIDES for name in body.feet if name.startswith(f"{side}_")]
    if len(found) != 2:
        raise InputError(f"body '{body.name}': motion matching needs one left and one right foot")
    return body.bodies.index(found[0]), body.bodies.index(found[1])
