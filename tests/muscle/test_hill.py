"""Hill curves at known points, muscles on a tiny limb, and the strength of gait2392's leg."""

import math

import numpy as np
import pytest
from tiny_osim import tiny_file

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")

from lactic.errors import InputError
from lactic.muscle import hill
from lactic.muscle.compact import limb
from lactic.muscle.leg import shipped_leg
from lactic.muscle.osim import read_osim

CAPACITY = {  # active, isometric, Nm: most over poses, at the default pose (printed constants of f_V, 0.2 % more)
    ("hip_flexion", 1): (202, 172),
    ("hip_flexion", -1): (364, 204),
    ("knee_angle", 1): (234, 73),
    ("knee_angle", -1): (169, 132),
    ("ankle_angle", -1): (274, 273),
    ("ankle_angle", 1): (64, 63),
}


def test_curves_meet_their_definitions():
    assert [hill.active_velocity(v, 1.0, 1.0) for v in (-2.0, -1.0, 0.0)] == pytest.approx([0, 0, 1], abs=1e-6)
    assert [hill.passive_length(x, 1.0) for x in (0.5, 1.0, 1.6)] == pytest.approx([0, 0, 1])
    assert hill.passive_length(1.3, 9.0) == pytest.approx((math.e**2 - 1) / (math.e**4 - 1))
    lengths = np.linspace(0.3, 1.9, 801)
    active = np.array([hill.active_length(x) for x in lengths])
    assert active.max() == pytest.approx(1, abs=0.005)
    assert lengths[active.argmax()] == pytest.approx(1, abs=0.03)
    assert (np.diff([hill.active_velocity(v, 1.0, 1.0) for v in np.linspace(-1, 1, 99)]) >= 0).all()


def test_passive_force_is_capped_and_can_be_let_go():
    assert [hill.passive_length(x, 1.0) for x in (2.1, 50.0)] == [1, 1]
    assert hill.passive_length(2.0965, math.inf) == pytest.approx(27.9, abs=0.1)


def test_curves_equal_opensims():
    opensim = pytest.importorskip("opensim", reason="the oracle is not here: pip install opensim")
    muscle = opensim.DeGrooteFregly2016Muscle()
    for x in np.linspace(0.4, 1.7, 40):
        theirs = muscle.calcActiveForceLengthMultiplier(float(x))
        assert hill.active_length(x) == pytest.approx(theirs, abs=1e-12)
    for x in np.linspace(-1, 1, 40):
        theirs = muscle.calcForceVelocityMultiplier(float(x))
        assert hill.active_velocity(x, 1.0, 1.0) == pytest.approx(theirs, abs=1e-12)


def forces(length: float, speed: float = 0.0) -> tuple[float, float]:
    """Of a muscle of 1000 N: fibre 0.1 m, tendon 0.2 m, pennation 0.2 rad, 8 optimal lengths a second."""
    active, passive = np.empty(1), np.empty(1)
    muscle = np.array([[1000.0, 0.1, 0.2, 0.2, 8.0]])
    hill.forces(muscle, np.array([length]), np.array([speed]), active, passive)
    return active[0], passive[0]


OPTIMAL = 0.2 + 0.1 * math.cos(0.2)


def test_force_at_optimal_length_is_the_maximum_along_the_tendon():
    active, passive = forces(OPTIMAL)
    assert active == pytest.approx(1000 * hill.active_length(1.0) * math.cos(0.2))
    assert passive == pytest.approx(0, abs=1e-9)


def test_fibre_velocity_is_the_path_velocity_times_the_cosine():
    assert forces(OPTIMAL, -8 * 0.1 / math.cos(0.2))[0] == pytest.approx(0, abs=1e-3)  # shortening at its maximum


def test_a_slack_muscle_pulls_nothing():
    assert forces(0.1) == forces(0.2) == (0, 0)
    assert forces(0.25)[0] > 0


def test_torque_is_moment_arm_times_force(tmp_path):
    tiny = limb(read_osim(tiny_file(tmp_path)), ["angle"])
    lengths, arms = tiny.arms([[0.3]])
    each = np.array([forces(length, arm) for length, arm in zip(lengths[0], arms[0, 0], strict=True)])  # q̇ = −1
    activation = np.array([0.2, 0.5, 1.0])
    expected = (arms[0, 0] * (activation * each[:, 0] + each[:, 1])).sum()
    assert tiny.pull([[0.3]], [[-1.0]]).torque(activation[None])[0, 0] == pytest.approx(expected)
    tired = tiny.pull([[0.3]], [[-1.0]], capacity=0.5)
    assert tired.active == pytest.approx(0.5 * tiny.pull([[0.3]], [[-1.0]]).active)
    with pytest.raises(InputError, match=r"capacity: must lie in \[0, 1\]"):
        tiny.pull([[0.3]], [[-1.0]], capacity=1.5)


def test_strength_of_the_shipped_leg():
    leg = shipped_leg()
    low, high = np.array([-0.9, -0.6, -0.6, -2.1, -0.9]), np.array([1.5, 0.6, 0.6, 0.1, 0.9])
    q = np.vstack([np.zeros((1, 5)), low + (high - low) * np.random.default_rng(0).random((8000, 5))])
    pull = leg.pull(q, np.zeros_like(q))
    for (name, sign), (most, default) in CAPACITY.items():
        torque = (sign * pull.active[:, leg.coordinates.index(name)]).clip(0).sum(1)
        assert torque.max() == pytest.approx(most, rel=0.015), (name, sign)
        assert torque[0] == pytest.approx(default, abs=1), (name, sign)
