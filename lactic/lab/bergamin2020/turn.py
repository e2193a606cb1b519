"""Table 5.1: how long a turn of 90° takes."""

import numpy as np

from lactic import rotation
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.bergamin2020.led import MOST, database, first_within, lead, subjects
from lactic.lab.pictures import BLUE, RED, dress, panels
from lactic.lab.report import Report
from lactic.play.steer import over_a_step

TITLE = "a turn of 90° asked for with the stick"
BEFORE, SPREAD, AFTER = 3.0, 1.0, 3.0  # s: going straight, over which turns begin (all phases of a gait), and after
RISE = 1.2  # s, of the simulated character (Table 5.1)


def make(bench: Bench, report: Report) -> None:
    """Rise time and what is left after a second, walking and running, to the left and to the right."""
    frames = database(bench, report)
    count = min(bench.episodes, MOST)
    begin = BEFORE + SPREAD * np.arange(count) / count
    side = np.where(np.arange(count) % 2, -1.0, 1.0) * np.pi / 2
    axes = panels(report, 2, sharex=True, x="time since the stick turned (s); kinematic blue, simulated orange")
    for axis, (gait, trigger) in zip(axes[:, 0], (("walk", 0.0), ("run", 1.0)), strict=True):

        def pad(second: float, roots: np.ndarray, trigger: float = trigger) -> np.ndarray:
            turn = np.where(second < begin - 1e-9, 0.0, side)
            return np.stack([np.cos(turn), np.sin(turn), 0 * turn, 0 * turn, 0 * turn + trigger, 0 * turn], -1)

        for who, folder in subjects(bench, report):
            led = lead(frames, pad, BEFORE + SPREAD + AFTER, count, folder)
            fps, span = led.fps, round(AFTER * led.fps)
            first = np.ceil(begin * fps - 1e-6).astype(int)
            rows = np.minimum(first + np.arange(span)[:, None], len(led.roots) - 1)
            plain = rotation.wrap(led.headings[rows, np.arange(count)]) * np.sign(side)
            turned = np.degrees(over_a_step(np.unwrap(plain, axis=0), fps))
            off = np.abs(turned - 90)
            risen = np.argmax(turned > 81, axis=0) - np.argmax(turned > 9, axis=0)
            risen = np.where((turned > 81).any(axis=0), risen / fps, np.nan)
            report.add(who, gait, "rise_time", statistics.mean(risen), RISE)
            report.add(who, gait, "seconds_to_10_degrees", statistics.mean(first_within(off, 10, fps)))
            report.add(who, gait, "off_after_1s", statistics.mean(off[round(fps)]))
            there = statistics.share(int((off[round(fps)] < 10).sum()), count)
            report.add(who, gait, "within_10_degrees_after_1s", there)
            if folder is not None:
                report.add(who, gait, "falls", led.falls)
            colour = BLUE if folder is None else RED
            axis.plot(np.arange(span) / fps, turned, color=colour, lw=0.7, alpha=0.35)
        axis.axhspan(80, 100, color="#000000", alpha=0.06, lw=0)
        dress(axis, gait, "heading (°)")
