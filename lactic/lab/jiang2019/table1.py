"""Table 1 and the numbers of Sec. 4.1: jump and swing under learned limits, muscles and a box."""

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import LIMITS, planned
from lactic.lab.report import Report

TITLE = "jump and longest swing: height, release speeds, time and iterations"
HEIGHT = {"LR": 1.26, "MTU": 1.27, "BOX": 1.6}
RELEASE = {"LR": (2.86, 2.30), "MTU": (2.87, 2.39), "BOX": (3.74, 3.56)}
SECONDS = {"jump": {"LR": 733, "MTU": 1760, "BOX": 474}, "swing": {"LR": 1115, "MTU": 7558, "BOX": 837}}
ITERATIONS = {"jump": {"LR": 159, "MTU": 99, "BOX": 127}, "swing": {"LR": 280, "MTU": 502, "BOX": 214}}


def make(bench: Bench, report: Report) -> None:
    """Six plans in one run, so that their times can be compared."""
    for task in ("jump", "swing"):
        for name, limits in LIMITS:
            found = planned(bench, report, task, limits)
            if found is None:
                return
            numbers = found.summary
            if task == "jump":
                report.add(task, name, "height_m", numbers["height_m"], HEIGHT[name])
            else:
                x, y = RELEASE[name]
                report.add(task, name, "release_x_m_s", numbers["release_x_m_s"], x)
                report.add(task, name, "release_y_m_s", numbers["release_y_m_s"], y)
            report.add(task, name, "solving_seconds", numbers["solving_seconds"], SECONDS[task][name])
            report.add(task, name, "iterations", numbers["iterations"], ITERATIONS[task][name])
            report.add(task, name, "constraint_violation", numbers["constraint_violation"])
            if isinstance(numbers["replay"], dict):
                for leg in ("smooth", "exact"):
                    what = f"largest_torque_beyond_{leg}_muscles_Nm"
                    report.add(task, name, what, numbers["replay"][leg]["largest_beyond_Nm"])
