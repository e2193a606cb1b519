"""A library's motions as tables on a device, and where in them a follower fails."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lactic.body import Body
from lactic.body.body import mirrored
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.looping import TRAVELS, lasting, speed
from lactic.motion.timeline import Aimed, aimed
from lactic.task.observe import Observer
from lactic.task.reference import Starts
from lactic.task.skeleton import BodySkeleton

CHUNK = 8192
"""Frames whose kinematics are found at once."""
MANY = 256
"""Motions that are repeated at most."""
SHORTEST = 1.0
"""Seconds of the shortest motion that is followed."""
MEMORY = 4.0e7
"""Samples after which failures and tries count a third."""
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
    mirror: int = 0
    """Rows from a frame to its mirror image; 0 where there are none. Both lie in the same second."""
    own: int = 0
    """Rows of the library itself and its mirror images; others may come behind them."""
    lead: Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.long))
    """First frames of the motions that lead bodies up from the floor, (motion,)."""
    leading: tuple[str, ...] = ()
    """Names of what they were made of."""
    long: Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.long))
    """Frames of repeated motions, (frame,)."""

    def behind(self, clips: Sequence[BodyClip], rate: float, style: bool) -> tuple["Motions", "Motions", int]:
        """These tables with those of other clips behind them, in which no episode starts by mining; these other tables;
        and the row where they begin."""
        other, base = motions(clips, clips[0].body, rate, style), len(self.qpos)
        names = ("qpos", "qvel", "features", "xpos", "xquat")
        joined: dict[str, Any] = {name: torch.cat([getattr(self, name), getattr(other, name)]) for name in names}
        joined["first"] = torch.cat([self.first, other.first + base])
        joined["last"] = torch.cat([self.last, other.last + base])
        joined["second"] = torch.cat([self.second, 0 * other.second])
        return replace(self, **joined), other, base

    def shown(self, rows: Tensor) -> Tensor:
        """What a discriminator sees of frames and of those after them, (row, 2·features)."""
        first = rows - (rows == self.last.index_select(0, rows)).long()  # no frame comes after a motion's last
        return torch.cat([self.features.index_select(0, first), self.features.index_select(0, first + 1)], dim=1)

    def at(self, frame: Tensor, part: Tensor | None = None, place: Tensor | None = None) -> Aimed:
        """References at frames (world,), a `part` of a frame (world,) after them, carried by `place` (world, 2)."""
        last = self.last.index_select(0, frame)
        return aimed(Aimed(self.qpos, self.qvel, self.xpos, self.xquat), frame, last, part, place)


def repeated(clips: Sequence[BodyClip], seconds: float) -> list[BodyClip]:
    """Clips that travel, MANY of them at most, every second one in the mirror, over and over for so many seconds."""
    travel = [clip for clip in clips if clip.seconds >= SHORTEST and speed(clip) > TRAVELS]
    if not travel:
        raise InputError("task.track.long: no motion of the library travels")
    rows = np.unique(np.linspace(0, len(travel) - 1, MANY).round().astype(int))
    chosen = [travel[i].mirror() if k % 2 else travel[i] for k, i in enumerate(rows)]
    return [lasting(clip, seconds) if clip.seconds < seconds else clip.cut(0.0, seconds) for clip in chosen]


def with_long(table: Motions, clips: Sequence[BodyClip], seconds: float, rate: float, style: bool = False) -> Motions:
    """The tables with those of repeated motions behind them."""
    joined, other, base = table.behind(repeated(clips, seconds), rate, style)
    return replace(joined, long=base + torch.arange(len(other.qpos)))


def motions(clips: Sequence[BodyClip], body: Body, rate: float, style: bool = False, mirror: bool = False) -> Motions:
    """Tables of clips, at the rate of control; with the features that a discriminator sees, where `style` is paid, and
    with the mirror images of all clips, if `mirror`."""
    kept = [clip.resample(rate) for clip in clips if clip.seconds >= SHORTEST]
    if not kept:
        raise InputError(f"no motion of {SHORTEST:g} s or more to follow")
    qpos = torch.tensor(np.concatenate([clip.qpos for clip in kept]), dtype=torch.float32)
    qvel = torch.tensor(np.concatenate([clip.qvel() for clip in kept]), dtype=torch.float32)
    skeleton = BodySkeleton(body)
    at, turned = (torch.cat(column) for column in zip(*map(skeleton.place, qpos.split(CHUNK)), strict=True))
    mean_speed = float(qvel[:, :2].norm(dim=1).mean())
    if mirror:
        both = zip((qpos, qvel, at, turned), images(body, qpos, qvel, at, turned), strict=True)
        qpos, qvel, at, turned = (torch.cat(pair) for pair in both)
    seen = []
    if style:
        rows, see = zip(*(table.split(CHUNK) for table in (qpos, qvel, at)), strict=True), Observer(body).features
        seen = [see(*row) for row in rows]
    first, second, base, seconds = [], [], 0, 0
    for clip in kept:
        first.append(np.full(clip.frames, base))
        second.append(seconds + np.arange(clip.frames) // round(rate))
        base, seconds = base + clip.frames, int(second[-1][-1]) + 1
    lengths = [clip.frames for clip in kept]
    starts = torch.tensor(np.concatenate(first))
    ends = starts + torch.tensor(np.repeat(lengths, lengths)) - 1
    numbers = torch.tensor(np.concatenate(second))
    opening = torch.searchsorted(numbers, torch.arange(seconds))
    if mirror:
        starts, ends = (torch.cat([table, table + base]) for table in (starts, ends))
        numbers = torch.cat([numbers, numbers])
    return Motions(
        qpos,
        qvel,
        torch.cat(seen) if style else torch.zeros(0, 0),
        at,
        turned,
        starts,
        ends,
        numbers,
        opening,
        mean_speed,
        tuple(clip.name for clip in kept),
        base if mirror else 0,
        len(qpos),
    )


def images(body: Body, qpos: Tensor, qvel: Tensor, at: Tensor, turned: Tensor) -> tuple[Tensor, ...]:
    """Poses, velocities, places and rotations of the bodies, seen in a mirror: left becomes right."""
    place, turn, spin = (torch.tensor(signs) for signs in ([1.0, -1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]))
    joints, signs = torch.tensor(body.mirror), torch.tensor(body.mirror_sign, dtype=torch.float32)
    other = torch.tensor([body.bodies.index(mirrored(name)) for name in body.bodies])
    poses = torch.cat([qpos[:, :3] * place, qpos[:, 3:7] * turn, qpos[:, 7:][:, joints] * signs], dim=1)
    speeds = torch.cat([qvel[:, :3] * place, qvel[:, 3:6] * spin, qvel[:, 6:][:, joints] * signs], dim=1)
    return poses, speeds, at[:, other] * place, turned[:, other] * turn


class Mining:
    """How often a follower fails in each second of the motions, and starts that follow from it."""

    def __init__(
        self, table: Motions, even: float, run_up: float, rate: float, most: float = 0.0, hopeless: float = 0.0
    ):
        self.motions, self.even, self.run_up, self.rate = table, even, run_up * rate, rate
        self.most, self.hopeless = most, hopeless
        self.failures, self.tries = (torch.zeros(len(table.opening), device=table.qpos.device) for _ in range(2))

    def note(self, frame: Tensor, fell: Tensor, counts: Tensor) -> None:
        """Take into account that followers were at frames (world,), and which of them failed there; each as much as it
        `counts` (world,), 0 for those that followed nothing."""
        second, kept = self.motions.second.index_select(0, frame), exp(-len(frame) / MEMORY)
        self.failures.mul_(kept).index_add_(0, second, fell * counts)
        self.tries.mul_(kept).index_add_(0, second, counts / self.rate)

    @property
    def rates(self) -> Tensor:
        """Failures in a try of each second, (second,)."""
        return ((self.failures + DOUBT) / (self.tries + 1.0)).clamp(max=1.0)

    @property
    def odds(self) -> Tensor:
        """How likely each second is to be the one that an episode leads to, (second,)."""
        rates = self.rates
        wanted = rates * (1.0 - self.hopeless * rates)
        hard = (1.0 - self.even) * wanted / wanted.sum()
        if self.most:
            hard = hard.clamp(max=self.most / len(rates))
        return hard + (1.0 - hard.sum()) / len(rates)

    def start(self, u: Tensor, back: Tensor, side: Tensor) -> Tensor:
        """Frames to start at, of uniform numbers (world,): ahead of seconds that are often lost, by a share `back` of
        the run-up; in the mirror where `side` is below a half."""
        odds = self.odds
        chosen = torch.searchsorted(torch.cumsum(odds, 0), u).clamp(max=len(odds) - 1)
        opening = self.motions.opening.index_select(0, chosen)
        frame = opening - (back * self.run_up).long()
        frame = torch.maximum(frame, self.motions.first.index_select(0, opening))
        return frame + self.motions.mirror * (side < 0.5)
