"""Fig. 5.13: walking along a drawn path."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, database, lead, subjects
from lactic.lab.pictures import BLACK, BLUE, RED, dress, panel
from lactic.lab.report import Report
from lactic.steer.gamepad import PathFollower

TITLE = "following a path at walking pace"
FARTHEST = 0.5  # m: "never straying more than 0.5 m" (Sec. 5.4.2)
SECONDS = 45.0


def drawn_path() -> np.ndarray:
    """A path with the parts the thesis names: a sine, straight lines, sharp corners of 90°, a gradual turn."""
    x = np.linspace(0, 6, 120)
    sine = np.stack([x, 0.8 * np.sin(2 * np.pi * x / 3)], -1)
    corners = np.array([[9.0, 0.0], [9.0, 3.0], [12.0, 3.0], [12.0, 6.0]])
    bend = np.radians(np.linspace(0, 180, 60))
    arc = np.stack([9 + 3 * np.cos(bend), 6 + 3 * np.sin(bend)], -1)
    return np.concatenate([sine, corners, arc, [[6.0, 3.0]]])


def make(bench: Bench, report: Report) -> None:
    """How far characters that are steered towards a spot ahead on the path stray from it."""
    frames = database(bench, report)
    count = min(bench.episodes, MOST, 16)
    ahead = np.linspace(0.7, 1.0, count)
    axis = panel(report, width=7.5, height=5.5, x="x (m)")
    for who, folder in subjects(bench, report):
        worst, mean, share, falls = [], [], [], 0
        for k in range(count):
            follow = PathFollower(drawn_path(), ahead=float(ahead[k]))
            arrived: list[bool] = []

            def pad(
                second: float, roots: np.ndarray, follow: PathFollower = follow, arrived: list = arrived
            ) -> np.ndarray:
                sticks = follow(second, roots)
                arrived.append(follow.arrived())
                return sticks

            led = lead(frames, pad, SECONDS, 1, folder)
            way = led.roots[:, 0, :2]
            way = way[: round(arrived.index(True) * led.fps / frames.fps) if arrived[-1] else None]
            apart = np.linalg.norm(way[:, None] - follow.points[None, ::4], axis=2).min(axis=1)
            worst.append(apart.max())
            mean.append(apart.mean())
            share.append(arrived[-1])
            falls += led.falls
            axis.plot(*way.T, color=BLUE if folder is None else RED, lw=0.8, alpha=0.5)
        report.add(who, "walk", "farthest_from_path", statistics.mean(np.array(worst)), FARTHEST)
        report.add(who, "walk", "mean_from_path", statistics.mean(np.array(mean)))
        report.add(who, "walk", "arrived", statistics.share(int(np.sum(share)), count))
        if folder is not None:
            report.add(who, "walk", "falls", falls)
    axis.plot(*drawn_path().T, color=BLACK, lw=1.6)
    axis.set_aspect("equal")
    dress(axis, "path drawn (black), walked by kinematic (blue) and simulated characters (orange)", "y (m)")
