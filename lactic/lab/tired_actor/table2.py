"""Table 2: errors of each part of the body, fresh at the start, of motions followed to their end."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report, Row
from lactic.lab.tired_actor.designs import tires
from lactic.lab.tired_actor.drawing import draw
from lactic.lab.tired_actor.following import TIRING, clips_of, follow, followers
from lactic.lab.trial import OFF

TITLE = "errors by part of the body, train split"
PARTS = {"pelvis": "Pelvis", "thigh": "Hips", "shin": "Knees", "foot": "Ankles"}
PARTS |= {"upper_arm": "Shoulders", "forearm": "Elbows", "hand": "Wrists"}
PAPER = {"Pelvis": (28.6, None), "Hips": (30.2, 8.8), "Knees": (45.6, 38.8), "Ankles": (54.4, 51.9)}
PAPER |= {"Shoulders": (31.4, 18.5), "Elbows": (33.8, 26.0), "Wrists": (37.7, 31.9)}
"""Of Tired Actor on AMASS, fresh at the start, mm: in the world, and from the root."""
BASELINE = {"Pelvis": (30.2, None), "Hips": (32.3, 9.1), "Knees": (42.5, 33.8), "Ankles": (60.2, 53.2)}
BASELINE |= {"Shoulders": (30.1, 19.5), "Elbows": (31.4, 28.5), "Wrists": (35.1, 36.7)}
"""Of the paper's baseline without fatigue."""
WHERE = {"mpjpe_g_mm": "in the world", "mpjpe_l_mm": "from the root"}
NOTE = """
Errors in mm of motions that were followed, in the world and from the root. A part is known by the joint where it
begins: the thigh by the hip. The paper's numbers are Tired Actor's, and its baseline's beside brains that were
trained without fatigue. At (2, 0.05, 1) only easy motions are followed in our body, so errors of that condition are
of those alone.
"""


def make(bench: Bench, report: Report) -> None:
    """Each brain, without fatigue and at the paper's rates; a part is known by the joint where it begins."""
    clips = clips_of(bench, "train")
    bodies = clips[0].body.bodies
    for folder in followers(bench, report):
        for condition, fitness in (("fresh", OFF), ("(2, 0.05, 1)", TIRING)):
            found = follow(folder, clips, fitness)
            for ending, name in PARTS.items():
                which = [i for i, body in enumerate(bodies) if body.endswith(ending)]
                sides = found.parts[found.success][:, :, which].mean(axis=2)
                paper = (PAPER if tires(folder) else BASELINE)[name]
                for metric, column, printed in zip(
                    ("mpjpe_g_mm", "mpjpe_l_mm"), np.moveaxis(sides, 1, 0), paper, strict=True
                ):
                    if (name, metric) != ("Pelvis", "mpjpe_l_mm"):
                        report.add(folder.name, f"{name}, {condition}", metric, statistics.mean(column), printed)
            bench.say(f"{folder.name}, {condition}: {found.success.sum()} of {len(clips)} followed")
    draw(report, tuple(WHERE), "Error by part of the body", "mm", _place)


def _place(row: Row) -> tuple[str, str, str]:
    """A panel for each kind of error, a line for each part, a colour for each brain and condition."""
    part, _, condition = row.condition.partition(", ")
    return WHERE[row.metric], part, f"{row.subject}, {condition}"
