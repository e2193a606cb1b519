"""Fig. 8 (and 11): one brain in many bodies, and in a body that changes in mid-run."""

from itertools import combinations

import numpy as np

from lactic import fatigue
from lactic.fatigue import Fitness
from lactic.lab.bench import Bench
from lactic.lab.performance import performance
from lactic.lab.pictures import COLOURS, band, dress, panels
from lactic.lab.report import Report
from lactic.lab.skills import FIVE, MeasuredSkill
from lactic.lab.trial import OFF, TIRED_SECONDS, body_of

TITLE = "one brain, many bodies: (F, R, r) changed without training"
HUMAN_SCALE = 100.0
"""Human joints tire at about 0.01/s; a hundred times faster they are like the paper's F = 1."""
BODIES: dict[str, Fitness] = {
    "(0, 0, 0)": OFF,
    "(1, 0.01, 1)": fatigue.preset("cheema2023"),
    "(2, 0.05, 1)": body_of(2, 0.05, 1),
    "(3, 0.02, 1)": body_of(3, 0.02, 1),
    "human × 100": fatigue.preset("human").altered(time_scale=HUMAN_SCALE),
}
FIG11 = {"(1, 0.06, 1)": body_of(1, 0.06, 1), "(2, 0.07, 1)": body_of(2, 0.07, 1)}
CHANGED = "(0, 0, 0), (3, 0.02, 1) from 40 s, (1, 0.5, 1) from 80 s"


def make(bench: Bench, report: Report) -> None:
    """Survival and performance of each skill in each body, and whether they order as strength does."""
    actors = list(bench.performers(report, *FIVE, "walk"))
    axes = panels(report, len(actors), height=2.0, sharex=True, x="time (s)")
    for axis, (subject, folder, skill) in zip(axes[:, 0], actors, strict=True):
        chosen = BODIES | (FIG11 if skill.name == "backflip" else {})
        for (name, fitness), colour in zip(chosen.items(), COLOURS, strict=False):
            trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness))
            performance(report, subject, name, skill, trial)
            band(axis, trial, 100 * trial.capacity.mean(-1), name, colour)
        _order(report, subject, skill, tuple(chosen))
        changes = ((40.0, body_of(3, 0.02, 1)), (80.0, body_of(1, 0.5, 1)))
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, OFF, changes=changes))
        performance(report, subject, CHANGED, skill, trial)
        band(axis, trial, 100 * trial.capacity.mean(-1), "changed live", "#888888")
        axis.set_ylim(0, 104)
        dress(axis, subject, "% strength left")


def _order(report: Report, subject: str, skill: MeasuredSkill, bodies: tuple[str, ...]) -> None:
    """Share of pairs of bodies in which the one with more strength left also did more."""
    metric = "speed" if skill.travels else "repetitions_per_minute"
    agree = []
    for a, b in combinations(bodies, 2):
        strength = [report.value(subject, name, "capacity") for name in (a, b)]
        done = [report.value(subject, name, metric) for name in (a, b)]
        if None not in strength and None not in done:
            agree.append(np.sign(strength[0] - strength[1]) == np.sign(done[0] - done[1]))  # type: ignore[operator]
    if agree:
        report.add(subject, "all bodies", "order_agreement", float(np.mean(agree)))
