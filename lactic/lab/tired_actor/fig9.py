"""Fig. 9: pushes at the pelvis from several directions."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.lab.tired_actor.pushes import SECONDS, WAYS, draw_pushes, push

TITLE = "walks pushed at the pelvis, by direction"
NOTE = """
400 N for a second at the pelvis, 2 s into a walk of 6 s, at the brain's own rates; the motion may wait (`fig8` has
both). Shares are of walks that were followed up to the push. In the paper, which shows one push each, backward is
worst, then come pushes from the side, and downward is the least.
"""


def make(bench: Bench, report: Report) -> None:
    """Each brain; in the paper backward is worst, then sideways, and downward the least."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        for way in WAYS:
            push(report, folder, clips, way, "pelvis", way)
    draw_pushes(report)
