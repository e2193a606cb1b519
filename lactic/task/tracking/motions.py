"""A library's motions as tables on a device, and where in them a follower fails."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.timeline import Aimed, aimed
from lactic.task.observe import Observer
from lactic.task.reference import Starts
from lactic.task.skeleton import BodySkeleton

CHUNK = 8192
"""Frames whose kinematics are found at once."""
SHORTEST = 1.0
"""Seconds of the shortest motion that is followed."""
MEMORY = 0.9998
"""What failures and tries are multiplied by in every control step."""
DOUBT = 0.3
"""Failures, in one try, that a second which nobody tried is taken to have."""


@dataclass
class Motions(Starts):
    """A row a frame, motion after motion."""

    xpos: Tensor
    xquat: Tensor
    first: Tensor
    """First frame of each frame's motion."""
    last: Tensor
    """Its last frame."""
    second: Tensor
    """Number of the second that each frame lies in, counted over all motions."""
    opening: Tensor
    """First frame of each second, (second,)."""
    speed: float
    """Mean speed of the root over the floor, m/s."""
    names: tuple[str, ...]

    def shown(self, rows: Tensor) -> Tensor:
        """What a discriminator sees of frames and of those after them, (row, 2·features)."""
        first = rows - (rows == self.last.index_select(0, rows)).long()  # no frame comes after a motion's last
        return torch.cat([self.features.index_select(0, first), self.features.index_select(0, first + 1)], dim=1)

    def at(self, frame: Tensor, part: Tensor | None = None, place: Tensor | None = None) -> Aimed:
        """References at frames (world,), a `part` of a frame (world,) after them, carried by `place` (world, 2)."""
        last = self.last.index_select(0, frame)
        return aimed(Aimed(self.qpos, self.qvel, self.xpos, self.xquat), frame, last, part, place)


def motions(clips: Sequence[BodyClip], body: Body, rate: float, style: bool = False) -> Motions:
    """Tables of clips, at the rate of control; with the features that a discriminator sees, where `style` is paid."""
    kept = [clip.resample(rate) for clip in clips if clip.seconds >= SHORTEST]
    if not kept:
        raise InputError(f"no motion of {SHORTEST:g} s or more to follow")
    qpos = torch.tensor(np.concatenate([clip.qpos for clip in kept]), dtype=torch.float32)
    qvel = torch.tensor(np.concatenate([clip.qvel() for clip in kept]), dtype=torch.float32)
    skeleton = BodySkeleton(body)
    placed = [skeleton.place(part) for part in qpos.split(CHUNK)]
    seen = []
    if style:
        rows, see = zip(qpos.split(CHUNK), qvel.split(CHUNK), placed, strict=True), Observer(body).features
        seen = [see(poses, speeds, at) for poses, speeds, (at, _) in rows]
    first, second, base, seconds = [], [], 0, 0
    for clip in kept:
        first.append(np.full(clip.frames, base))
        second.append(seconds + np.arange(clip.frames) // round(rate))
        base, seconds = base + clip.frames, int(second[-1][-1]) + 1
    lengths = [clip.frames for clip in kept]
    starts = np.concatenate(first)
    numbers = np.concatenate(second)
    return Motions(
        qpos,
        qvel,
        torch.cat(seen) if style else torch.zeros(0, 0),
        torch.cat([at for at, _ in placed]),
        torch.cat([turned for _, turned in placed]),
        torch.tensor(starts),
        torch.tensor(starts + np.repeat(lengths, lengths) - 1),
        torch.tensor(numbers),
        torch.tensor(np.searchsorted(numbers, np.arange(seconds))),
        float(qvel[:, :2].norm(dim=1).mean()),
        tuple(clip.name for clip in kept),
    )


class Mining:
    """How often a follower fails in each second of the motions, and starts that follow from it."""

    def __init__(self, table: Motions, even: float, run_up: float, rate: float):
        self.motions, self.even, self.run_up, self.rate = table, even, run_up * rate, rate
        self.failures, self.tries = (torch.zeros(len(table.opening), device=table.qpos.device) for _ in range(2))

    def note(self, frame: Tensor, fell: Tensor, counts: Tensor) -> None:
        """Take into account that followers were at frames (world,), and which of them failed there; those that do not
        count (world,) followed nothing."""
        second = self.motions.second.index_select(0, frame)
        self.failures.mul_(MEMORY).index_add_(0, second, (fell * counts).float())
        self.tries.mul_(MEMORY).index_add_(0, second, counts / self.rate)

    def start(self, u: Tensor, back: Tensor) -> Tensor:
        """Frames to start at, of uniform numbers (world,): ahead of seconds that are often lost, by a share `back` of
        the run-up."""
        rate = ((self.failures + DOUBT) / (self.tries + 1.0)).clamp(max=1.0)
        odds = self.even / len(rate) + (1.0 - self.even) * rate / rate.sum()
        chosen = torch.searchsorted(torch.cumsum(odds, 0), u).clamp(max=len(odds) - 1)
        opening = self.motions.opening.index_select(0, chosen)
        frame = opening - (back * self.run_up).long()
        return torch.maximum(frame, self.motions.first.index_select(0, opening))
