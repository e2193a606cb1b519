"""Fig. 4: the jump with learned limits and with a box, as film strips."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import planned
from lactic.lab.report import Report

if TYPE_CHECKING:
    from lactic.plan.outcome import Outcome

TITLE = "jumps with learned torque limits and with a box"


def make(bench: Bench, report: Report) -> None:
    """Heights, deepest knee and a strip of each."""
    for name, limits, paper in (("LR", "lr", 1.26), ("BOX", "box", 1.6)):
        found = planned(bench, report, "jump", limits)
        if found is None:
            return
        report.add("jump", name, "height_m", found.summary["height_m"], paper)
        knee = found.course.q[:, found.course.joints.index("knee")]
        report.add("jump", name, "deepest_knee_deg", float(np.degrees(-knee.min())))
        report.extra[name] = _strip(found)


def _strip(found: "Outcome") -> Callable[[Path], None]:
    from lactic.plan.figure import film
    from lactic.plan.tasks import chain_of

    motion = film(chain_of(found.plan.task), found.course.time, found.course.q)
    return lambda path: motion.strip(path)
