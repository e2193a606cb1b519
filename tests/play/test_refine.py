"""`lactic match refine`: what a follower falls after is found and cut out."""

import json

import numpy as np
import pytest
from footsteps import ramp, walk_along

from lactic.cli import main
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.play import refine as refining
from lactic.play.refine import blocks_of, refine, to_blame, without
from lactic.steer.matching import Database, build


def walks() -> Database:
    """Two clips of 30 Hz, one of 10 s and one of 4 s, mirrored, at 60 Hz."""
    clips = []
    for seconds, name in ((10.0, "long"), (4.0, "short")):
        walk = walk_along(np.full(round(60 * seconds), 1.2), ramp(0, 1, seconds, 1, 2))
        clips.append(BodyClip(walk.body_name, 30.0, walk.qpos[::2], name))
    return build(clips, fps=60.0)


def test_blocks_are_half_seconds_and_a_mirror_image_shares_its_originals():
    database = walks()
    blocks = blocks_of(database)
    first, image = (blocks[slice(*database.clip_start[k : k + 2])] for k in (0, 1))
    assert np.array_equal(first, image) and np.array_equal(first, np.arange(len(first)) // 30)
    assert blocks[database.clip_start[2]] == first[-1] + 1


def test_a_block_is_blamed_that_falls_come_after_again_and_again():
    blocks, rate = np.repeat(np.arange(10), 30), 30.0
    played, fell = np.zeros((300, 4), dtype=int), np.zeros((300, 4), dtype=bool)
    played[:] = 2 * np.arange(300)[:, None] % 300  # everybody plays everything, twice
    for character in range(3):
        fell[[118, 268], character] = True
        played[73:111, character] = played[223:261, character] = 6 * 30 + 5  # from 1.5 to 0.25 s ahead
    assert np.flatnonzero(to_blame(played, fell, blocks, rate)).tolist() == [6]
    alone = np.zeros_like(fell)
    alone[200, 3] = True  # a single fall, shared by what was played ahead of it, is bad luck
    assert not to_blame(played, alone, blocks, rate).any()


def test_what_is_left_is_as_it_was():
    database = walks()
    blocks = blocks_of(database)
    bad = np.zeros(blocks.max() + 1, dtype=bool)
    bad[[8, -7]] = True  # 4 to 4.5 s of the long one; 0.5 to 1 s of the short one, whose start is then too short
    less = without(database, blocks, bad)
    assert less.clip_names == ("long_0", "long_0_mirror", "long_270", "long_270_mirror", "short_60", "short_60_mirror")
    assert less.every == database.every == 2
    inside = slice(6, -6)  # found from their neighbours, frames beside a cut may differ
    kept = less.qpos[slice(*less.clip_start[2:4])]
    np.testing.assert_allclose(kept[inside], database.qpos[270 : 270 + len(kept)][inside], atol=2e-4)


def test_refining_from_file_to_file(follower, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(refining, "CHARACTERS", 4)
    steps, out = follower.parent / "steps.npz", tmp_path / "less.npz"
    words = ["match", "refine", str(follower), "--database", str(steps), "--out", str(out)]
    assert main([*words, "--rounds", "1", "--seconds", "10", "--json"]) == 0
    said = capsys.readouterr()
    falls = json.loads(said.out)["falls_in_5_minutes"]
    assert falls[0] > 0 and said.err.count("falls in 5 minutes") == len(falls)  # it has learnt nothing
    whole, less = Database.load(steps), Database.load(out)
    assert less.frames <= whole.frames and less.tags_present == whole.tags_present


def test_rounds_that_cannot_be_are_plain_errors(tmp_path):
    with pytest.raises(InputError, match="0 rounds of 60 s: make it one or more"):
        refine(tmp_path, rounds=0)
