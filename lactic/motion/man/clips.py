"""A library of clips on the muscle man: poses in MuJoCo's order, one clip after another, in one file."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from lactic.body import muscle_man
from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays
from lactic.motion.clip import carry_on

SHORTEST_CYCLE = 0.45  # s
MOVING = 0.1  # s; what a difference of velocities counts against one of poses when ends of a cycle are compared


@dataclass(frozen=True, eq=False)
class ManLibrary:
    """Clips of the muscle man at one frame rate."""

    fps: float
    qpos: np.ndarray
    """(frame, nq) poses of all clips."""
    starts: np.ndarray
    """(clip + 1,) first frame of each clip, and the number of all frames."""
    names: tuple[str, ...]
    splits: tuple[str, ...]
    """What each clip is for, such as train or test."""

    @staticmethod
    def of(fps: float, clips: dict[str, np.ndarray], splits: dict[str, str] | None = None) -> "ManLibrary":
        """A library of poses by name; all of them are for training unless `splits` says other."""
        counts = [len(qpos) for qpos in clips.values()]
        return ManLibrary(
            float(fps),
            np.concatenate([np.zeros((0, muscle_man().model.nq)), *clips.values()]),
            np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
            tuple(clips),
            tuple((splits or {}).get(name, "train") for name in clips),
        )

    def __len__(self) -> int:
        """How many clips there are."""
        return len(self.names)

    def poses(self, i: int) -> np.ndarray:
        """Poses of clip number `i`."""
        return self.qpos[self.starts[i] : self.starts[i + 1]]

    def choose(self, splits: Collection[str] = (), names: Collection[str] = ()) -> "ManLibrary":
        """Only the clips of these splits and of these names; nothing means all of them."""
        rows = zip(self.splits, self.names, strict=True)
        keep = [i for i, (s, n) in enumerate(rows) if (not splits or s in splits) and (not names or n in names)]
        if not keep:
            raise InputError(f"no clip of {[*splits, *names]} in the library; it has: {', '.join(self.names[:10])}")
        chosen = {self.names[i]: self.poses(i) for i in keep}
        return ManLibrary.of(self.fps, chosen, {self.names[i]: self.splits[i] for i in keep})

    def velocities(self) -> np.ndarray:
        """Velocities (frame, nv) in MuJoCo's convention, by differences within each clip."""
        return np.concatenate([velocities(self.poses(i), self.fps) for i in range(len(self))])

    def save(self, path: str | Path) -> None:
        """Write the library."""
        words = {"names": np.array(self.names, dtype=str), "splits": np.array(self.splits, dtype=str)}
        held = {"fps": np.array(self.fps), "man": self.qpos.astype(np.float32), "starts": self.starts}
        save_arrays(path, held | words)

    @staticmethod
    def load(path: str | Path) -> "ManLibrary":
        """Read what `save` wrote; nothing is unpickled."""
        damaged = "not a library of muscle-man clips, or a damaged one"
        held = load_arrays(path, "no such library; `lactic library man` makes one", damaged)
        try:
            qpos, starts = held["man"].astype(float), held["starts"].astype(np.int64)
            made = ManLibrary(
                float(held["fps"]), qpos, starts, tuple(map(str, held["names"])), tuple(map(str, held["splits"]))
            )
        except (KeyError, ValueError, TypeError) as error:
            raise InputError(f"{path}: {damaged} ({error})") from error
        if qpos.ndim != 2 or qpos.shape[1] != muscle_man().model.nq or not np.isfinite(qpos).all() or not made.fps > 0:
            raise InputError(f"{path}: {damaged}")
        counts = {len(made.names) + 1, len(made.splits) + 1}
        if starts.ndim != 1 or counts != {len(starts)} or starts[0] != 0 or starts[-1] != len(qpos):
            raise InputError(f"{path}: {damaged} (arrays do not fit each other)")
        if (np.diff(starts) < 1).any() or (np.linalg.norm(qpos[:, 3:7], axis=1) < 0.5).any():
            raise InputError(f"{path}: {damaged} (an empty clip, or a rotation of length 0)")
        return made


def velocities(qpos: np.ndarray, fps: float) -> np.ndarray:
    """Velocities (frame, nv) of poses, by differences: central, one-sided at the ends."""
    model = muscle_man().model
    found = np.zeros((len(qpos), model.nv))
    last = len(qpos) - 1
    for t in range(len(qpos)):
        before, after = max(t - 1, 0), min(t + 1, last)
        if after > before:
            mujoco.mj_differentiatePos(model, found[t], (after - before) / fps, qpos[before], qpos[after])
    return found


def cycled(qpos: np.ndarray, fps: float, seconds: float) -> np.ndarray:
    """The best cycle of a short clip, such as a stride, again and again for so many seconds; its ends made equal."""
    model = muscle_man().model
    flat = qpos.copy()
    flat[:, :2] = 0.0
    speed = velocities(qpos, fps)
    least = round(SHORTEST_CYCLE * fps)
    best, cost = (0, len(qpos) - 1), np.inf
    gap = np.zeros(model.nv)
    for i in range(len(qpos) - least):
        for j in range(i + least, len(qpos)):
            mujoco.mj_differentiatePos(model, gap, 1.0, flat[j], flat[i])
            gap[:6] = 0.0, 0.0, gap[2], gap[3], gap[4], 0.0
            apart = gap @ gap + MOVING**2 * np.sum((speed[j, 6:] - speed[i, 6:]) ** 2)
            if apart < cost:
                best, cost = (i, j), apart
    first, last = best
    cycle = qpos[first : last + 1].copy()
    ends = flat[[first, last]]
    ends[1, :3], ends[1, 3:7] = (part[0] for part in carry_on(ends[0, :3], ends[0, 3:7], ends[1:, :3], ends[1:, 3:7]))
    ends[1, 2] = flat[last, 2]
    mujoco.mj_differentiatePos(model, gap, 1.0, ends[1], ends[0])
    for t in range(len(cycle)):  # what is missing is made up for little by little
        mujoco.mj_integratePos(model, cycle[t], gap, t / (len(cycle) - 1))
    parts = [cycle]
    while (sum(map(len, parts)) - 1) / fps < seconds:
        moved = cycle.copy()
        end = parts[-1][-1]
        moved[:, :3], moved[:, 3:7] = carry_on(end[:3], end[3:7], cycle[:, :3], cycle[:, 3:7])
        parts.append(moved[1:])
    return np.concatenate(parts)
