"""Fig. 10: pushes forward at several parts of the body."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.lab.tired_actor.pushes import SECONDS, draw_pushes, push

TITLE = "walks pushed forward, by part of the body"
PARTS = ("right_hand", "right_forearm", "head", "torso", "pelvis", "right_shin")
NOTE = """
400 N for a second at a part of the body, forwards, 2 s into a walk of 6 s, at the brain's own rates; the motion may
wait (`fig8` has both). Shares are of walks that were followed up to the push. In the paper, which shows one push
each, a hand is easily made up for and the trunk is not.
"""


def make(bench: Bench, report: Report) -> None:
    """Each brain; in the paper hands are easy to make up for, and the trunk is not."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        for part in PARTS:
            push(report, folder, clips, part.replace("_", " "), part, "forward")
    draw_pushes(report)
