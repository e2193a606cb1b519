"""Measures of tired_actor's items: naturalness, kinds of motion, pushes."""

from dataclasses import replace

import numpy as np
import pytest

from lactic import body as bodies
from lactic import rotation
from lactic.brain import catalogue
from lactic.lab.tired_actor.categories import kind_of
from lactic.lab.tired_actor.fig6 import circle
from lactic.lab.tired_actor.following import WEAK, follow
from lactic.lab.tired_actor.natural import frechet, jerk, skate
from lactic.lab.trial import OFF
from lactic.motion.body_clip import BodyClip
from lactic.motion.standing import standing
from lactic.play.tracked import Tracked

RATE = 30.0


def test_distance_of_two_normal_samples() -> None:
    draw = np.random.default_rng(0)
    a = draw.normal(size=(4000, 2))
    assert frechet(a, a) == pytest.approx(0.0, abs=1e-5)
    assert frechet(a, a + np.array([3.0, 4.0])) == pytest.approx(5.0, abs=1e-5)
    # of deviations 1 and 3 in one direction: |3 − 1|
    assert frechet(a, a * [3.0, 1.0]) == pytest.approx(2.0 * a[:, 0].std(), rel=0.01)


def test_jerk_of_a_cubic_and_skate_of_a_sliding_foot() -> None:
    t = np.arange(30) / RATE
    path = np.zeros((30, 1, 3))
    path[:, 0, 0] = 2.0 * t**3
    assert jerk(path, RATE) == pytest.approx(12.0)
    feet = np.zeros((30, 2, 3))
    feet[:, 0, 0] = 0.5 * t  # slides
    feet[:, 1, 1], feet[1:, 1, 2] = 3.0 * t, 0.2  # swings, and does not count
    assert skate(feet, RATE) == pytest.approx(0.5)


def test_kinds_follow_from_the_motion() -> None:
    still = standing(bodies.get("humanoid"), 2.0, RATE)

    def moved(**change: np.ndarray) -> str:
        qpos = still.qpos.copy()
        t = np.arange(still.frames) / RATE
        qpos[:, 0] += change.get("speed", 0.0) * t
        qpos[:, 2] += change.get("height", 0.0)
        qpos[:, 3:7] = rotation.about("xz"[int(change.get("upright", 1))], change.get("turn", 0.0) * t)
        return kind_of(replace(still, qpos=qpos))

    assert moved() == "stays in place"
    assert moved(speed=1.2) == "walks"
    assert moved(speed=3.0) == "runs"
    assert moved(turn=6.0) == "turns on the spot"
    assert moved(height=np.where(np.arange(still.frames) > 50, 0.4, 0.0)) == "in the air"
    assert moved(height=-0.5) == "on the floor"
    assert moved(turn=3.0, upright=0) == "turns over"


def test_circles_are_found_where_a_path_turns_and_all_turn_left() -> None:
    still = standing(bodies.get("humanoid"), 8.0, RATE)
    t = np.arange(still.frames) / RATE

    def going(turn: float) -> BodyClip:
        course = turn * np.clip(t - 3.0, 0.0, 4.0)  # straight at first
        qpos = still.qpos.copy()
        qpos[:, :2] += np.cumsum(np.stack([np.cos(course), np.sin(course)], axis=1), axis=0) * 1.5 / RATE
        return replace(still, qpos=qpos)

    assert circle(going(0.3)) is None and circle(still) is None
    for turn in (1.2, -1.2):
        found = circle(going(turn))
        assert found is not None and found.seconds == pytest.approx(4.0)
        velocity = found.qvel()[:, :2]
        course = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
        assert course[-2] - course[1] == pytest.approx(4.8, abs=0.15)


def test_a_constant_share_of_the_limits_stays_what_it_is() -> None:
    clip, seen = standing(bodies.get("humanoid"), 0.5, RATE), []

    def each(driver: Tracked, chosen: list[int], live: np.ndarray) -> None:
        seen.append(driver.player.outputs["limits"][0] / np.array(driver.player.info.torque_limit))

    follow(catalogue.find("actor"), [clip], OFF, 1.0 - WEAK, each=each)
    assert len(seen) == 15
    np.testing.assert_allclose(seen, WEAK, rtol=1e-5)
