"""Fig. 3: an expert whose strength runs out without having learnt what to do about it."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.cheema2023.table1 import FRESH_SECONDS
from lactic.lab.performance import falls, survival
from lactic.lab.pictures import panels, standing, strip
from lactic.lab.report import Report
from lactic.lab.skills import FIVE
from lactic.lab.trial import OFF, TIRED_SECONDS, Trial

TITLE = "experts under fatigued torque limits, without and with transfer"


def make(bench: Bench, report: Report) -> None:
    """How many stand, until when, and with how much strength left they fell."""
    curves: dict[str, list[tuple[str, Trial]]] = {}
    for actor in bench.characters(*FIVE, "walk"):
        if actor.expert is None:
            report.skip(f"{actor.name}: no brain '{actor.name}-expert'")
            continue
        conditions = (
            ("expert", "-expert", OFF, FRESH_SECONDS),
            ("untransferred", "-expert", actor.fitness, TIRED_SECONDS),
            ("tired", "", actor.fitness, TIRED_SECONDS),
        )
        trials = curves.setdefault(actor.name, [])
        for condition, trial in bench.trials(report, actor, conditions):
            trials.append((condition, trial))
            _rows(report, actor.name, condition, trial)
            if condition == "untransferred" and (trial.fell_at < trial.frames).any():
                episode = int(np.argsort(trial.fell_at)[trial.episodes // 2])
                report.pictures[actor.name] = strip(trial, episode, count=8)
    axes = panels(report, len(curves), height=1.9, sharex=True, x="time (s)")
    for axis, (name, trials) in zip(axes[:, 0], curves.items(), strict=True):
        standing(axis, name, trials)


def _rows(report: Report, subject: str, condition: str, trial: Trial) -> None:
    report.add(subject, condition, "survival", survival(trial.stood))
    fell = falls(report, subject, condition, trial)
    if len(fell):
        frame = np.minimum(trial.fell_at[fell], len(trial) - 1)
        report.add(subject, condition, "capacity_at_fall", statistics.mean(trial.capacity[frame, fell].mean(-1)))
