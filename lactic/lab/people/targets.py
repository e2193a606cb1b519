"""What is wanted of characters, in one place: by item, condition and metric, the least and the most."""

from lactic.lab.report import Report
from lactic.lab.statistics import Estimate

Bounds = tuple[float | None, float | None]
ANY = ""
"""Stands for every condition."""
TARGETS: dict[tuple[str, str, str], Bounds] = {
    ("pace", ANY, "largest_rise"): (None, 0.05),
    ("pace", ANY, "sudden_stops"): (None, 0.0),
    ("limp", "left leg spent", "step_time_unevenness"): (0.15, None),
    ("limp", "left leg spent", "survival"): (0.9, None),
    ("load", ANY, "largest_difference"): (None, 1e-5),
}


def add(report: Report, subject: str, condition: str, metric: str, value: Estimate | float) -> None:
    """Add a number with the target that there is for it."""
    bounds = TARGETS.get((report.item, condition, metric)) or TARGETS.get((report.item, ANY, metric), (None, None))
    report.add(subject, condition, metric, value, least=bounds[0], most=bounds[1])
