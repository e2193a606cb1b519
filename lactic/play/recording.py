"""What happened, frame by frame: named arrays that every export and picture is made from."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic.body import Body
from lactic.errors import InputError
from lactic.files import whole_file

ARRAYS = ("time", "qpos", "fatigue", "load", "torque", "limit")


@dataclass
class Recording:
    """Frame k: the state at `time[k]`, and load, fatigue, torque and limit of the control step that starts there."""

    brain: str
    body: str
    joints: tuple[str, ...]
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

    def __len__(self) -> int:
        return len(self.time)

    @property
    def capacity(self) -> np.ndarray:
        """Residual capacity, (frame, joint)."""
        return 1.0 - self.fatigue[..., 2]

    def tint(self, body: Body) -> np.ndarray:
        """How tired each rigid body's parent joint is, (frame, body): what pictures are coloured by."""
        return body.weakest(self.fatigue[..., 2])

    def save(self, path: str | Path) -> None:
        """Write everything to one npz without pickles."""
        about = json.dumps({"brain": self.brain, "body": self.body, "joints": self.joints, "fps": self.fps})
        with whole_file(path) as temporary:
            np.savez_compressed(
                temporary, about=np.array(about), time=self.time, qpos=self.qpos, fatigue=self.fatigue,
                load=self.load, torque=self.torque, limit=self.limit, cuts=self.cuts)

    @classmethod
    def load_file(cls, path: str | Path) -> "Recording":
        """Read a recording that `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                about = json.loads(str(stored["about"]))
                arrays = {name: stored[name] for name in (*ARRAYS, "cuts") if name in ARRAYS or name in stored}
            about["joints"] = tuple(about["joints"])
            record = cls(**about, **arrays)
            bodies.get(record.body)
        except InputError:
            raise
        except Exception as error:  # zipfile, JSON and NumPy each raise their own
            raise InputError(f"{path}: not a Lactic recording ({error})") from error
        return record

    def write_csv(self, path: str | Path) -> None:
        """One row a frame: time, then MA, MR, MF, load, torque (Nm) and limit (Nm) of each joint."""
        names = ["time"]
        columns = [self.time]
        for i, joint in enumerate(self.joints):
            names += [f"{joint}.{what}" for what in ("MA", "MR", "MF", "load", "torque", "limit")]
            columns += [*self.fatigue[:, i].T, self.load[:, i], self.torque[:, i], self.limit[:, i]]
        with whole_file(path) as temporary:
            np.savetxt(temporary, np.stack(columns, 1), "%.6g", ",", header=",".join(names), comments="")
