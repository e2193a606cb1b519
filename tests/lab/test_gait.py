"""Strides and what tiredness does to them, on clips whose gait is known."""

import json
from dataclasses import replace

import numpy as np
import pytest
from motions import trial_of
from skills import PACES

from lactic.cli import main
from lactic.lab import bench as benches
from lactic.lab import job, statistics
from lactic.lab.people.gait import MOST_SPANS, SPAN
from lactic.lab.people.strides import QUANTITIES, change, strides, unevenness
from lactic.lab.take import of_clip
from lactic.motion.bvh_write import write_bvh


@pytest.fixture
def files(clip, tmp_path):
    """A run and a walk as BVH, eight cycles each."""
    for name in ("run", "walk"):
        write_bvh(tmp_path / f"{name}.bvh", clip(name).loop(8))
    return tmp_path / "run.bvh", tmp_path / "walk.bvh"


def test_strides_of_a_run_and_a_walk_are_those_a_person_sees(clip):
    run, walk = (strides(of_clip(clip(name), repeats=8)) for name in ("run", "walk"))
    assert len(run) >= 5 and len(walk) >= 5
    for found in (run, walk):
        assert found.speed == pytest.approx(found.cadence / 60 * found.step_length)
    assert run.mean("speed").value == pytest.approx(PACES["run"][0], rel=0.03)
    assert 140 < run.mean("cadence").value < 190 and 90 < walk.mean("cadence").value < 130
    assert 60 < run.mean("peak_knee_flexion").value < 140 and 40 < walk.mean("peak_knee_flexion").value < 80
    for name in ("speed", "step_length", "foot_lift", "peak_knee_flexion", "bounce"):
        assert change(walk, run, name).low > 0, name
    assert 0 < walk.mean("bounce").value < 0.1
    assert abs(run.mean("step_time_asymmetry").value) < 0.15


def test_a_faster_film_of_the_same_motion_changes_time_alone(clip):
    take, fast = of_clip(clip("run"), repeats=8), of_clip(clip("run"), repeats=8)
    fast.fps = 1.25 * take.fps
    slow, quick = strides(take), strides(fast)
    assert change(slow, quick, "cadence").value == pytest.approx(0.25, abs=0.02)
    assert change(slow, quick, "step_length").value == pytest.approx(0.0, abs=0.02)


def test_where_one_side_takes_longer_the_gait_is_uneven(clip):
    found = strides(trial_of(clip("walk"), 400, 4))
    found.left_time, found.right_time = np.full(len(found), 0.6), np.full(len(found), 0.5)
    assert found.mean("step_time_asymmetry").value == pytest.approx(0.1 / 0.55)
    half = found.episode < 2
    found.left_time[half], found.right_time[half] = 0.5, 0.6  # half of them limp on the other leg
    assert abs(found.mean("step_time_asymmetry").value) < 0.02
    assert unevenness(found).value == pytest.approx(0.1 / 0.55)


def test_only_strides_between_the_given_seconds_and_before_a_fall_count(clip):
    trial = trial_of(clip("walk"), 300, 2)
    trial.fell_at[1] = 200
    found = strides(trial, 3.0, 8.0)
    assert found.start.min() >= 90 and found.start.max() < 240
    assert found.start[found.episode == 1].max() < 200
    assert len(strides(trial, 9.9)) == 0


def test_two_files_are_compared_from_the_command_line(files, tmp_path, capsys):
    run, walk = files
    assert main(["lab", "people", "gait", str(run), str(walk), "--out", str(tmp_path / "out")]) == 0
    held = json.loads((tmp_path / "out" / "gait.json").read_text())
    rows = {(row["condition"], row["metric"]): row for row in held["rows"]}
    assert {metric for condition, metric in rows if condition == "change"} == set(QUANTITIES)
    assert rows["fresh", "speed"]["value"] == pytest.approx(PACES["run"][0], rel=0.05)
    assert rows["change", "speed"]["value"] == pytest.approx(
        rows["tired", "speed"]["value"] / rows["fresh", "speed"]["value"] - 1, abs=1e-4
    )
    assert rows["change", "foot_lift"]["high"] < 0
    assert (tmp_path / "out" / "gait.png").is_file() and "gait" in (tmp_path / "out" / "results.md").read_text()
    assert "speed" in capsys.readouterr().out


def test_one_file_is_looked_at_interval_by_interval(clip, tmp_path, capsys):
    """A walk that goes on a fifth more slowly from its middle on, and lies for its last quarter."""
    walk = clip("walk").loop(20).resample(30.0)
    half, low = walk.frames // 2, 3 * walk.frames // 4
    at = np.concatenate([np.arange(half), half + 0.8 * np.arange(walk.frames - half)])
    slower = replace(walk, qpos=walk.qpos[np.round(at).astype(int)])
    slower.qpos[low:, 2] = 0.1
    slower.save(tmp_path / "slower.npz")
    assert main(["lab", "people", "gait", str(tmp_path / "slower.npz"), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    count = int(min(walk.seconds // SPAN, MOST_SPANS))
    assert f"skipped: slower.npz, {walk.seconds * (count - 1) / count:.0f} to {walk.seconds:.0f} s: 0 strides" in said
    held = json.loads((tmp_path / "out" / "gait.json").read_text())["rows"]
    speeds = [row["value"] for row in held if row["metric"] == "cadence" and row["condition"] != "first to last"]
    assert count > len(speeds) >= 2 and speeds[-1] / speeds[0] == pytest.approx(0.8, abs=0.03)
    (change_row,) = (row for row in held if (row["metric"], row["condition"]) == ("cadence", "first to last"))
    assert change_row["value"] == pytest.approx(-0.2, abs=0.03) and change_row["high"] < 0
    (tmp_path / "slower.npz").rename(tmp_path / "slower-tired.npz")
    (tmp_path / "summary.json").write_text(json.dumps({"lost": [{"from_s": 0.0, "to_s": walk.seconds / 2}]}))
    job.run("people", "gait", tmp_path / "lost", motions=(str(tmp_path / "slower-tired.npz"),), say=(told := []).append)
    assert any("slower-tired.npz, 0 to" in line and "0 strides" in line for line in told)
    assert "cadence, steps a minute" in said and (tmp_path / "out" / "gait.png").is_file()


def test_wrong_things_to_compare_are_said(files, tmp_path, capsys):
    assert main(["lab", "people", "gait", *map(str, (*files, files[0])), "--out", str(tmp_path)]) == 2
    assert "two files or brains" in capsys.readouterr().err
    assert main(["lab", "cheema2023", "fig3", "a.bvh", "--out", str(tmp_path)]) == 2
    assert "only these items compare what is named after them: people gait" in capsys.readouterr().err
    said = []
    job.run("people", "gait", tmp_path, motions=("nobody.bvh", str(files[0])), say=said.append)
    assert "skipped: nobody.bvh: neither a motion file nor a brain" in said


def test_of_a_brain_only_strides_with_spent_legs_are_tired(clip, tmp_path, monkeypatch):
    def play(folder, ask, *_):
        frames = round(30 * ask.seconds)
        tires = 1 - np.exp(-np.arange(frames) / 600) if ask.fitness.F > 0 else np.zeros(frames)
        trial = trial_of(clip("run"), frames, ask.episodes, tires)
        trial.qpos[:, 1, :2] *= 0.5 if ask.fitness.F > 0 else 1.0
        return trial

    monkeypatch.setattr(benches, "run", play)
    job.run("people", "gait", tmp_path, motions=("pace",), episodes=3, say=lambda _: None)
    rows = json.loads((tmp_path / "gait.json").read_text())["rows"]
    found = {(row["condition"], row["metric"]): row for row in rows}
    # the legs are below one half from 13.9 s on, of 60; the fresh run is seen from 5 s to 30 s
    assert found["tired", "strides"]["value"] / found["fresh", "strides"]["value"] == pytest.approx(46 / 25, rel=0.1)
    assert found["change", "speed"]["value"] == pytest.approx(-0.5 / 3, abs=0.01)
    assert found["change", "speed"]["n"] == 3 and found["change", "cadence"]["value"] == pytest.approx(0, abs=0.01)


def test_contrast_is_the_difference_of_two_means_and_knows_its_doubt():
    rng = np.random.default_rng(0)
    before, after = rng.normal(2.0, 0.2, 200), rng.normal(1.5, 0.2, 300)
    found = statistics.contrast((before, np.ones(200)), (after, np.ones(300)))
    assert found.value == pytest.approx(after.mean() / before.mean() - 1)
    assert found.low < -0.25 < found.high and found.high - found.low < 0.05
    plain = statistics.contrast((before, np.ones(200)), (after, np.ones(300)), relative=False)
    assert plain.value == pytest.approx(after.mean() - before.mean())
    assert np.isnan(statistics.contrast((np.zeros(0),) * 2, (after, np.ones(300))).value)
