"""The driver that all loops share: who has fallen, what is put back, and what a collector keeps."""

import numpy as np
import pytest

from lactic.brain import catalogue
from lactic.play.driver import Asked, Collector, Recorder
from lactic.play.fall import FallRule
from lactic.play.player import Player


def standing(count: int = 1, rule: FallRule | None = None) -> Asked:
    """Characters that hold their arms out, from the rest pose."""
    player = Player(catalogue.find("hold-arms").load(), count=count)
    return Asked(player, lambda: np.ones(1), rule)


def test_fallen_is_too_low_or_touching_or_lost():
    driver = standing(2)
    assert driver.fallen().tolist() == [False, False]
    driver.player.world.faulted[1] = True
    assert driver.fallen().tolist() == [False, True]
    head = driver.player.body.bodies.index("head")
    height = float(driver.player.world.xpos[0, head, 2])
    assert FallRule((head,), height + 0.01).fallen(driver.player.world).all()
    assert not FallRule((head,), height - 0.01).fallen(driver.player.world)[0]


def test_those_that_fell_are_put_back_where_they_lie_and_stay_as_tired():
    driver = standing(2, FallRule((0,), 10.0))  # nobody is so tall
    world, rest = driver.player.world, driver.player.body.rest
    moved = np.tile(rest, (2, 1))
    moved[:, :2], moved[:, 7:] = 3.0, 0.1
    world.reset(None, moved, np.zeros((2, world.qvel.shape[1])))
    driver.player.exhaust(driver.player.info.joints, 0.5)
    assert driver.stand_up().all()
    assert world.qpos[:, :2] == pytest.approx(3.0) and world.qpos[:, 2:] == pytest.approx(np.tile(rest[2:], (2, 1)))
    assert (driver.player.fatigue[..., 2] == 0.5).all()
    driver.reset()
    assert not world.qpos[:, :2].any()


def test_a_collector_keeps_the_state_before_a_step_and_what_the_step_did():
    driver = standing(2)
    world, player = driver.player.world, driver.player
    kept = Collector(driver, 5, {"qpos": lambda: world.qpos}, {"spent": lambda: player.fatigue[..., 2]})
    found = kept.run()
    assert found["qpos"].shape == (5, 2, world.qpos.shape[1]) and (found["qpos"][0, 0] == player.body.rest).all()
    states = kept.states()["qpos"]
    assert (states[:5] == found["qpos"]).all() and (states[5] == world.qpos).all()
    assert (found["spent"][-1] == player.fatigue[..., 2]).all() and not kept.fell.any()


def test_a_collector_that_gets_up_says_who_fell_in_which_step():
    driver = standing(2, FallRule((0,), 10.0))
    kept = Collector(driver, 3, {}, {}, get_up=True)
    kept.run()
    assert kept.fell.shape == (3, 2) and kept.fell.all()


def test_the_oldest_frames_of_a_recorder_give_way_and_cuts_are_counted_from_what_is_left():
    recorder = Recorder(standing(), 4)
    for k in range(6):
        if k == 4:
            recorder.cut()
        recorder.step()
    record, dt = recorder.recording(), recorder.player.dt
    assert record.time == pytest.approx(dt * np.arange(2, 6)) and record.cuts.tolist() == [2]
    assert recorder.first == 2 and recorder.slot(0) == 2 and recorder.slot(99) == 1
    assert len(recorder.recording(3, 4)) == 2
