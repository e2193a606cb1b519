"""Table 1 and the numbers of Sec. 4.1: jump and swing under learned limits, muscles and a box."""

from typing import Any

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import LIMITS, Kept, planned
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report

TITLE = "jump and longest swing: height, release speeds, time and iterations"
HEIGHT = {"LR": 1.26, "MTU": 1.27, "BOX": 1.6}
RELEASE = {"LR": (2.86, 2.30), "MTU": (2.87, 2.39), "BOX": (3.74, 3.56)}
SECONDS = {"jump": {"LR": 733, "MTU": 1760, "BOX": 474}, "swing": {"LR": 1115, "MTU": 7558, "BOX": 837}}
ITERATIONS = {"jump": {"LR": 159, "MTU": 99, "BOX": 127}, "swing": {"LR": 280, "MTU": 502, "BOX": 214}}
NAMES = {ours: paper for paper, ours in LIMITS}
BASE = ("hip", "knee", "ankle")


def make(bench: Bench, report: Report) -> None:
    """Six plans in one run, so that their times can be compared; LR's height and time beside MTU's."""
    made: dict[tuple[str, str], Kept] = {}
    wanted = [(task, limits) for task in ("jump", "swing") for _, limits in LIMITS]
    for task, limits, plan in planned(bench, report, wanted):
        made[task, limits] = plan
        add(report, task, NAMES[limits], plan.summary)
    _compare(report, made)
    if made:
        _draw(report, made)


def add(report: Report, subject: str, name: str, numbers: dict[str, Any]) -> None:
    """The rows of one plan, beside the paper's."""
    task = numbers["task"]
    if task == "jump":
        report.add(subject, name, "height_m", numbers["height_m"], HEIGHT[name])
    else:
        x, y = RELEASE[name]
        report.add(subject, name, "release_x_m_s", numbers["release_x_m_s"], x)
        report.add(subject, name, "release_y_m_s", numbers["release_y_m_s"], y)
    report.add(subject, name, "solving_seconds", numbers["solving_seconds"], SECONDS[task][name])
    report.add(subject, name, "solving_cpu_seconds", numbers["solving_cpu_seconds"])
    report.add(subject, name, "iterations", numbers["iterations"], ITERATIONS[task][name])
    report.add(subject, name, "converged", float(numbers["status"] == "Solve_Succeeded"))
    report.add(subject, name, "constraint_violation", numbers["constraint_violation"])
    if isinstance(numbers["replay"], dict):
        for leg in ("smooth", "exact"):
            report.add(subject, name, f"beyond_{leg}_muscles", numbers["replay"][leg]["largest_beyond_Nm"])


def _compare(report: Report, made: dict[tuple[str, str], Kept]) -> None:
    for task, what in (("jump", "height_m"), ("swing", "product")):
        if (task, "lr") in made and (task, "mtu") in made:
            learned, muscles = (made[task, limits].summary for limits in ("lr", "mtu"))
            own, paper = SECONDS[task]["MTU"] / SECONDS[task]["LR"], HEIGHT["LR"] / HEIGHT["MTU"]
            if task == "swing":
                paper = float(np.prod(RELEASE["LR"]) / np.prod(RELEASE["MTU"]))
            report.add(task, "LR over MTU", "optimal_value_ratio", learned[what] / muscles[what], paper)
            faster = muscles["solving_cpu_seconds"] / learned["solving_cpu_seconds"]
            report.add(task, "MTU over LR", "time_ratio", faster, own)


def _draw(report: Report, made: dict[tuple[str, str], Kept]) -> None:
    """Torques of the leg over the first phase."""
    tasks = [task for task in ("jump", "swing") if any(key[0] == task for key in made)]
    axes = panels(report, len(BASE), len(tasks), width=4.2 * len(tasks) + 1, height=1.7, x="s")
    for column, task in enumerate(tasks):
        for row, joint in enumerate(BASE):
            axis = axes[row, column]
            for colour, (name, limits) in zip(COLOURS, LIMITS, strict=False):
                if (task, limits) in made:
                    plan = made[task, limits]
                    time = np.linspace(0, plan.summary["seconds_of_motion"], plan.held)
                    axis.plot(time, plan.joint(joint)[1][: plan.held], color=colour, lw=1.4, label=name)
            dress(axis, f"{task}, {joint}", "Nm", legend=row == 0)
