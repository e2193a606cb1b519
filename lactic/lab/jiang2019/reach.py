"""Sec. 4.1.2, fixed distance: the swing with the least torque (LR) and with the least muscle effort (LR+LE)."""

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import planned
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report

TITLE = "a swing of given length with the least torque or the least effort"
NAMES = {"lr": "LR", "lrle": "LR+LE"}


def make(bench: Bench, report: Report) -> None:
    """What both spend, and what the knee does: LR folds it up, LR+LE lets the shin swing."""
    curves = []
    for _, limits, plan in planned(bench, report, [("reach", limits) for limits in NAMES]):
        name, numbers = NAMES[limits], plan.summary
        report.add("reach", name, "product_m2_s2", numbers["product"], 4.0)
        report.add("reach", name, "torque_Nm_s", numbers["effort"]["torque_Nm_s"])
        if "least_muscles_N_s" in numbers["effort"]:
            report.add("reach", name, "least_effort_N_s", numbers["effort"]["least_muscles_N_s"])
        angle, torque = (values[: plan.held] for values in plan.joint("knee"))
        report.add("reach", name, "deepest_knee_deg", float(np.degrees(-angle.min())))
        report.add("reach", name, "mean_knee_torque_Nm", float(np.abs(torque).mean()))
        for metric in ("solving_seconds", "solving_cpu_seconds", "iterations", "constraint_violation"):
            report.add("reach", name, metric, numbers[metric])
        report.add("reach", name, "converged", float(numbers["status"] == "Solve_Succeeded"))
        if isinstance(numbers["replay"], dict):
            report.add("reach", name, "beyond_smooth_muscles", numbers["replay"]["smooth"]["largest_beyond_Nm"])
        curves.append((name, np.linspace(0, numbers["seconds_of_motion"], plan.held), np.degrees(angle), torque))
    if not curves:
        return
    axes = panels(report, 2, width=7, height=2, x="s")
    for colour, (name, time, angle, torque) in zip(COLOURS, curves, strict=False):
        axes[0, 0].plot(time, angle, color=colour, lw=1.4, label=name)
        axes[1, 0].plot(time, torque, color=colour, lw=1.4, label=name)
    dress(axes[0, 0], "Knee angle (0: straight)", "°")
    dress(axes[1, 0], "Knee torque (extension +)", "Nm", legend=False)
