"""Fig. 12: hops and kicks lose height and length as fatigue grows."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.events import mean_by_episode
from lactic.lab.performance import helpful_rests, typical, with_decline
from lactic.lab.pictures import FRESH, RED, dress, panels, strip
from lactic.lab.report import Report
from lactic.lab.skills import event_values, in_third
from lactic.lab.trial import OFF, TIRED_SECONDS, own_fitness

TITLE = "performance of hops and kicks as fatigue accumulates"
PANELS = (("hop", "length"), ("hop", "height"), ("kick", "height"), ("kick", "jump"))


def make(bench: Bench, report: Report) -> None:
    """Every repetition's height and length over time, fresh and tired, and the change between thirds."""
    events = {}
    for name, folder, skill in bench.performers(report, "hop", "kick"):
        for condition, fitness in (("fresh", OFF), ("tired", own_fitness(folder))):
            trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness))
            found = with_decline(report, name, condition, skill, trial, condition == "tired")
            events[skill.name, condition] = (trial, found)
            if condition == "tired":
                helpful_rests(report, name, condition, trial, found)
                report.pictures[name] = strip(trial, typical(trial, found), count=20, travel=False)
    shown = [(name, metric) for name, metric in PANELS if (name, "tired") in events]
    axes = panels(report, len(shown), height=2.0, sharex=True, x="time (s)")
    for axis, (name, metric) in zip(axes[:, 0], shown, strict=True):
        for condition, colour in (("fresh", FRESH), ("tired", RED)):
            trial, found = events[name, condition]
            values = event_values(found)[metric]
            axis.plot(found.start / trial.fps, values, ".", color=colour, ms=2, alpha=0.25)
            parts = [
                statistics.mean(
                    mean_by_episode(found.episode, values, trial.episodes, in_third(found, trial.frames, k))
                )
                for k in range(3)
            ]
            middle = TIRED_SECONDS * (np.arange(3) + 0.5) / 3
            axis.plot(middle, [part.value for part in parts], "o-", color=colour, label=f"{condition}, by third")
        dress(axis, f"{name}: {metric}", "m")
