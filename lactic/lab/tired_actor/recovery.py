"""Getting up: characters that lie on the floor, and how many stand and follow again within six seconds."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.drawing import draw
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.play.player import Player
from lactic.play.tracked import LOST, Tracked
from lactic.world.limp import lying

TITLE = "getting up and following again"
NOTE = """
This is not in the paper, which shows but one fall. Characters lie on the floor in poses of bodies that went limp.
Those count that are near a walk within 6 s and follow it for another second. The motion waits for them.
"""
WITHIN, AFTER = 6.0, 1.0
"""Seconds to be near the motion in, and to follow it for then."""
TARGETS = {("fresh", "rises"): (0.8, None), ("MF 50%", "rises"): (0.6, None)}


def make(bench: Bench, report: Report) -> None:
    """Each brain below walks, fresh and tired, in the body that it was made for."""
    for folder in followers(bench, report):
        clips = walks_of(bench, WITHIN)
        first = np.stack([clips[i % len(clips)].qpos[0] for i in range(bench.episodes)])
        speed = np.stack([clips[i % len(clips)].qvel()[0] for i in range(bench.episodes)])
        poses = lying(clips[0].body, first, speed, bench.seed)
        poses[:, :2] = first[:, :2]
        brain = folder.load(2)
        if not brain.info.tracking or not brain.info.tracking.rises:
            bench.say(f"{folder.name}: never learnt to get up (docs/notes/actor.md says how)")
        for condition, spent in (("fresh", 0.0), ("MF 50%", 0.5)):
            player = Player(brain, None, bench.episodes, 2)
            player.exhaust(player.info.joints, spent)
            driver = Tracked(player, *clips)
            driver.lie(poses)
            since = np.full(bench.episodes, np.inf)
            risen = np.full(bench.episodes, np.inf)
            while player.second < WITHIN + AFTER:
                driver.step()
                away = driver.down | (driver.error() > LOST)
                since = np.where(away, np.inf, np.minimum(since, player.second))
                follows = (player.second - since >= AFTER) & (since <= WITHIN)
                risen = np.where(follows, np.minimum(risen, since), risen)
            up = np.isfinite(risen)
            report.add(folder.name, condition, "rises", statistics.share(int(up.sum()), len(up)))
            report.add(folder.name, condition, "rise_s", statistics.mean(risen[up]))
            bench.say(f"{folder.name}, {condition}: {up.sum()} of {len(up)} got up")
    draw(report, "rises", f"Up and following within {WITHIN:g} s", "share")
