"""A course: many characters asked for velocities over minutes, of which only place, strength and falls are kept."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.lab.bench import Bench
from lactic.lab.episodes import Ask, Episodes
from lactic.lab.report import Report
from lactic.play.driver import Collector
from lactic.play.velocity import takes_velocity

PACE = 3.5
"""m/s: a run that nobody keeps up for long."""
DEFAULT = "pace"
LEGS = ("hip_y", "knee", "ankle_y")
"""Joints of each leg that carry and drive the body; its strength is the mean of theirs."""


def walkers(bench: Bench, report: Report) -> list[BrainFolder]:
    """The brains given with --brain, or `pace`, that take a velocity; the report says which are left out."""
    found = []
    for folder in bench.folders(report, DEFAULT):
        if takes_velocity(folder.load().info):
            found.append(folder)
        else:
            report.skip(f"{folder.name}: its command is not a velocity (vx, vy)")
    return found


def leg_joints(body: Body) -> list[int]:
    """Places of those joints, of both legs."""
    return [k for k, name in enumerate(body.joints) if name.partition("_")[2] in LEGS]


@dataclass
class LightTrial:
    """What is kept, (frame, character, …), the last frame being the state at the end."""

    fps: float
    place: np.ndarray
    """Of the root on the floor, m, (frame + 1, character, 2)."""
    command: np.ndarray
    """Velocity asked for, m/s, (frame, character, 2)."""
    strength: np.ndarray
    """Mean residual capacity of the legs, (frame + 1, character)."""
    fell_at: np.ndarray
    """Frame of each character's first fall; the number of frames asked for where there was none."""
    frames: int
    falls: np.ndarray
    """Falls of each character, (character,): one at most, unless they are put back onto their feet."""

    @property
    def episodes(self) -> int:
        """How many characters there are."""
        return self.place.shape[1]

    @cached_property
    def stood(self) -> np.ndarray:
        """Which never fell, (character,)."""
        return self.fell_at >= self.frames

    def frame(self, second: float) -> int:
        """The frame of a second, the last one there is if it comes later."""
        return min(max(round(second * self.fps), 0), len(self.place) - 1)

    def speed(self, since: float, until: float, way: tuple[float, float] = (1.0, 0.0)) -> np.ndarray:
        """Mean speed along a way between two seconds, (character,); NaN for those that have fallen by then."""
        a, b = self.frame(since), self.frame(until)
        if b <= a:
            return np.full(self.episodes, np.nan)
        moved = (self.place[b] - self.place[a]).astype(float) @ np.asarray(way) / ((b - a) / self.fps)
        return np.where(self.fell_at > min(b, self.frames - 1), moved, np.nan)

    def strength_at(self, second: float) -> np.ndarray:
        """The legs' strength at a second, (character,); NaN for those that have fallen by then."""
        k = self.frame(second)
        return np.where(self.fell_at > min(k, self.frames - 1), self.strength[k].astype(float), np.nan)


def course(
    folder: BrainFolder,
    ask: Ask,
    threads: int = 0,
    progress: Callable[[float], None] = lambda share: None,
    command: Callable[[float], np.ndarray] | None = None,
    get_up: bool = False,
) -> LightTrial:
    """Play a brain as asked, or under a `command` of the second; those that fall stand up again where they may."""
    episodes = Episodes(folder, ask, threads, progress)
    player, legs, falls = episodes.player, leg_joints(episodes.body), np.zeros(episodes.count, int)
    episodes.get_up = get_up
    if command is not None:
        told = command
        episodes.ask = lambda: told(player.second)
    before = {
        "place": lambda: episodes.world.qpos[:, :2].astype(np.float32),
        "strength": lambda: (1 - player.fatigue[:, legs, 2].mean(1)).astype(np.float32),
    }
    kept = Collector(episodes, episodes.frames, before, {"command": lambda: player.command})
    for _ in episodes:
        falls += episodes.down
        kept.step()
    made = LightTrial(
        episodes.info.control_rate,
        command=kept.arrays()["command"],
        fell_at=episodes.fell_at,
        frames=episodes.frames,
        falls=falls,
        **kept.states(),
    )
    if not get_up:
        made.falls[:] = ~made.stood
    return made


def seen(bench: Bench, folder: BrainFolder, ask: Ask, title: str, **more: Any) -> LightTrial:
    """A course with a bar while it lasts, and a line when it is over."""
    title = f"{folder.name}, {title}: {ask.episodes} × {ask.seconds:g} s"
    return bench.watch(title, lambda progress: course(folder, ask, bench.threads, progress, **more))
