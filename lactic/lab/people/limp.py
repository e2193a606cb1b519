"""Limp: jogging with one leg exhausted; its steps must differ from the other's, and the body must not fall.

The left leg keeps a fifth of its strength (MF = 0.8), and nothing tires or recovers, so that it stays so. A fifth of
an athlete's leg is 60 Nm at the hip, 70 at the knee and 50 at the ankle. Walking takes about 40 at the knee and 100 at
the ankle: it can carry the body, but cannot push off as the other does. With a tenth left it could not carry it.
"""

from lactic.lab.bench import Bench
from lactic.lab.people.course import walkers
from lactic.lab.people.strides import QUANTITIES, strides, unevenness
from lactic.lab.performance import falls, survival
from lactic.lab.pictures import FRESH, RED, dress, panel, strip
from lactic.lab.report import Report
from lactic.lab.trial import AS_THEY_ARE, OFF

TITLE = "jogging with the left leg exhausted"
TARGETS = {
    ("left leg spent", "step_time_unevenness"): (0.15, None),
    ("left leg spent", "survival"): (0.9, None),
}
SPENT = 0.8
ASKED, SECONDS, SETTLE = 2.0, 30.0, 5.0


def make(bench: Bench, report: Report) -> None:
    """The strides of each brain with both legs fresh and with one spent."""
    shown = []
    for folder in walkers(bench, report):
        for condition, spent in (("fresh", ()), ("left leg spent", (("left leg", SPENT),))):
            fitness = AS_THEY_ARE if spent else OFF
            ask = bench.ask(SECONDS, fitness, commands=((0.0, ASKED, 0.0),), standing=True, spent=spent)
            trial = bench.trial(folder, ask)
            found = strides(trial, SETTLE)
            report.add(folder.name, condition, "strides", float(len(found)))
            report.add(folder.name, condition, "survival", survival(trial.stood))
            falls(report, folder.name, condition, trial)
            for name in QUANTITIES:
                report.add(folder.name, condition, name, found.mean(name))
            report.add(folder.name, condition, "step_time_unevenness", unevenness(found))
            shown.append((folder.name, condition, found))
        report.pictures[folder.name] = strip(trial, int(trial.fell_at.argmax()), count=12)
    axis = panel(report, width=7, height=3.0, x="time of a right step (s)")
    for (name, condition, found), colour in zip(shown, (FRESH, RED) * len(shown), strict=False):
        axis.plot(found.right_time, found.left_time, ".", color=colour, alpha=0.3, label=f"{name}, {condition}")
    axis.axline((0.3, 0.3), slope=1, color="#888888", lw=1, ls="--")
    dress(axis, "times of left and right steps", "left step (s)")
