"""Stretches of time: found, bridged, counted."""

import numpy as np
from motions import spans

from lactic.lab.events import Phases, phases, smooth


def test_stretches_are_found_in_each_episode_up_to_the_ends():
    mask = np.array([[1, 0], [1, 0], [0, 1], [1, 1]], bool)
    assert spans(phases(mask)) == [(0, 0, 2), (0, 3, 4), (1, 2, 4)]
    assert spans(phases(mask, least=2)) == [(0, 0, 2), (1, 2, 4)]


def test_short_gaps_inside_are_bridged_but_not_at_the_ends():
    mask = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0], bool)[:, None]
    assert spans(phases(mask, gap=1)) == [(0, 1, 5), (0, 7, 8)]
    assert spans(phases(mask, gap=2)) == [(0, 1, 8)]
    assert spans(phases(np.zeros((5, 2), bool), gap=3)) == []


def test_extremes_and_counts_of_stretches():
    values = np.array([[1.0, 5], [4, 6], [2, 7]])
    found = Phases(np.array([0, 1]), np.array([0, 1]), np.array([2, 3]))
    assert found.most(values).tolist() == [4, 7]
    assert found.least(values).tolist() == [1, 6]
    assert found.count(3).tolist() == [1, 1, 0]


def test_smoothing_keeps_constants_and_spreads_a_spike():
    assert np.allclose(smooth(np.full((9, 2), 3.0), 5), 3.0)
    spike = np.zeros(9)
    spike[4] = 1
    assert np.allclose(smooth(spike, 3), [0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 0, 0, 0])
