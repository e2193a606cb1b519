"""`lactic plan`: what it writes, what it promises, and that failures leave nothing."""

import json

import numpy as np
import pytest

pytest.importorskip("casadi", reason="no CasADi: pip install lactic[plan]")

from lactic.cli import main
from lactic.errors import InputError
from lactic.plan import job
from lactic.plan.drive import Drive
from lactic.plan.jumps import repeated
from lactic.plan.outcome import weigh
from lactic.plan.search import best_plan

FILES = {"motion.bvh", "motion.npz", "strip.png", "torques.csv", "activations.csv", "summary.json"}


@pytest.fixture(scope="module")
def jumps():
    """Jumps on few nodes, by limits."""
    return {limits: weigh(best_plan("jump", Drive(limits), 16, fly=False)) for limits in ("box", "lr", "mtu")}


def test_a_jump_is_written_whole(tmp_path):
    out = tmp_path / "made" / "jump"
    assert main(["plan", "jump", "--limits", "box", "--nodes", "16", "--out", str(out)]) == 0
    assert {p.name for p in out.iterdir()} == FILES
    found = json.loads((out / "summary.json").read_text())
    assert found["status"] == "Solve_Succeeded" and found["constraint_violation"] < 1e-6
    assert found["nodes"] == 16 and found["scheme"] == "trapezoid"
    with np.load(out / "motion.npz") as motion:
        assert np.abs(motion["torque"]).max() <= 200 + 1e-3
        assert motion["q"].shape == (len(motion["time"]), 6)
        top = motion["com"][:, 1].max()
    assert top == pytest.approx(found["height_m"], abs=0.03)  # the flight rises as high as the take-off says


def test_muscles_jump_lower_than_a_box_and_learned_limits_as_high_as_muscles(jumps):
    height = {limits: found.summary["height_m"] for limits, found in jumps.items()}
    assert height["lr"] == pytest.approx(height["mtu"], rel=0.03)  # jiang2019: equal optimal value
    assert 1.5 < height["box"] < 1.8 and 1.15 < height["mtu"] < 1.4


def test_replay_gives_the_torques_with_activations(jumps):
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    muscles, learned, box = (jumps[limits].summary["replay"]["smooth"] for limits in ("mtu", "lr", "box"))
    assert muscles["largest_beyond_Nm"] < 0.5  # corners of the curves are rounded
    assert learned["largest_beyond_Nm"] < 12 and learned["mean_beyond_Nm"] < 4
    assert box["largest_beyond_Nm"] > 50
    for found in (muscles, learned):
        assert found["activation_least"] >= 0 and found["activation_most"] <= 1


def test_a_tired_leg_jumps_lower(jumps):
    half = weigh(best_plan("jump", Drive("box", 0.5), 16, fly=False)).summary["height_m"]
    assert half < jumps["box"].summary["height_m"] - 0.1


def test_a_leg_too_weak_to_rise_has_no_height(tmp_path, capsys):
    out = tmp_path / "weak"
    words = ["plan", "heights", "--limits", "box", "--nodes", "16", "--out", str(out)]
    assert main([*words, "--capacity", "1", "0.1"]) == 0
    assert "no jump from this crouch" in capsys.readouterr().out
    rows = json.loads((out / "heights.json").read_text())["jumps"]
    assert rows[0]["height_m"] > 1.5 and rows[1]["height_m"] is None and "no solution" in rows[1]["status"]
    assert main([*words[:-1], str(tmp_path / "none"), "--capacity", "0.1"]) == 2
    assert not (tmp_path / "none").exists()


def test_jumps_one_after_another_get_lower(tmp_path):
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    rows = repeated("box", tmp_path, jumps=2, rest=1.0, time_scale=50.0, nodes=16)
    assert rows[1]["height_m"] < rows[0]["height_m"] and rows[1]["capacity_mean"] < 1
    assert {p.name for p in tmp_path.iterdir()} == {"repeat.json", "repeat.png"}


def test_a_swing_is_let_go_upwards():
    found = weigh(best_plan("swing", Drive("box"), 14, fly=False)).summary
    assert found["release_x_m_s"] > 2 and found["release_y_m_s"] > 2 and found["status"] == "Solve_Succeeded"


def test_the_impossible_leaves_nothing(tmp_path, capsys):
    out = tmp_path / "deep" / "reach"
    words = ["plan", "reach", "--limits", "box", "--nodes", "10", "--product", "500", "--out", str(out)]
    assert main(words) == 2
    assert "no solution: IPOPT says" in capsys.readouterr().err
    assert not (tmp_path / "deep").exists()


def test_ctrl_c_leaves_nothing(tmp_path, monkeypatch):
    out = tmp_path / "deep"

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(job, "best_plan", interrupted)
    assert main(["plan", "jump", "--limits", "box", "--out", str(out)]) == 130
    assert not out.exists()


@pytest.mark.parametrize("capacity", [0.0, 1.2, float("nan")])
def test_capacities_are_shares(capacity):
    with pytest.raises(InputError, match="residual capacity"):
        Drive("lr", capacity)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_tolerances_are_torques(tolerance):
    with pytest.raises(InputError, match="tolerance"):
        Drive("lr", tolerance=tolerance)


def test_too_few_nodes_are_refused():
    with pytest.raises(InputError, match="nodes 3"):
        best_plan("jump", Drive("box"), 3)
