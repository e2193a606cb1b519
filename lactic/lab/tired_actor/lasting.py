"""Walks and runs of the test split done again and again while the body tires: what each ends in."""

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import clips_of, followers
from lactic.motion import looping
from lactic.motion.body_clip import BodyClip
from lactic.play.player import Player
from lactic.play.tracked import Tracked

TITLE = "walks and runs of the test split, repeated until the body has tired"
TARGETS = {("", "lasts_or_stops"): (0.9, None)}
SECONDS = 60.0
RUNS = 2.0
"""Mean m/s over the floor of clips that are runs; those that travel at all are taken."""
MOST = 64
FASTEST = 1.2
STOPPED, OVER = 0.1, 5.0
"""Of the motion's own pace, in the mean of the last so many seconds: it has stopped."""


def chosen(clips: list[BodyClip]) -> list[BodyClip]:
    """Those that travel, the first so many; every second time over mirrored, where there are too few."""
    going = [clip for clip in clips if looping.speed(clip) >= looping.TRAVELS]
    return [*going, *(clip.mirror() for clip in going)][:MOST]


def ends(
    folder: BrainFolder, clips: list[BodyClip], seconds: float = SECONDS
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Second at which each was lost (infinite where it was not), which stopped, and strength left, (clip,)."""
    brain = folder.load(2)
    player = Player(brain, None, len(clips), 2)
    rate = player.info.control_rate
    driver = Tracked(player, *(looping.lasting(clip, FASTEST * seconds) for clip in clips))
    lost, pace = np.full(len(clips), np.inf), np.ones(len(clips))
    for _ in range(round(seconds * rate)):
        driver.step()
        now = (driver.fallen() | driver.down) & np.isinf(lost)  # one that gets up again has fallen too
        lost[now] = player.second
        pace += (driver.clock - pace) / (OVER * rate)
    return lost, np.isinf(lost) & (pace < STOPPED), 1.0 - player.fatigue[..., 2].mean(1)


def make(bench: Bench, report: Report) -> None:
    """Each brain on walks and on runs, at its own fitness: how many last or stop, and when the others are lost."""
    clips = chosen(clips_of(bench, "test"))
    fast = np.array([looping.speed(clip) >= RUNS for clip in clips])
    for folder in followers(bench, report):
        lost, stopped, left = ends(folder, clips)
        for condition, which in (("walks and runs", fast | True), ("walks", ~fast), ("runs", fast)):
            if not which.any():
                continue
            count, well = int(which.sum()), np.isinf(lost[which])
            report.add(folder.name, condition, "lasts_or_stops", statistics.share(int(well.sum()), count))
            report.add(folder.name, condition, "stops", statistics.share(int(stopped[which].sum()), count))
            if not well.all():
                report.add(folder.name, condition, "lost_after_s", statistics.mean(lost[which][~well]))
            if well.any():
                report.add(folder.name, condition, "strength_left", statistics.mean(left[which][well]))
        bench.say(f"{folder.name}: {int(np.isinf(lost).sum())} of {len(clips)} last {SECONDS:.0f} s or stop")
