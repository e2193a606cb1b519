"""The last minute of one actor: a ring of frames that the stage shows and every export is cut from."""

from collections.abc import Callable

import numpy as np

from lactic.picture.recording import Recording
from lactic.play.player import Player, Recorder

SECONDS = 60.0
"""How far back one can scrub."""


class Tape(Recorder):
    """Frames by number, counted from the start; the oldest give way to the newest."""

    def __init__(
        self, player: Player, begin: int = 0, step: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    ):
        self.size = max(2, round(SECONDS * player.info.control_rate))
        super().__init__(player, self.size, step=step)
        bodies = len(player.body.bodies)
        self.begin = self.frames = begin
        """`begin` is the number of the first frame it ever held."""
        self.qvel = np.zeros((self.size, 6 + len(player.info.joints)))
        self.xpos, self.xquat = np.zeros((self.size, bodies, 3)), np.zeros((self.size, bodies, 4))
        self.push, self.pushed = np.zeros((self.size, 3)), np.zeros(self.size, int)
        """Force of the push that acted, N, and the body it acted on."""

    @property
    def first(self) -> int:
        """Number of the oldest frame kept."""
        return max(self.begin, self.frames - self.size)

    def record(self, command: np.ndarray, second: float, push: np.ndarray, pushed: int) -> None:
        """Step the player; keep the frame it started from, at that second of the stage, with what the step did."""
        k, world = self.frames % self.size, self.player.world
        self.push[k], self.pushed[k] = push, pushed
        self.qvel[k], self.xpos[k], self.xquat[k] = world.qvel[0], world.xpos[0], world.xquat[0]
        self.step(command)
        self.time[k] = second

    def clear(self) -> None:
        """Forget everything and count from 0 again."""
        self.begin = self.frames = 0
        self.cuts = []

    def cut(self) -> None:
        """The actor is put somewhere else: the next frame does not follow from the last."""
        if self.frames > self.begin:
            self.cuts = [*(k for k in self.cuts if k > self.first), self.frames]

    def slot(self, frame: int) -> int:
        """Where frame number `frame` lies in the arrays; numbers no longer or not yet there give the nearest."""
        return max(self.first, min(frame, self.frames - 1)) % self.size

    def slots(self, first: int, last: int) -> np.ndarray:
        """Where the frames from `first` to `last`, both included, lie in the arrays."""
        return np.arange(max(first, self.first), min(last, self.frames - 1) + 1) % self.size

    def tint(self, frame: int) -> np.ndarray:
        """How tired each rigid body's parent joint is, (body,)."""
        return self.player.body.weakest(self.fatigue[self.slot(frame), :, 2])

    def between(self, first: int, last: int) -> Recording:
        """A copy of the frames from `first` to `last`, both included."""
        at, begin = self.slots(first, last), max(first, self.first)
        return self.excerpt(at, [k - begin for k in self.cuts if begin < k < begin + len(at)])
