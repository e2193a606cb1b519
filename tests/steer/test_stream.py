"""`lactic match record`: what leaders do under the artificial user, as a motion library."""

import numpy as np
import pytest
from footsteps import steps_database

from lactic import body
from lactic.errors import InputError
from lactic.motion import ground
from lactic.motion.library import Library, movement
from lactic.steer.stream import record, record_file

HUMAN = body.get("humanoid")


def test_leaders_are_motions_of_their_own_split_that_begin_over_the_origin_and_stand_on_the_floor():
    made = record(steps_database(), 1.0, streams=2, seed=3)
    assert made.names == ("leader_0", "leader_1") and made.splits == ("leader", "leader") and made.fps == 30
    assert made.starts.tolist() == [0, 900, 1800] and not made.cyclic.any()
    speed = movement(made)["speed"]
    assert speed.mean() > 0.2 and speed.max() < 6  # no jump
    for i in range(2):
        clip = made.clip(i)
        assert not clip.qpos[0, :2].any()
        low = ground.clearance(HUMAN, clip.qpos).min(axis=1)
        assert np.abs(np.median(low)) < 0.01 and low.min() > -0.05


def test_tiring_leaders_are_slower():
    fresh, tired = (record(steps_database(), 1.0, streams=4, seed=3, tiring=flag) for flag in (False, True))
    pace = [movement(made)["speed"].mean() for made in (fresh, tired)]
    assert 0 < pace[1] < 0.9 * pace[0]


def test_a_user_in_a_hurry_changes_its_mind_more_often():
    calm, hasty = (record(steps_database(), 1.0, streams=4, seed=3, hurry=h) for h in (1.0, 8.0))
    turned = [np.abs(movement(made)["turn"]).mean() for made in (calm, hasty)]
    assert turned[1] > 1.5 * turned[0]
    with pytest.raises(InputError, match="hurry"):
        record(steps_database(), 1.0, hurry=0.0)


def test_recording_from_a_file_to_a_file(tmp_path):
    steps_database().save(tmp_path / "steps.npz")
    facts = record_file(tmp_path / "steps.npz", tmp_path / "mine.npz", 0.2, streams=2)
    assert facts["frames"] == 360 and facts["streams"] == 2 and facts["fps"] == 30
    assert facts["minutes"] == pytest.approx(0.2, abs=0.01) and 0 <= facts["beyond support"] <= 1
    assert 0 < facts["speed"]["mean"] < facts["speed"]["max"]
    held = Library.load(tmp_path / "mine.npz")
    assert held.names == ("mine_0", "mine_1") and set(held.splits) == {"leader"}
    assert set(held.sources) == {str(tmp_path / "steps.npz")}
    with pytest.raises(InputError, match=r"\.npz"):
        record_file(tmp_path / "steps.npz", tmp_path / "mine.txt")
    with pytest.raises(InputError, match="minutes"):
        record(steps_database(), 0.1, streams=8)
    with pytest.raises(InputError, match="streams 0"):
        record(steps_database(), 1.0, streams=0)
