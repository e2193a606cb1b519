"""Motion libraries: what a file keeps, how clips are chosen and joined, and building one of folders."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from motion_files import BVH, deepmimic_text, write_poselib

from lactic import body, rotation
from lactic.cli import main
from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library, collect, concatenate, movement, rows


def stroll(name="stroll", seconds=2.0, speed=1.0, turn=0.5, fps=30.0, cyclic=False):
    """A stiff body that glides along a circle at `speed`, turning at `turn` rad/s, with noise in its joints."""
    human = body.get("humanoid")
    t = np.arange(round(seconds * fps) + 1) / fps
    qpos = np.tile(human.rest, (len(t), 1))
    yaw = turn * t
    qpos[:, :2] = speed * np.stack([np.sin(yaw), 1 - np.cos(yaw)], axis=1) / turn
    qpos[:, 3:7] = rotation.about("z", yaw)
    noise = np.random.default_rng(len(name)).normal(0, 0.3, (len(t), len(human.joints)))
    qpos[:, 7:] = np.clip(qpos[:, 7:] + noise, *human.range.T)
    return BodyClip("humanoid", fps, qpos, name, cyclic)


@pytest.fixture
def small():
    clips = [stroll("a"), stroll("walk", 3.0, cyclic=True), stroll("fast", 1.0, 4.0)]
    return collect(clips, ["train", "test", "train"], ["here", "there", "elsewhere"])


def test_a_file_keeps_all_of_it(small, tmp_path):
    small.save(tmp_path / "lib.npz")
    again = Library.load(tmp_path / "lib.npz")
    assert (again.names, again.splits, again.sources) == (small.names, small.splits, small.sources)
    assert again.fps == 30 and again.body_name == "humanoid" and len(again) == 3
    np.testing.assert_array_equal(again.starts, [0, 61, 152, 183])
    apart = np.abs(again.qpos - small.qpos)
    assert apart[:, :3].max() <= 2.01e-4 and apart[:, 3:7].max() <= 1e-5 and apart[:, 7:].max() <= 5.1e-5
    walk = again.clip(1)
    assert walk.name == "walk" and walk.cyclic and walk.frames == 91 and walk.qpos.dtype == np.float64
    assert not again.clip(0).cyclic
    again.save(tmp_path / "twice.npz")
    twice = Library.load(tmp_path / "twice.npz")
    np.testing.assert_array_equal(twice.qpos[:, 7:], again.qpos[:, 7:])
    np.testing.assert_allclose(twice.qpos, again.qpos, atol=2e-5)


def test_clips_are_chosen_by_split_and_name(small):
    train = small.choose(["train"])
    assert train.names == ("a", "fast") and train.sources == ("here", "elsewhere")
    np.testing.assert_array_equal(train.clip(1).qpos, small.clip(2).qpos)
    assert small.choose(names=["walk"]).splits == ("test",)
    assert len(small.choose(["train"], ["walk"])) == 0
    with pytest.raises(InputError, match=r"no split 'valid'; there are: test, train"):
        small.choose(["valid"])
    with pytest.raises(InputError, match="no clip 'run'"):
        small.choose(names=["run"])


def test_libraries_are_joined(small):
    more = collect([stroll("more")], ["test"], ["new"])
    joined = concatenate([small, more])
    assert joined.names == ("a", "walk", "fast", "more") and joined.starts[-1] == len(joined.qpos) == 244
    np.testing.assert_array_equal(joined.clip(3).qpos, more.clip(0).qpos)
    with pytest.raises(InputError, match="called 'a'"):
        concatenate([small, small])
    with pytest.raises(InputError, match="at 60 fps cannot be joined"):
        concatenate([small, collect([stroll("b", fps=60.0)], ["train"], [""])])
    with pytest.raises(InputError, match="no clips"):
        concatenate([])


def test_movement_is_that_of_the_clips_and_not_between_them(small):
    found = movement(small.choose(["train"]))
    assert found["speed"].shape == (90,) and found["height"].shape == (92,)
    np.testing.assert_allclose(found["speed"], [1.0] * 60 + [4.0] * 30, rtol=1e-3)
    np.testing.assert_allclose(found["turn"], np.degrees(0.5), rtol=1e-3)
    table = {row["split"]: row for row in rows(small)}
    assert table["all"]["clips"] == 3 and table["train"]["fast_m/s"] == 4.0 and table["test"]["longest_s"] == 3.0


@pytest.mark.parametrize(
    "changes, about",
    [
        ({"motion": None}, "damaged"),
        ({"motion": np.zeros(5)}, "damaged"),
        ({"motion": np.zeros((4, 35, 183), np.uint8)}, "rotation of length 0"),
        ({"starts": np.array([0, 61, 61, 183])}, "do not fit"),
        ({"starts": np.array(3)}, "damaged"),
        ({"names": np.array(["a"])}, "do not fit"),
        ({"fps": np.array(np.nan)}, "do not fit"),
        ({"joints": np.array(["knee"])}, "another version"),
        ({"body": np.array("horse")}, "horse"),
    ],
)
def test_damaged_libraries_are_one_line(small, tmp_path, changes, about, capsys):
    path = tmp_path / "lib.npz"
    small.save(path)
    held = load_arrays(path, "", "") | changes
    save_arrays(path, {key: value for key, value in held.items() if value is not None})
    assert main(["library", "inspect", str(path)]) == 2
    said = capsys.readouterr().err
    assert about in said and said.count("\n") == 1
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match="damaged"):
        Library.load(path)


def test_inspect_tells_and_draws(small, tmp_path, capsys):
    path = tmp_path / "lib.npz"
    small.save(path)
    assert main(["library", "inspect", str(path), "--picture", str(tmp_path / "lib.png")]) == 0
    assert "183 frames of humanoid at 30 fps\nsplit  clips" in capsys.readouterr().out
    assert (tmp_path / "lib.png").read_bytes().startswith(b"\x89PNG")
    assert main(["library", "inspect", str(path), "--json"]) == 0
    assert [row["split"] for row in json.loads(capsys.readouterr().out)] == ["test", "train", "all"]
    for wrong in ("lib.cow", "no/lib.png"):
        assert main(["library", "inspect", str(path), "--picture", str(tmp_path / wrong)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lib.npz", "lib.png"]


def test_build_reads_folders_and_says_what_it_leaves_out(tmp_path, capsys):
    folder = tmp_path / "motions"
    (folder / "deep").mkdir(parents=True)
    (folder / "run.txt").write_text(deepmimic_text(6))
    (folder / "deep" / "same.txt").write_text(deepmimic_text(6) + "\n")
    (folder / "legs.bvh").write_text(BVH)
    (folder / "broken.bvh").write_text(BVH[:100])
    write_poselib(folder / "part.npy")
    stroll("another", fps=60.0).save(folder / "walk.npz")
    stroll("third", 1.0).save(folder / "deep" / "walk.npz")
    stroll("pose", 0.0).save(folder / "pose.npz")
    (folder / "notes.md").write_text("no motion")
    splits, out = tmp_path / "splits.yaml", tmp_path / "lib.npz"
    splits.write_text("test: [run, jump]\n")
    assert main(["library", "build", str(folder), "--out", str(out), "--split", "rest", "--splits", str(splits)]) == 0
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if line.startswith("left out: ")]
    for what in ("broken.bvh, line", "legs.bvh|'legs'", "'part'", "'pose': a single pose"):
        assert sum(any(word in line for word in what.split("|")) for line in lines) == 1, what
    assert f"left out: {folder / 'run.txt'}: the same motion as {folder / 'deep/same.txt'}" in lines
    assert len(lines) == 5 and "8 of 8 files, 0 min 0 s left" in said.err and "'jump'" in said.err
    library = Library.load(out)
    assert library.names == ("same", str(folder / "deep/walk.npz"), str(folder / "walk.npz"))
    assert library.splits == ("rest",) * 3 and library.sources[2] == str(folder / "walk.npz")
    np.testing.assert_array_equal(library.qpos[library.starts[:-1], :2], 0)
    assert np.diff(library.starts)[1:].tolist() == [31, 61] and "rest   3" in said.out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lib.npz", "motions", "splits.yaml"]


@pytest.mark.parametrize(
    "options, about",
    [
        (["absent"], "absent: no such file"),
        (["empty"], "no motion files"),
        (["bad"], "none of the 1 files"),
        (["good", "--out", "lib.zip"], ".npz file"),
        (["good", "--out", "no/lib.npz"], "folder does not exist"),
        (["good", "--body", "horse"], "horse"),
        (["good", "--fps", "0"], "fps 0"),
        (["good", "--splits", "absent.yaml"], "cannot be read"),
        (["good", "--splits", "list.yaml"], "a list of clip names for each split"),
        (["good", "--splits", "twice.yaml"], "clip 'run' is in the splits train and test"),
        (["good", "--splits", "broken.yaml"], "not YAML"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(options, about, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in (("good", deepmimic_text(6)), ("bad", "{}"), ("empty", None)):
        (tmp_path / name).mkdir()
        if text:
            (tmp_path / name / "run.txt").write_text(text)
    for name, text in (("list", "[run]"), ("twice", "train: [run]\ntest: [run]"), ("broken", "{a: [")):
        (tmp_path / f"{name}.yaml").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    assert main(["library", "build", *options, *([] if "--out" in options else ["--out", "lib.npz"])]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("lactic: ")]
    assert len(said) == 1 and about in said[0]
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_build_that_was_stopped_goes_on(how, tmp_path):
    folder, parts, out, last = (tmp_path / name for name in ("motions", "lib.parts", "lib.npz", "last.txt"))
    folder.mkdir()
    stroll("first", 1.0).save(folder / "first.npz")
    os.mkfifo(last)  # reading it waits for ever
    words = [sys.executable, "-m", "lactic.cli", "library", "build", str(folder), str(last), "--out", str(out)]
    heard = signal.signal(how, signal.default_int_handler)  # tests that run in the background of a shell ignore Ctrl-C
    running = subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True, text=True)
    signal.signal(how, heard)
    until = time.monotonic() + 60
    while not list(parts.glob("[!.]*.npz")) and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(running.pid, how)  # as a terminal does
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and "stopped" in said and "Traceback" not in said, said
    (done,) = parts.glob("[!.]*.npz")
    assert not out.exists()
    marked = Library.load(done)
    raised = marked.qpos + np.eye(1, marked.qpos.shape[1], 2, dtype=np.float32)
    replace(marked, qpos=raised).save(done)
    last.unlink()
    last.write_text(deepmimic_text(6))
    assert main(words[3:]) == 0
    again = Library.load(out)
    assert again.names == ("first", "last") and not parts.exists()
    assert (again.qpos[again.starts[:-1], 2] > 1.5).tolist() == [True, False]  # the finished one was used
