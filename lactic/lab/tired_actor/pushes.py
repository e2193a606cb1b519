"""Pushing those that walk: 400 N for a second at a part of the body (tired_actor Sec. 4.4)."""

import numpy as np

from lactic import rotation
from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import follow
from lactic.motion.body_clip import BodyClip
from lactic.play.tracked import Tracked

FORCE, BEGIN, LENGTH, SECONDS = 400.0, 2.0, 1.0, 6.0
"""N, and seconds: from when, for how long, of how long a walk."""
WAYS = {"forward": (1, 0, 0), "backward": (-1, 0, 0), "left": (0, 1, 0), "right": (0, -1, 0), "down": (0, 0, -1)}
"""Seen from where the pelvis faces."""


def push(
    report: Report, folder: BrainFolder, clips: list[BodyClip], condition: str, part: str, way: str, spent: float = 0.0
) -> None:
    """Add how many walks go on to their end with such a push, and how far off it threw those that were followed.

    At the brain's own rates: in an athlete's body (2, 0.05, 1) ends any walk.
    """
    peak, index = np.zeros(len(clips)), clips[0].body.bodies.index(part)

    def each(driver: Tracked, chosen: list[int], live: np.ndarray) -> None:
        world, now = driver.player.world, driver.player.second
        on = FORCE * (BEGIN <= now < BEGIN + LENGTH)
        facing = rotation.heading_rotation(world.qpos[:, 3:7])
        world.push[:, index, :3] = on * rotation.rotate(
            facing, np.broadcast_to(np.array(WAYS[way], float), (len(live), 3))
        )
        peak[chosen] = np.maximum(peak[chosen], (now >= BEGIN) * live * driver.error())

    found = follow(folder, clips, None, spent, each=each)
    found.share(report, folder.name, condition)
    if found.success.any():
        report.add(folder.name, condition, "thrown_m", statistics.mean(peak[found.success]))
