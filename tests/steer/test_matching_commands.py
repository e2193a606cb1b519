"""`lactic match build` and `lactic match inspect`, as a person types them."""

import json

import numpy as np
import pytest
from footsteps import walk_along
from PIL import Image
from strolls import stroll, strolls

from lactic.cli import main
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh
from lactic.motion.clip import Clip
from lactic.steer.matching import Database, build, coverage


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of saved clips."""
    made = tmp_path_factory.mktemp("strolls")
    for clip in strolls(4, seconds=2.5):
        clip.save(made / f"{clip.name}.npz")
    return made


def dog() -> Clip:
    """Two seconds of a skeleton that has no legs of ours."""
    still = np.tile([1.0, 0.0, 0.0, 0.0], (61, 2, 1))
    return Clip("dog", 30.0, ("tail", "paw"), (-1, 0), np.array([[0, 0, 0], [0, 0, 0.5]]), np.zeros((61, 3)), still)


def test_build_and_inspect(folder, tmp_path, capsys):
    out, picture = tmp_path / "steer.npz", tmp_path / "cover.png"
    assert main(["match", "build", str(folder), "--out", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["clips"], facts["mirrored"], facts["fps"]) == (4, 4, 60.0)
    assert facts["frames"] == 8 * 151
    assert main(["match", "inspect", str(out), "--picture", str(picture), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again.pop("picture") == str(picture)
    assert again == facts
    with Image.open(picture) as image:
        assert image.format == "PNG"
        assert image.width > 800
        assert len(set(image.convert("L").resize((64, 64)).tobytes())) > 20  # something is drawn on it
    assert set(Database.load(out).tags_present) == {"walk", "run", "crouch"}


def test_build_takes_single_files_and_options(folder, tmp_path, capsys):
    out = tmp_path / "steer.npz"
    files = [str(folder / "stroll0.npz"), str(folder / "stroll2.npz")]
    assert main(["match", "build", *files, "--out", str(out), "--no-mirror", "--fps", "30"]) == 0
    made = Database.load(out)
    assert made.clip_names == ("stroll0", "stroll2")
    assert made.fps == 30.0
    assert "minutes" in capsys.readouterr().out


def test_build_retargets_bvh(tmp_path):
    clip = stroll(2.0, 1.0)
    write_bvh(tmp_path / "walk.bvh", clip.to_clip(), "m")
    out = tmp_path / "steer.npz"
    assert main(["match", "build", str(tmp_path / "walk.bvh"), "--out", str(out), "--no-mirror"]) == 0
    made, direct = Database.load(out), build([clip], mirror=False)
    assert made.frames == direct.frames
    assert np.abs(made.features - direct.features)[made.searchable].max() < 0.1


def test_build_leaves_out_what_is_too_short(folder, tmp_path, capsys):
    stroll(1.23, name="brief").save(tmp_path / "brief.npz")
    out = tmp_path / "steer.npz"
    assert main(["match", "build", str(tmp_path / "brief.npz"), str(folder / "stroll0.npz"), "--out", str(out)]) == 0
    assert "brief.npz: left out, shorter than 1.25 s\n" in capsys.readouterr().err
    assert Database.load(out).clip_names == ("stroll0", "stroll0_mirror")


def test_build_from_a_walk_with_feet_that_stand(tmp_path, capsys):
    walk = walk_along(np.full(300, 1.0), np.zeros(300), name="walk")
    write_bvh(tmp_path / "walk.bvh", walk.to_clip(), "cm")
    assert (
        main(
            ["match", "build", str(tmp_path / "walk.bvh"), "--out", str(tmp_path / "walk.npz"), "--fps", "30", "--json"]
        )
        == 0
    )
    facts = json.loads(capsys.readouterr().out)
    assert facts["walk_seconds"]["forwards"] > 0.5
    assert 0.35 < facts["feet_standing"]["left"] < 0.8


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["build", "SHORT", "--out", "OUT"], "'short': 0.50 s is too short"),
        (["build", "ANT", "--out", "OUT"], "a clip of the body 'ant', not of 'humanoid'"),
        (["build", "DOG", "--out", "OUT"], "clip 'dog': no joint found for left_thigh"),
        (["build", "GOOD", "DOG", "--out", "OUT"], "clip 'dog': no joint found for left_thigh"),
        (["build", "EMPTY", "--out", "OUT"], "no motion files"),
        (["build", "missing.bvh", "--out", "OUT"], "missing.bvh: no such file"),
        (["build", "GOOD", "--out", "steer.txt"], "a database is an .npz file"),
        (["build", "GOOD", "--out", "nowhere/steer.npz"], "its folder does not exist"),
        (["build", "GOOD", "--out", "OUT", "--fps", "0"], "fps 0.0: must be between"),
        (["build", "GOOD", "--out", "OUT", "--fps", "nan"], "must be between"),
        (["build", "--out", "OUT"], "no clips"),
        (["inspect", "GOOD"], "not a motion-matching database"),
        (["inspect", "missing.npz"], "missing.npz: no such file"),
    ],
)
def test_mistakes_are_one_line(words, complaint, tmp_path, capsys):
    stroll(0.5, name="short").save(tmp_path / "short.npz")
    stroll(2.0, name="good").save(tmp_path / "good.npz")
    ant = BodyClip("ant", 60.0, np.tile([0, 0, 1, 1, 0, 0, 0, *[0.0] * 8], (200, 1)), "crawl")
    ant.save(tmp_path / "ant.npz")
    write_bvh(tmp_path / "dog.bvh", dog(), "m")
    (tmp_path / "empty").mkdir()
    places = {"SHORT": "short.npz", "ANT": "ant.npz", "DOG": "dog.bvh", "GOOD": "good.npz"}
    places |= {"EMPTY": "empty", "OUT": "out.npz"}
    assert main(["match", *(str(tmp_path / places[word]) if word in places else word for word in words)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert complaint in said[-1]
    assert said[-1].startswith("lactic: ")
    assert not (tmp_path / "out.npz").exists()


def test_wrong_picture_is_one_line(folder, tmp_path, capsys):
    out = tmp_path / "steer.npz"
    build([stroll(2.0)]).save(out)
    assert main(["match", "inspect", str(out), "--picture", str(tmp_path / "cover.doc")]) == 2
    assert main(["match", "inspect", str(out), "--picture", str(tmp_path / "no" / "cover.png")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 2


def test_seconds_are_counted_by_direction():
    held = build([stroll(3.0, 1.0, sideways=np.pi / 2), stroll(4.0, 1.0, turn=1.0)], mirror=False)
    row = coverage.seconds_of(held)["walk"]
    assert row["to the left"] == pytest.approx(2.0, abs=0.1)
    assert row["forwards"] == pytest.approx(3.0, abs=0.1)
    assert row["turning left"] == pytest.approx(3.0, abs=0.1)
    assert row["standing"] == row["backwards"] == row["turning right"] == 0
    assert 0 < coverage.filled(held, "walk") < 0.1
