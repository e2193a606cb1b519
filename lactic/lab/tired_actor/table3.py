"""Table 3: how well motions are followed by a body that is tired at the start, at (2, 0.05, 1).

Limits are collected as the paper collects them, with our own actor, whose gains are soft: they are one to four times an
athlete's. At an MF of 95 % a knee so has 24 Nm, less than walking takes. For most motions the paper's controller needs
less than a tenth of the limits collected with it.
"""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import SPLITS, TIRING, WEAK, clips_of, follow, followers, paper_strength
from lactic.lab.trial import OFF

TITLE = "motions followed, tired at the start"
PAPER = {
    ("train", 0.0): (0.991, 37.4, 25.4, 3.7, 5.1),
    ("train", 0.5): (0.984, 37.4, 26.5, 3.4, 5.0),
    ("train", 0.8): (0.980, 38.0, 27.2, 3.5, 5.0),
    ("train", 0.9): (0.969, 39.1, 28.0, 3.6, 5.2),
    ("train", 0.95): (0.911, 44.0, 31.1, 4.7, 6.1),
    ("test", 0.0): (0.979, 47.6, 30.1, 5.7, None),
    ("test", 0.5): (0.971, 46.9, 29.7, 5.8, None),
    ("test", 0.8): (0.957, 47.7, 30.1, 5.8, None),
    ("test", 0.9): (0.943, 49.3, 31.4, 6.0, None),
    ("test", 0.95): (0.893, 52.5, 33.6, 6.7, None),
}


def make(bench: Bench, report: Report) -> None:
    """Each brain on each split at each level of MF, and by how much success drops from none of it, with limits that are
    collected as the paper's are; and without fatigue at a constant 20 % of its own limits, which reviewers of the paper
    asked for."""
    for folder in followers(bench, report):
        strong = paper_strength(bench, folder)
        for split in SPLITS:
            clips, fresh = clips_of(bench, split), 0.0
            for (of, spent), paper in PAPER.items():
                if of != split:
                    continue
                condition, found = f"{split}, MF {spent:.0%}", follow(folder, clips, TIRING, spent, strong=strong)
                found.rows(report, folder.name, condition, paper)
                share, printed = float(found.success.mean()), paper[0] or 0.0
                fresh = share if spent == 0.0 else fresh
                before = PAPER[split, 0.0][0] or 0.0
                report.add(folder.name, condition, "success_lost", fresh - share, before - printed)
                bench.say(f"{folder.name}, {condition}: {found.success.sum()} of {len(clips)} followed")
            found = follow(folder, clips, OFF, 1.0 - WEAK)
            found.rows(report, folder.name, f"{split}, {WEAK:.0%} torque")
            bench.say(f"{folder.name}, {split}, {WEAK:.0%} torque: {found.success.sum()} of {len(clips)} followed")
