"""Table 4: the largest torque each skill asks of each joint (Eq. 10), beside the paper's."""

import yaml

from lactic.body import humanoid
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.lab.bench import Bench
from lactic.lab.pictures import FRESH, RED, dress, panel
from lactic.lab.report import Report
from lactic.lab.skills import FIVE

TITLE = "largest torque asked of each joint by the experts"
COLUMNS = ("run", "hop", "cartwheel", "backflip", "kick")
PAPER = {
    "abdomen_x": (45, 67, 163, 370.27, 290),
    "abdomen_y": (37, 197, 234, 382.34, 181),
    "abdomen_z": (57, 98, 155, 240.88, 234),
    "neck_x": (14, 26, 59, 21, 78.61),
    "neck_y": (27, 160.34, 133, 77, 69),
    "neck_z": (15, 16, 62, 63.66, 47),
    "shoulder_x": (20, 64, 149, 177.67, 143),
    "shoulder_y": (35, 98, 90, 362.03, 171),
    "shoulder_z": (13, 56, 116, 306.93, 173),
    "elbow": (22, 107, 80, 91, 136.1),
    "hip_x": (150, 394, 580, 143, 598.84),
    "hip_y": (203, 421, 796.42, 388, 691),
    "hip_z": (79, 101, 247, 135, 373.14),
    "knee": (421, 741, 496, 340, 809.59),
    "ankle_x": (23, 92, 99, 73, 138.58),
    "ankle_y": (228, 207, 120, 407, 451.8),
    "ankle_z": (38, 70, 115, 90, 201.1),
}
"""Nm by joint and column; the largest of each row is printed bold."""


def torques(folder: BrainFolder) -> dict[str, dict[str, float]] | None:
    """An expert's `highest` and `typical` torques by joint, left and right alike; None where they were not kept."""
    path = folder.path / "torques.yaml"
    if not path.is_file():
        return None
    try:
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        return {kind: {plain(joint): float(value) for joint, value in table[kind].items()} for kind in table}
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: not a table of torques as training writes it") from error


def plain(joint: str) -> str:
    """A joint's name without its side."""
    return joint.removeprefix("left_").removeprefix("right_")


def make(bench: Bench, report: Report) -> None:
    """Rows by joint and skill; the limits in use are the paper's largest."""
    body = humanoid()
    limits = {plain(joint): float(limit) for joint, limit in zip(body.joints, body.torque_limit, strict=True)}
    largest = dict.fromkeys(PAPER, 0.0)
    for actor in bench.characters(*FIVE, "walk"):
        found = None if actor.expert is None else torques(actor.expert)
        if found is None:
            report.skip(f"{actor.name}: no expert, or its torques.yaml is not beside it")
            continue
        column = COLUMNS.index(actor.name) if actor.name in COLUMNS else None
        for joint, row in PAPER.items():
            paper = None if column is None else float(row[column])
            report.add(joint, actor.name, "torque_highest", found["highest"][joint], paper)
            report.add(joint, actor.name, "torque_typical", found["typical"][joint])
            largest[joint] = max(largest[joint], found["highest"][joint])
    if not report.rows:
        return
    for joint, row in PAPER.items():
        report.add(joint, "all skills", "torque_highest", largest[joint], float(max(row)))
        report.add(joint, "limit in use", "torque_highest", limits[joint])
    axis = panel(report, height=3.0)
    at = range(len(PAPER))
    axis.bar([k - 0.2 for k in at], [max(row) for row in PAPER.values()], 0.4, color=RED, label="cheema2023")
    axis.bar([k + 0.2 for k in at], list(largest.values()), 0.4, color=FRESH, label="here")
    axis.set_xticks(list(at), list(PAPER), rotation=60, ha="right")
    axis.legend(frameon=False)
    dress(axis, "Largest torque over all skills", "Nm")
