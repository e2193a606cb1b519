"""Fig. 6: going in circles with the inner or the outer half of the body tired at the start."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.drawing import draw
from lactic.lab.tired_actor.following import LOWEST, follow, followers, people_of
from lactic.lab.trial import body_of
from lactic.motion.body_clip import BodyClip
from lactic.play.tracked import Tracked

TITLE = "circles with a tired inner or outer half of the body"
NOTE = """
Stretches of 4 s in which the path turns by at least 225° at a walk or a run, mirrored so that all turn to the left.
Half of the body begins with MF 50%. The rates are the paper's, (2, 0, 0), by which nothing recovers, and the brain's
own. In the paper, which shows one run, a tired inner half leads off the path and to a fall, a tired outer half
hardly.
"""
SPENT, SECONDS = 0.5, 4.0
ROUND, PACE = 1.25 * np.pi, 1.0
"""Radians that a path turns in that time, and m/s over the floor, at least."""
RATES = body_of(2.0, 0.0, 0.0)
"""What the paper's character tires by here."""
SIDES = {"none tired": None, "inner half tired": "left", "outer half tired": "right"}


def circle(clip: BodyClip) -> BodyClip | None:
    """The stretch of a clip whose path turns most, mirrored where that is to the right; None where it is no circle."""
    length = round(SECONDS * clip.fps)
    if clip.frames <= length:
        return None
    velocity = clip.qvel()[:, :2]
    course = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    turned = course[length:] - course[:-length]
    begin = int(np.abs(turned).argmax())
    found = clip.cut(begin / clip.fps, begin / clip.fps + SECONDS)
    pace = np.linalg.norm(velocity[begin : begin + length], axis=1).min()
    if abs(turned[begin]) < ROUND or pace < PACE / 2 or found.qpos[:, 2].min() < LOWEST:
        return None
    return found if turned[begin] > 0 else found.mirror()


def make(bench: Bench, report: Report) -> None:
    """Each brain at the paper's rates and at its own; in the paper a tired inner half leads off the path and to a fall,
    a tired outer half only to smaller motion."""
    library = people_of(bench)
    every = (circle(library.clip(i)) for i in range(len(library)))
    clips = [clip for clip in every if clip is not None][: bench.episodes]
    if not clips:
        report.skip("library.npz has no circle")
        return
    for folder in followers(bench, report):
        for name, fitness in ((RATES.name, RATES), (folder.load().info.fitness, None)):
            for side, word in SIDES.items():
                joints = [j for region, of in clips[0].body.regions.items() if word in region.split() for j in of]
                steps = np.zeros(len(clips))

                def each(driver: Tracked, chosen: list[int], live: np.ndarray, steps: np.ndarray = steps) -> None:
                    steps[chosen] += live

                found, condition = follow(folder, clips, fitness, SPENT, joints=joints, each=each), f"{name}, {side}"
                found.share(report, folder.name, condition)
                report.add(folder.name, condition, "followed_s", statistics.mean(steps / clips[0].fps))
                report.add(folder.name, condition, "off_mm", statistics.mean(found.errors[:, 0]))
                bench.say(f"{folder.name}, {condition}: {found.success.sum()} of {len(clips)} circles followed")
    draw(report, "followed_s", f"For how many of {SECONDS:g} s circles are followed", "s")
