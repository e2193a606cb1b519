"""Minutes of the artificial user (Alg. 5.14): how often the simulated character falls, and how well it follows."""

from typing import Any

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, brains, database
from lactic.lab.pictures import BLUE, dress, panel
from lactic.lab.report import Report
from lactic.play.driver import Collector, Look
from lactic.play.steer import pad_named
from lactic.play.steered import crowd_of

TITLE = "falls under the artificial user"
SECONDS = 300.0


def make(bench: Bench, report: Report) -> None:
    """Five minutes of many characters, each with a user of its own."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True)
    count = min(bench.episodes, MOST)
    axis = panel(report, height=3.0, x="time (s)")
    for folder in found:
        user = pad_named("user", frames, bench.seed, count)
        crowd = crowd_of(folder, frames, user, count)
        rate = crowd.player.info.control_rate
        speeds = {"own": _speed(crowd.player.world), "asked": _speed(crowd.kinematic.pose)}
        kept = Collector(crowd, round(SECONDS * rate), speeds, {}, get_up=True)
        kept.run()
        own, asked = (states[1:].mean(axis=0) for states in kept.states().values())
        falls = kept.fell.sum(axis=0)
        report.add(folder.name, "user", "falls_per_5_minutes", statistics.mean(falls * 300 / SECONDS))
        report.add(folder.name, "user", "speed", statistics.mean(own))
        report.add("kinematic", "user", "speed", statistics.mean(asked))
        report.add(folder.name, "user", "speed_over_leader", statistics.ratio(own, asked))
        axis.plot(np.arange(kept.size) / rate, np.cumsum(kept.fell.mean(axis=1)), color=BLUE)
    dress(axis, "falls of a character so far, mean", "falls")


def _speed(moving: Any) -> Look:
    """What looks at speeds over the ground, (character,), m/s."""
    return lambda: np.linalg.norm(moving.qvel[:, :2], axis=1)
