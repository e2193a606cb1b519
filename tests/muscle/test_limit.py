"""Muscles as a character's strength: the shipped leg, the signs, what the engine applies, fatigue, and bad input."""

import json
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")

import lactic.muscle
from lactic import body as bodies
from lactic.body import humanoid
from lactic.brain import catalogue
from lactic.cli import main
from lactic.errors import InputError
from lactic.muscle import swift
from lactic.muscle.exact import correction, effort
from lactic.muscle.leg import load_leg, shipped_leg
from lactic.muscle.limit import HINGES, MuscleLimit, hinges
from lactic.play.player import Player
from lactic.world.cpu import CpuWorld

LEG = shipped_leg()
LOW, HIGH = np.array([-0.9, -0.6, -0.6, -2.0, -0.9]), np.array([1.5, 0.6, 0.6, 0.1, 0.9])
SPEED, TORQUE = np.array([5.0, 5, 5, 10, 15]), np.array([250.0, 80, 80, 250, 250])
TO_OURS = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # from OpenSim's x forward, y up, z right
MIRROR = np.diag([1.0, -1.0, 1.0])


def states(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = LOW + (HIGH - LOW) * rng.random((count, 5))
    return q, SPEED * rng.uniform(-1, 1, q.shape), TORQUE * rng.uniform(-1, 1, q.shape)


def corrected(q, qd, torque, capacity=1.0) -> np.ndarray:
    return correction(LEG.pull(q, qd, capacity), torque).torque


def test_one_moment_is_as_many_at_once():
    q, qd, torque = states(60)
    pulls = LEG.pull(q, qd)
    fixed = correction(pulls, torque).torque
    cost = effort(pulls, torque - fixed, LEG.force).rate
    one, passive, off = np.ones(len(LEG.muscles)), np.empty(5), np.empty(5)
    columns, speed = np.empty((len(LEG.muscles), 5)), np.empty(len(LEG.muscles))
    for i in range(len(q)):
        swift.columns_of(LEG.geometry, q[i], qd[i], columns, passive, speed)
        assert pytest.approx(pulls.active[i], abs=1e-9) == columns.T
        assert passive == pytest.approx(pulls.passive[i], abs=1e-9)
        swift.nearest(columns, passive, one, torque[i], np.zeros(len(one)), off)
        assert off == pytest.approx(fixed[i], abs=1e-8)
        rate = swift.least(LEG.geometry, columns, passive, one, torque[i] - fixed[i], np.empty(len(one)))
        assert rate == pytest.approx(cost[i], rel=1e-8)


@pytest.mark.parametrize("side", ["right", "left"])
def test_hips_and_knees_turn_as_opensims_do(side):
    body = humanoid()
    index, sign = hinges(body, LEG)
    leg = ("right", "left").index(side)
    for q in states(5, seed=3)[0]:
        turned = np.empty((4, 3, 3))
        swift.frames(LEG.geometry, q, turned, np.empty((4, 3)), np.empty((4, 5, 6)))
        data = mujoco.MjData(body.model)
        data.qpos[7 + index[leg]] = sign[leg] * q
        mujoco.mj_kinematics(body.model, data)
        for k, part in ((1, "thigh"), (2, "shin")):
            expected = TO_OURS @ turned[k] @ TO_OURS.T
            if side == "left":
                expected = MIRROR @ expected @ MIRROR
            assert data.body(f"{side}_{part}").xmat.reshape(3, 3) == pytest.approx(expected, abs=1e-9)
        foot = data.body(f"{side}_shin").xmat.reshape(3, 3).T @ data.body(f"{side}_foot").xmat.reshape(3, 3)
        expected = TO_OURS @ turned[2].T @ turned[3] @ TO_OURS.T
        expected = MIRROR @ expected @ MIRROR if side == "left" else expected
        assert np.degrees(np.arccos((np.trace(foot.T @ expected) - 1) / 2)) < 12  # OpenSim's axis leans by that much


def test_muscles_pull_the_way_they_are_named():
    """Moment arms with the signs of the humanoid's right hinges: knee bends and toes sink at positive angles."""
    found = dict(zip(LEG.muscles, LEG.arms([[0.2, 0.0, 0.0, -0.5, 0.0]])[1][0].T, strict=True))
    right = {
        name: HINGES[c][1] * i
        for c, name, i in zip(LEG.coordinates, ("y", "x", "z", "knee", "ankle"), [1] * 5, strict=True)
    }
    column = {"y": 0, "x": 1, "z": 2, "knee": 3, "ankle": 4}
    body = humanoid()
    low, high = body.range[body.joints.index("right_knee")]
    assert (low, high) == pytest.approx((0, np.radians(160)))  # bends to positive angles

    def pulls(muscle: str, hinge: str) -> float:
        return float(right[hinge] * found[muscle][column[hinge]])

    assert pulls("vas_int", "knee") < -0.02 and pulls("rect_fem", "knee") < -0.02  # extend
    assert pulls("semimem", "knee") > 0.02 and pulls("med_gas", "knee") > 0.01  # flex
    assert pulls("soleus", "ankle") > 0.03 and pulls("tib_ant", "ankle") < -0.02  # sink and raise the toes
    assert pulls("psoas", "y") < -0.02 and pulls("glut_max2", "y") > 0.02  # flexion is negative
    assert pulls("add_mag1", "x") > 0.02 and pulls("glut_med2", "x") < -0.02  # to the midline is positive
    assert pulls("glut_med3", "z") < 0 < pulls("glut_min1", "z")  # inwards is positive


def test_nearest_is_feasible_and_never_farther_than_another():
    q, qd, torque = states(20)
    rng, pulls = np.random.default_rng(1), LEG.pull(q, qd)
    beyond = corrected(q, qd, torque)
    for _ in range(200):
        other = pulls.torque(rng.random((len(q), len(LEG.muscles))))
        assert (np.linalg.norm(beyond, axis=1) <= np.linalg.norm(other - torque, axis=1)).all()
    edge = torque - beyond
    assert np.abs(corrected(q, qd, edge)).max() < 1e-8
    middle = pulls.torque(np.full((len(q), len(LEG.muscles)), 0.5))
    assert not corrected(q, qd, 0.5 * edge + 0.5 * middle).any()


def test_fatigue_shrinks_the_feasible_set():
    q, qd = np.array([[0.3, 0.0, 0.0, -0.8, 0.0]]), np.zeros((1, 5))
    most = np.array([[0.0, 0.0, 0.0, 1e4, 0.0]])
    passive = LEG.pull(q, qd).passive
    given = {c: most - corrected(q, qd, most, c) - passive for c in (1.0, 0.5, 0.0)}
    assert given[0.5] == pytest.approx(0.5 * given[1.0], rel=2e-2, abs=2)  # far away: a face, not its very corner
    assert np.abs(given[0.0]).max() < 1e-9  # what stretch alone gives needs no strength
    q, qd, torque = states(30, seed=5)
    sizes = [np.linalg.norm(corrected(q, qd, torque, c), axis=1) for c in (1.0, 0.7, 0.3)]
    assert (sizes[0] <= sizes[1] + 1e-9).all() and (sizes[1] <= sizes[2] + 1e-9).all()


def driven(count: int = 3, seed: int = 0, tired: float = 1.0):
    """Characters in the air, thrashing: world, muscles and the law they are driven by."""
    body, rng = humanoid(), np.random.default_rng(seed)
    world = CpuWorld(body, count, threads=1)
    pose = np.tile(body.rest, (count, 1))
    pose[:, 2] = 5.0
    world.reset(None, pose)
    muscles = MuscleLimit(body, world.timestep, count)
    low, high = body.range.T
    law = (
        low + (high - low) * rng.random((count, 28)),
        *(np.tile(x, (count, 1)) for x in (body.stiffness, body.damping, tired * body.torque_limit)),
    )
    world.drive(*law)
    muscles.drive(*law)
    return world, muscles, law


@pytest.mark.parametrize("tired", [1.0, 0.6])
def test_the_engine_applies_only_what_muscles_can_give(tired):
    world, muscles, (targets, kp, kd, limits) = driven(tired=tired)
    others = np.setdiff1d(np.arange(28), muscles.hinges)
    count = 0
    for _ in range(40):
        q, v = world.qpos[:, 7:].copy(), world.qvel[:, 6:].copy()
        intent = np.clip(kp * (targets - q) - kd * v, -limits, limits)
        world.step(1, muscles)
        for leg, (index, sign) in enumerate(zip(muscles.hinges, muscles.sign, strict=True)):
            wanted, given = sign * intent[:, index], sign * world.force[:, index]
            beyond = corrected(sign * q[:, index], sign * v[:, index], wanted, tired)
            assert given == pytest.approx(wanted - beyond, abs=1e-6), leg
            count += int(beyond.any(1).sum())
        assert world.force[:, others] == pytest.approx(intent[:, others], abs=1e-6)
    assert count > 20
    assert world.faults == 0


def test_totals_and_judging():
    world, muscles, law = driven(1)
    judge = MuscleLimit(world.body, world.timestep, 1, enforce=False)
    judge.drive(*law)
    world.step(1, judge)
    assert (world.bounds[..., 1] == world.body.torque_limit).all()
    world.step(8, muscles)
    told = muscles.report()
    assert told["seconds"] == pytest.approx(8 / 120) and told["unsettled"] == 0
    assert 0 < told["beyond_share_of_time"] <= 1 and told["effort_mean_N"] > 0 and told["metabolic_J"] > 0
    assert [row["joint"] for row in told["joints"]][:2] == ["right_hip_y", "right_hip_x"]
    assert all(row["mean_Nm"] <= row["most_Nm"] for row in told["joints"])
    assert judge.report()["seconds"] == pytest.approx(1 / 120)


def test_mirrored_characters_have_mirrored_bounds():
    world, muscles, law = driven(2)
    body = world.body
    mirrored = body.mirror_sign * law[0][:1][:, body.mirror]
    law[0][1:] = mirrored
    world.drive(*law)
    muscles.drive(*law)
    for _ in range(10):
        world.step(1, muscles)
    flipped = body.mirror_sign * world.force[0, body.mirror]
    assert world.force[1] == pytest.approx(flipped, abs=1e-5)


def test_within_their_strength_muscles_change_nothing():
    brain = catalogue.find("hold-arms").load()
    bound, free = Player(brain, strength="muscle"), Player(brain)
    for _ in range(10):
        for each in (bound, free):
            each.step(np.ones(each.info.command))
    assert bound.muscles.report()["beyond_share_of_time"] == 0
    assert np.array_equal(bound.world.qpos, free.world.qpos)


def test_a_lost_drive_is_the_engines_to_report():
    world, muscles, law = driven(2)
    law[0][0, muscles.hinges[0, 3]] = np.nan
    world.drive(*law)
    muscles.drive(*law)
    world.step(4, muscles)
    assert world.faults == 1 and world.faulted.tolist() == [True, False]
    assert np.isfinite(world.qpos).all() and np.isfinite(muscles.report(1)["beyond_mean_Nm"])


def test_bad_input_is_named(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="body ant: has no right_hip_y"):
        MuscleLimit(bodies.get("ant"), 1 / 120)
    with pytest.raises(InputError, match="need numba"), monkeypatch.context() as without:
        without.delattr(lactic.muscle, "loop")
        without.setitem(sys.modules, "lactic.muscle.loop", None)
        MuscleLimit(humanoid(), 1 / 120)
    damaged = tmp_path / "leg.npz"
    LEG.save(damaged)
    assert load_leg(damaged).muscles == LEG.muscles
    damaged.write_bytes(damaged.read_bytes()[:3000])
    with pytest.raises(InputError, match="not a leg that can be read"):
        load_leg(damaged)
    wrong = LEG.geometry._replace(point_body=LEG.geometry.point_body + 9)
    replace(LEG, geometry=wrong).save(damaged)
    with pytest.raises(InputError, match="its parts do not fit together"):
        load_leg(damaged)


def test_play_with_muscles(tmp_path, capsys):
    assert main(["play", "pace", "--seconds", "0.3", "--strength", "muscle", "--no-film", "--out", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "summary.json").read_text())["muscles"]
    assert told["enforced"] and len(told["joints"]) == 10 and told["seconds"] == pytest.approx(0.3)
    assert "beyond a human leg" in capsys.readouterr().out
