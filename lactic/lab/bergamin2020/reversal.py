"""Fig. 5.14: running one way, then asked to run the other."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, database, first_within, lead, over_a_step
from lactic.lab.pictures import BLUE, dress, panels
from lactic.lab.report import Report

TITLE = "step response of a run that is reversed"
BEFORE, SPREAD, AFTER = 3.0, 1.0, 3.0  # s, as in `turn`


def make(bench: Bench, report: Report) -> None:
    """When the velocity changes sign and when it has reached 80 % of what it becomes."""
    frames = database(bench, report)
    if frames is None:
        return
    count = min(bench.episodes, MOST)
    begin = BEFORE + SPREAD * np.arange(count) / count

    def pad(second: float, roots: np.ndarray) -> np.ndarray:
        way = np.where(second < begin - 1e-9, -1.0, 1.0)
        return np.stack([way, 0 * way, 0 * way, 0 * way, 0 * way + 1, 0 * way], -1)

    led = lead(frames, pad, BEFORE + SPREAD + AFTER, count)
    fps, span, lead_in = led.fps, round(AFTER * led.fps), round(led.fps)
    first = np.ceil(begin * fps - 1e-6).astype(int)
    velocity = over_a_step(led.speeds[..., 0], fps)[first + np.arange(-lead_in, span)[:, None], np.arange(count)]
    after = velocity[lead_in:]
    final = after[-round(fps) :].mean(axis=0)
    report.add("kinematic", "before", "velocity", statistics.mean(velocity[:lead_in].mean(axis=0)), -3.0)
    report.add("kinematic", "after", "velocity", statistics.mean(final), 3.0)
    report.add("kinematic", "run", "seconds_to_stop", statistics.mean(np.argmax(after > 0, axis=0) / fps))
    report.add("kinematic", "run", "seconds_to_reverse", statistics.mean(first_within(0.8 * final - after, 0, fps)))
    figure, axes = panels(1, height=3.2)
    axes[0, 0].plot(np.arange(-lead_in, span) / fps, velocity, color=BLUE, lw=0.7, alpha=0.35)
    axes[0, 0].axhline(0, color="#888888", lw=0.8)
    dress(axes[0, 0], "velocity of the root along the run, kinematic character", "m/s")
    axes[0, 0].set_xlabel("time since the stick was turned round (s)")
    report.figure = figure
