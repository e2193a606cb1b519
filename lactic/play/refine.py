"""`lactic match refine`: a database without the moments that a follower falls after."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.recorded import SHORTEST, stretches
from lactic.play.driver import Collector
from lactic.play.steer import pad_named
from lactic.play.steered import crowd_of, database_of
from lactic.steer.matching import Database, build
from lactic.steer.matching.features import GROUPS

CHARACTERS = 96
"""Side by side."""
BLOCK = 0.5
"""Seconds of a clip that are kept or cut as one."""
BLAMED = (1.5, 0.25)
"""Seconds before a fall between which what was played is to blame for it, in equal parts."""
LEAST = 0.75
"""Falls that a block must be blamed for to be cut: one may be bad luck."""
WORSE = 4.0
"""How many times more often than all together a block must be followed by a fall to be cut."""


def blocks_of(database: Database) -> np.ndarray:
    """The number of the block that each frame (frame,) lies in; a mirrored frame in that of its original."""
    blocks, count = np.zeros(database.frames, dtype=int), 0
    long = database.every * round(BLOCK * database.fps / database.every)  # so that a piece begins with a clip's frame
    for clip, original in enumerate(database.mirror_of):
        here = slice(*database.clip_start[clip : clip + 2])
        if original >= 0:
            blocks[here] = blocks[slice(*database.clip_start[original : original + 2])]
        else:
            blocks[here] = count + np.arange(here.stop - here.start) // long
            count = blocks[here][-1] + 1
    return blocks


def to_blame(played: np.ndarray, fell: np.ndarray, blocks: np.ndarray, rate: float) -> np.ndarray:
    """Which blocks (block,) are followed by falls far too often.

    played, fell (step, character): the frame of the database played, and whether the character was lost, `rate` times a
    second.
    """
    early, late = (round(seconds * rate) for seconds in BLAMED)
    blame, count = np.zeros(blocks.max() + 1), blocks.max() + 1
    for step, character in zip(*np.nonzero(fell), strict=True):
        before = np.unique(blocks[played[max(step - early, 0) : max(step - late, 1), character]])
        blame[before] += 1 / len(before)
    shown = np.bincount(blocks[played.ravel()], minlength=count)
    return (blame >= LEAST) & (blame > WORSE * blame.sum() / shown.sum() * shown)


def without(database: Database, blocks: np.ndarray, bad: np.ndarray) -> Database:
    """The database built again of what lies between bad blocks; what would be too short is left out."""
    clips = []
    for clip in np.flatnonzero(database.mirror_of < 0):
        start, end = database.clip_start[clip : clip + 2]
        for a, b in stretches(~bad[blocks[start:end]], SHORTEST * database.fps):
            name = database.clip_names[clip] + ("" if b - a == end - start else f"_{a}")
            poses = database.qpos[start + a : start + b : database.every]
            clips.append(BodyClip(database.body_name, database.fps / database.every, poses, name))
    return build(
        clips,
        fps=database.fps,
        mirror=bool((database.mirror_of >= 0).any()),
        weights=dict(zip(GROUPS, database.group_weights(), strict=True)),
    )


def refine(
    brain: str | Path,
    database: str | Path | None = None,
    rounds: int = 4,
    seconds: float = 60.0,
    *,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[Database, dict[str, list[float]]]:
    """Let a brain follow the artificial user's character, cut out what it falls after, and again; the falls in 5
    minutes before each cut and after the last."""
    if rounds < 1 or not 10 <= seconds <= 3600:
        raise InputError(f"{rounds} rounds of {seconds:g} s: make it one or more, of 10 s to an hour")
    folder = catalogue.find(brain)
    frames, falls = database_of(folder, database), []
    for k in range(rounds + 1):
        played, fell, rate = _play(folder, frames, seconds, seed + k)
        falls.append(round(float(fell.sum(1).sum() * 300 / seconds / CHARACTERS), 2))
        say(f"round {k}: {frames.seconds / 60:.1f} minutes, {falls[-1]:.2f} falls in 5 minutes of the artificial user")
        blocks = blocks_of(frames)
        bad = to_blame(played, fell, blocks, rate)
        if k == rounds or not bad.any():
            break
        less = without(frames, blocks, bad)
        if less.tags_present != frames.tags_present:
            say(f"round {k}: what is left has no {set(frames.tags_present) - set(less.tags_present)}; stopping here")
            break
        frames = less
    return frames, {"falls_in_5_minutes": falls}


def _play(folder: BrainFolder, frames: Database, seconds: float, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Frames played and falls, (step, character), and steps a second."""
    crowd = crowd_of(folder, frames, pad_named("user", frames, seed, CHARACTERS), CHARACTERS)
    rate = crowd.player.info.control_rate
    kept = Collector(crowd, round(seconds * rate), {}, {"played": lambda: crowd.kinematic.state.frame}, get_up=True)
    return kept.run()["played"], kept.fell, rate
