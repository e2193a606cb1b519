"""Arms that are held, rested and held again by springs on muscle lengths."""

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.lab.feng2023.hold import GROUPS, RATE, hold_arms, members
from lactic.muscle.man.muscled import muscled
from lactic.muscle.man.musculature import musculature
from lactic.play.summary import summarise, tired_muscles


def test_arms_stay_up_fresh_and_hang_at_rest():
    found = hold_arms(fatigue.preset("feng2023-arms"), held=2.0, rested=4.0, again=5.0)
    assert np.abs(found.drop[: 2 * RATE]).max() < 0.06  # horizontal
    assert found.drop[6 * RATE - 1] > 0.3  # hanging
    assert found.drop[11 * RATE - 1] < 0.06  # up again
    assert np.isnan(found.when(0.0, 2.0)) and found.when(2.0, 6.0) < 4.0


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
