"""Fig. 7: the ankle's torque limit by its own angle and by the knee's."""

from collections.abc import Iterable

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.picture.legs import Answers, ankle, ankle_figure

TITLE = "ankle torque limit at different poses"


def make(bench: Bench, report: Report) -> None:
    """The largest plantarflexion torque of the ankle alone, learned and exact, at poses the text names."""
    curves = ankle()
    own, knee = curves["ankle angle"][0], curves["knee angle"][0]
    poses = (
        ("all coordinates 0", own, 0.0),
        ("ankle up 25°", own, np.radians(25)),
        ("ankle down 40°", own, -np.radians(40)),
        ("knee bent 45°", knee, -np.radians(45)),
        ("knee bent 90°", knee, -np.radians(90)),
    )
    rows(report, "plantarflexion", poses)
    if own.exact is not None:
        off = float(np.nanmedian(abs(own.learned - own.exact)))
        report.add("learned", "median over ankle angles", "off_exact", off)
    report.figure = ankle_figure(curves)


def rows(report: Report, metric: str, poses: Iterable[tuple[str, Answers, float]]) -> None:
    """Values of curves at angles, each for a condition, learned and exact."""
    for condition, curve, angle in poses:
        for subject, line in (("learned", curve.learned), ("exact", curve.exact)):
            if line is not None:
                report.add(subject, condition, metric, float(np.interp(angle, curve.x, line)))
    if curve.exact is None:
        report.skip("exact lines need numba; pip install 'lactic[muscle]'")
