"""Fig. 8: fatigue of leg muscles while one motion is followed again and again; livelier motions tire faster."""

import numpy as np

from lactic import fatigue
from lactic.lab.bench import Bench
from lactic.lab.feng2023.motions import by_force, chosen, followers, legs, trace
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report

TITLE = "fatigue of leg muscles while one motion is followed again and again"
COUNT, SECONDS, SCALE = 4, 60.0, 10.0
"""Motions, seconds of each, and how many times the brain's rates: the paper prints no numbers beside its curves."""
LIVELY = "run beside walk"
TARGETS = {(LIVELY, "fatigue_a_second"): (0.0, None)}


def make(bench: Bench, report: Report) -> None:
    """MF of the legs at the end, how fast it rose, and how much faster running tires than walking."""
    shown = []
    for folder, library in followers(bench, report):
        own = fatigue.preset(folder.load().info.fitness)
        quick = own.altered(time_scale=SCALE * own.time_scale)
        rates: dict[str, float] = {}
        for kind, poses in chosen(library, COUNT).items():
            found = trace(bench, folder, kind, poses, SECONDS, quick)
            spent = by_force(found.state[: max(found.well, 1), :, 2], legs())
            rates[kind] = float(spent[-1]) * found.fps / len(spent)
            report.add(folder.name, kind, "seconds_followed", found.well / found.fps)
            report.add(folder.name, kind, "fatigued_at_the_end", float(spent[-1]))
            report.add(folder.name, kind, "fatigue_a_second", rates[kind])
            shown.append((folder.name, kind, spent, found.fps))
        if {"walk", "run"} <= rates.keys():
            report.add(folder.name, LIVELY, "fatigue_a_second", rates["run"] - rates["walk"])
    names = list(dict.fromkeys(name for name, *_ in shown))
    axes = panels(report, len(names), height=2.8, x="time (s)")
    for axis, name in zip(axes[:, 0], names, strict=True):
        own_curves = [row for row in shown if row[0] == name]
        for (_, kind, spent, fps), colour in zip(own_curves, COLOURS, strict=False):
            axis.plot(np.arange(len(spent)) / fps, 100 * spent, color=colour, label=kind)
        dress(axis, f"{name}: leg muscles at {SCALE:g} times its rates, until lost", "MF (%)")
