"""Muscle men of trained brains, side by side, and what they did."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.fatigue import Fitness
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.muscle.man.musculature import musculature
from lactic.play.driver import Asked, Driver
from lactic.play.fall import FallRule
from lactic.play.man import MusclePlayer
from lactic.play.man.job import states

ADVICE = "; train it (docs/notes/training.md), export it, and name its folder"
STEPS = 15
"""Control steps over which a speed is seen, about a stride."""


def brains(bench: Bench, report: Report, asks: str, *usual: str) -> Iterator[BrainFolder]:
    """Brains of the muscle man that are asked so; the report says which there are not."""
    for folder in bench.folders(report, *usual, advice=ADVICE):
        info = folder.load().info
        if info.codes is not None and info.asks == asks:
            yield folder
        elif bench.brains:
            report.skip(f"{folder.name}: no muscle man that is asked for a {asks}")


@dataclass
class Course:
    """What muscle men did, control step by control step; those that fell do not get up unless told to."""

    fps: float
    place: np.ndarray
    """(frame, character, 2): where the pelvis is, m."""
    legs: np.ndarray
    """(frame, character): MF of the leg muscles, mean by force."""
    fell_at: np.ndarray
    """(character,): seconds until the first fall; infinite where there was none."""
    falls: np.ndarray
    """(character,): how often it fell, where it was put back onto its feet."""

    @property
    def up(self) -> np.ndarray:
        """Which never fell, (character,)."""
        return np.isinf(self.fell_at)

    def velocity(self) -> np.ndarray:
        """Over about a stride around each frame, (frame, character, 2), m/s."""
        half = STEPS // 2
        k = np.arange(len(self.place))
        after, before = np.minimum(k + half, len(k) - 1), np.maximum(k - half, 0)
        return (self.place[after] - self.place[before]) * self.fps / np.maximum(after - before, 1)[:, None, None]

    def along(self, way: np.ndarray, first: float, last: float) -> np.ndarray:
        """Mean speed along a way (2,) or (character, 2) between two seconds, (character,); NaN of those that fell."""
        a, b = round(first * self.fps), round(last * self.fps)
        moved = (self.place[b] - self.place[a]) / (last - first)
        return np.where(self.fell_at > last, (moved * way).sum(-1), np.nan)


def ride(
    bench: Bench, title: str, driver: Driver, seconds: float, get_up: bool = False, look: Callable | None = None
) -> Course:
    """Step a driver for so long; `look` is called with the frame after each step."""
    player, held = driver.player, musculature()
    legs = np.zeros(len(held.names))
    for name, members in held.groups.items():
        if name.endswith("leg"):
            legs[list(members)] = held.strands.force[list(members)]
    legs /= legs.sum()
    count, frames = player.world.count, round(seconds * player.info.control_rate)
    place, spent = np.zeros((frames + 1, count, 2)), np.zeros((frames + 1, count))
    fell_at, falls = np.full(count, np.inf), np.zeros(count)

    def work(progress: Callable[[float], None]) -> None:
        place[0], spent[0] = player.world.qpos[:, :2], player.fatigue[..., 2] @ legs
        for k in range(frames):
            driver.step()
            down = driver.fallen()
            fell_at[down & np.isinf(fell_at)] = (k + 1) * player.dt
            if get_up and down.any():
                falls[down] += 1
                driver.reset(down)
            place[k + 1], spent[k + 1] = player.world.qpos[:, :2], player.fatigue[..., 2] @ legs
            if look is not None:
                look(k)
            progress((k + 1) / frames)

    bench.watch(f"{title}: {count} × {seconds:g} s", work)
    return Course(player.info.control_rate, place, spent, fell_at, falls)


def led(
    bench: Bench,
    folder: BrainFolder,
    count: int,
    fitness: Fitness | None,
    wish: Callable[[float], np.ndarray],
) -> Asked:
    """Muscle men that go as `wish` says at a second, (2,) or (character, 2), from their own states."""
    player = MusclePlayer(folder.load(), fitness, count, threads=bench.threads)
    start = states(folder, player, bench.seed)
    return Asked(player, lambda: wish(player.second), FallRule.of(folder, player.body), start)
