"""Fig. 4: the jump with learned limits and with a box, as film strips."""

import shutil
from functools import partial
from pathlib import Path

import numpy as np

from lactic.files import whole_file
from lactic.lab.bench import Bench
from lactic.lab.jiang2019.plans import planned
from lactic.lab.report import Report

TITLE = "jumps with learned torque limits and with a box"
PAPER = {"lr": ("LR", 1.26), "box": ("BOX", 1.6)}


def make(bench: Bench, report: Report) -> None:
    """Heights, deepest knee and a strip of each."""
    for _, limits, plan in planned(bench, report, [("jump", limits) for limits in PAPER]):
        name, height = PAPER[limits]
        report.add("jump", name, "height_m", plan.summary["height_m"], height)
        report.add("jump", name, "deepest_knee_deg", float(np.degrees(-plan.joint("knee")[0][: plan.held].min())))
        report.pictures[name] = partial(_copy, plan.folder / "strip.png")


def _copy(source: Path, path: Path) -> None:
    with whole_file(path) as temporary:
        shutil.copyfile(source, temporary)
