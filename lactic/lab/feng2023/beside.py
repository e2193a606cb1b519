"""Joints and muscles side by side: one motion followed by the joint-driven actor and by muscles at the same rates.

Give motion files after the item: `lactic lab feng2023 beside walk.bvh`. Which joints and which muscles have lost half
of their strength first?
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lactic import fatigue
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.lab.bench import Bench
from lactic.lab.feng2023.motions import trace
from lactic.lab.feng2023.players import brains
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report
from lactic.motion.body_clip import BodyClip, skeleton_clip
from lactic.motion.looping import repeated
from lactic.motion.man import onto_man
from lactic.motion.read import read
from lactic.motion.retarget import retarget
from lactic.muscle.man.musculature import musculature
from lactic.play.player import Player
from lactic.play.tracked import LOST, Tracked

TITLE = "one motion by joints and by muscles, at the same rates"
SECONDS, RATES, SCALE = 60.0, "feng2023", 10.0
NAMED, HALF = 5, 0.5
"""How many are named, and the share of strength whose loss counts."""
ACTOR = "actor"


@dataclass(frozen=True)
class Wearied:
    """How the parts of a body tired until the motion was lost."""

    fps: float
    names: tuple[str, ...]
    fatigued: np.ndarray
    """(frame, part): MF."""
    error: np.ndarray
    """(frame,): mean distance of the bodies from the motion's, seen from the root, m."""

    def first(self) -> list[tuple[str, float, float]]:
        """Parts with the second at which half was gone (infinite: never) and the last MF, those that failed first."""
        gone = self.fatigued >= HALF
        when = np.where(gone.any(0), gone.argmax(0) / self.fps, np.inf)
        order = np.lexsort((-self.fatigued[-1], when))
        return [(self.names[k], float(when[k]), float(self.fatigued[-1, k])) for k in order]


def make(bench: Bench, report: Report) -> None:
    """Rows of the parts that failed first, in both bodies, and how long each followed."""
    if not bench.motions:
        report.skip("no motion; give files after the item, such as walk.bvh")
        return
    fitness = fatigue.preset(RATES).altered(time_scale=SCALE)
    shown: list[tuple[str, Wearied]] = []
    men = list(brains(bench, report, "motion", "muscle-vae"))
    for file in bench.motions:
        clip = long_clip(file)
        found = {ACTOR: _joints(catalogue.find(ACTOR), clip, fitness)}
        found |= {folder.name: _muscles(bench, folder, clip, fitness) for folder in men}
        for name, spent in found.items():
            condition = f"{Path(file).stem}, by {'joints' if name == ACTOR else 'muscles'}"
            report.add(name, condition, "seconds_followed", len(spent.fatigued) / spent.fps)
            report.add(name, condition, "body_error_m", float(spent.error.mean()))
            for rank, (part, when, last) in enumerate(spent.first()[:NAMED], 1):
                report.add(name, f"{condition}, {rank}: {part}", "half_gone_after_s", when)
                report.add(name, f"{condition}, {rank}: {part}", "fatigued_at_the_end", last)
            shown.append((f"{Path(file).stem}: {name}", spent))
    axes = panels(report, len(shown), height=2.6, x="time (s)")
    for axis, (title, spent) in zip(axes[:, 0], shown, strict=True):
        for (part, *_), colour in zip(spent.first()[:NAMED], COLOURS, strict=False):
            curve = spent.fatigued[:, spent.names.index(part)]
            axis.plot(np.arange(len(curve)) / spent.fps, 100 * curve, color=colour, label=part.replace("_", " "))
        dress(axis, f"{title}, the first to fail", "MF (%)")


def long_clip(file: str) -> BodyClip:
    """A motion on the humanoid, repeated until it is long enough."""
    clip, _ = retarget(read(Path(file)))
    if clip.seconds >= SECONDS:
        return clip
    try:
        return repeated(clip, int(np.ceil(2 * SECONDS / clip.seconds)))[0]
    except InputError:
        return clip


def _joints(folder: BrainFolder, clip: BodyClip, fitness: fatigue.Fitness) -> Wearied:
    """The joint-driven actor, strictly at the motion's own pace."""
    player = Player(folder.load(), fitness)
    driver, rows = Tracked(player, clip, strict=True), []
    for _ in range(round(SECONDS * player.info.control_rate)):
        if driver.finished[0]:
            break
        driver.step()
        off = (player.world.xpos - driver.moment().xpos)[0]
        rows.append((player.fatigue[0, :, 2].copy(), np.linalg.norm(off - off[:1], axis=1).mean()))
        if np.linalg.norm(off, axis=1).mean() > LOST or player.world.faulted[0]:
            break
    spent, error = (np.array(column) for column in zip(*rows, strict=True))
    return Wearied(player.info.control_rate, tuple(player.info.joints), spent, error)


def _muscles(bench: Bench, folder: BrainFolder, clip: BodyClip, fitness: fatigue.Fitness) -> Wearied:
    """Muscles by their anatomical names; strands of one count by their force."""
    poses = onto_man(skeleton_clip(clip.body, clip.qpos, clip.fps, clip.name), folder.load().info.control_rate)
    found = trace(bench, folder, clip.name, poses, min(SECONDS, (len(poses) - 1) / 20.0), fitness)
    whole, force = musculature().whole, musculature().strands.force
    rows = found.state[: max(found.well, 1), :, 2]
    means = [np.average(rows[:, list(own)], axis=1, weights=force[list(own)]) for own in whole.values()]
    return Wearied(found.fps, tuple(whole), np.stack(means, axis=1), found.error[: len(rows)])
