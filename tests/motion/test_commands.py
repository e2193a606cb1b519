"""What the command line shows of clips, and fetching them from a package index."""

import json
import subprocess
import zipfile

import numpy as np
import pytest
from motion_files import BVH, deepmimic_text

from lactic.errors import InputError
from lactic.motion import BodyClip, commands, fetch, read


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(deepmimic_text(6))
    return path


def test_inspect_gives_plain_data(small, tmp_path):
    facts = commands.inspect(small, body="humanoid")
    assert json.loads(json.dumps(facts)) == facts
    assert facts["name"] == "small" and facts["format"] == "deepmimic" and facts["frames"] == 6
    assert facts["seconds"] == pytest.approx(5 / facts["fps"], abs=1e-3) and len(facts["joints"]) == 15
    assert facts["speed"]["max"] == 0 and facts["ground_clearance"]["feet_min"] > -0.02
    assert set(facts["residual"]) >= {"direction_mean", "direction_max", "clipped"}


def test_convert_to_bvh_and_to_a_body_clip(small, tmp_path):
    report = commands.convert(small, tmp_path / "out.bvh", loop=3)
    assert read(tmp_path / "out.bvh").frames == report["frames"] == 16
    assert commands.convert(small, tmp_path / "new" / "folder" / "out.bvh")["frames"] == 6
    report = commands.convert(small, tmp_path / "out.npz", fps=60, mirror=True)
    clip = BodyClip.load(tmp_path / "out.npz")
    assert clip.fps == 60 and clip.name == "out" and "residual" in report
    again = commands.convert(tmp_path / "out.npz", tmp_path / "body.bvh", start=0.05, end=0.1)
    assert again["frames"] == 4
    assert commands.inspect(tmp_path / "out.npz")["format"] == "lactic"


@pytest.mark.parametrize(
    "target, options, about",
    [
        ("out.fbx", {}, "fbx"),
        ("small.txt/out.bvh", {}, "cannot write it"),
        ("out.bvh", {"loop": 0}, "loop"),
        ("out.bvh", {"fps": -1.0}, "fps"),
        ("out.bvh", {"body": "horse"}, "horse"),
        ("out.bvh", {"unit": "ell"}, "ell"),
        ("out.bvh", {"start": 0.1, "end": 0.05}, "start"),
        ("out.bvh", {"start": float("nan")}, "start"),
        ("out.bvh", {"start": 60.0}, "part of the clip"),
    ],
)
def test_bad_conversions_write_nothing(small, tmp_path, target, options, about):
    with pytest.raises(InputError, match=about):
        commands.convert(small, tmp_path / target, **options)
    assert [p.name for p in tmp_path.iterdir()] == ["small.txt"]


def test_names_are_looked_up_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = fetch.cache_folder() / "deepmimic"
    folder.mkdir(parents=True)
    (folder / "humanoid3d_run.txt").write_text(deepmimic_text())
    assert commands.inspect("run")["name"] == "humanoid3d_run"
    with pytest.raises(InputError, match="there are: run"):
        commands.inspect("fly")


def wheel(path, names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, deepmimic_text())


def pip_that(monkeypatch, leave, returncode=0, stderr=""):
    """Stand in for pip: `leave` puts what it downloads into the folder."""
    calls = []

    def run(command, **_):
        calls.append(command)
        leave(command[command.index("--dest") + 1])
        return subprocess.CompletedProcess(command, returncode, "", stderr)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_fetch_keeps_only_motion_files_and_does_it_once(tmp_path, monkeypatch):
    motions = "pybullet_data/data/motions"
    inside = ["pybullet.so", f"{motions}/humanoid3d_run.txt", f"{motions}/laikago_walk.txt"]
    calls = pip_that(monkeypatch, lambda folder: wheel(f"{folder}/pybullet-3-none-any.whl", inside))
    said = []
    rows = commands.fetch("deepmimic", tmp_path / "cache", said.append)
    assert [row["name"] for row in rows] == ["run"] and len(said) == 2
    kept = [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    assert [p.name for p in kept] == ["humanoid3d_run.txt"]
    assert "--no-deps" in calls[0] and "--only-binary=:all:" in calls[0]
    assert commands.fetch("deepmimic", tmp_path / "cache") == rows and len(calls) == 1


def test_fetch_says_what_went_wrong(tmp_path, monkeypatch):
    calls = pip_that(monkeypatch, lambda folder: None, 1, "ERROR: No matching distribution found for pybullet\n\n")
    with pytest.raises(InputError, match="No matching distribution"):
        fetch.fetch("deepmimic", tmp_path)
    assert len(calls) == 2 and not list(tmp_path.rglob("*.txt"))  # also tried a wheel for another Python
    pip_that(monkeypatch, lambda folder: wheel(f"{folder}/pybullet-3-none-any.whl", ["other.txt"]))
    with pytest.raises(InputError, match="no motion files"):
        fetch.fetch("deepmimic", tmp_path)
    pip_that(monkeypatch, lambda folder: np.save(f"{folder}/a.npy", 0) or open(f"{folder}/p.whl", "w").close())
    with pytest.raises(InputError, match="damaged"):
        fetch.fetch("deepmimic", tmp_path)
    with pytest.raises(InputError, match="unknown source"):
        fetch.fetch("mixamo", tmp_path)


def test_inspect_of_a_bvh(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text(BVH)
    facts = commands.inspect(path)
    assert facts["distance"] == pytest.approx(0.2) and facts["root_height"] == {"min": 0.9, "max": 0.91}
