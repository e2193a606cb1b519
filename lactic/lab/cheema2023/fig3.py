"""Fig. 3: an expert whose strength runs out without having learnt what to do about it."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench, Character
from lactic.lab.cheema2023.table1 import FRESH_SECONDS, TIRED_SECONDS
from lactic.lab.performance import survival
from lactic.lab.pictures import COLOURS, dress, panels, strip
from lactic.lab.report import Report
from lactic.lab.skills import FIVE
from lactic.lab.trial import OFF, TIRED, Trial

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
        for (condition, trial), colour in zip(trials, COLOURS, strict=False):
            time = np.arange(trial.frames) / trial.fps
            standing = [(trial.fell_at > k).mean() for k in range(trial.frames)]
            axis.plot(time, standing, label=condition, color=colour, lw=2)
        axis.set_ylim(-0.04, 1.04)
        dress(axis, name, "still standing")
    axes[-1, 0].set_xlabel("time (s)")
    report.figure = figure


def _conditions(actor: Character) -> tuple[tuple, ...]:
    return (
        ("expert", actor.expert, OFF, FRESH_SECONDS), ("untransferred", actor.expert, TIRED, TIRED_SECONDS),
        ("tired", actor.tired, TIRED, TIRED_SECONDS))  # fmt: skip


def _rows(report: Report, subject: str, condition: str, trial: Trial) -> None:
    report.add(subject, condition, "survival", survival(trial))
    fell = np.flatnonzero(trial.fell_at < trial.frames)
    if len(fell):
        frame = np.minimum(trial.fell_at[fell], len(trial) - 1)
        report.add(subject, condition, "seconds_to_fall", statistics.mean(trial.fell_at[fell] / trial.fps))
        report.add(subject, condition, "capacity_at_fall", statistics.mean(trial.capacity[frame, fell].mean(-1)))
