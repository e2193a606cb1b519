"""Fig. 7: paths that a student takes between places, by the angle of the turn and by fatigue at the start."""

import numpy as np

from lactic import rotation
from lactic.lab import pictures, statistics
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.following import followers, walks_of
from lactic.motion.body_clip import BodyClip
from lactic.play.player import Player
from lactic.play.steer import over_a_step
from lactic.play.tracked import Tracked

TITLE = "paths between two places, by turn and fatigue"
LEG = 3.0
"""Seconds to each of the two places."""
TURNS = (30.0, 60.0, 90.0, 120.0, 150.0)
LEVELS = (0.0, 0.5, 0.8)
LOW = 0.5
"""Height of the pelvis in m below which a body has fallen."""
SWAY = 0.55
"""Seconds over which paths are averaged: hips sway with every step."""
SLOW = 0.3
"""m/s below which a path has no curvature."""


def bent(walk: BodyClip, degrees: float) -> BodyClip:
    """A walk along x, then along a line that turns left by so many degrees after the first place; its own pace and
    steps, its root on the lines."""
    seconds = np.arange(round(2 * LEG * walk.fps) + 1) / walk.fps
    pace = float(np.linalg.norm(walk.qvel()[:, :2], axis=1).mean())
    turn = np.radians(degrees)
    after = np.clip(seconds - LEG, 0.0, None)[:, None] * [np.cos(turn), np.sin(turn)]
    place = pace * (np.minimum(seconds, LEG)[:, None] * [1.0, 0.0] + after)
    qpos = walk.qpos[np.minimum(np.arange(len(seconds)), walk.frames - 1)].copy()
    yaw = np.where(seconds < LEG, 0.0, turn) - rotation.heading(qpos[:, 3:7])
    qpos[:, :2], qpos[:, 3:7] = place, rotation.multiply(rotation.about("z", yaw), qpos[:, 3:7])
    return BodyClip(walk.body_name, walk.fps, qpos, name=f"{walk.name}_{degrees:.0f}")


def curvature(path: np.ndarray, rate: float) -> np.ndarray:
    """Of paths (frame, …, 2) where they move, 1/m; NaN where they do not."""
    speed = np.gradient(path, axis=0) * rate
    push = np.gradient(speed, axis=0) * rate
    size = np.linalg.norm(speed, axis=-1)
    turning = np.abs(speed[..., 0] * push[..., 1] - speed[..., 1] * push[..., 0])
    return np.where(size > SLOW, turning / np.maximum(size, SLOW) ** 3, np.nan)


def walked(driver: Tracked) -> tuple[np.ndarray, np.ndarray]:
    """Paths of the roots (frame, character, 2) until the motions end, and which stayed up."""
    world, path = driver.player.world, []
    up = np.ones(world.count, bool)
    while not driver.finished.all():
        path.append(world.qpos[:, :2].copy())
        driver.step()
        up &= (world.qpos[:, 2] > LOW) & ~world.faulted
    return np.stack([*path, world.qpos[:, :2].copy()]), up


def make(bench: Bench, report: Report) -> None:
    """Each student of held places, at its own rates: curvature, distance from the lines and from the places."""
    axes = pictures.panels(report, 1, len(LEVELS), height=3.2)[0]
    for folder in followers(bench, report):
        brain = folder.load(2)
        about = brain.info.tracking
        if about is None or len(about.targets) != 1 or not about.held:
            report.skip(f"{folder.name}: no student of held places of the root (docs/notes/actor.md says how)")
            continue
        walks = walks_of(bench, LEG)
        for axis, spent in zip(axes, LEVELS, strict=True):
            for degrees, colour in zip(TURNS, pictures.COLOURS, strict=False):
                clips = [bent(walk, degrees) for walk in walks]
                player = Player(brain, None, len(clips), 2)
                player.exhaust(player.info.joints, spent)
                path, up = walked(Tracked(player, *clips))
                condition, rate = f"MF {spent:.0%}, {degrees:.0f} degrees", clips[0].fps
                report.add(folder.name, condition, "stays_up", statistics.share(int(up.sum()), len(up)))
                bench.say(f"{folder.name}, {condition}: {up.sum()} of {len(up)} stay up")
                if not up.any():
                    continue
                path, half = over_a_step(path[:, up], rate, SWAY), len(path) // 2
                lines = np.stack([clip.qpos[:, :2] for clip, kept in zip(clips, up, strict=True) if kept], axis=1)
                apart = np.linalg.norm(path[:, :, None] - np.moveaxis(lines, 0, 1), axis=-1).min(axis=2)
                bends = [row[np.isfinite(row)] for row in curvature(path, rate).T]
                sharp = np.array([np.quantile(row, 0.9) for row in bends if len(row)])
                report.add(folder.name, condition, "curvature", statistics.mean(sharp))
                report.add(folder.name, condition, "off_the_lines_m", statistics.mean(apart.mean(axis=0)))
                for name, frame in (("first_place_m", half), ("second_place_m", -1)):
                    gap = np.linalg.norm(path[frame] - lines[frame], axis=-1)
                    report.add(folder.name, condition, name, statistics.mean(gap))
                axis.plot(*path.mean(axis=1).T, color=colour, label=f"{degrees:.0f}°")
            pictures.dress(axis, f"MF {spent:.0%}", "m")
