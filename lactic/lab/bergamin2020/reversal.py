"""Fig. 5.14: running one way, then asked to run the other."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, database, first_within, lead, subjects
from lactic.lab.pictures import BLUE, RED, dress, panel
from lactic.lab.report import Report
from lactic.play.steer import over_a_step

TITLE = "step response of a run that is reversed"
BEFORE, SPREAD, AFTER = 3.0, 1.0, 3.0  # s, as in `turn`


def make(bench: Bench, report: Report) -> None:
    """When the velocity changes sign and when it has reached 80 % of what it becomes."""
    frames = database(bench, report)
    count = min(bench.episodes, MOST)
    begin = BEFORE + SPREAD * np.arange(count) / count

    def pad(second: float, roots: np.ndarray) -> np.ndarray:
        way = np.where(second < begin - 1e-9, -1.0, 1.0)
        return np.stack([way, 0 * way, 0 * way, 0 * way, 0 * way + 1, 0 * way], -1)

    axis = panel(report, height=3.2, x="time since the stick was turned round (s)")
    stopped: list[np.ndarray] = []
    for who, folder in subjects(bench, report):
        led = lead(frames, pad, BEFORE + SPREAD + AFTER, count, folder)
        fps, span, lead_in = led.fps, round(AFTER * led.fps), round(led.fps)
        first = np.ceil(begin * fps - 1e-6).astype(int)
        rows = np.minimum(first + np.arange(-lead_in, span)[:, None], len(led.roots) - 1)
        velocity = over_a_step(led.speeds[..., 0], fps)[rows, np.arange(count)]
        after = velocity[lead_in:]
        final = after[-round(fps) :].mean(axis=0)
        report.add(who, "before", "velocity", statistics.mean(velocity[:lead_in].mean(axis=0)), -3.0)
        report.add(who, "after", "velocity", statistics.mean(final), 3.0)
        stopped.append(np.where((after > 0).any(axis=0), np.argmax(after > 0, axis=0) / fps, np.nan))
        report.add(who, "run", "seconds_to_stop", statistics.mean(stopped[-1]))
        report.add(who, "run", "seconds_to_reverse", statistics.mean(first_within(0.8 * final - after, 0, fps)))
        if folder is not None:
            report.add(who, "run", "lag", statistics.mean(stopped[-1] - stopped[0]))
            report.add(who, "run", "falls", led.falls)
        colour = BLUE if folder is None else RED
        axis.plot(np.arange(-lead_in, span) / fps, velocity, color=colour, lw=0.7, alpha=0.35)
    axis.axhline(0, color="#888888", lw=0.8)
    dress(axis, "velocity of the root along the run: kinematic (blue), simulated (orange)", "m/s")
