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
NOTE = """
A student of `actor` is told only where the root shall be, first one place and after 3 s a second one; it chooses its
path. The angle is that between the two ways. The paper compares its actor with a baseline that does not tire; here
the same student begins fresh or tired, at its own rates. `curvature` is that which a path exceeds in a tenth of its
time, of paths averaged over a step, where they move. The paper draws paths and curvatures and prints no numbers: its
actor takes sharp turns with less curvature and comes later. The motion waits for its body, so a tired one comes less
far in the same time, and all paths are shorter than the lines.
"""
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
    """Paths of the roots (frame, character, 2) for the time of both ways, and which stayed up: a motion may wait, and
    that of a body on the floor never ends."""
    world, path = driver.player.world, []
    up = np.ones(world.count, bool)
    for _ in range(round(2 * LEG * driver.player.info.control_rate)):
        path.append(world.qpos[:, :2].copy())
        driver.step()
        up &= (world.qpos[:, 2] > LOW) & ~world.faulted
    return np.stack([*path, world.qpos[:, :2].copy()]), up


def make(bench: Bench, report: Report) -> None:
    """Each student of held places, at its own rates: curvature, distance from the lines and from the places."""
    shown: dict[tuple[str, float, float], tuple[np.ndarray, np.ndarray]] = {}
    for folder in followers(bench, report):
        brain = folder.load(2)
        about = brain.info.tracking
        if about is None or len(about.targets) != 1 or not about.held:
            report.skip(f"{folder.name}: no student of held places of the root (docs/notes/actor.md says how)")
            continue
        walks = walks_of(bench, LEG)
        for spent in LEVELS:
            for degrees in TURNS:
                clips = [bent(walk, degrees) for walk in walks]
                player = Player(brain, None, len(clips), 2)
                player.exhaust(player.info.joints, spent)
                path, up = walked(Tracked(player, *clips))
                condition, rate = f"{degrees:.0f} degrees, MF {spent:.0%}", clips[0].fps
                report.add(folder.name, condition, "stays_up", statistics.share(int(up.sum()), len(up)))
                bench.say(f"{folder.name}, {condition}: {up.sum()} of {len(up)} stay up")
                if not up.any():
                    continue
                path, half = over_a_step(path[:, up], rate, SWAY), len(path) // 2
                lines = np.stack([clip.qpos[:, :2] for clip, kept in zip(clips, up, strict=True) if kept], axis=1)
                apart = np.linalg.norm(path[:, :, None] - np.moveaxis(lines, 0, 1), axis=-1).min(axis=2)
                bends = curvature(path, rate)
                sharp = np.array([np.quantile(row[np.isfinite(row)], 0.9) for row in bends.T if np.isfinite(row).any()])
                report.add(folder.name, condition, "curvature", statistics.mean(sharp))
                report.add(folder.name, condition, "off_the_lines_m", statistics.mean(apart.mean(axis=0)))
                for name, frame in (("first_place_m", half), ("second_place_m", -1)):
                    gap = np.linalg.norm(path[frame] - lines[frame], axis=-1)
                    report.add(folder.name, condition, name, statistics.mean(gap))
                shown[folder.name, spent, degrees] = path.mean(axis=1), bends[np.isfinite(bends)]
    if shown:
        _picture(report, shown)


def _picture(report: Report, shown: dict[tuple[str, float, float], tuple[np.ndarray, np.ndarray]]) -> None:
    """A column for each turn: mean paths above, how often which curvature is exceeded below."""
    axes = pictures.panels(report, 2, len(TURNS), width=11.0, height=2.6)
    subjects, named = list(dict.fromkeys(subject for subject, _, _ in shown)), {}
    for (subject, spent, degrees), (path, bends) in shown.items():
        column, colour = TURNS.index(degrees), pictures.COLOURS[LEVELS.index(spent)]
        style = ("-", "--", ":")[subjects.index(subject) % 3]
        label = f"MF {spent:.0%}" if len(subjects) == 1 else f"{subject}, MF {spent:.0%}"
        (named[label],) = axes[0, column].plot(*path.T, style, color=colour)
        ranked = np.sort(bends)[::-1]
        axes[1, column].plot(ranked, np.arange(1, len(ranked) + 1) / len(ranked), style, color=colour)
    for column, degrees in enumerate(TURNS):
        first = column == 0
        pictures.dress(axes[0, column], f"{degrees:.0f}°", "paths, m" if first else "", legend=False)
        pictures.dress(axes[1, column], "", "share of time above" if first else "")
        axes[0, column].set_aspect("equal", adjustable="datalim")
        axes[0, column].set_xlabel("m")
        axes[1, column].set_xscale("log")
        axes[1, column].set_xlim(0.02, 20.0)
        axes[1, column].set_xlabel("curvature, 1/m")
    axes[0, -1].legend(
        named.values(), named.keys(), loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9
    )
