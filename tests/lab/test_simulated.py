"""The simulated items of bergamin2020 with a brain that has learnt nothing, on made-up locomotion."""

import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from lactic import body
from lactic.lab import job
from lactic.lab.bergamin2020 import impact, reversal, runtime, tired, turn, user
from lactic.lab.bergamin2020.impact import EDGE, Thrower, with_cube
from lactic.play.job import PlayOptions, play
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")


@pytest.fixture(scope="module")
def made(follower):
    """A database and a brain beside each other."""
    return follower.parent


def measured(made, out, item):
    job.run(
        "bergamin2020",
        item,
        out,
        episodes=2,
        database=made / "steps.npz",
        brains=(str(made / "steer"),),
        say=lambda _: None,
    )
    assert (out / f"{item}.png").is_file()
    rows = json.loads((out / f"{item}.json").read_text())["rows"]
    return {(row["subject"], row["condition"], row["metric"]): row["value"] for row in rows}


def test_reversal_and_turn_compare_both_characters(made, tmp_path, monkeypatch):
    for module in (reversal, turn):
        monkeypatch.setattr(module, "BEFORE", 1.5)
        monkeypatch.setattr(module, "AFTER", 1.2)
    found = measured(made, tmp_path, "reversal")
    assert found["kinematic", "before", "velocity"] < -1 and ("steer", "before", "velocity") in found
    assert ("steer", "run", "lag") in found and found["steer", "run", "falls"] > 0
    found = measured(made, tmp_path, "turn")
    assert {("kinematic", "walk", "rise_time"), ("steer", "run", "rise_time")} <= set(found)


def test_falls_blows_cost_and_fatigue(made, tmp_path, monkeypatch):
    for module, seconds in ((user, 15.0), (impact, 1.0), (runtime, 1.0)):
        monkeypatch.setattr(module, "SECONDS", seconds)
    monkeypatch.setattr(impact, "MASSES", (0.01, 8.0))
    monkeypatch.setattr(runtime, "FEW_ROUNDS", 1)
    monkeypatch.setattr(tired, "RUN", 8.0)
    monkeypatch.setattr(tired, "WINDOWS", ((0, 2), (6, 8)))
    found = measured(made, tmp_path, "user")
    assert found["steer", "user", "falls_per_5_minutes"] >= 0
    speeds = found["steer", "user", "speed"], found["kinematic", "user", "speed"]
    assert found["steer", "user", "speed_over_leader"] == pytest.approx(speeds[0] / speeds[1], rel=1e-4)
    assert set(measured(made, tmp_path, "impact")) == {
        ("steer", "0.01 kg", "seconds_between_falls"),
        ("steer", "8 kg", "seconds_between_falls"),
    }
    found = measured(made, tmp_path, "runtime")
    assert found["steer", "one character", "ratio_to_mj_step"] > 1
    found = measured(made, tmp_path, "tired")
    for case in tired.CASES:
        left = [found["steer", f"{case}, {window} s", "legs_capacity"] for window in ("0 to 2", "6 to 8")]
        assert 0 < left[1] < left[0] <= 1 and ("steer", f"{case}, 6 to 8 s", "mean_speed") in found
    assert {case for _, case, metric in found if metric == "falls_in_3_minutes"} == set(tired.CASES)


def test_without_a_brain_that_follows_they_are_skipped(made, tmp_path):
    said = []
    job.run(
        "bergamin2020",
        "impact",
        tmp_path,
        episodes=2,
        brains=("hold-arms",),
        database=made / "steps.npz",
        say=said.append,
    )
    assert any("docs/steering.md" in line for line in said) and not (tmp_path / "impact.json").exists()


def test_cubes_are_thrown_at_the_body():
    both = with_cube(HUMAN, 2.5)
    world, model = CpuWorld(both, 16, threads=1), both.model
    assert model.body("cube").mass[0] == pytest.approx(2.5) and model.nu == 28
    thrower = Thrower(world, HUMAN)
    data = mujoco.MjData(HUMAN.model)
    mujoco.mj_forward(HUMAN.model, data)
    np.testing.assert_allclose(thrower.centre()[0], data.subtree_com[0], atol=1e-6)
    thrower.throw()
    cube, speed = world.qpos[:, 35:38], world.qvel[:, 34:37]
    np.testing.assert_allclose(np.linalg.norm(cube - thrower.centre(), axis=1), 2.0, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(speed, axis=1), 5.0, rtol=1e-6)
    assert (cube[:, 2] >= thrower.centre()[:, 2]).all() and cube[:, 2].min() > EDGE
    before = np.array(world.qvel[:, :6])
    world.step(48)
    assert (np.abs(world.qvel[:, :6] - before).max(axis=1) > 0.05).any()
    assert (np.linalg.norm(world.qvel[:, 34:37] - speed, axis=1) >= 0).all()


def test_play_follows_a_script_and_counts_falls(made, tmp_path, monkeypatch):
    monkeypatch.setattr("lactic.picture.video.film_video", lambda *_, **__: None)
    turn = PlayOptions(seconds=4.0, database=made / "steps.npz", script="turn")
    summary = play(str(made / "steer"), tmp_path / "a", turn, report=lambda _: None)
    assert summary["falls"] >= 1 and summary["frames"] == 120 and (tmp_path / "a" / "motion.bvh").is_file()
    slower = replace(turn, script=None, fitness="cheema2023", pacing="in proportion")
    slow = play(str(made / "steer"), tmp_path / "b", slower, report=lambda _: None)
    assert slow["capacity_mean_end"] < 1
    from lactic.errors import InputError

    with pytest.raises(InputError, match="script none"):
        play(str(made / "steer"), tmp_path / "c", replace(turn, script="none"))
    with pytest.raises(InputError, match="seed 3: script 'turn' is the same with every seed"):
        play(str(made / "steer"), tmp_path / "c", replace(turn, seed=3))
    with pytest.raises(InputError, match="database: this character does not follow a leader"):
        play("hold-arms", tmp_path / "c", replace(turn, script=None))
    with pytest.raises(InputError, match="script: this character cannot be steered"):
        play("hold-arms", tmp_path / "c", PlayOptions(script="turn"))
    assert not (tmp_path / "c").exists()
