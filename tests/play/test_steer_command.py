"""`lactic match steer`: what it writes, and what it says when asked for what is not there."""

import numpy as np
import pytest
from footsteps import steps_database, walk_along

from lactic.cli import main
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh import read_bvh
from lactic.play.steer import SCRIPTS, ride
from lactic.steer.matching import build


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("steer") / "steps.npz"
    steps_database().save(path)
    return path


def test_motion_and_pictures_are_written(file, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["match", "steer", str(file), "--script", "turn", "--seconds", "5", "--out", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {"motion.npz", "motion.bvh", "film.png", "map.png"}
    clip = BodyClip.load(out / "motion.npz")
    assert clip.frames == 300 and clip.fps == 60
    assert read_bvh(out / "motion.bvh").frames == 300
    way = clip.qpos[-1, :2] - clip.qpos[240, :2]
    assert abs(way[0]) < 0.2 < way[1]
    assert "transitions" in capsys.readouterr().out


def test_a_script_of_ones_own(file, tmp_path):
    sticks = tmp_path / "sticks.yaml"
    sticks.write_text("- {at: 0, left: [0, -1]}\n- {at: 2}\n")
    out = tmp_path / "out"
    assert main(["match", "steer", str(file), "--script", str(sticks), "--seconds", "4", "--out", str(out)]) == 0
    clip = BodyClip.load(out / "motion.npz")
    assert clip.qpos[-1, 1] < -1.5
    assert np.linalg.norm(clip.qpos[-1, :2] - clip.qpos[-30, :2]) < 0.1


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_named_script_moves_the_character(name):
    done = ride(steps_database(), SCRIPTS[name](), 3.0)
    assert np.isfinite(done.qpos).all() and done.speed().shape == (180, 1)
    if name != "user":
        assert np.linalg.norm(done.qpos[-1, 0, :2]) > 1


def test_what_is_wrong_is_said_in_one_line(file, tmp_path, capsys):
    def said(*words: str) -> str:
        assert main(["match", "steer", *words, "--out", str(tmp_path / "out")]) == 2
        text = capsys.readouterr().err
        assert text.startswith("lactic: ") and text.count("\n") == 1
        return text

    assert "neither a file nor one of turn" in said(str(file), "--script", "waltz")
    assert "seconds 0" in said(str(file), "--seconds", "0")
    assert "missing.npz" in said(str(tmp_path / "missing.npz"))
    plain = tmp_path / "walks.npz"
    build([walk_along(np.full(200, 1.2), np.zeros(200)), walk_along(np.full(200, 0.9), np.zeros(200))]).save(plain)
    assert "no frame tagged 'run'" in said(str(plain), "--script", "reversal")
    low = tmp_path / "low.yaml"
    low.write_text("- {at: 0, left: [1, 0], button: true}\n")
    assert "no frame tagged 'crouch'" in said(str(plain), "--script", str(low))
    assert not (tmp_path / "out").exists()
