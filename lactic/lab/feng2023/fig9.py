"""Fig. 9: arms held horizontally sink, and come up again after a minute of rest."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lactic import fatigue
from lactic.body import muscle_man
from lactic.lab.bench import Bench
from lactic.lab.feng2023.hold import AGAIN, HELD, RATE, RESTED, Held, hold_arms
from lactic.lab.pictures import GREEN, RED, dress, panel
from lactic.lab.report import Report
from lactic.muscle.man import arms
from lactic.picture.film import draw_strip
from lactic.picture.muscles import MuscleLook
from lactic.play.summary import tired_muscles

TITLE = "arms held horizontally, a minute of rest, and held again"
PAPERS = "the paper's rates"
SHOWN = (1.0, 0.25 * HELD, 0.5 * HELD, HELD - 1, HELD + RESTED - 1, HELD + RESTED + 3, HELD + RESTED + AGAIN - 1)
BEHIND = np.radians(150)
"""The camera from the heading: what tires lies on the shoulder blades."""
NAMED = 6
"""Muscles that are named: those most tired when the arms are let go."""
TARGETS = {(PAPERS, "seconds_until_sunk"): (96.0, 144.0)}


def make(bench: Bench, report: Report) -> None:
    """When hands are 25 cm below the shoulders, how far they are up after the rest, and pictures."""
    rates = fatigue.preset("feng2023-arms")
    axes = panel(report, x="time (s)")
    for condition, blade, colour in ((PAPERS, arms.BLADE, RED), ("blades as in the T-pose", 0.0, GREEN)):
        found = hold_arms(rates, blade=blade)
        printed = 120.0 if condition == PAPERS else None
        report.add("arms", condition, "seconds_until_sunk", found.when(0.0, HELD), paper=printed)
        report.add("arms", condition, "drop_fresh_m", float(found.drop[RATE]))
        report.add("arms", condition, "drop_at_the_end_m", float(found.drop[round(HELD * RATE) - 1]))
        again = round((HELD + RESTED) * RATE)
        report.add("arms", condition, "drop_after_rest_m", float(found.drop[again : again + 10 * RATE].min()))
        for row in tired_muscles(found.recording(), NAMED, round(HELD * RATE) - 1):
            report.add(row["muscle"], condition, "fatigued_when_held", row["MF"])
        axes.plot(np.arange(len(found.drop)) / RATE, -100 * found.drop, color=colour, label=condition)
        report.pictures[condition.split()[0].replace("the", "paper")] = _strip(found)
    axes.axvspan(HELD, HELD + RESTED, color="0.9")
    dress(axes, "hands against shoulders (grey: rest)", "height (cm)")


def _strip(found: Held) -> Callable[[Path], None]:
    frames = [round(second * RATE) for second in SHOWN]
    labels = [f"{second:.0f} s" for second in SHOWN]

    def draw(path: Path) -> None:
        draw_strip(
            muscle_man(),
            found.qpos[frames],
            1.0,
            path,
            count=len(frames),
            labels=labels,
            travel=False,
            muscles=MuscleLook(found.state[frames], width="fatigue"),
            camera=BEHIND,
        )

    return draw
