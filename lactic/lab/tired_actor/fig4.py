"""Fig. 4: walks by fatigue at the start: amplitude, trailing, length of steps."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.designs import tires
from lactic.lab.tired_actor.drawing import draw, strips
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.lab.tired_actor.walking import LEVELS, SECONDS, Walk, step_length, walk

TITLE = "amplitude of walks and length of steps, by fatigue at the start (Fig. 4)"
STEP = {True: 0.385, False: 0.407}
"""m, of Tired Actor and of the baseline without fatigue, on 500 walks (Sec. 4.1)."""
NOTE = """
Walks of 6 s are followed strictly at the brain's own rates. `20% torque` is a body that has a fifth of its strength
and does not tire. Numbers are of walks that were followed to their end. The paper draws its Fig. 4 only: amplitude
falls and the body trails behind as MF rises. It prints the length of steps (Sec. 4.1), which here stands at MF 0%.
Its walks are AMASS's, so `step_ratio`, the length over the clip's own, compares better.
"""


def make(bench: Bench, report: Report) -> None:
    """Each brain on walks, from fresh to nearly spent; a strip of one walk at each level."""
    clips = walks_of(bench, SECONDS)
    body, shown = clips[0].body, []
    far = int(np.argmax([np.linalg.norm(clip.qpos[-1, :2] - clip.qpos[0, :2]) for clip in clips]))
    for folder in followers(bench, report):
        for name, fitness, spent in LEVELS:
            found, walks = walk(folder, clips, fitness, spent)
            found.share(report, folder.name, name)
            bench.say(f"{folder.name}, {name}: {found.success.sum()} of {len(clips)} walks followed")
            if folder.name == report.rows[0].subject:
                shown += [(name, one.qpos, one.spent) for one in walks if one.number == far]
            done = [one for one in walks if one.done]
            if not done:
                continue
            steps, asked = (
                np.array([step_length(places, body) for places in column])
                for column in zip(*((one.xpos, one.aim_xpos) for one in done), strict=True)
            )
            report.add(folder.name, name, "amplitude", statistics.mean(np.array([_amplitude(one) for one in done])))
            report.add(folder.name, name, "trailing_m", statistics.mean(np.array([_trailing(one) for one in done])))
            printed = STEP[tires(folder)] if name == LEVELS[0][0] else None
            report.add(folder.name, name, "step_length", statistics.mean(steps), printed)
            report.add(folder.name, name, "step_ratio", statistics.mean(steps / asked))
    strips(report, "strip", body, clips[0].fps, shown)
    draw(report, "amplitude", "Deviation of joint angles over the clip's own", "ratio")


def _amplitude(one: Walk) -> float:
    """Standard deviation of joint angles over time, over the motion's own."""
    return float(one.qpos[:, 7:].std(0).sum() / one.aim_qpos[:, 7:].std(0).sum())


def _trailing(one: Walk) -> float:
    """Metres that the root is behind the motion's, along the way it goes."""
    velocity = one.aim_qvel[:, :2]
    way = velocity / np.maximum(np.linalg.norm(velocity, axis=1, keepdims=True), 0.1)
    return float((way * (one.aim_xpos[:, 0, :2] - one.xpos[:, 0, :2])).sum(axis=1).mean())
