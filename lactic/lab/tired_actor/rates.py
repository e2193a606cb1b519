"""A.2: how F, R and r change what is followed."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.drawing import by_split, draw
from lactic.lab.tired_actor.following import clips_of, follow, followers, paper_strength
from lactic.lab.trial import body_of

TITLE = "motions followed at other rates of fatigue (A.2)"
PAPER = {(2.0, 0.05, 1.0): 0.979, (10.0, 0.05, 1.0): 0.765, (10.0, 0.2, 1.0): 0.932, (10.0, 0.05, 5.0): None}
PAPER |= {(0.3, 0.03, 1.0): None}
NOTE = """
The test split, fresh at the start, by (F, R, r), with an athlete's limits and with limits that are collected as in
`table3`. The paper finds that r hardly matters. (0.3, 0.03, 1) are gentler rates of our own.
"""
"""Success on AMASS-Test; the paper says of r only that it hardly matters."""


def make(bench: Bench, report: Report) -> None:
    """Each brain on the test split, fresh at the start."""
    for folder in followers(bench, report):
        clips = clips_of(bench, "test")
        for limits, strong in (("collected limits", paper_strength(bench, folder)), ("athlete's limits", 1.0)):
            for rates, printed in PAPER.items():
                found = follow(folder, clips, body_of(*rates), strong=strong)
                condition = "{}, ({:g}, {:g}, {:g})".format(limits, *rates)
                found.share(report, folder.name, condition, printed if limits.startswith("collected") else None)
                bench.say(f"{folder.name}, {condition}: {found.success.sum()} of {len(clips)} followed")
    draw(report, "success", "Motions of the test split followed, by (F, R, r)", "share", by_split)
