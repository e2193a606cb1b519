"""Fig. 8: a push forward at the pelvis, fresh and tired."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import draw, followers, walks_of
from lactic.lab.tired_actor.pushes import SECONDS, push

TITLE = "walks pushed forward, by fatigue"


def make(bench: Bench, report: Report) -> None:
    """Each brain; the paper's fresh character stays up, and falls at MF 90 %."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        for spent in (0.0, 0.5, 0.9):
            push(report, folder, clips, f"MF {spent:.0%}", "pelvis", "forward", spent)
    draw(report, "up_after_push", "Still up after 400 N for a second", "share")
