"""Beyond the thesis: a body that tires runs with the stick held, then stands, and is asked to run again."""

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

TITLE = "running with the stick held, in a body that tires"
RUN, REST, AGAIN = 20.0, 20.0, 140.0  # s: three minutes in all
BODY, QUICK = fatigue.preset("cheema2023"), 0.05  # (1, 0.01, 1), and an R with which twenty seconds are a rest
CASES = {
    "with a reserve": ("with a reserve", BODY),
    "tireless": ("tireless", BODY),
    f"with a reserve, R = {QUICK}": ("with a reserve", BODY.altered(R=QUICK)),
}
SOON = 10.0
"""Seconds in which speeds are measured: after the first push, before the stick is let go, and after the next push."""


def make(bench: Bench, report: Report) -> None:
    """Speed beside the legs' residual capacity, with a query that feels the body, also in one that recovers sooner, and
    without."""
    frames = database(bench, report)
    found = brains(bench, report, wanted=True)
    count, total = min(bench.episodes, MOST), RUN + REST + AGAIN
    axes = panels(report, len(CASES) * len(found), sharex=True, x="time (s)")

    def pad(second: float, roots: np.ndarray) -> np.ndarray:
        late = second - np.arange(count) / count  # at all phases of a step
        held = np.where((late < 0) | ((late >= RUN) & (late < RUN + REST)), 0.0, 1.0)
        return np.stack([held, 0 * held, 0 * held, 0 * held, held, 0 * held], -1)

    for row, (folder, case) in enumerate((f, c) for f in found for c in CASES):
        rule, fitness = CASES[case]
        crowd = crowd_of(folder, frames, pad, count, fitness, rule)
        rate, player = crowd.player.info.control_rate, crowd.player
        looks = {
            "speed": lambda player=player: player.world.qvel[:, 0],
            "left": lambda player=player: legs_capacity(player.body, player.fatigue[..., 2]),
        }
        kept = Collector(crowd, round(total * rate), looks, {}, get_up=True)
        kept.run()
        falls, (speed, left) = kept.fell.sum(0), (states[1:] for states in kept.states().values())
        smooth, at = over_a_step(speed, rate, 1.0), [round(second * rate) for second in (RUN, RUN + REST)]
        asked = {
            "fresh": slice(0, round(SOON * rate)),
            "tired": slice(at[0] - round(SOON * rate), at[0]),
            "stood for 20 s": slice(at[1], at[1] + round(SOON * rate)),
        }
        for part, rows in asked.items():
            report.add(folder.name, f"{case}, {part}", "legs_capacity", statistics.mean(left[rows.start]))
            report.add(folder.name, f"{case}, {part}", "mean_speed", statistics.mean(speed[rows].mean(axis=0)))
            report.add(folder.name, f"{case}, {part}", "top_speed", statistics.mean(smooth[rows].max(axis=0)))
        report.add(folder.name, case, "falls_in_3_minutes", statistics.mean(falls))
        report.add(folder.name, case, "never_fell", statistics.share(int((falls == 0).sum()), count))
        axis, time = axes[row, 0], np.arange(len(speed)) / rate
        axis.plot(time, smooth.mean(axis=1), color=BLUE, label="speed (m/s)")
        axis.plot(time, left.mean(axis=1), color=ORANGE, label="legs' residual capacity")
        dress(axis, f"{folder.name}: {case}", "")
