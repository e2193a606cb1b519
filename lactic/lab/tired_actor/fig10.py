"""Fig. 10: pushes forward at several parts of the body."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import draw, followers, walks_of
from lactic.lab.tired_actor.pushes import SECONDS, push

TITLE = "walks pushed forward, by part of the body"
PARTS = ("right_hand", "right_forearm", "head", "torso", "pelvis", "right_shin")


def make(bench: Bench, report: Report) -> None:
    """Each brain; in the paper hands are easy to make up for, and the trunk is not."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        for part in PARTS:
            push(report, folder, clips, part.replace("_", " "), part, "forward")
    draw(report, "up_after_push", "Still up after 400 N for a second", "share")
