"""Fig. 14: the runner slows; and what a tired left leg does to the gait."""

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.events import mean_by_episode
from lactic.lab.performance import performance, typical, with_decline
from lactic.lab.pictures import FRESH, GREEN, RED, band, dress, panels, strip
from lactic.lab.report import Report
from lactic.lab.trial import AS_THEY_ARE, OFF, TIRED_SECONDS, Trial, own_fitness

TITLE = "speed and stride of running and walking, fresh, tired, and with one leg exhausted"
LEG_SECONDS = 10.0
SPENT = 0.9


def make(bench: Bench, report: Report) -> None:
    """Speed over time and by thirds, step length and time; asymmetry with MF = 0.9 in the left leg.

    The runner that ships is `pace`, asked for 3.5 m/s straight on, tired at the fitness it was made for: no shipped
    character tires that was trained from one clip of running or walking alone.
    """
    shown = []
    for name, folder, skill in bench.performers(report, "pace", "run", "walk"):
        trials = []
        for condition, fitness, colour in (("fresh", OFF, FRESH), ("tired", own_fitness(folder), RED)):
            trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness))
            with_decline(report, name, condition, skill, trial, condition == "tired")
            _steps(report, name, condition, trial)
            trials.append((condition, trial, colour))
        report.pictures[name] = strip(trial, typical(trial))
        lame = bench.trial(folder, bench.ask(LEG_SECONDS, AS_THEY_ARE, spent=(("left leg", SPENT),)))
        performance(report, name, "left leg spent", skill, lame)
        _steps(report, name, "left leg spent", lame)
        shown.append((name, [*trials, ("left leg spent", lame, GREEN)]))
    axes = panels(report, len(shown), height=2.6, sharex=True, x="time (s)")
    for axis, (name, trials) in zip(axes[:, 0], shown, strict=True):
        for condition, trial, colour in trials:
            band(axis, trial, measure.speed(trial.qpos, trial.fps), condition, colour)
        axis.set_ylim(bottom=0)
        dress(axis, name, "speed (m/s)")


def _steps(report: Report, subject: str, condition: str, trial: Trial) -> None:
    """Mean length, time and foot height of steps, and how unlike left and right they are."""
    found = measure.steps(trial)
    for name, values in (("step_length", found.length), ("step_time", found.seconds), ("foot_height", found.height)):
        by_episode = mean_by_episode(found.episode, values, trial.episodes, np.isfinite(values))
        report.add(subject, condition, name, statistics.mean(by_episode))
        uneven = measure.asymmetry(found, values, trial.episodes)
        report.add(subject, condition, f"{name}_asymmetry", statistics.mean(uneven))
        report.add(subject, condition, f"{name}_unevenness", statistics.mean(np.abs(uneven)))
