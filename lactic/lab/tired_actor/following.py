"""How well brains follow the motions of a library: what the tables of tired_actor hold."""

from dataclasses import dataclass

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library
from lactic.play.player import Player
from lactic.play.tracked import LOST, Tracked

SPLITS = ("train", "test")
METRICS = ("success", "mpjpe_g_mm", "mpjpe_l_mm", "acceleration_mm", "velocity_mm")
"""Share of motions followed to their end; then, of these, errors of positions in the world and from the root, and of
their second and first differences from frame to frame, as tired_actor and PHC count them."""
BATCH = 128
"""Motions followed side by side."""


@dataclass
class Followed:
    """What came of following some motions, a number each."""

    success: np.ndarray
    errors: np.ndarray
    """(motion, four), mm; of what was followed before it was lost."""

    def rows(self, report: Report, subject: str, condition: str, paper: tuple[float | None, ...] = ()) -> None:
        """Add them to a report, beside the paper's numbers."""
        printed = {name: value for name, value in zip(METRICS, paper, strict=False)}
        done = self.success
        report.add(
            subject, condition, METRICS[0], statistics.share(int(done.sum()), len(done)), printed.get(METRICS[0])
        )
        if done.any():
            for name, column in zip(METRICS[1:], self.errors[done].T, strict=True):
                report.add(subject, condition, name, statistics.mean(column), printed.get(name))


def followers(bench: Bench, report: Report) -> list[BrainFolder]:
    """The brains given with --brain that follow motions; the report says which are left out."""
    found = []
    for folder in bench.folders(report, "actor"):
        if folder.load().info.tracking is None:
            report.skip(f"{folder.name}: it does not follow motions")
        else:
            found.append(folder)
    return found


def clips_of(bench: Bench, split: str) -> list[BodyClip]:
    """Motions of a split of library.npz in the folder of clips: the first ones, as many as there are episodes."""
    if bench.clips is None:
        raise InputError("clips: name the folder that holds library.npz, which `lactic library build` makes")
    library = Library.load(bench.clips / "library.npz").choose([split])
    return [library.clip(i) for i in range(min(len(library), bench.episodes))]


def follow(folder: BrainFolder, clips: list[BodyClip], fitness: Fitness | None, spent: float = 0.0) -> Followed:
    """Follow motions from their first frames, all joints fatigued by `spent` at first, until each ends or is lost."""
    order = sorted(range(len(clips)), key=lambda i: clips[i].frames)
    success, errors = np.zeros(len(clips), bool), np.zeros((len(clips), 4))
    brain = folder.load(2)
    for begin in range(0, len(clips), BATCH):
        chosen = order[begin : begin + BATCH]
        player = Player(brain, fitness, len(chosen), 2)
        player.exhaust(player.info.joints, spent)
        success[chosen], errors[chosen] = _follow(Tracked(player, *(clips[i] for i in chosen)))
    return Followed(success, errors)


def _follow(driver: Tracked) -> tuple[np.ndarray, np.ndarray]:
    count, world = driver.player.world.count, driver.player.world
    lost, total, frames = np.zeros(count, bool), np.zeros((count, 4)), np.zeros(count)
    before: list[np.ndarray] = []
    while (live := ~(lost | driver.finished)).any():
        driver.step()
        off = world.xpos - driver.moment().xpos
        before = [*before[-2:], off]
        lost |= live & ((np.linalg.norm(off, axis=2).mean(1) > LOST) | world.faulted)
        parts = [off, off - off[:, :1], _second(before), off - before[-2] if len(before) > 1 else 0 * off]
        size = np.stack([1000 * np.linalg.norm(part, axis=2).mean(1) for part in parts], axis=1)
        total += (live & ~lost)[:, None] * size
        frames += live & ~lost
    return ~lost, total / np.maximum(frames, 1)[:, None]


def _second(off: list[np.ndarray]) -> np.ndarray:
    """The second difference of the last three frames."""
    return off[-1] - 2 * off[-2] + off[-3] if len(off) > 2 else 0 * off[-1]
