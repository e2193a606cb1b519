"""Table 1 with the paper's own scheme, backward Euler: how much of its numbers the scheme makes."""

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import LIMITS, planned
from lactic.lab.jiang2019.table1 import NAMES, add
from lactic.lab.report import Report

TITLE = "jump and longest swing by backward Euler, as in the paper"


def make(bench: Bench, report: Report) -> None:
    """The same six plans; a fine trapezoid is nearer to what physics allows (table1)."""
    wanted = [(task, limits, "euler") for task in ("jump", "swing") for _, limits in LIMITS]
    for task, limits, plan in planned(bench, report, wanted):
        add(report, f"{task}, backward Euler", NAMES[limits], plan.summary)
