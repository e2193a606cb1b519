"""Pushing those that walk: 400 N for a second at a part of the body (tired_actor Sec. 4.4)."""

import numpy as np

from lactic import rotation
from lactic.brain.catalogue import BrainFolder
from lactic.lab import statistics
from lactic.lab.report import Report, Row
from lactic.lab.tired_actor.drawing import draw
from lactic.motion.body_clip import BodyClip
from lactic.play.player import Player
from lactic.play.tracked import LOST, Tracked

FORCE, BEGIN, LENGTH, SECONDS = 400.0, 2.0, 1.0, 6.0
"""N, and seconds: from when, for how long, of how long a walk."""
LOWEST = 0.5
"""Metres below which a pelvis has fallen."""
WAYS = {"forward": (1, 0, 0), "backward": (-1, 0, 0), "left": (0, 1, 0), "right": (0, -1, 0), "down": (0, 0, -1)}
"""Seen from where the pelvis faces."""
WHEN = {"up_after_push": "when it ends", "up_at_end": f"{SECONDS - BEGIN - LENGTH:g} s later"}


def push(
    report: Report,
    folder: BrainFolder,
    clips: list[BodyClip],
    condition: str,
    part: str,
    way: str,
    spent: float = 0.0,
    strict: bool = False,
) -> None:
    """Of walks that are followed up to a push, strictly or not, add how many are still up when it ends and at the end,
    how many follow again by then, and how far the push threw the pelvis beside
    where the clip would have brought it.

    At the brain's own rates: in an athlete's body (2, 0.05, 1) ends any walk.
    """
    player, index = Player(folder.load(2), None, len(clips), 2), clips[0].body.bodies.index(part)
    player.exhaust(player.info.joints, spent)
    driver, world = Tracked(player, *clips, strict=strict), player.world
    ready, stood = (np.ones(len(clips), bool) for _ in range(2))
    held, far, start, rate = stood.copy(), np.zeros(len(clips)), np.zeros((len(clips), 2)), player.info.control_rate
    towards = np.broadcast_to(np.array(WAYS[way], float), (len(clips), 3))
    while player.second < SECONDS:
        before, on = player.second < BEGIN, BEGIN <= player.second < BEGIN + LENGTH
        world.push[:, index, :3] = on * FORCE * rotation.rotate(rotation.heading_rotation(world.qpos[:, 3:7]), towards)
        driver.step()
        ready &= (driver.error() < LOST) | (not before)
        stood &= (world.qpos[:, 2] > LOWEST) | before
        held = stood.copy() if on else held
        clip = driver.frames.qpos[np.minimum(driver.first + round(player.second * rate), driver.last)]
        gap = world.qpos[:, :2] - clip[:, :2]
        start = gap if before else start
        far = np.maximum(far, np.linalg.norm(gap - start, axis=1)) if on else far
    again = ready & stood & (driver.error() < LOST)
    for metric, which in (("up_after_push", held), ("up_at_end", stood), ("follows_again", again)):
        report.add(folder.name, condition, metric, statistics.share(int(which[ready].sum()), int(ready.sum())))
    report.add(folder.name, condition, "thrown_m", statistics.mean(far[ready]))


def draw_pushes(report: Report) -> None:
    """Who is up when the push ends, and in the end."""
    draw(report, tuple(WHEN), f"Still up after {FORCE:g} N for a second", "share", _place)


def _place(row: Row) -> tuple[str, str, str]:
    """A panel for each moment, a line for each condition, a colour for each brain."""
    return WHEN[row.metric], row.condition, row.subject
