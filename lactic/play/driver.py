"""One way to step characters, whatever decides for them: reset, step, fallen; and one collector of what they do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lactic.picture.recording import ARRAYS, Recording
from lactic.play.fall import FallRule
from lactic.play.player import Player

Look = Callable[[], Any]
"""What a collector calls at each step for a number or an array that is copied."""


class Driver(ABC):
    """Characters of a player together with what decides for them."""

    player: Player

    @abstractmethod
    def reset(self, who: np.ndarray | None = None) -> None:
        """Start again; or put those of a mask (character,) back onto their feet where they lie, tired as they are."""

    @abstractmethod
    def step(self) -> None:
        """One control step."""

    @abstractmethod
    def fallen(self) -> np.ndarray:
        """Which characters have fallen, or lost their state, (character,)."""

    def stand_up(self) -> np.ndarray:
        """Put those that have fallen back onto their feet; which they were, (character,)."""
        fallen = self.fallen()
        if fallen.any():
            self.reset(fallen)
        return fallen


class Asked(Driver):
    """Characters that do what `ask` returns, and begin in given states (character, nq) and (character, nv)."""

    def __init__(
        self,
        player: Player,
        ask: Callable[[], np.ndarray],
        rule: FallRule | None = None,
        start: tuple[np.ndarray, np.ndarray] | None = None,
    ):
        self.player, self.ask, self.rule = player, ask, rule or FallRule()
        body, count = player.body, player.world.count
        self.start = start or (np.tile(body.rest, (count, 1)), np.zeros((count, body.model.nv)))
        self.reset()

    def reset(self, who: np.ndarray | None = None) -> None:
        """Back into the start states; those of a mask where they lie. All are as tired as they were."""
        qpos, qvel = self.start
        if who is not None:
            qpos = np.concatenate([self.player.world.qpos[:, :2], qpos[:, 2:]], axis=1)
        self.player.place(who, qpos, qvel)

    def step(self) -> None:
        """One control step under the command of now."""
        self.player.step(self.ask())

    def fallen(self) -> np.ndarray:
        """Which are down by the rule they were trained with."""
        return self.rule.fallen(self.player.world)


class Collector:
    """Steps a driver and keeps a frame a step: `before` is looked at ahead of the step, `after` behind it.

    Arrays are attributes, (frame, …). Frames are counted from `begin`; the oldest of `size` give way to the newest.
    With `get_up`, those that have fallen are put back onto their feet after each step.
    """

    def __init__(
        self,
        driver: Driver,
        size: int,
        before: Mapping[str, Look],
        after: Mapping[str, Look],
        begin: int = 0,
        get_up: bool = False,
    ):
        self.driver, self.size, self.begin, self.count, self.get_up = driver, size, begin, begin, get_up
        self._before, self._after = dict(before), dict(after)
        for name, look in (self._before | self._after).items():
            first = np.asarray(look())
            setattr(self, name, np.zeros((size, *first.shape), first.dtype))
        self.fell = np.zeros((size, driver.player.world.count), bool)
        """Which were put back onto their feet, (frame, character)."""

    def step(self) -> None:
        """Step the driver, and keep a frame."""
        k = self.count % self.size
        for name, look in self._before.items():
            getattr(self, name)[k] = look()
        self.driver.step()
        for name, look in self._after.items():
            getattr(self, name)[k] = look()
        if self.get_up:
            self.fell[k] = self.driver.stand_up()
        self.count += 1

    def run(self) -> dict[str, np.ndarray]:
        """Fill all frames; all arrays by name."""
        while self.count < self.size:
            self.step()
        return self.arrays()

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name, cut to the frames there are, where none gave way."""
        return {name: getattr(self, name)[: self.count] for name in (*self._before, *self._after)}

    def states(self) -> dict[str, np.ndarray]:
        """What was looked at before each step, and as the last frame what there is to see now."""
        return {name: np.array([*getattr(self, name)[: self.count], look()]) for name, look in self._before.items()}

    @property
    def first(self) -> int:
        """Number of the oldest frame kept."""
        return max(self.begin, self.count - self.size)

    def slot(self, frame: int) -> int:
        """Where frame number `frame` lies in the arrays; numbers no longer or not yet there give the nearest."""
        return max(self.first, min(frame, self.count - 1)) % self.size

    def slots(self, first: int, last: int) -> np.ndarray:
        """Where the frames from `first` to `last`, both included, lie in the arrays."""
        return np.arange(max(first, self.first), min(last, self.count - 1) + 1) % self.size


class Recorder(Collector):
    """Collects a recording of a driver's first character; frames are as in `Recording`. `more` is looked at before."""

    time: np.ndarray
    qpos: np.ndarray
    fatigue: np.ndarray
    load: np.ndarray
    torque: np.ndarray
    limit: np.ndarray
    command: np.ndarray

    def __init__(self, driver: Driver, size: int, begin: int = 0, **more: Look):
        self.player = player = driver.player
        world, outputs, width = player.world, player.outputs, player.body.model.nq
        # that of one that follows motions is of use to its brain alone
        told = 0 if player.info.asks == "motion" else player.info.command
        before = {"time": lambda: player.second, "qpos": lambda: world.qpos[0, :width]}
        after = {
            "fatigue": lambda: player.fatigue[0],
            "load": lambda: outputs["load"][0],
            "torque": lambda: player.given[0].astype(np.float32),
            "limit": lambda: outputs["limits"][0],
            "command": lambda: player.command[0, :told],
        }
        super().__init__(driver, size, before | more, after, begin)
        self.cuts: list[int] = []
        """Numbers of the frames at which the character was put somewhere else."""

    def cut(self) -> None:
        """The character is put somewhere else: the next frame does not follow from the last."""
        if self.count > self.begin:
            self.cuts = [*(k for k in self.cuts if k > self.first), self.count]

    def recording(self, first: int = 0, last: int | None = None) -> Recording:
        """A copy of the frames from `first` to `last`, both included; all that are kept, unless told otherwise."""
        at, info = self.slots(first, self.count if last is None else last), self.player.info
        begin = max(first, self.first)
        cuts = np.array([k - begin for k in self.cuts if begin < k <= begin + len(at)], int)
        arrays = {name: getattr(self, name)[at] for name in (*ARRAYS, "command")}
        about = info.name, self.player.body.name, info.joints, info.control_rate
        return Recording(*about, cuts=cuts, asks=info.asks, **arrays)
