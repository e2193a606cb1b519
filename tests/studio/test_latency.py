"""A slider that is moved acts on the very next control step: steps are counted (milliseconds: bench/studio.py)."""

import time

import numpy as np
import pytest
from hand import Hand

from lactic.studio.engine import Engine
from lactic.studio.server import Studio


def until(condition, seconds: float = 30.0) -> None:
    """Wait for the message to be heard; how long that takes is none of the test's business."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the message was not heard"
        time.sleep(0.005)


@pytest.fixture
def studio():
    studio = Studio("pace", port=0)  # not started: the test itself takes every control step
    hand = Hand(studio)
    until(lambda: studio.server.get_clients())
    yield studio, hand
    hand.close()
    studio.close()


def test_the_first_step_after_a_slider_is_heard_already_obeys_it(studio):
    stage, hand = studio
    engine, twin, late = stage.engine, Engine("pace"), Engine("pace")
    for one in (engine, twin, late):
        one.advance(5)
    hand.move(stage.panels.body.sliders["F"], 4.0)
    until(lambda: engine.cast[0].fitness.F == 4.0)
    assert engine.frame == 5  # heard between two steps
    twin.set_fitness(0, twin.cast[0].fitness.altered(F=4.0))
    for one in (engine, twin, late):
        one.advance(1)
    fatigue = [one.cast[0].tape.fatigue[one.cast[0].tape.slot(5)] for one in (engine, twin, late)]
    assert np.array_equal(fatigue[0], fatigue[1])  # as if the rate had been changed just before that step
    assert fatigue[0][:, 2].sum() > fatigue[2][:, 2].sum()
    late.set_fitness(0, late.cast[0].fitness.altered(F=4.0))
    late.advance(1)
    engine.advance(1)
    assert not np.array_equal(engine.cast[0].tape.fatigue[6], late.cast[0].tape.fatigue[6])  # one step late would show


def test_gravity_and_speed_act_at_once_too(studio):
    stage, hand = studio
    engine, twin = stage.engine, Engine("pace")
    hand.move(stage.panels.gravity, 1.62)
    until(lambda: engine.gravity == 1.62)
    twin.set_gravity(1.62)
    engine.advance(1)
    twin.advance(1)
    assert np.array_equal(engine.cast[0].player.world.qvel, twin.cast[0].player.world.qvel)
    hand.move(stage.panels.speed, 2.0)
    until(lambda: engine.speed == 2.0)


def test_of_a_slider_dragged_quickly_the_last_value_stays(studio):
    stage, hand = studio
    for value in (0.5, 1.0, 2.0, 3.0, 3.5):
        hand.move(stage.panels.body.sliders["F"], value)
    until(lambda: stage.engine.cast[0].fitness.F == 3.5)
    stage.engine.advance(2)
    assert stage.engine.cast[0].fitness.F == 3.5 == stage.panels.body.sliders["F"].value
