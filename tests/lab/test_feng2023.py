"""Arms that are held, rested and held again by springs on muscle lengths."""

import numpy as np

from lactic import fatigue
from lactic.lab.feng2023.hold import GROUPS, RATE, hold_arms, members
from lactic.muscle.man.musculature import musculature


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
