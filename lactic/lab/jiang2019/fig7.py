"""Fig. 7: the ankle's torque limit by its own angle and by the knee's."""

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.muscle.show import Answers, ankle, ankle_figure

TITLE = "ankle torque limit at different poses"


def make(bench: Bench, report: Report) -> None:
    """The largest plantarflexion torque of the ankle alone, learned and exact, at poses the text names."""
    curves = ankle()
    own, knee = curves["ankle angle"][0], curves["knee angle"][0]
    for condition, curve, angle in (
        ("all coordinates 0", own, 0.0),
        ("ankle up 25°", own, np.radians(25)),
        ("ankle down 40°", own, -np.radians(40)),
        ("knee bent 45°", knee, -np.radians(45)),
        ("knee bent 90°", knee, -np.radians(90)),
    ):
        for subject, value in _values(curve, angle):
            report.add(subject, condition, "plantarflexion", value)
    if own.exact is None:
        report.skip("exact lines need numba; pip install 'lactic[muscle]'")
    else:
        off = float(np.nanmedian(abs(own.learned - own.exact)))
        report.add("learned", "median over ankle angles", "off_exact", off)
    report.figure = ankle_figure(curves)


def _values(curve: Answers, angle: float) -> list[tuple[str, float]]:
    lines = [("learned", curve.learned)] + ([] if curve.exact is None else [("exact", curve.exact)])
    return [(name, float(np.interp(angle, curve.x, line))) for name, line in lines]
