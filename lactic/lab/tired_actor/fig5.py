"""Fig. 5: only the arms or only the legs are tired at the start, or all of the body."""

from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.drawing import draw
from lactic.lab.tired_actor.following import follow, followers, walks_of

TITLE = "walks with tired arms, tired legs, or a tired body"
NOTE = """
Walks of 6 s begin with MF 99% in some joints, at the brain's own rates. The paper shows one motion: with tired arms
it is done, with tired legs the body falls, with a body that is tired all over it does not fall. That last finding
needs limits of which a hundredth still carries the body; see Table 3.
"""
SPENT, SECONDS = 0.99, 6.0
PARTS = {"arms": ("arm",), "legs": ("leg",), "whole body": ("arm", "leg", "trunk")}


def make(bench: Bench, report: Report) -> None:
    """Each brain on walks at its own rates; the paper shows one motion: with tired legs it falls, with tired arms or a
    tired body it does not."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        regions = clips[0].body.regions
        conditions: dict[str, list[str]] = {"fresh": []}
        for name, words in PARTS.items():
            conditions[name] = [j for region, joints in regions.items() if region.endswith(words) for j in joints]
        for condition, joints in conditions.items():
            found = follow(folder, clips, None, SPENT, joints=joints)
            found.rows(report, folder.name, condition)
            bench.say(f"{folder.name}, {condition}: {found.success.sum()} of {len(clips)} walks followed")
    draw(report, "success", f"Walks of {SECONDS:g} s followed to their end, by what begins with MF 99 %", "share")
