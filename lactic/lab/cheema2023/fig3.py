"""Fig. 3: an expert whose strength runs out without having learnt what to do about it."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench, Character
from lactic.lab.cheema2023.table1 import FRESH_SECONDS
from lactic.lab.performance import falls, survival
from lactic.lab.pictures import panels, standing, strip
from lactic.lab.report import Report
from lactic.lab.skills import FIVE
from lactic.lab.trial import OFF, TIRED, TIRED_SECONDS, Trial

TITLE = "experts under fatigued torque limits, without and with transfer"


def make(bench: Bench, report: Report) -> None:
    """How many stand, until when, and with how much strength left they fell."""
    curves: dict[str, list[tuple[str, Trial]]] = {}
    for actor in bench.characters(*FIVE, "walk"):
        if actor.expert is None:
            report.skip(f"{actor.name}: no brain '{actor.name}-expert'")
            continue
        trials = curves.setdefault(actor.name, [])
        for condition, folder, fitness, seconds in _conditions(actor):
            if folder is None:
                report.skip(f"{actor.name}, {condition}: no brain '{actor.name}'")
                continue
            trial = bench.trial(folder, bench.ask(seconds, fitness))
            trials.append((condition, trial))
            _rows(report, actor.name, condition, trial)
            if condition == "untransferred" and (trial.fell_at < trial.frames).any():
                episode = int(np.argsort(trial.fell_at)[trial.episodes // 2])
                report.extra[actor.name] = strip(trial, episode, count=8)
    if not curves:
        return
    figure, axes = panels(len(curves), height=1.9, sharex=True)
    for axis, (name, trials) in zip(axes[:, 0], curves.items(), strict=True):
        standing(axis, name, trials)
    axes[-1, 0].set_xlabel("time (s)")
    report.figure = figure


def _conditions(actor: Character) -> tuple[tuple, ...]:
    return (
        ("expert", actor.expert, OFF, FRESH_SECONDS),
        ("untransferred", actor.expert, TIRED, TIRED_SECONDS),
        ("tired", actor.tired, TIRED, TIRED_SECONDS),
    )


def _rows(report: Report, subject: str, condition: str, trial: Trial) -> None:
    report.add(subject, condition, "survival", survival(trial))
    fell = falls(report, subject, condition, trial)
    if len(fell):
        frame = np.minimum(trial.fell_at[fell], len(trial) - 1)
        report.add(subject, condition, "capacity_at_fall", statistics.mean(trial.capacity[frame, fell].mean(-1)))
