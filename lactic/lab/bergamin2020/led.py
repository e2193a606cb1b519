"""Kinematic characters led by gamepads, side by side: what the items of this paper measure."""

from dataclasses import dataclass

import numpy as np

from lactic import rotation
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.motion.gamepad import Pad
from lactic.motion.kinematic import KinematicCharacters
from lactic.motion.matching import Database

MOST = 64
"""Characters led side by side, however many episodes are asked for."""


@dataclass
class Led:
    """What characters did: roots (frame, character, 7) and root velocities over the ground (frame, character, 2)."""

    fps: float
    roots: np.ndarray
    speeds: np.ndarray

    @property
    def headings(self) -> np.ndarray:
        """Where the roots look, (frame, character), without jumps by a turn."""
        return np.unwrap(rotation.heading(self.roots[..., 3:7]), axis=0)


def database(bench: Bench, report: Report) -> Database | None:
    """The database given with --database; without one the item is skipped."""
    if bench.database is None:
        report.skip("no database; make one with `lactic match build` and give it with --database")
        return None
    return Database.load(bench.database)


def lead(frames: Database, pad: Pad, seconds: float, count: int) -> Led:
    """Lead characters that start standing at the origin, looking along x."""
    crowd = KinematicCharacters(frames, count)
    steps = round(seconds * frames.fps)
    roots, speeds = np.zeros((steps, count, 7)), np.zeros((steps, count, 2))
    for k in range(steps):
        pose = crowd.step(pad(k / frames.fps, crowd.state.qpos[:, :7]))
        roots[k], speeds[k] = pose.qpos[:, :7], pose.qvel[:, :2]
    return Led(frames.fps, roots, speeds)


def over_a_step(values: np.ndarray, fps: float, seconds: float = 0.35) -> np.ndarray:
    """The mean over a third of a second around each frame (frame, …): a pelvis turns and sways with every step."""
    wide = max(round(seconds * fps) // 2, 1)
    padded = np.concatenate([np.repeat(values[:1], wide, 0), values, np.repeat(values[-1:], wide, 0)])
    total = np.cumsum(np.concatenate([np.zeros_like(padded[:1]), padded]), axis=0)
    return (total[2 * wide + 1 :] - total[: -2 * wide - 1]) / (2 * wide + 1)


def first_within(apart: np.ndarray, limit: float, fps: float) -> np.ndarray:
    """Seconds until values (frame, character) are below a limit for good, (character,); NaN where they never are."""
    late = np.where(apart >= limit, np.arange(len(apart))[:, None], -1).max(axis=0) + 1
    return np.where(late < len(apart), late / fps, np.nan)
