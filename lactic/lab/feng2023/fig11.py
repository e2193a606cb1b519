"""Fig. 11: run until tired, stand or walk, and run again; and running at faster rates of fatigue (Sec. 5.2).

Numbers are of the characters that never fell.
"""

import numpy as np

from lactic import fatigue
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.feng2023.players import Course, brains, led, ride
from lactic.lab.pictures import BLUE, RED, dress, panels
from lactic.lab.report import Report

TITLE = "run, stand or walk, and run again"
RUN, AFTER, AGAIN = 40.0, 20.0, 20.0
"""Seconds of each part."""
FAST = 3.0  # m/s
BETWEEN = {"standing": 0.0, "walking": 1.2}  # m/s
SCALE = 50.0
"""How many times faster muscles tire and recover, as in the paper's figure."""
BEGIN = (2.0, 8.0)
"""Seconds of the second run in which its speed is measured."""
SCALES, LONG = (5.0, 10.0, 25.0), 30.0
COUNT = 32
TARGETS = {
    ("standing", "fatigue_rises"): (0.0, None),
    ("walking", "fatigue_rises"): (0.0, None),
    ("standing beside walking", "recovers_more"): (0.0, None),
    ("standing beside walking", "second_run_faster_m_s"): (0.0, None),
}
AHEAD = np.array([1.0, 0.0])


def make(bench: Bench, report: Report) -> None:
    """Fatigue of the leg muscles while running and after it, and speeds."""
    shown = []
    for folder in brains(bench, report, "velocity", "muscle-steer"):
        own, count = fatigue.preset(folder.load().info.fitness), min(COUNT, bench.episodes)
        found: dict[str, Course] = {}
        for condition, pace in BETWEEN.items():

            def wish(second: float, pace: float = pace) -> np.ndarray:
                return AHEAD * (pace if RUN - 1e-6 <= second < RUN + AFTER - 1e-6 else FAST)

            driver = led(bench, folder, count, own.altered(time_scale=SCALE * own.time_scale), wish)
            found[condition] = ride(bench, f"{folder.name}, {condition}", driver, RUN + AFTER + AGAIN)
            _rows(report, folder.name, condition, found[condition])
        stood, walked = found["standing"], found["walking"]
        beside = "standing beside walking"
        for metric, of in (("recovers_more", _recovered), ("second_run_faster_m_s", _again)):
            before, after = (of(made)[made.up] for made in (walked, stood))
            pairs = (before, np.ones_like(before)), (after, np.ones_like(after))
            report.add(folder.name, beside, metric, statistics.contrast(*pairs, relative=False))
        for scale in SCALES:
            driver = led(bench, folder, count, own.altered(time_scale=scale * own.time_scale), lambda _: FAST * AHEAD)
            made = ride(bench, f"{folder.name}, {scale:g} times the rates", driver, LONG)
            condition = f"{scale:g} times the rates"
            report.add(folder.name, condition, "share_up", statistics.share(int(made.up.sum()), count))
            report.add(folder.name, condition, "last_speed_m_s", statistics.mean(made.along(AHEAD, LONG - 5, LONG)))
        shown.append((folder.name, found))
    axes = panels(report, len(shown), height=2.8, x="time (s)")
    for axis, (name, found) in zip(axes[:, 0], shown, strict=True):
        for (condition, made), colour in zip(found.items(), (BLUE, RED), strict=True):
            time = np.arange(len(made.legs)) / made.fps
            who = made.up if made.up.any() else ~made.up
            axis.plot(time, 100 * made.legs[:, who].mean(1), color=colour, label=condition)
        axis.axvspan(RUN, RUN + AFTER, color="0.9")
        dress(axis, f"{name}: fatigued share of the leg muscles (grey: stands or walks)", "MF (%)")


def _rows(report: Report, name: str, condition: str, made: Course) -> None:
    rises = made.legs[round(RUN * made.fps)] - made.legs[0]
    report.add(name, condition, "share_up", statistics.share(int(made.up.sum()), len(made.up)))
    report.add(name, condition, "fatigue_rises", statistics.mean(rises[made.up]))
    report.add(name, condition, "recovers", statistics.mean(_recovered(made)[made.up]))
    report.add(name, condition, "first_run_m_s", statistics.mean(made.along(AHEAD, *BEGIN)[made.up]))
    report.add(name, condition, "tired_run_m_s", statistics.mean(made.along(AHEAD, RUN - 6, RUN)[made.up]))
    report.add(name, condition, "second_run_m_s", statistics.mean(_again(made)[made.up]))


def _recovered(made: Course) -> np.ndarray:
    """How much MF of the legs falls between the runs, (character,)."""
    return made.legs[round(RUN * made.fps)] - made.legs[round((RUN + AFTER) * made.fps)]


def _again(made: Course) -> np.ndarray:
    """Speed at the beginning of the second run, (character,); NaN of those that fell before its end."""
    return made.along(AHEAD, RUN + AFTER + BEGIN[0], RUN + AFTER + BEGIN[1])
