"""Fig. 11: walks that begin with MF 95 %, with and without having learnt to get up."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.designs import task_of
from lactic.lab.tired_actor.drawing import draw
from lactic.lab.tired_actor.following import TIRING, follow, followers, walks_of
from lactic.play.tracked import Tracked

TITLE = "walks of a spent body, before and after learning to get up"
NOTE = """
Walks of 6 s begin with MF 95%. The paper shows one: without fall recovery its actor falls, with it it does not.
Brains that never learnt to get up were trained for far shorter than `actor`, so this compares more than getting up.
Following is strict, so a body that falls has lost its walk even if it could get up.
"""
SPENT, SECONDS = 0.95, 6.0


def make(bench: Bench, report: Report) -> None:
    """Each brain given, at its own rates and at the paper's: how many walks it follows, and for how long. The paper
    shows one walk: without fall recovery its actor falls, with it it does not."""
    for folder in followers(bench, report):
        clips = walks_of(bench, SECONDS)
        learnt = float((task_of(folder).get("track") or {}).get("fallen") or 0.0) > 0
        for rates, fitness in (("own rates", None), ("(2, 0.05, 1)", TIRING)):
            seconds = np.zeros(len(clips))

            def each(driver: Tracked, chosen: list[int], live: np.ndarray, seconds: np.ndarray = seconds) -> None:
                seconds[chosen] += live * driver.player.dt

            found = follow(folder, clips, fitness, SPENT, each=each)
            condition = f"{'gets up' if learnt else 'never learnt to get up'}; {rates}"
            found.share(report, folder.name, condition)
            report.add(folder.name, condition, "followed_s", statistics.mean(seconds))
            bench.say(f"{folder.name}, {condition}: {found.success.sum()} of {len(clips)} walks followed")
    draw(report, "followed_s", f"Walks of {SECONDS:g} s, MF 95 % at the start: followed for", "s")
