"""Intent, load, limits and the step that joins them against hand-computed values, on NumPy and torch."""

import numpy as np
import pytest
import torch

from lactic.strength import load, pd_torque, spend


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_pd_torque_is_equation_9(array):
    torque = pd_torque(array([[0.5]]), array([[2.0]]), array([[0.2]]), array([[1.5]]), array([100.0]), array([10.0]))
    assert float(torque[0, 0]) == pytest.approx(2.0 * (100 * 0.3 - 10 * 1.5))


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_load_is_a_fraction_of_the_fresh_maximum_whatever_the_direction(array):
    loads = load(array([-30.0, 30.0, 0.0, 500.0, 1e-4]), array([60.0, 120.0, 60.0, 60.0, 60.0]))
    assert [float(x) for x in loads] == [0.5, 0.25, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_limit_shrinks_with_the_fatigued_fraction(array):
    state = array([[0.2, 0.5, 0.3], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    torque, limit = array([90.0, 0.0, -5.0]), array([100.0, 50.0, 20.0])
    left = spend(state, torque, limit, 0.0 * array([[1.0] * 5] * 3), 0.1)  # rates of 0 keep the state as it is
    assert [float(x) for x in left.limits] == pytest.approx([70.0, 0.0, 20.0])


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_a_control_step_spends_strength(array):
    # both joints give 30 Nm: half of what the first can, more than the second has; the first is fresh
    state = array([[[0.0, 1.0, 0.0], [0.1, 0.1, 0.8]]])
    rates = array([[[0.5, 0.02, 3.0, 10.0, 1.0], [0.5, 0.02, 3.0, 10.0, 0.0]]])
    left = spend(state, array([[30.0, -30.0]]), array([60.0, 20.0]), rates, 0.1)
    assert [float(x) for x in left.load[0]] == [0.5, 1.0]
    # MA relaxes to L/(L+F)·TL at the rate L + F, and MF takes F times its mean (trapezoidal, nothing to recover yet)
    goal = 10 / 10.5 * 0.5
    active = goal * (1 - np.exp(-1.05))
    fatigued = 0.5 * (goal - active / 1.05) / (0.5 * 0.02 + 1 / 0.1)
    assert [float(x) for x in left.fatigue[0, 0]] == pytest.approx([active, 1 - active - fatigued, fatigued], abs=1e-6)
    # the second is asked for more than the 20 % it has: it aims at those, tires by F·MA and recovers by R, not by r·R
    middle = 0.2 - (0.5 * 0.1 - 0.02 * 0.8) / (0.52 + 2 / 0.1)
    goal = 10 / 10.5 * middle
    driven = goal + (0.1 - goal) * np.exp(-1.05)
    mean = goal - (driven - 0.1) / 1.05
    fatigued = 0.8 + (0.5 * mean - 0.02 * 0.8) / (0.5 * 0.02 + 1 / 0.1)
    assert float(left.fatigue[0, 1, 2]) == pytest.approx(fatigued, abs=1e-6)
    given = (1 - left.fatigue[..., 2]) * array([60.0, 20.0])
    assert [float(x) for x in left.limits[0]] == pytest.approx([float(x) for x in given[0]])
    assert left.limits.shape == left.load.shape == (1, 2) and left.fatigue.shape == (1, 2, 3)


def test_rest_below_a_thousandth_recovers_by_r_where_the_rule_says_at_rest_only():
    state = np.array([[0.0, 0.5, 0.5]] * 2)
    rates = np.array([[0.5, 0.02, 10.0, 10.0, 1.0]] * 2)
    left = spend(state, np.array([0.05, 0.07]), np.array([60.0, 60.0]), rates, 0.01)  # 0.8 and 1.2 thousandths
    recovered = 0.5 - left.fatigue[:, 2]
    assert recovered == pytest.approx([10 * 0.02 * 0.5 * 0.01, 0.02 * 0.5 * 0.01], rel=0.01)
