"""Standing where the feet are: feet stay, the centre of mass lies between them, next to nothing is carried."""

import mujoco
import numpy as np
import pytest
from footsteps import static_torque

from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.steer.stance import Stances

HUMAN = humanoid()
PLACE = {joint: 7 + k for k, joint in enumerate(HUMAN.joints)}


@pytest.fixture(scope="module")
def stances() -> Stances:
    return Stances(HUMAN)


def astride(stances, ahead: float, aside: float) -> np.ndarray:
    """The ideal pose with its left leg swung ahead and its right one aside, feet flat and on the floor."""
    qpos = stances.ideal.copy()
    swings = {"left_hip_y": -ahead, "left_ankle_y": ahead, "right_hip_x": -aside, "right_ankle_x": aside}
    for joint, by in swings.items():
        qpos[PLACE[joint]] += by
    qpos[2] -= 0.9 * max(ahead, aside) ** 2 / 4
    return qpos


def feet_of(qpos) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data = mujoco.MjData(HUMAN.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(HUMAN.model, data)
    feet = [HUMAN.model.body(name).id for name in HUMAN.feet]
    return data.xpos[feet].copy(), data.xmat[feet].reshape(2, 3, 3).copy(), data.subtree_com[1].copy()


def test_nothing_is_carried_in_the_ideal_pose(stances):
    assert np.abs(stances.least(stances.ideal)).max() < 1e-6
    assert stances.off_the_floor(stances.ideal) == pytest.approx((0, 0), abs=1e-12)


def test_least_torques_are_those_of_statics(stances):
    """Leaning ahead on both feet alike, there is but one way to hold the pose."""
    leaning = stances.ideal.copy()
    for side in ("left", "right"):
        leaning[PLACE[f"{side}_ankle_y"]] -= 0.03
        leaning[PLACE[f"{side}_hip_y"]] += 0.03
    np.testing.assert_allclose(stances.least(leaning), static_torque(HUMAN, leaning), atol=0.05)
    assert np.abs(stances.least(leaning)).max() > 5


@pytest.mark.parametrize("ahead, aside", [(0.1, 0.0), (0.0, 0.02), (-0.08, 0.01)])
def test_it_stands_on_the_feet_it_has(stances, ahead, aside):
    before = astride(stances, ahead, aside)
    pose, missed = stances.upright(before)
    (places, _, _), (now, flat, centre) = feet_of(before), feet_of(pose)
    assert missed < 1e-3 and np.abs(places - now)[:, :2].max() < 1e-3
    assert np.abs(flat[:, 2, :2]).max() < 1e-3 and np.abs(centre - now.mean(axis=0))[:2].max() < 3e-3
    assert (pose[7:] >= HUMAN.range[:, 0]).all() and (pose[7:] <= HUMAN.range[:, 1]).all()
    load = {how: np.abs(stances.least(q) / HUMAN.torque_limit).max() for how, q in (("before", before), ("now", pose))}
    assert load["now"] < 0.02 and load["now"] < load["before"]


def test_feet_in_the_air_are_noticed(stances):
    lifted, tilted = stances.off_the_floor(stances.ideal + np.eye(len(stances.ideal))[2] * 0.05)
    assert lifted == pytest.approx(0.05) and tilted < 1e-9
    toes = stances.ideal.copy()
    toes[PLACE["left_ankle_y"]] += 0.3
    assert stances.off_the_floor(toes)[1] == pytest.approx(np.sin(0.3))


def test_needs_two_legs():
    with pytest.raises(InputError, match="does not stand on two legs"):
        Stances(ant())
