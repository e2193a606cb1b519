"""Making rises.npz: a character gets up as clips do, and what it does itself is kept, so that no clip ships. Training
with that file in the folder of clips teaches it to get up as it then will."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic.brain.file import BrainFile
from lactic.fatigue import preset
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library, collect
from lactic.motion.library.rises import FILE
from lactic.motion.rising import AFTER, Rises, rising
from lactic.play.player import Player
from lactic.play.tracked import Tracked
from lactic.world.limp import lying

KEPT = 0.3
"""Metres of mean body error that a motion may have at most which is kept."""
LONGER = 1.5
"""How many times as long as what it follows it may take."""
FALLS, MOST = 192, 64
"""Poses on the floor that it gets up from, and motions that are kept at most: those with the least error."""
AHEAD = 1.3
"""How many times as fast they are led through. A body lags behind what it follows; following what it did itself at the
same pace it lags twice, and does not rise."""
STANDS_ON = 1.0
"""Seconds that it stands for at the end while it is recorded, so that it is not cut off on its way up."""
TEST = "test"
"""The split of a library whose clips are not tried."""


def write_rises(folder: Path, clips: Path | None, report: Callable[[str], None]) -> None:
    """Write rises.npz into the folder of a brain that learnt to get up, of the library in a folder of clips, if any."""
    brain = BrainFile(folder / "brain.onnx", 2)
    if clips is None or brain.info.tracking is None or not brain.info.tracking.rises:
        return
    if (clips / FILE).is_file():  # it was trained with those
        shutil.copyfile(clips / FILE, folder / FILE)
        report(f"{FILE}: that of {clips}")
        return
    held = Library.load(clips / "library.npz")
    held = held.choose([split for split in dict.fromkeys(held.splits) if split != TEST])
    found = [stretch for i in range(len(held)) for stretch in rising(held.clip(i), AFTER + STANDS_ON)]
    if not found:
        report(f"{FILE}: not written; no motion of the library rises from the floor")
        return
    body, rows = found[0].body, np.linspace(0, len(held.qpos) - 1, FALLS).round().astype(int)
    poses = lying(body, held.qpos[rows], np.zeros((FALLS, body.model.nv)))
    tried = [*found, *Rises([*found, *(clip.mirror() for clip in found)]).leads(poses)]
    made = [stretch for own in own_rises(brain, tried) for stretch in rising(own)]
    made = [replace(stretch, fps=AHEAD * stretch.fps) for stretch in made]
    if made:
        collect(made, ["rise"] * len(made), ["simulated"] * len(made)).save(folder / FILE)
    report(f"{FILE}: {len(made) or 'not written; none'} of {len(tried)} motions that rise from the floor")


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
