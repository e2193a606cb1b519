"""Beyond the thesis: the stick held for a run for three minutes, in a body that tires."""

import numpy as np

from lactic import fatigue
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, brains, database
from lactic.lab.pictures import BLUE, ORANGE, dress, panels
from lactic.lab.report import Report
from lactic.play.driver import Collector
from lactic.play.steer import over_a_step
from lactic.play.steered import crowd_of
from lactic.steer.legs import legs_capacity

TITLE = "three minutes of running with the stick held, in a body that tires"
RUN = 180.0  # s
BODY = fatigue.preset("human-30")
CASES = ("with a reserve", "tireless")
"""Rules by which the leader asks for less."""
WINDOWS = ((0, 10), (20, 30), (50, 60), (110, 120), (170, 180))
"""Seconds between which speed is measured; the legs' residual capacity when each begins."""


def make(bench: Bench, report: Report) -> None:
    """Speed beside the legs' residual capacity, with a leader that feels the body and with one that does not."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True)
    count = min(bench.episodes, MOST)
    axes = panels(report, len(CASES) * len(found), sharex=True, x="time (s)")

    def pad(second: float, roots: np.ndarray) -> np.ndarray:
        held = np.where(second < np.arange(count) / count, 0.0, 1.0)  # at all phases of a step
        return np.stack([held, 0 * held, 0 * held, 0 * held, held, 0 * held], -1)

    for row, (folder, case) in enumerate((f, c) for f in found for c in CASES):
        crowd = crowd_of(folder, frames, pad, count, BODY, case)
        rate, player = crowd.player.info.control_rate, crowd.player
        looks = {
            "speed": lambda player=player: player.world.qvel[:, 0],
            "left": lambda player=player: legs_capacity(player.body, player.fatigue[..., 2]),
        }
        kept = Collector(crowd, round(RUN * rate), looks, {}, get_up=True)
        kept.run()
        falls, (speed, left) = kept.fell.sum(0), (states[1:] for states in kept.states().values())
        for begin, end in WINDOWS:
            condition, first, last = f"{case}, {begin} to {end} s", round(begin * rate), round(end * rate)
            report.add(folder.name, condition, "legs_capacity", statistics.mean(left[first]))
            report.add(folder.name, condition, "mean_speed", statistics.mean(speed[first:last].mean(axis=0)))
        report.add(folder.name, case, "falls_in_3_minutes", statistics.mean(falls))
        report.add(folder.name, case, "never_fell", statistics.share(int((falls == 0).sum()), count))
        axis, time = axes[row, 0], np.arange(len(speed)) / rate
        axis.plot(time, over_a_step(speed, rate, 1.0).mean(axis=1), color=BLUE, label="speed (m/s)")
        axis.plot(time, left.mean(axis=1), color=ORANGE, label="legs' residual capacity")
        dress(axis, f"{folder.name}: {case}", "")
