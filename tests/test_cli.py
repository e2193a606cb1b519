"""The command line as a person meets it: what it prints, what it writes, and what it says of wrong input."""

import csv
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from skills import skill

from lactic.body import humanoid
from lactic.cli import main
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh, write_recording
from lactic.motion.read import read
from lactic.picture.recording import Recording
from lactic.picture.video import encoder

FILES = {"motion.bvh", "fatigue.csv", "fatigue.png", "film.png", "recording.npz", "summary.json"}


SMALL = ("--film-size", "64x36", "--film-fps", "5")


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("play") / "arms"
    assert main(["play", "hold-arms", "--seconds", "30", "--time-scale", "20", "--out", str(out), *SMALL]) == 0
    return out


def test_play_leaves_every_file_whole(played):
    written = {p.name for p in played.iterdir()}
    assert written >= FILES and written <= FILES | {"film.mp4"}
    assert all(p.stat().st_size > 200 for p in played.iterdir())


def test_fatigue_csv_has_a_row_a_frame_and_six_columns_a_joint(played):
    with (played / "fatigue.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 900 and len(rows[0]) == 1 + 6 * 28
    last = rows[-1]
    parts = [float(last[f"left_shoulder_x.{name}"]) for name in ("MA", "MR", "MF")]
    assert sum(parts) == pytest.approx(1, abs=1e-5)
    assert abs(float(last["left_shoulder_x.torque"])) <= float(last["left_shoulder_x.limit"]) + 1e-3


def test_motion_bvh_moves_as_the_recording_does(played):
    clip = read(played / "motion.bvh")
    with np.load(played / "recording.npz") as record:
        assert len(clip.root_pos) == len(record["qpos"])
        # what the file drops of the first frame, if anything, must not shift the rest
        assert clip.root_pos[5:] == pytest.approx(record["qpos"][5:, :3], abs=1e-4)
    assert clip.fps == pytest.approx(30, abs=1e-3)


def test_summary_names_the_joints_that_failed(played):
    summary = json.loads((played / "summary.json").read_text())
    assert {row["joint"] for row in summary["failures"]} == {"left_shoulder_x", "right_shoulder_x"}
    assert summary["frames"] == 900 and summary["faults"] == 0
    assert summary["fitness"]["time_scale"] == 20


def test_same_seed_same_motion_other_seed_other_motion(tmp_path):
    motions = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = str(tmp_path / name)
        assert main(["play", "hold-arms", "--seconds", "1", "--seed", str(seed), "--out", out, "--no-film"]) == 0
        assert not (tmp_path / name / "film.mp4").exists()
        with np.load(tmp_path / name / "recording.npz") as record:
            motions.append(record["qpos"])
    assert np.array_equal(motions[0], motions[1]) and not np.array_equal(motions[0], motions[2])


def test_fitness_listing_as_json(capsys):
    assert main(["fitness", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["cheema2023"]["F"] == 1 and rows["cheema2023"]["R"] == 0.01
    shoulder = rows["frey-law-shoulder"]
    assert shoulder["source"] and shoulder["endurance_50"] == pytest.approx(57.9, abs=0.3)
    assert {"name", "F", "R", "r", "source", "endurance_20", "endurance_50", "endurance_80"} <= set(shoulder)


@pytest.mark.parametrize("verb", ["bodies", "brains"])
def test_listings_as_json(verb, capsys):
    assert main([verb, "--json"]) == 0
    names = {row["name"] for row in json.loads(capsys.readouterr().out)}
    assert names >= ({"humanoid", "ant"} if verb == "bodies" else {"hold-arms"})


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["hold-legs"], "hold-legs"),
        (["hold-arms", "--seconds", "0"], "seconds"),
        (["hold-arms", "--seconds", "-3"], "seconds"),
        (["hold-arms", "--film-size", "wide"], "film size"),
        (["hold-arms", "--film-fps", "0"], "film fps"),
        (["hold-arms", "--seconds", "nan"], "seconds"),
        (["hold-arms", "--seconds", "inf"], "seconds"),
        (["hold-arms", "--fitness", "immortal"], "immortal"),
        (["hold-arms", "--F", "-1"], "F"),
        (["hold-arms", "--F", "nan"], "F"),
        (["hold-arms", "--R", "inf"], "R"),
        (["hold-arms", "--r", "-0.1"], "r"),
        (["hold-arms", "--time-scale", "0"], "time"),
        (["hold-arms", "--time-scale", "nan"], "time"),
    ],
)
def test_wrong_input_is_one_line_exit_2_and_no_output(arguments, word, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["play", *arguments, "--out", str(out)]) == 2
    message = capsys.readouterr().err.strip()
    assert word in message and "\n" not in message
    assert not out.exists()


@pytest.mark.parametrize("place", ["a file", "under a file"])
def test_a_folder_that_cannot_be_written_is_named(place, tmp_path, capsys):
    (tmp_path / "taken").write_text("x")
    out = tmp_path / "taken" if place == "a file" else tmp_path / "taken" / "deeper"
    assert main(["play", "hold-arms", "--seconds", "1", "--out", str(out)]) == 2
    message = capsys.readouterr().err.strip()
    assert str(out) in message and "\n" not in message
    assert (tmp_path / "taken").read_text() == "x"


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_whole_files(kind, tmp_path):
    out = tmp_path / "arms"
    process = subprocess.Popen(
        [sys.executable, "-m", "lactic.cli", "play", "hold-arms", "--seconds", "80000", "--out", str(out), "--no-film"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    while not out.exists():  # it exists once the loop is about to start
        time.sleep(0.05)
        assert process.poll() is None
    time.sleep(1.5)
    process.send_signal(kind)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "stopped at" in said
    assert {p.name for p in out.iterdir()} >= FILES
    summary = json.loads((out / "summary.json").read_text())
    assert 0 < summary["seconds"] < 80000


@pytest.mark.skipif(encoder() is None, reason="no encoder: pip install lactic[film]")
def test_ctrl_c_while_the_film_is_painted_leaves_it_out_and_all_else_whole(tmp_path):
    out = tmp_path / "arms"
    process = subprocess.Popen(
        [sys.executable, "-m", "lactic.cli", "play", "hold-arms", "--seconds", "40", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    while not list(out.glob(".film.*.mp4")):  # the encoder has begun
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0 and "film.mp4 not written: stopped" in said, said
    assert {p.name for p in out.iterdir()} == FILES


def test_a_second_play_keeps_the_first_ones_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed in ("1", "2", "3"):
        assert main(["play", "hold-arms", "--seconds", "0.1", "--seed", seed, "--no-film"]) == 0
    folders = [tmp_path / "out" / name for name in ("hold-arms", "hold-arms-2", "hold-arms-3")]
    poses = [Recording.load_file(folder / "recording.npz").qpos for folder in folders]
    assert not np.array_equal(poses[0], poses[1]) and "replaced" not in capsys.readouterr().out
    assert main(["play", "hold-arms", "--seconds", "0.1", "--out", "out/hold-arms", "--no-film"]) == 0
    assert "files of an earlier run in out/hold-arms/ were replaced" in capsys.readouterr().out


@pytest.mark.parametrize("words", ["train pace", "export runs/x --out y", "brains --make x", "distil runs/x --out y"])
def test_without_torch_one_line_says_what_to_install(words, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(words.split()) == 2
    assert capsys.readouterr().err == (
        "lactic: this needs torch, which is not installed: pip install 'lactic[train]'\n"
    )


def small_bvh(path: Path) -> Path:
    """A humanoid that lifts an arm, as BVH."""
    body = humanoid()
    qpos = np.tile(body.rest, (12, 1))
    qpos[:, 7 + body.joints.index("left_elbow")] = np.linspace(0, -1, 12)
    write_recording(path, humanoid(), qpos, 30.0)
    return path


def test_clips_inspect_and_convert(tmp_path, capsys):
    source = small_bvh(tmp_path / "arm.bvh")
    assert main(["clips", "inspect", str(source), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["frames"], facts["fps"]) == (12, pytest.approx(30, abs=1e-3))
    target = tmp_path / "out.npz"
    assert main(["clips", "convert", str(source), str(target), "--body", "humanoid", "--fps", "60"]) == 0
    clip = BodyClip.load(target)
    assert clip.fps == 60 and clip.qpos[-1, 7 + humanoid().joints.index("left_elbow")] == pytest.approx(-1, abs=0.02)


@pytest.mark.parametrize("damage", ["empty", "truncated", "binary", "nan", "channels", "missing", "npz"])
def test_a_bad_motion_file_is_one_line_exit_2_and_no_output(damage, tmp_path, capsys):
    path = small_bvh(tmp_path / "bad.bvh")
    text = path.read_text()
    if damage == "empty":
        path.write_text("")
    elif damage == "truncated":
        path.write_text(text[: int(len(text) * 0.8)])
    elif damage == "binary":
        path.write_bytes(bytes(range(256)) * 20)
    elif damage == "nan":
        path.write_text(text[: text.rindex(" ")] + " nan\n")
    elif damage == "channels":
        path.write_text(text.replace("CHANNELS 3", "CHANNELS 4", 1))
    elif damage == "missing":
        path.unlink()
    else:
        path = path.with_suffix(".npz")
        path.write_bytes(b"PK\x03\x04 not an archive")
    target = tmp_path / "out.bvh"
    assert main(["clips", "convert", str(path), str(target), "--body", "humanoid"]) == 2
    message = capsys.readouterr().err.strip()
    assert path.name in message and "\n" not in message
    assert not target.exists() and not list(tmp_path.glob(".*"))


def test_clips_without_a_verb_say_what_there_is(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["clips"])
    assert stop.value.code == 0 and "convert" in capsys.readouterr().out


def test_prepare_retargets_what_it_finds(tmp_path, capsys):
    write_bvh(tmp_path / "104_57.bvh", skill("run").loop(4).to_clip(), "cm")
    names = ["run_stop", "c104_57"]  # a clip of the list, and one of CMU's as recipes call it
    assert main(["clips", "prepare", str(tmp_path), "--out", str(tmp_path), "--clip", *names, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    for name, row in zip(names, rows, strict=True):
        assert row["off_mean_deg"] < 0.1 and row["lowest_foot_m"] > -0.02
        assert BodyClip.load(tmp_path / f"{name}.npz").name == name


@pytest.mark.parametrize(
    "arguments",
    [
        ["clips", "prepare", "EMPTY"],
        ["clips", "prepare", "EMPTY", "--clip", "moonwalk"],
        ["clips", "prepare", "EMPTY", "--clip", "c09_01"],
        ["clips", "fetch", "nowhere"],
        ["doctor", "--replay", "EMPTY/none.npz"],
        ["brains", "--make", "EMPTY"],
        ["lab", "nobody2020", "table1"],
        ["tire"],
        ["tire", "EMPTY/none.bvh", "--wings", "2"],
        ["tire", "EMPTY/none.bvh", "--seconds", "long"],
        ["tire", "EMPTY/none.bvh", "--fall", "up"],
    ],
)
def test_other_verbs_name_what_is_wrong(arguments, tmp_path, capsys):
    assert main([word.replace("EMPTY", str(tmp_path)) for word in arguments]) == 2
    message = capsys.readouterr().err.strip()
    assert message.startswith("lactic: ") and "\n" not in message
    assert not list(tmp_path.iterdir())


def test_doctor_says_what_works(capsys):
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "simulation: works" in said and "brain hold-arms: works" in said and "FAILED" not in said
