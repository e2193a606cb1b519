"""Muscles of MuJoCo bodies: two muscles on one joint by hand, a joint that follows another, and a published leg."""

import importlib.util

import mujoco
import numpy as np
import pytest

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")

from lactic.errors import InputError
from lactic.muscle.exact import correction, effort
from lactic.muscle.tendons import TendonLimb

# tendons from (−0.3, ±0.04) on the world to (0.1, ±0.04) on the arm: 0.4 m long, moment arms ±0.04 m at 0
PAIR = """
<mujoco>
  <worldbody>
    <site name="flexor_from" pos="-0.3 0.04 0"/>
    <site name="extensor_from" pos="-0.3 -0.04 0"/>
    <body name="arm">
      <joint name="elbow" axis="0 0 1" range="-1 1" limited="true"/>
      <geom type="sphere" size="0.01" pos="0.2 0 0"/>
      <site name="flexor_to" pos="0.1 0.04 0"/>
      <site name="extensor_to" pos="0.1 -0.04 0"/>
      {more}
    </body>
  </worldbody>
  <tendon>
    <spatial name="flexor"><site site="flexor_from"/><site site="flexor_to"/></spatial>
    <spatial name="extensor"><site site="extensor_from"/><site site="extensor_to"/></spatial>
  </tendon>
  {constraint}
  <actuator>
    <muscle name="flexor" tendon="flexor" force="500" range="0.75 1.05" lengthrange="0.3 0.5" {extra}/>
    <muscle name="extensor" tendon="extensor" force="300" range="0.75 1.05" lengthrange="{reach}"/>
    <motor name="other" joint="elbow"/>
  </actuator>
</mujoco>
"""
LMAX, FPMAX = 1.6, 1.3  # MuJoCo's defaults, as are lmin 0.5, vmax 1.5 and fvmax 1.2
OPTIMAL = 0.2 / 0.3  # (0.5 − 0.3) / (1.05 − 0.75)


def limb(joints=("elbow",), **parts: str) -> TendonLimb:
    text = PAIR.format(**{"more": "", "constraint": "", "extra": "", "reach": "0.3 0.5"} | parts)
    return TendonLimb(mujoco.MjModel.from_xml_string(text), joints)


def column(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


def test_two_muscles_by_hand():
    pair = limb()
    assert pair.names == ("flexor", "extensor") and pair.force.tolist() == [500, 300]
    lengths, arms = pair.arms(column(0.0))
    assert lengths[0].tolist() == pytest.approx([0.4, 0.4])
    assert arms[0, 0].tolist() == pytest.approx([0.04, -0.04])
    # at rest l = (0.4 + 0.2)/(2/3) = 0.9, f_L = 1 − (0.1/0.25)²/2 = 0.92; at 1 rad/s the flexor shortens at 0.04 of its
    # maximal speed, f_V = 0.96², and the extensor lengthens, f_V = 1.2 − 0.16²/0.2
    moving = pair.pull(column(0.0, 0.0), column(0.0, 1.0))
    assert moving.active[:, 0] == pytest.approx(np.array([[460, 276], [460 * 0.9216, 276 * 1.072]]) * [0.04, -0.04])
    assert not moving.passive.any()
    pulls = pair.pull(column(0.0, 0.0, 0.0), column(0.0, 0.0, 0.0))
    found = correction(pulls, np.array([[25.0], [5.0], [-20.0]]))
    assert found.torque[:, 0] == pytest.approx([25 - 18.4, 0.0, -20 + 11.04])
    assert found.feasible.tolist() == [False, True, False]
    cost = effort(pulls, np.array([[18.4], [5.0], [-11.04]]), pair.force)
    assert cost.rate == pytest.approx([500, 500 * 5 / 18.4, 300])


def test_stretch_pulls_back():
    pair, q = limb(reach="0.15 0.35"), 0.9
    turned = np.array([[np.cos(q), -np.sin(q)], [np.sin(q), np.cos(q)]])
    length = np.linalg.norm(turned @ [0.1, -0.04] - [-0.3, -0.04])
    scaled = (length - 0.15) / OPTIMAL + 0.75
    share = (scaled - 1) / (0.5 * (1 + LMAX) - 1)
    assert 0.3 < share < 1  # on the quadratic part of MuJoCo's curve
    given = pair.pull(column(q), column(0.0)).passive[0, 0]
    assert given == pytest.approx(pair.arms(column(q))[1][0, 0, 1] * 300 * FPMAX * 0.5 * share**2)
    lengths = [pair.arms(column(q + step))[0][0] for step in (1e-6, -1e-6)]
    assert pair.arms(column(q))[1][0, 0] == pytest.approx(-(lengths[0] - lengths[1]) / 2e-6, abs=1e-8)


def test_a_joint_that_follows_is_taken_along():
    glide = {
        "more": '<joint name="glide" type="slide" axis="1 0 0"/>',
        "constraint": '<equality><joint joint1="glide" joint2="elbow" polycoef="0 0.02 0.03 0 0"/></equality>',
    }
    tied = limb(**glide)
    q = 0.4
    lengths = [tied.arms(column(q + step))[0][0] for step in (1e-6, -1e-6)]
    arms = tied.arms(column(q))[1][0, 0]
    assert arms == pytest.approx(-(lengths[0] - lengths[1]) / 2e-6, abs=1e-8)
    assert arms != pytest.approx(limb().arms(column(q))[1][0, 0], abs=1e-3)
    with pytest.raises(InputError, match="joint glide: follows another"):
        limb(joints=("glide",), **glide)


def test_bad_bodies_are_named():
    with pytest.raises(InputError, match="has no joint knee; it has elbow"):
        limb(joints=("knee",))
    with pytest.raises(InputError, match="muscle flexor: has a forcerange"):
        limb(extra='forcelimited="true" forcerange="-100 0"')
    with pytest.raises(InputError, match="has no muscles"):
        TendonLimb(
            mujoco.MjModel.from_xml_string(
                "<mujoco><worldbody><body><joint name='a'/><geom size='1'/></body></worldbody></mujoco>"
            ),
            ["a"],
        )
    with pytest.raises(InputError, match="q: not finite in state 1"):
        limb().pull(column(0.0, np.nan), column(0.0, 0.0))
    with pytest.raises(InputError, match=r"qd: shape \(1, 2\)"):
        limb().pull(column(0.0), np.zeros((1, 2)))


def test_published_legs():
    bodies = {"musclemimic_models": "myofullbody", "myo_sim": "myolegs"}
    here = [package for package in bodies if importlib.util.find_spec(package)]
    if not here:
        pytest.skip(f"published muscles are not here: pip install {' or '.join(bodies)}")
    for package in here:
        _check(importlib.import_module(package).load(bodies[package])[0])


def _check(model: mujoco.MjModel) -> None:
    """The right leg of a published model gives what its muscles pull, and no more is asked of it."""
    names = ["hip_flexion_r", "hip_adduction_r", "hip_rotation_r", "knee_angle_r", "ankle_angle_r"]
    leg = TendonLimb(model, names)
    assert 35 <= len(leg.names) <= 60
    rng = np.random.default_rng(0)
    q = rng.uniform([-0.3, -0.2, -0.2, 0.1, -0.3], [0.8, 0.2, 0.2, 1.2, 0.3], (5, 5))
    pulls = leg.pull(q, np.zeros_like(q))
    given = pulls.torque(rng.random((5, len(leg.names))))
    assert not correction(pulls, given).torque.any()
    assert np.isfinite(effort(pulls, given, leg.force).rate).all()
