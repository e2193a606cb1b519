"""The last minute of one character: a ring of frames that the stage shows and every export is cut from."""

from collections.abc import Callable

import numpy as np

from lactic.picture.recording import Recording
from lactic.play.player import Player

SECONDS = 60.0
"""How far back one can scrub."""


class Tape:
    """Frames by number, counted from the start; the oldest give way to the newest. Kept as in `Recording`."""

    def __init__(
        self,
        player: Player,
        seconds: float = SECONDS,
        begin: int = 0,
        step: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None,
    ):
        joints, bodies = len(player.info.joints), len(player.body.bodies)
        self.player, self.size, self.count = player, max(2, round(seconds * player.info.control_rate)), begin
        self._step = step or player.step
        self.begin = begin
        """Number of the first frame it ever held."""
        self.time = np.zeros(self.size)
        self.qpos, self.qvel = np.zeros((self.size, 7 + joints)), np.zeros((self.size, 6 + joints))
        self.xpos, self.xquat = np.zeros((self.size, bodies, 3)), np.zeros((self.size, bodies, 4))
        self.fatigue = np.zeros((self.size, joints, 3), np.float32)
        self.load, self.torque, self.limit = (np.zeros((self.size, joints), np.float32) for _ in range(3))
        self.command = np.zeros((self.size, 0 if player.info.host == "follower" else player.info.command), np.float32)
        """What was asked of the brain."""
        self.push = np.zeros((self.size, 3))
        """Force of the push that acted, N."""
        self.cuts: list[int] = []
        """Numbers of the frames at which the character was put somewhere else."""
        self.pushed = np.zeros(self.size, int)
        """The body it acted on."""

    @property
    def first(self) -> int:
        """Number of the oldest frame kept."""
        return max(self.begin, self.count - self.size)

    def step(self, command: np.ndarray, second: float, push: np.ndarray, pushed: int) -> None:
        """Step the player; keep the frame it started from with what that step did."""
        k, player = self.count % self.size, self.player
        world = player.world
        self.time[k], self.push[k], self.pushed[k] = second, push, pushed
        self.qpos[k], self.qvel[k] = world.qpos[0], world.qvel[0]
        self.xpos[k], self.xquat[k] = world.xpos[0], world.xquat[0]
        outputs = self._step(command)
        self.fatigue[k], self.load[k] = outputs["fatigue_next"][0], outputs["load"][0]
        self.limit[k], self.torque[k] = outputs["limits"][0], world.force[0]
        self.command[k] = player.command[0, : self.command.shape[1]]
        self.count += 1

    def clear(self) -> None:
        """Forget everything and count from 0 again."""
        self.begin = self.count = 0
        self.cuts = []

    def cut(self) -> None:
        """The character is put somewhere else: the next frame does not follow from the last."""
        if self.count > self.begin:
            self.cuts = [*(k for k in self.cuts if k > self.first), self.count]

    def slot(self, frame: int) -> int:
        """Where frame number `frame` lies in the arrays; numbers no longer or not yet there give the nearest."""
        return max(self.first, min(frame, self.count - 1)) % self.size

    def slots(self, first: int, last: int) -> np.ndarray:
        """Where the frames from `first` to `last`, both included, lie in the arrays."""
        return np.arange(max(first, self.first), min(last, self.count - 1) + 1) % self.size

    def tint(self, frame: int) -> np.ndarray:
        """How tired each rigid body's parent joint is, (body,)."""
        return self.player.body.weakest(self.fatigue[self.slot(frame), :, 2])

    def recording(self, first: int, last: int) -> Recording:
        """A copy of the frames from `first` to `last`, both included."""
        at, info = self.slots(first, last), self.player.info
        begin = max(first, self.first)
        cuts = np.array([k - begin for k in self.cuts if begin < k < begin + len(at)], int)
        return Recording(
            info.name,
            info.body,
            info.joints,
            info.control_rate,
            self.time[at],
            self.qpos[at],
            self.fatigue[at],
            self.load[at],
            self.torque[at],
            self.limit[at],
            cuts,
            self.command[at],
            info.asks,
        )
