"""What happened, frame by frame: named arrays that every export and picture is made from."""

import json
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic.body import Body, muscle_man
from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays, whole_file
from lactic.muscle.man.musculature import musculature

ARRAYS = ("time", "qpos", "fatigue", "load", "torque", "limit")
LATER = ("cuts", "command")  # not in old files
WORDS = ("brain", "body", "joints", "fps", "asks")


@dataclass
class Recording:
    """Frame k: the state at `time[k]`, and load, fatigue, torque and limit of the control step that starts there."""

    brain: str
    body: str
    joints: tuple[str, ...]
    """Of the muscle man its muscles, with forces (N) where others have torques (Nm)."""
    fps: float
    time: np.ndarray
    qpos: np.ndarray
    fatigue: np.ndarray
    """(frame, joint, 3): MA, MR, MF."""
    load: np.ndarray
    """Intended torque over the fresh maximum, (frame, joint)."""
    torque: np.ndarray
    limit: np.ndarray
    cuts: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    """Frames at which a character that had fallen was put back onto its feet."""
    command: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """What was asked of the brain, (frame, size); empty where that is not known."""
    asks: str = ""
    """What a command is: "velocity" (m/s along and across), "lane" (m/s), "goal" …; empty where not known."""

    def __len__(self) -> int:
        return len(self.time)

    @property
    def seconds(self) -> float:
        """How long it is."""
        return float(self.time[-1] - self.time[0]) + 1 / self.fps

    @property
    def capacity(self) -> np.ndarray:
        """Residual capacity, (frame, joint)."""
        return 1.0 - self.fatigue[..., 2]

    def tint(self, body: Body) -> np.ndarray:
        """How tired each rigid body's parent joint is, (frame, body): what pictures are coloured by."""
        return body.weakest(self.fatigue[..., 2])

    def takes(self) -> list["Recording"]:
        """The stretches between cuts, in each of which the character moves by itself all the time."""
        edges = sorted({0, len(self), *(int(cut) for cut in self.cuts if 0 < cut < len(self))})
        if len(edges) == 2:
            return [self]
        names = [name for name in (*ARRAYS, "command") if len(getattr(self, name))]
        return [
            replace(self, cuts=np.zeros(0, int), **{name: getattr(self, name)[a:b] for name in names})
            for a, b in pairwise(edges)
        ]

    def save(self, path: str | Path) -> None:
        """Write everything to one npz without pickles."""
        about = json.dumps({word: getattr(self, word) for word in WORDS})
        save_arrays(path, {"about": np.array(about)} | {name: getattr(self, name) for name in (*ARRAYS, *LATER)})

    @classmethod
    def load_file(cls, path: str | Path) -> "Recording":
        """Read a recording that `save` wrote."""
        held: dict[str, Any] = load_arrays(path, "no such recording", "not a Lactic recording")
        try:
            about = json.loads(str(held["about"]))
            arrays = {name: held[name] for name in (*ARRAYS, *LATER) if name in ARRAYS or name in held}
            words = {word: about[word] for word in WORDS if word in about}
            record = cls(**words | {"joints": tuple(about["joints"])}, **arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: not a Lactic recording ({error})") from error
        if record.body != muscle_man().name:
            bodies.get(record.body)
        elif record.joints != musculature().names:
            raise InputError(f"{path}: its muscles are not those of the muscle man; record it again")
        return record

    def write_csv(self, path: str | Path) -> None:
        """One row a frame: time; MA, MR, MF, load, torque and limit (Nm) of each joint, or muscle (N)."""
        names = ["time"]
        columns = [self.time]
        for i, joint in enumerate(self.joints):
            names += [f"{joint}.{what}" for what in ("MA", "MR", "MF", "load", "torque", "limit")]
            columns += [*self.fatigue[:, i].T, self.load[:, i], self.torque[:, i], self.limit[:, i]]
        with whole_file(path) as temporary:
            np.savetxt(temporary, np.stack(columns, 1), "%.6g", ",", header=",".join(names), comments="")
