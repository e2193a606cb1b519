"""A motion library: many clips of one body in named arrays, kept in one compressed file."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic import rotation
from lactic.errors import InputError
from lactic.files import load_arrays, packed, save_arrays, unpacked
from lactic.motion.body_clip import BodyClip

POSITION_STEP, QUATERNION_STEP, ANGLE_STEP = 4e-4, 1e-5, 1e-4  # m, 1 and rad that files round to
LARGEST = 2**31 - 1  # steps that fit into a file


@dataclass(frozen=True, eq=False)
class Library:
    """Clips of one body at one frame rate, one after another."""

    body_name: str
    fps: float
    qpos: np.ndarray
    """(frame, nq) poses of all clips in MuJoCo's order, 32 bits."""
    starts: np.ndarray
    """(clip + 1,) first frame of each clip, and the number of all frames."""
    names: tuple[str, ...]
    splits: tuple[str, ...]
    """What each clip is for, such as train or test."""
    sources: tuple[str, ...]
    """Where each clip comes from."""
    cyclic: np.ndarray
    """(clip,) whether the last frame is the first one again, moved on."""

    def __len__(self) -> int:
        """How many clips there are."""
        return len(self.names)

    @property
    def seconds(self) -> np.ndarray:
        """(clip,) time from the first pose of each clip to its last."""
        return (np.diff(self.starts) - 1) / self.fps

    def clip(self, i: int) -> BodyClip:
        """Clip number `i`."""
        frames = self.qpos[self.starts[i] : self.starts[i + 1]].astype(float)
        return BodyClip(self.body_name, self.fps, frames, self.names[i], bool(self.cyclic[i]))

    def choose(self, splits: Collection[str] | None = None, names: Collection[str] | None = None) -> "Library":
        """Only the clips of these splits and of these names; None means all of them."""
        for what, asked, held in (("split", splits, self.splits), ("clip", names, self.names)):
            missing = sorted(set(asked or ()) - set(held))
            if missing:
                there = ", ".join(sorted(set(held))[:10])
                raise InputError(f"the library has no {what} '{missing[0]}'; there are: {there}")
        rows = zip(self.splits, self.names, strict=True)
        keep = [(splits is None or s in splits) and (names is None or n in names) for s, n in rows]
        return self.part(np.flatnonzero(keep))

    def part(self, clips: Sequence[int] | np.ndarray) -> "Library":
        """The clips of these numbers, in this order."""
        spans = [self.qpos[self.starts[i] : self.starts[i + 1]] for i in clips]
        return Library(
            self.body_name,
            self.fps,
            np.concatenate([self.qpos[:0], *spans]),
            np.concatenate([[0], np.cumsum([len(span) for span in spans], dtype=np.int64)]),
            tuple(self.names[i] for i in clips),
            tuple(self.splits[i] for i in clips),
            tuple(self.sources[i] for i in clips),
            np.array([self.cyclic[i] for i in clips], dtype=bool),
        )

    def save(self, path: str | Path, **beside: np.ndarray) -> None:
        """Write the library, positions to 0.2 mm, angles to 0.00005 rad, and further arrays beside it."""
        steps = self.qpos / _steps(self.qpos.shape[1])
        if np.abs(steps).max(initial=0) > LARGEST:
            raise InputError(f"{path}: a clip goes further than {LARGEST * POSITION_STEP / 1000:.0f} km")
        words = {"names": self.names, "splits": self.splits, "sources": self.sources}
        arrays = {
            "body": np.array(self.body_name),
            "joints": np.array(bodies.get(self.body_name).joints),
            "fps": np.array(self.fps),
            "motion": packed(steps, np.int32),
            "starts": self.starts,
            "cyclic": self.cyclic,
        }
        save_arrays(path, arrays | beside | {key: np.array(values, dtype=str) for key, values in words.items()})

    @staticmethod
    def load(path: str | Path) -> "Library":
        """Read what `save` wrote; nothing is unpickled."""
        damaged = "not a motion library, or a damaged one"
        held = load_arrays(path, "no such motion library; `lactic library build` makes one", damaged)
        try:
            steps, words = unpacked(held["motion"], np.int32), ("names", "splits", "sources")
            named = {key: tuple(map(str, held[key])) for key in words}
            starts, cyclic, fps = held["starts"].astype(np.int64), held["cyclic"].astype(bool), float(held["fps"])
            name, joints, count = str(held["body"]), tuple(map(str, held["joints"])), len(starts) - 1
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise InputError(f"{path}: {damaged} ({error})") from error
        body = bodies.get(name)
        if joints != body.joints or steps.shape[1] != body.model.nq:
            raise InputError(f"{path}: made for another version of the body '{name}'; build it again")
        whole = starts.ndim == cyclic.ndim == 1 and {len(cyclic), *map(len, named.values())} == {count} and fps > 0
        if not whole or starts[0] != 0 or starts[-1] != len(steps) or (np.diff(starts) < 1).any():
            raise InputError(f"{path}: {damaged} (arrays do not fit each other)")
        qpos = (steps * _steps(steps.shape[1])).astype(np.float32)
        length = np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
        if not (length > 0.5).all():
            raise InputError(f"{path}: {damaged} (a rotation of length 0)")
        qpos[:, 3:7] /= length
        return Library(name, fps, qpos, starts, cyclic=cyclic, **named)


def collect(clips: Sequence[BodyClip], splits: Sequence[str], sources: Sequence[str]) -> Library:
    """The library of these clips, which are of one body and one frame rate."""
    parts = [
        Library(
            clip.body_name,
            clip.fps,
            clip.qpos.astype(np.float32),
            np.array([0, clip.frames]),
            (clip.name,),
            (split,),
            (source,),
            np.array([clip.cyclic]),
        )
        for clip, split, source in zip(clips, splits, sources, strict=True)
    ]
    return concatenate(parts)


def concatenate(libraries: Sequence[Library]) -> Library:
    """The clips of all these libraries, in this order."""
    if not libraries:
        raise InputError("no clips to make a library of")
    first, names = libraries[0], [name for library in libraries for name in library.names]
    for library in libraries:
        if library.body_name != first.body_name or abs(library.fps - first.fps) > 1e-6:
            other = f"'{library.body_name}' at {library.fps:g} fps"
            raise InputError(f"libraries of '{first.body_name}' at {first.fps:g} fps and of {other} cannot be joined")
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError(f"two clips are called '{twice}'; rename one")
    lengths = np.concatenate([np.diff(library.starts) for library in libraries])
    return Library(
        first.body_name,
        first.fps,
        np.concatenate([library.qpos for library in libraries]),
        np.concatenate([[0], np.cumsum(lengths)]),
        tuple(names),
        tuple(split for library in libraries for split in library.splits),
        tuple(source for library in libraries for source in library.sources),
        np.concatenate([library.cyclic for library in libraries]),
    )


def movement(library: Library) -> dict[str, np.ndarray]:
    """Speed over the floor (m/s) and turning (°/s, left positive) from each frame to the next; root heights (m)."""
    within = np.ones(max(len(library.qpos) - 1, 0), dtype=bool)
    within[library.starts[1:-1] - 1] = False  # from one clip to the next
    gone = np.linalg.norm(np.diff(library.qpos[:, :2], axis=0), axis=1)
    turned = rotation.wrap(np.diff(rotation.heading(library.qpos[:, 3:7].astype(float))))
    return {
        "speed": gone[within] * library.fps,
        "turn": np.degrees(turned[within]) * library.fps,
        "height": library.qpos[:, 2],
    }


def rows(library: Library) -> list[dict[str, Any]]:
    """What each split holds, and all of them together: for a table."""
    parts = {split: library.choose([split]) for split in sorted(set(library.splits))}
    return [_row(split, part) for split, part in (parts | {"all": library} if len(parts) > 1 else parts).items()]


def _row(split: str, part: Library) -> dict[str, Any]:
    moves, seconds = movement(part), part.seconds
    speed, turn = (moves[key] if len(moves[key]) else np.zeros(1) for key in ("speed", "turn"))
    return {
        "split": split,
        "clips": len(part),
        "minutes": round(float(seconds.sum()) / 60, 2),
        "shortest_s": round(float(seconds.min()), 2),
        "longest_s": round(float(seconds.max()), 2),
        "mean_m/s": round(float(speed.mean()), 2),
        "fast_m/s": round(float(np.percentile(speed, 95)), 2),
        "standing_%": round(100 * float((speed < 0.2).mean()), 1),
        "fast_turn_°/s": round(float(np.percentile(np.abs(turn), 95)), 0),
        "low_m": round(float(np.percentile(moves["height"], 5)), 2),
        "high_m": round(float(np.percentile(moves["height"], 95)), 2),
    }


def _steps(width: int) -> np.ndarray:
    """What each column of qpos is rounded to."""
    return np.repeat([POSITION_STEP, QUATERNION_STEP, ANGLE_STEP], [3, 4, width - 7])
