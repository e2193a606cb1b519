"""Characters led by gamepads, side by side, kinematic or simulated: what the items of this paper measure."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lactic import rotation
from lactic.brain.catalogue import BrainFolder
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.play.driver import Collector
from lactic.play.steer import ride
from lactic.play.steered import DATABASE, SHIPPED, crowd_of, steerable
from lactic.steer.gamepad import Pad
from lactic.steer.matching import Database

MOST = 64
"""Characters led side by side, however many episodes are asked for."""


@dataclass
class Led:
    """What characters did: roots (frame, character, 7) and root velocities over the ground (frame, character, 2)."""

    fps: float
    roots: np.ndarray
    speeds: np.ndarray
    falls: int = 0
    """How often a simulated one had to be put back onto its kinematic character."""

    @property
    def headings(self) -> np.ndarray:
        """Where the roots look, (frame, character), without jumps by a turn."""
        return np.unwrap(rotation.heading(self.roots[..., 3:7]), axis=0)


def database(bench: Bench, report: Report) -> Database:
    """The database given with --database, or that of the first brain that has one, or the one that ships."""
    if bench.database is not None:
        return Database.load(bench.database)
    held = (folder.path / DATABASE for folder in brains(bench, report))
    return Database.load(next((path for path in held if path.is_file()), SHIPPED))


def brains(bench: Bench, report: Report, wanted: bool = False) -> list[BrainFolder]:
    """Those of the brains that were named (the shipped one, if none was) that are steered; where they are `wanted` and
    there is none, say so."""
    named = bench.folders(report, "steer")
    found = [folder for folder in named if steerable(folder, folder.load().info, bench.database)]
    if wanted and not found:
        report.skip("no brain that follows a leader; train one (docs/steering.md) and name it")
    return found


def subjects(bench: Bench, report: Report) -> Iterator[tuple[str, BrainFolder | None]]:
    """Who is measured: the kinematic character, then those simulated ones there are."""
    yield "kinematic", None
    for folder in brains(bench, report):
        yield folder.name, folder


def lead(frames: Database, pad: Pad, seconds: float, count: int, folder: BrainFolder | None = None) -> Led:
    """Lead characters that start standing at the origin, looking along x: kinematic ones, or those of a brain."""
    if folder is None:
        done = ride(frames, pad, seconds, count)
        return Led(done.fps, done.qpos[..., :7], done.qvel[..., :2])
    crowd = crowd_of(folder, frames, pad, count)
    world, rate = crowd.player.world, crowd.player.info.control_rate
    looks = {"roots": lambda: world.qpos[:, :7], "speeds": lambda: world.qvel[:, :2]}
    kept = Collector(crowd, round(seconds * rate), {}, looks, get_up=True)
    return Led(rate, **kept.run(), falls=int(kept.fell.sum()))


def first_within(apart: np.ndarray, limit: float, fps: float) -> np.ndarray:
    """Seconds until values (frame, character) are below a limit for good, (character,); NaN where they never are."""
    late = np.where(apart >= limit, np.arange(len(apart))[:, None], -1).max(axis=0) + 1
    return np.where(late < len(apart), late / fps, np.nan)
