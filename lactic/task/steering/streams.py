"""Streams of kinematic characters as tables on a device: what followers follow in training."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lactic.body import Body
from lactic.errors import InputError
from lactic.steer.stream import Stream
from lactic.task.reference import Starts
from lactic.task.skeleton import BodySkeleton, Moving

CHUNK = 8192
"""Frames whose kinematics are found at once."""
STILL = 0.2
"""m/s below which a kinematic character stands."""


@dataclass
class Following(Starts):
    """A row a frame of what is to be followed; it has no features, since what is seen depends on two characters."""

    fps: float
    asked: Tensor
    """Velocity asked for with the stick, (frame, 2) in the world."""
    last: Tensor
    """Last frame of each frame's stream."""
    capacity: Tensor
    """Residual capacity of the legs that each frame's character believed to have."""
    still: Tensor
    """1 where it stands and is asked to, else 0, (frame,)."""
    poses: Moving
    """Of every frame."""
    speed: float
    """Mean speed of the root over the floor, m/s."""

    def moving(self, frames: Tensor) -> Moving:
        """The kinematic characters at frames (world,)."""
        return Moving(*(table.index_select(0, frames) for table in self.poses))


def following(streams: list[Stream], body: Body) -> Following:
    """Tables of streams of one rate."""
    if len({stream.fps for stream in streams}) != 1:
        raise InputError("streams of different rates cannot be followed together; record them alike")
    qpos, qvel, asked, capacity = (
        torch.tensor(np.concatenate([f(s) for s in streams]), dtype=torch.float32)
        for f in (lambda s: s.qpos, lambda s: s.qvel, lambda s: s.goal[:, :2], lambda s: s.capacity)
    )
    ends, base = [], 0
    for stream in streams:
        ends.append(np.repeat(base + stream.starts[1:] - 1, np.diff(stream.starts)))
        base += stream.frames
    skeleton = BodySkeleton(body)
    parts = [skeleton.at(q, v) for q, v in zip(qpos.split(CHUNK), qvel.split(CHUNK), strict=True)]
    pace = qvel[:, :2].norm(dim=1)
    return Following(
        qpos,
        qvel,
        torch.zeros(0, 0),
        streams[0].fps,
        asked,
        torch.tensor(np.concatenate(ends)),
        capacity,
        ((asked.norm(dim=1) == 0) & (pace < STILL)).float(),
        Moving(*(torch.cat(column) for column in zip(*parts, strict=True))),
        float(pace.mean()),
    )


def find_streams(shares: Mapping[str, float], folder: Path, body: Body) -> Following:
    """Load `<folder>/<name>.npz` for every name."""
    if not shares:
        raise InputError("task.clips: name at least one file of streams, such as {steer: 1}")
    streams = [Stream.load(folder / f"{name}.npz") for name in shares]
    for name, stream in zip(shares, streams, strict=True):
        if stream.body_name != body.name:
            raise InputError(f"{name}.npz: streams of the body '{stream.body_name}', but the task is for '{body.name}'")
    return following(streams, body)
