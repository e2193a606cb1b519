"""Making rises.npz: a character gets up as clips do, and what it does itself is kept, so that no clip ships. Training
with that file in the folder of clips teaches it to get up as it then will."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic.brain.file import BrainFile
from lactic.fatigue import preset
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library
from lactic.motion.library.rises import FILE, save_rises
from lactic.motion.rising import AFTER, Rises, rising
from lactic.motion.standing import standing
from lactic.play.player import Player
from lactic.play.tracked import Tracked
from lactic.world.limp import lying

KEPT = 0.3
"""Metres of mean body error that a motion may have at most which is kept."""
LONGER = 1.5
"""How many times as long as what it follows it may take."""
FALLS, MOST = 384, 64
"""Poses on the floor that it gets up from, and motions that are kept at most: those with the least error."""
AHEAD = 1.3
"""How many times as fast they are led through. A body lags behind what it follows; following what it did itself at the
same pace it lags twice, and does not rise."""
SPENT = (0.0, 0.5)
"""MF of all joints at the beginning of what is tried: fresh bodies, and bodies with half of their strength."""
NEAREST, DOUBT = 10, 2.0
"""Motions that each body is tried with, and tries by which a motion comes half of the way from the mean of all."""
STANDS_ON = 1.0
"""Seconds that it stands for at the end while it is recorded, so that it is not cut off on its way up."""
TEST = "test"
"""The split of a library whose clips are not tried."""


def write_rises(folder: Path, clips: Path | None, report: Callable[[str], None]) -> None:
    """Write rises.npz into the folder of a brain that learnt to get up, of the library in a folder of clips, if any."""
    brain = BrainFile(folder / "brain.onnx", 2)
    if clips is None or brain.info.tracking is None or not brain.info.tracking.rises:
        return
    held = tried_library(clips)
    if (clips / FILE).is_file():  # it was trained with those
        trained = Library.load(clips / FILE)
        report(f"{FILE}: trying which of its motions get the character up; this takes some minutes")
        made, worth = proven(brain, [trained.clip(i) for i in range(len(trained))], fallen(held))
        save_rises(folder / FILE, made, worth)
        report(f"{FILE}: {len(made)} of the {2 * len(trained)} motions and mirror images of {clips}, the best ones")
        return
    found = [stretch for i in range(len(held)) for stretch in rising(held.clip(i), AFTER + STANDS_ON)]
    if not found:
        report(f"{FILE}: not written; no motion of the library rises from the floor")
        return
    poses = fallen(held)
    tried = [*found, *Rises([*found, *(clip.mirror() for clip in found)]).leads(poses)]
    made = [stretch for own in own_rises(brain, tried) for stretch in rising(own)]
    made = [replace(stretch, fps=AHEAD * stretch.fps) for stretch in made]
    if made:
        made, worth = proven(brain, made, poses)
        save_rises(folder / FILE, made, worth)
    report(f"{FILE}: {len(made) or 'not written; none'} of {len(tried)} motions that rise from the floor")


def tried_library(clips: Path) -> Library:
    """The library in a folder of clips, but for the split that is for tests."""
    held = Library.load(clips / "library.npz")
    return held.choose([split for split in dict.fromkeys(held.splits) if split != TEST])


def fallen(held: Library) -> np.ndarray:
    """Poses (FALLS, nq) of bodies that went limp somewhere in a library's motions, and lie."""
    rows, body = np.linspace(0, len(held.qpos) - 1, FALLS).round().astype(int), held.clip(0).body
    return lying(body, held.qpos[rows], np.zeros((FALLS, body.model.nv)))


def proven(brain: BrainFile, made: Sequence[BodyClip], poses: np.ndarray) -> tuple[list[BodyClip], np.ndarray]:
    """Of motions and their mirror images those that lead bodies in such poses best, and the share of bodies that got up
    by each. The nearest motion to a body need not be one that it can follow, and a character that learnt to rise over
    its right side may fail over its left. So each body is tried with its nearest ones in turn, fresh and tired."""
    both = [*made, *(motion.mirror() for motion in made)]
    held = [motion.resample(brain.info.control_rate) for motion in both]
    found = [led_up(brain, both, poses, rows) for rows in Rises(held).nearest(poses, NEAREST).T]
    own, ups = (np.concatenate(column) for column in zip(*found, strict=True))
    tries, up = (np.bincount(own, weights, len(both)) for weights in (np.ones(len(own)), ups / len(SPENT)))
    worth = (up + DOUBT * up.sum() / tries.sum()) / (tries + DOUBT)
    best = Rises(held, worth)
    used = np.unique(best.owner[best.rows(poses)])
    return [both[k] for k in used], worth[used]


def led_up(
    brain: BrainFile, made: Sequence[BodyClip], poses: np.ndarray, rows: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Which motion leads a character up from each of such poses (pose, nq), and with how much fatigue of SPENT, in how
    many cases, it is on its feet in time, (pose,) each. The nearest leads, or what `rows` (pose,) say."""
    about, count = brain.info.tracking, np.zeros(len(poses), int)
    assert about is not None
    for spent in SPENT:
        player = Player(brain, None, len(poses), 2)
        player.exhaust(player.info.joints, spent)
        driver = Tracked(player, standing(player.body, 2.0 * about.rises), rises=made)
        driver.lie(poses, rows)
        while player.second < about.rises:
            driver.step()
        count += ~driver.down
    assert driver.rises is not None
    return driver.rises.owner[driver.rises.rows(poses) if rows is None else rows], count


def own_rises(brain: BrainFile, tried: Sequence[BodyClip]) -> list[BodyClip]:
    """What a fresh character does that follows motions, where its mean body error stays below KEPT to their end."""
    player = Player(brain, preset("off"), len(tried), 2)
    driver = Tracked(player, *tried, rises=())
    steps = round(LONGER * max(clip.seconds for clip in tried) * player.info.control_rate)
    poses, ends, worst = [player.world.qpos.copy()], np.zeros(len(tried), int), np.zeros(len(tried))
    for step in range(1, steps + 1):
        driver.step()
        poses.append(player.world.qpos.copy())
        error = np.where(player.world.faulted, np.inf, driver.error())
        worst = np.where(ends > 0, worst, np.maximum(worst, error))
        ends = np.where((ends == 0) & driver.finished, step, ends)
    track, rate = np.stack(poses, axis=1), player.info.control_rate
    good = [k for k in np.argsort(worst) if worst[k] < KEPT and ends[k]][:MOST]
    return [BodyClip(player.body.name, rate, track[k, : ends[k] + 1], f"rise_{n}") for n, k in enumerate(good, 1)]
