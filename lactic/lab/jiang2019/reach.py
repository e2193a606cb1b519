"""Sec. 4.1.2, fixed distance: the swing with the least torque (LR) and with the least muscle effort (LR+LE)."""

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import planned
from lactic.lab.report import Report

TITLE = "a swing of given length with the least torque or the least effort"


def make(bench: Bench, report: Report) -> None:
    """What both spend, and how much the knee is driven: LR flexes it, LR+LE lets the shin swing."""
    for name, limits in (("LR", "lr"), ("LR+LE", "lrle")):
        found = planned(bench, report, "reach", limits)
        if found is None:
            return
        report.add("reach", name, "product_m2_s2", found.summary["product"], 4.0)
        report.add("reach", name, "torque_Nm_s", found.summary["effort"]["torque_Nm_s"])
        if "least_muscles_N_s" in found.summary["effort"]:
            report.add("reach", name, "least_effort_N_s", found.summary["effort"]["least_muscles_N_s"])
        knee = found.course.torque[: found.course.held, found.course.joints.index("knee") - 3]
        report.add("reach", name, "mean_knee_torque_Nm", float(np.abs(knee).mean()))
        report.add("reach", name, "solving_seconds", found.summary["solving_seconds"])
        report.add("reach", name, "iterations", found.summary["iterations"])
