"""Fig. 14: the runner slows; and what a tired left leg does to the gait."""

import numpy as np

from lactic.lab import gait, measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.performance import decline, performance, typical
from lactic.lab.pictures import FRESH, band, dress, panels, strip
from lactic.lab.pictures import TIRED as RED
from lactic.lab.report import Report
from lactic.lab.trial import OFF, TIRED_SECONDS, Trial, body_of, made_for
from lactic.picture.plots import GREEN

TITLE = "speed and stride of running and walking, fresh, tired, and with one leg exhausted"
LEG_SECONDS = 10.0
SPENT = 0.9
STILL_TIRED = body_of(0, 0, 0)
"""Nothing tires further and nothing recovers, so that the exhausted leg stays as it is."""


def make(bench: Bench, report: Report) -> None:
    """Speed over time and by thirds, step length and time; asymmetry with MF = 0.9 in the left leg.

    The runner that ships is `pace`, asked for 3.5 m/s straight on, tired at the fitness it was made for: no shipped
    character tires that was trained from one clip of running or walking alone.
    """
    shown = []
    for actor in bench.characters("pace", "run", "walk"):
        skill = actor.skill
        if actor.tired is None or skill is None:
            report.skip(f"{actor.name}: no brain '{actor.name}'")
            continue
        trials = []
        for condition, fitness, colour in (("fresh", OFF, FRESH), ("tired", made_for(actor.tired), RED)):
            trial = bench.trial(actor.tired, bench.ask(TIRED_SECONDS, fitness))
            found = performance(report, actor.name, condition, skill, trial)
            assert found is not None
            decline(report, actor.name, condition, skill, trial, found, condition == "tired")
            _steps(report, actor.name, condition, trial)
            trials.append((condition, trial, colour))
        report.extra[actor.name] = strip(trials[-1][1], typical(trials[-1][1]))
        lame = bench.trial(actor.tired, bench.ask(LEG_SECONDS, STILL_TIRED, spent=(("left leg", SPENT),)))
        performance(report, actor.name, "left leg spent", skill, lame)
        _steps(report, actor.name, "left leg spent", lame)
        shown.append((actor.name, [*trials, ("left leg spent", lame, GREEN)]))
    if not shown:
        return
    figure, axes = panels(len(shown), height=2.6, sharex=True)
    for axis, (name, trials) in zip(axes[:, 0], shown, strict=True):
        for condition, trial, colour in trials:
            band(axis, trial, measure.speed(trial.qpos, trial.fps), condition, colour)
        axis.set_ylim(bottom=0)
        dress(axis, name, "speed (m/s)")
    axes[-1, 0].set_xlabel("time (s)")
    report.figure = figure


def _steps(report: Report, subject: str, condition: str, trial: Trial) -> None:
    """Mean length, time and foot height of steps, and how unlike left and right they are."""
    found = gait.steps(trial)
    for name, values in (("step_length", found.length), ("step_time", found.seconds), ("foot_height", found.height)):
        known = np.isfinite(values)
        count = np.bincount(found.episode[known], minlength=trial.episodes)
        total = np.bincount(found.episode[known], weights=values[known], minlength=trial.episodes)
        by_episode = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        report.add(subject, condition, name, statistics.mean(by_episode))
        uneven = gait.asymmetry(found, values, trial.episodes)
        report.add(subject, condition, f"{name}_asymmetry", statistics.mean(uneven))
        report.add(subject, condition, f"{name}_unevenness", statistics.mean(np.abs(uneven)))
