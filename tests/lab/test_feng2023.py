"""Arms that are held, rested and held again by springs on muscle lengths."""

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.lab.feng2023.hold import GROUPS, RATE, hold_arms, members
from lactic.muscle.man import arms
from lactic.muscle.man.muscled import muscled
from lactic.muscle.man.musculature import musculature
from lactic.play.summary import summarise, tired_muscles


def test_arms_stay_up_fresh_and_hang_at_rest():
    found = hold_arms(fatigue.preset("feng2023-arms"), held=2.0, rested=4.0, again=5.0)
    assert np.abs(found.drop[RATE : 2 * RATE]).max() < 0.06  # horizontal
    assert np.abs(found.drop[:RATE]).max() < 0.12  # while shoulder blades turn up from the rest pose
    assert found.drop[6 * RATE - 1] > 0.3  # hanging
    assert found.drop[11 * RATE - 1] < 0.06  # up again
    assert np.isnan(found.when(0.0, 2.0)) and found.when(2.0, 6.0) < 4.0


def test_shoulder_blades_decide_how_long_arms_can_be_held():
    rates = fatigue.rates(fatigue.preset("feng2023-arms"), ["arm"])[0]
    flat, turned = (arms.least_largest(arms.carried(arms.posture(blade))) for blade in (0.0, arms.BLADE))
    assert flat == pytest.approx(0.292, abs=0.002) and turned < 0.45 * flat
    assert arms.longest(flat, rates) < 96 < arms.longest(turned, rates)  # 120 s within a fifth
    # a muscle that never rests, at R instead of r·R, tires sooner than the bound says
    held = fatigue.track(np.full(4200, flat), rates, 0.01)
    assert held[-1, 2] > 1 - flat
    assert arms.longest(1e-3, rates) == np.inf


def test_the_posture_has_horizontal_arms_that_are_balanced():
    model, pose = muscle_man().model, arms.posture()
    data = mujoco.MjData(model)
    data.qpos[:] = pose
    mujoco.mj_kinematics(model, data)
    for side in ("right", "left"):
        upper, hand = data.body(f"{side}_upper_arm").xpos, data.body(f"{side}_hand").xpos
        assert abs(hand[2] - upper[2]) < 0.05 and abs(hand[1] - upper[1]) > 0.5
    assert data.body("right_hand").xpos * [1, -1, 1] == pytest.approx(data.body("left_hand").xpos, abs=1e-9)
    found, rest = arms.carried(pose), musculature().strands.rest
    share = (found.length / rest - 1.0 - arms.balance() - found.passive) / found.active
    assert share.min() > -1e-9 and share.max() < 1.0
    assert np.abs(found.pulls @ share - found.wanted).max() < 0.1  # Nm, of 5 at a shoulder


def test_tired_muscles_let_arms_sink():
    quick = fatigue.preset("feng2023-arms").altered(time_scale=50.0)
    found = hold_arms(quick, held=4.0, rested=0.0, again=0.0)
    assert found.drop[-1] > 0.2 > found.drop[0]
    assert found.state[-1, members("shoulder"), 2].max() > 0.8


def test_groups_hold_muscles_of_the_arms():
    held = musculature()
    legs = {k for name, muscles in held.groups.items() if name.endswith("leg") for k in muscles}
    for group in GROUPS:
        chosen = members(group)
        assert len(chosen) > 2 and not legs & set(chosen)
        assert set(held.mirror[chosen]) == set(chosen)


def test_an_arm_whose_shoulder_is_exhausted_sinks_and_is_named():
    slow = fatigue.preset("feng2023-arms").altered(time_scale=1e-3)  # what is exhausted stays so
    shoulder = ["right deltoid", "right supraspinatus", "right infraspinatus", "right subscapularis"]
    found = hold_arms(slow, held=2.0, rested=0.0, again=0.0, exhausted=shoulder)
    model, data = muscle_man().model, mujoco.MjData(muscle_man().model)
    data.qpos[:] = found.qpos[-1]
    mujoco.mj_kinematics(model, data)
    heights = {side: data.body(f"{side}_hand").xpos[2] for side in ("left", "right")}
    assert heights["right"] < heights["left"] - 0.15
    record = found.recording()
    tired = tired_muscles(record, 5)
    assert {row["muscle"] for row in tired[:4]} == set(shoulder) and tired[3]["MF"] > 0.98 > 0.1 > tired[4]["MF"]
    facts = summarise(record, slow, muscled().groups)
    assert facts["most_tired_muscles"][:5] == tired and facts["body"] == "muscle-man" and facts["failures"] == []
    pulled = {side: record.torque[-1, list(musculature().find(f"{side} deltoid"))].sum() for side in ("left", "right")}
    assert 0 <= pulled["right"] < 0.2 * pulled["left"]  # N
    assert facts["capacity_mean_end"] == pytest.approx(1 - found.state[-1, :, 2].mean())
