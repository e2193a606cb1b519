"""Fig. 10: activation and fatigue of forearm, upper arm and shoulder while arms are held, rested and held again."""

import numpy as np

from lactic import fatigue
from lactic.lab.bench import Bench
from lactic.lab.feng2023.hold import GROUPS, HELD, RATE, RESTED, hold_arms, members
from lactic.lab.pictures import GREEN, RED, dress, panels
from lactic.lab.report import Report
from lactic.muscle.man.musculature import musculature

TITLE = "activation and fatigue of arm muscles while arms are held, rested and held again"


def make(bench: Bench, report: Report) -> None:
    """The muscle of each group that tires most, and the group's mean weighted by force."""
    found = hold_arms(fatigue.preset("feng2023-arms"))
    names, force = musculature().names, musculature().strands.force
    axes = panels(report, len(GROUPS), height=2.4, sharex=True, x="time (s)")
    seconds = np.arange(len(found.drop)) / RATE
    held, rested = round(HELD * RATE) - 1, round((HELD + RESTED) * RATE) - 1
    for axis, group in zip(axes[:, 0], GROUPS, strict=True):
        chosen = members(group)
        most = chosen[np.argmax(found.state[held, chosen, 2])]
        means = np.average(found.state[:, chosen], axis=1, weights=force[chosen])
        for moment, frame in (("sunk", held), ("rested", rested)):
            report.add(group, moment, "fatigued_mean", float(means[frame, 2]))
            report.add(group, moment, "fatigued_most", float(found.state[frame, most, 2]))
            report.add(group, moment, "active_mean", float(means[frame, 0]))
        axis.plot(seconds, 100 * found.state[:, most, 2], color=RED, label=f"MF, {names[most].replace('_', ' ')}")
        axis.plot(seconds, 100 * found.state[:, most, 0], color=GREEN, label="its MA")
        axis.plot(seconds, 100 * means[:, 2], color=RED, linestyle=":", label="MF, mean of the group")
        axis.axvspan(HELD, HELD + RESTED, color="0.9")
        dress(axis, group, "share (%)")
