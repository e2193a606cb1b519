"""Pace: a minute at more than anybody can keep up, a rest, and again; and ten minutes without a rest.

Speeds are along the command, of the characters that have not fallen by then:

- speed_fresh: from the third to the eighth second. The first three are for setting out.
- speed_60: in the last second of the first minute.
- speed_again: in the five seconds that begin with the command to set out again; speed_again_later: from the second to
  the seventh after it, when those that set out at once run.
- largest_rise: from the tenth second of the first minute on, the most by which the mean speed in a window of five
  seconds is above that of the window before, as a share of it. largest_rise_each: the same of each character by itself.
- sudden_stops: how often the mean speed is above 0.5 m/s in one window of that minute and below 0.3 in the next;
  sudden_stops_each: the share of characters that do so.
"""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.people.course import PACE, LightTrial, seen, walkers
from lactic.lab.performance import survival
from lactic.lab.pictures import BLUE, GREEN, dress, panels
from lactic.lab.report import ANY, Report
from lactic.lab.statistics import Estimate
from lactic.lab.trial import own_fitness

TITLE = "a minute at 3.5 m/s, twenty seconds of rest, and again; and ten minutes without rest"
TARGETS = {(ANY, "largest_rise"): (None, 0.05), (ANY, "sudden_stops"): (None, 0.0)}
RUN, REST, AGAIN = 60.0, 20.0, 20.0
LONG, FEW = 600.0, 64
"""Seconds of the run without a rest, and how many characters run it at most: it takes six times as long."""
WINDOW = 5.0
PROGRAMME = ((0.0, PACE, 0.0), (RUN, 0.0, 0.0), (RUN + REST, PACE, 0.0))
SECONDS = RUN + REST + AGAIN
FRESH = (3.0, 8.0)
FAST, SLOW = 0.5, 0.3
"""m/s; a fall of speed from above the one to below the other between two windows is a sudden stop."""
LEAST = 0.1
"""m/s; shares of less than that are taken of that much: from standing any rise would be without bounds."""


def make(bench: Bench, report: Report) -> None:
    """Rows and curves of each brain's programme at the fitness it was made for."""
    shown = []
    for folder in walkers(bench, report):
        fitness = own_fitness(folder)
        ask = bench.ask(SECONDS, fitness, commands=PROGRAMME, standing=True)
        made = seen(bench, folder, ask, f"{fitness.name}, run, rest, run")
        rows(report, folder.name, fitness.name, made)
        by_window(report, folder.name, made)
        shown.append((folder.name, made))
        ask = bench.ask(LONG, fitness, episodes=min(bench.episodes, FEW), commands=((0.0, PACE, 0.0),), standing=True)
        long = seen(bench, folder, ask, f"{fitness.name}, no rest")
        report.add(folder.name, fitness.name, "survival_10min", survival(long.stood))
        report.add(folder.name, fitness.name, "speed_10min", statistics.mean(long.speed(LONG - 60, LONG)))
    _picture(report, shown)


def rows(report: Report, subject: str, condition: str, made: LightTrial) -> None:
    """The numbers of the programme."""
    again, speeds = RUN + REST, windows(made)
    gain = made.strength_at(again) - made.strength_at(RUN)
    for metric, value in (
        ("survival", survival(made.stood)),
        ("fallen", float((~made.stood).sum())),
        ("speed_fresh", statistics.mean(made.speed(*FRESH))),
        ("speed_60", statistics.mean(made.speed(RUN - 1, RUN))),
        ("speed_again", statistics.mean(made.speed(again, again + 5))),
        ("speed_again_later", statistics.mean(made.speed(again + 2, again + 7))),
        ("strength_gain", statistics.mean(gain)),
        ("largest_rise", largest_rise(speeds)),
        ("largest_rise_each", statistics.mean(_rises(_lasting(speeds)).max(0))),
        ("sudden_stops", float(stops(speeds).sum())),
        ("sudden_stops_each", _stop_each(speeds)),
    ):
        report.add(subject, condition, metric, value)


def by_window(report: Report, subject: str, made: LightTrial) -> None:
    """Speed and strength of the legs in every window of five seconds."""
    for start in np.arange(0.0, made.frames / made.fps - 1e-9, WINDOW):
        condition = f"{start:g} to {start + WINDOW:g} s"
        report.add(subject, condition, "speed_along", statistics.mean(made.speed(start, start + WINDOW)))
        report.add(subject, condition, "legs_strength", statistics.mean(made.strength_at(start + WINDOW)))


def windows(made: LightTrial, until: float = RUN) -> np.ndarray:
    """Mean speeds (window, character) in windows of five seconds; NaN from the one on in which it falls."""
    return np.stack([made.speed(start, start + WINDOW) for start in np.arange(0.0, until - 1e-9, WINDOW)])


def _lasting(speeds: np.ndarray) -> np.ndarray:
    """Those of the characters that are up in the last window; one without numbers where there are none."""
    kept = speeds[:, np.isfinite(speeds).all(0)]
    return kept if kept.shape[1] else np.full((len(speeds), 1), np.nan)


def _rises(speeds: np.ndarray) -> np.ndarray:
    """Rise of each window over the one before as a share of it, from the tenth second on, (window, …)."""
    late = speeds[round(10 / WINDOW) :]
    before = late[:-1]
    return (late[1:] - before) / np.maximum(before, LEAST)


def largest_rise(speeds: np.ndarray) -> Estimate:
    """The most that the mean speed of those that last rises from one window to the next, over characters."""
    speeds = _lasting(speeds)
    if not np.isfinite(speeds).all():
        return Estimate(np.nan, np.nan, np.nan, 0)
    drawn = statistics.draws(speeds.shape[1])
    again = np.stack([row[drawn].mean(1) for row in speeds])
    low, high = np.percentile(_rises(again).max(0), (2.5, 97.5))
    return Estimate(float(_rises(speeds.mean(1)).max()), float(low), float(high), speeds.shape[1])


def stops(speeds: np.ndarray) -> np.ndarray:
    """Between which windows the mean speed of those up in both falls from above 0.5 to below 0.3 m/s."""
    up = np.isfinite(speeds[1:])
    count = np.maximum(up.sum(1), 1)
    before, after = (np.where(up, part, 0.0).sum(1) / count for part in (speeds[:-1], speeds[1:]))
    return (before > FAST) & (after < SLOW) & up.any(1)


def _stop_each(speeds: np.ndarray) -> Estimate:
    """Share of the characters that stop so by themselves."""
    stopped = ((speeds[:-1] > FAST) & (speeds[1:] < SLOW)).any(0)
    return statistics.share(int(stopped.sum()), speeds.shape[1])


def _picture(report: Report, shown: list[tuple[str, LightTrial]]) -> None:
    axes = panels(report, 2 * len(shown), width=10, height=2.4, sharex=True, x="time (s)")
    for k, (name, made) in enumerate(shown):
        top, bottom = axes[2 * k, 0], axes[2 * k + 1, 0]
        seconds = np.arange(1.0, made.frames / made.fps + 1e-9)
        speeds = [statistics.mean(made.speed(s - 1, s)) for s in seconds]
        strength = [statistics.mean(100 * made.strength_at(s)) for s in seconds]
        for axis, estimates, colour in ((top, speeds, BLUE), (bottom, strength, GREEN)):
            axis.fill_between(
                seconds, [e.low for e in estimates], [e.high for e in estimates], color=colour, alpha=0.25, lw=0
            )
            axis.plot(seconds, [e.value for e in estimates], color=colour, lw=1.8, label="mean and 95 %")
        asked = np.linalg.norm(made.command[:, 0], axis=-1)
        top.plot(np.arange(len(asked)) / made.fps, asked, color="#888888", lw=1, ls="--", label="asked for")
        up = [(made.fell_at > made.frame(s) - 1).mean() for s in seconds]
        bottom.plot(seconds, 100 * np.array(up), color="#888888", lw=1, ls="--", label="still standing")
        top.set_ylim(bottom=min(0.0, top.get_ylim()[0]))
        bottom.set_ylim(0, 104)
        dress(top, f"{name}: speed along the command", "m/s")
        dress(bottom, f"{name}: strength of the legs", "%")
