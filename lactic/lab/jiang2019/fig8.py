"""Fig. 8: the effort of 80 Nm at the hip in different poses."""

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.fig7 import rows
from lactic.lab.report import Report
from lactic.picture.legs import hip, hip_figure

TITLE = "effort of 80 Nm at the hip in different poses"


def make(bench: Bench, report: Report) -> None:
    """Effort of extension as hip and knee bend, and of flexion with the leg aside, learned and exact."""
    curves = hip()
    squat, aside = curves["hip flexion"][0], curves["hip adduction"][0]
    poses = (
        ("extension, hip and knee straight", squat, 0.0),
        ("extension, hip and knee bent 45°", squat, np.radians(45)),
        ("flexion, leg straight down", aside, 0.0),
        ("flexion, abducted 30°", aside, -np.radians(30)),
        ("flexion, adducted 30°", aside, np.radians(30)),
    )
    rows(report, "effort", poses)
    report.figure = hip_figure(curves)
