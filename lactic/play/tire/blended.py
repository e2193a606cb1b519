"""A follower that loses its motion is led back to it: a smooth blend, and what it was told of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lactic import rotation
from lactic.motion.body_clip import BodyClip
from lactic.motion.ground import Soles
from lactic.motion.looping import mixed
from lactic.play.player import Player
from lactic.play.tracked import Tracked

BLEND = 1.0
"""Seconds in which a body is led back."""
APART = 2.0
"""Seconds that a motion must be followed for between two losses, or they are told as one."""
LOWER, TILTED = 0.2, np.radians(40)
"""Metres that hips are below the motion's, and radians that they lean off it, where a body has fallen."""


@dataclass
class Loss:
    """A stretch in which a motion was not followed, in seconds of the run."""

    begin: float
    end: float | None
    """When it was followed again; None where it never was."""
    fell: bool
    """Whether the body fell, or only came away from the motion."""


class Blended(Tracked):
    """Follows motions; a body that has lost its own and does not get up to it is led back to it, a share further in
    every step, no torque given.

    While that lasts, a motion that waits stands still, where the body is.
    """

    def __init__(
        self,
        player: Player,
        *motions: BodyClip,
        strict: bool = False,
        back: bool = True,
        rises: Sequence[BodyClip] | None = None,
    ):
        self.back, count = back, player.world.count
        self._left = np.zeros(count, int)
        self._from = np.zeros((count, player.world.qpos.shape[1]))
        self._soles, self._steps = Soles(player.body), round(BLEND * player.info.control_rate)
        self.losses: list[list[Loss]] = [[] for _ in range(count)]
        super().__init__(player, *motions, strict=strict, rises=rises)

    @property
    def away(self) -> np.ndarray:
        """Which are being led back, (character,)."""
        return self._left > 0

    def reset(self, who: np.ndarray | None = None) -> None:
        """As `Tracked` does; nobody of these is led back any more, and a new start forgets what was lost."""
        super().reset(who)
        self._left[slice(None) if who is None else who] = 0
        if who is None:
            self.losses = [[] for _ in self.losses]

    def take_after(self, other: Tracked) -> None:
        """Be where others are that follow the same motions, and have lost what they have."""
        super().take_after(other)
        if isinstance(other, Blended):
            self.losses = [[replace(loss) for loss in row] for row in other.losses]

    def progress(self) -> tuple[np.ndarray, ...]:
        """As `Tracked` has it, and how far each has been led back."""
        return *super().progress(), self._left, self._from

    def paced(self, asked: np.ndarray) -> np.ndarray:
        """Motions wait for those that are led back."""
        return np.where(self.away, np.float32(0.0), super().paced(asked))

    def step(self) -> None:
        """One control step, and a step back to the motion for those that have lost it."""
        before = self.down
        super().step()
        world, second = self.player.world, self.player.second
        self._note(self.down & ~before, second)
        for who in np.flatnonzero(before & ~self.down):
            self.losses[who][-1].end = second
        lost = self.fallen() & ~self.away
        if lost.any():
            self._note(lost, second)
            self._from[lost] = world.qpos[lost]
            if self.about.waits:
                self.over(lost)
            if self.back:
                self._left[lost] = self._steps
        if not self.away.any():
            return
        here = self.away
        self._left[here] -= 1
        now = self.moment()
        part = 1.0 - self._left / self._steps
        share = part**2 * (3 - 2 * part)
        pose = mixed(self._from, now.qpos.astype(float), share)
        speed = share[:, None] * now.qvel
        world.reset(here, pose, speed)
        deep = np.minimum(self._soles(world.xpos, world.xquat).min(axis=1), 0.0)
        if (deep[here] < -1e-4).any():
            pose[:, 2] -= deep * (1.0 - share)  # what lay on the floor rises above it; at the end it is the motion's
            world.reset(here, pose, speed)
        for who in np.flatnonzero(here & ~self.away):
            self.losses[who][-1].end = second

    def _note(self, lost: np.ndarray, second: float) -> None:
        """Remember what has just been lost, and how."""
        if not lost.any():
            return
        world, now = self.player.world, self.own()
        off = rotation.multiply(
            rotation.conjugate(rotation.without_heading(now.qpos[:, 3:7].astype(float))),
            rotation.without_heading(world.qpos[:, 3:7]),
        )
        fell = (world.qpos[:, 2] < now.qpos[:, 2] - LOWER) | (rotation.angle(off) > TILTED)
        for who in np.flatnonzero(lost):
            held = self.losses[who]
            if held and held[-1].end is None:  # it is not led back
                continue
            held.append(Loss(second, None, bool(fell[who])))


def told(losses: Iterable[Loss]) -> list[Loss]:
    """Losses that follow each other closely as one."""
    found: list[Loss] = []
    for one in losses:
        before = found[-1] if found else None
        if before is not None and before.end is not None and one.begin - before.end < APART:
            found[-1] = Loss(before.begin, one.end, before.fell or one.fell)
        else:
            found.append(one)
    return found
