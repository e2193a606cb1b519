"""Intent, load and limits against hand-computed values, on NumPy and torch."""

import numpy as np
import pytest
import torch

from lactic.strength import fatigued_limit, load, pd_torque


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
    limits = fatigued_limit(state, array([100.0, 50.0, 20.0]))
    assert [float(x) for x in limits] == pytest.approx([70.0, 0.0, 20.0])
