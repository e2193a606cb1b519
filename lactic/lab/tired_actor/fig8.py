"""Fig. 8: a push forward at the pelvis, fresh and tired."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.lab.tired_actor.pushes import SECONDS, draw_pushes, push

TITLE = "walks pushed forward, by fatigue"
NOTE = """
400 N for a second at the pelvis, forwards, 2 s into a walk of 6 s, at the brain's own rates; `waits` lets the motion
wait. Shares are of walks that were followed up to the push. The paper shows one push: fresh its actor stays up, at MF
90% it falls.
"""


def make(bench: Bench, report: Report) -> None:
    """Each brain; the paper's fresh character stays up, and falls at MF 90 %."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        for spent in (0.0, 0.5, 0.9):
            for way in ("strict", "waits"):
                push(report, folder, clips, f"MF {spent:.0%}, {way}", "pelvis", "forward", spent, way == "strict")
    draw_pushes(report)
