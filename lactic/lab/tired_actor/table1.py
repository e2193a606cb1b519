"""Table 1: how well the motions of the library are followed, fresh at the start, and tiring at (2, 0.05, 1)."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import SPLITS, TIRING, clips_of, follow, followers
from lactic.lab.trial import OFF

TITLE = "motions followed, fresh at the start"
TARGETS = {("train, fresh", "success"): (0.97, None), ("test, fresh", "success"): (0.93, None)}
PAPER = {"train": (0.991, 37.4, 25.4, 3.7, 5.1), "test": (0.979, 47.6, 30.1, 5.7, None)}
"""Of Tired Actor on AMASS."""


def make(bench: Bench, report: Report) -> None:
    """Each brain on each split: with no fatigue, as its body tires by default, and at the paper's rates."""
    for folder in followers(bench, report):
        own = folder.load().info.fitness
        for split in SPLITS:
            clips = clips_of(bench, split)
            for condition, fitness in (("fresh", OFF), (own, None), ("(2, 0.05, 1)", TIRING)):
                found = follow(folder, clips, fitness)
                found.rows(report, folder.name, f"{split}, {condition}", PAPER[split] if fitness is TIRING else ())
                bench.say(f"{folder.name}, {split}, {condition}: {found.success.sum()} of {len(clips)} followed")
