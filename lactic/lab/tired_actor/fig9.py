"""Fig. 9: pushes at the pelvis from several directions."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import draw, followers, walks_of
from lactic.lab.tired_actor.pushes import SECONDS, WAYS, push

TITLE = "walks pushed at the pelvis, by direction"


def make(bench: Bench, report: Report) -> None:
    """Each brain; in the paper backward is worst, then sideways, and downward the least."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        for way in WAYS:
            push(report, folder, clips, way, "pelvis", way)
    draw(report, "up_after_push", "Still up after 400 N for a second", "share")
