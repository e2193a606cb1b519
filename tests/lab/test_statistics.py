"""Intervals against published and hand-made values."""

import numpy as np
import pytest

from lactic.lab import statistics


def test_wilson_interval_of_a_share():
    # Wilson 1927 by hand: 81 of 263
    found = statistics.share(81, 263)
    assert (found.value, found.n) == (81 / 263, 263)
    assert found.low == pytest.approx(0.2553, abs=1e-4)
    assert found.high == pytest.approx(0.3662, abs=1e-4)


def test_wilson_interval_does_not_collapse_at_the_ends():
    assert statistics.share(256, 256)[:3] == pytest.approx((1.0, 0.98521, 1.0), abs=1e-5)
    assert statistics.share(0, 10).low == 0.0
    assert np.isnan(statistics.share(0, 0).value)


def test_mean_leaves_out_episodes_without_a_value_and_repeats():
    found = statistics.mean(np.array([1.0, 2.0, np.nan, 3.0]))
    assert (found.value, found.n) == (2.0, 3)
    assert 1.0 <= found.low < 2.0 < found.high <= 3.0
    assert found == statistics.mean(np.array([1.0, 2.0, np.nan, 3.0]))
    assert np.isnan(statistics.mean(np.array([np.nan])).value)


def test_bootstrap_interval_agrees_with_the_normal_one():
    values = np.random.default_rng(1).normal(5, 2, 400)
    found = statistics.mean(values)
    half = 1.96 * values.std(ddof=1) / 20
    assert found.low == pytest.approx(found.value - half, abs=0.03)
    assert found.high == pytest.approx(found.value + half, abs=0.03)


def test_a_ratio_weighs_episodes_by_how_long_they_lasted():
    assert statistics.ratio(np.array([10, 1]), np.array([1.0, 0.1])).value == pytest.approx(10.0)


def test_change_compares_only_episodes_that_have_both():
    found = statistics.change(np.array([2.0, 4, np.nan, 6]), np.array([1.0, 2, 9, np.nan]))
    assert (found.value, found.n) == (-0.5, 2)
    assert found.low == found.high == -0.5


def test_correlation_of_events_in_episodes():
    x = np.array([1.0, 2, 3, 1, 2, 3])
    episode = np.array([0, 0, 0, 4, 4, 4])
    assert statistics.correlation(x, 2 * x + 1, episode).value == pytest.approx(1.0)
    found = statistics.correlation(x, np.array([3.0, 2, 1, 3, 1, 2]), episode)
    assert found.value == pytest.approx(np.corrcoef(x, [3, 2, 1, 3, 1, 2])[0, 1])
    assert found.n == 2
