"""Measures of tired_actor's items: naturalness, kinds of motion, pushes."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from risers import getting_up

from lactic import body as bodies
from lactic import rotation
from lactic.brain import catalogue
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor import ablations, fig7, fig11, recovery, table4
from lactic.lab.tired_actor.categories import kind_of
from lactic.lab.tired_actor.designs import design
from lactic.lab.tired_actor.fig6 import circle
from lactic.lab.tired_actor.following import WEAK, follow
from lactic.lab.tired_actor.natural import frechet, jerk, skate
from lactic.lab.trial import OFF
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import collect
from lactic.motion.rising import rising
from lactic.motion.standing import standing
from lactic.play.steer import over_a_step
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


def walk(seconds: float) -> BodyClip:
    """A clip that counts as a walk: standing, carried over the floor."""
    still = standing(bodies.get("humanoid"), seconds, RATE)
    qpos = still.qpos.copy()
    qpos[:, 1] += np.arange(still.frames) / RATE
    qpos[:, 3:7] = rotation.about("z", np.full(still.frames, np.pi / 2))
    return replace(still, qpos=qpos, name="walk")


@pytest.fixture
def compared(tmp_path: Path) -> Bench:
    """A bench with the shipped actor, and with it as if it had been trained in other ways."""
    both = [walk(6.5), replace(walk(6.5), name="other")]
    collect(both, ["train", "test"], ["made", "made"]).save(tmp_path / "library.npz")
    said = {
        "few": {"many": 100, "fatigue": {"mode": "off"}},
        "even": {"fatigue": {"mode": "limits"}, "track": {"even": 1.0}},
        "soft": {"fatigue": {"mode": "off"}, "track": {"torque_weight": 0.5}},
        "riser": {"fatigue": {"mode": "limits"}, "track": {"fallen": 0.4}},
    }
    for name, task in said.items():
        shutil.copytree(catalogue.find("actor").path, tmp_path / name)
        (tmp_path / name / "params.yaml").write_text(yaml.safe_dump({"name": name, "task": task}))
    names = tuple(str(tmp_path / name) for name in said)
    return Bench(tmp_path / "out", episodes=1, brains=names, clips=tmp_path, say=lambda _: None)


def test_designs_are_told_by_their_settings(compared: Bench) -> None:
    folders = compared.folders(Report("tired_actor", "designs", ""))
    assert [design(folder) for folder in folders] == [
        "100 motions, no fatigue",
        "no mining",
        "no fatigue, torque costs",
        "gets up",
    ]
    assert design(catalogue.find("actor")) == "gets up"


def test_brains_trained_in_other_ways_stand_beside_each_other(compared: Bench) -> None:
    report = Report("tired_actor", "table4", "")
    table4.make(replace(compared, brains=compared.brains[:2]), report)
    rows = {(row.subject, row.condition): row for row in report.rows if row.metric == "success"}
    assert rows["few", "100 motions, no fatigue; train, fresh"].paper == 0.858
    assert rows["even", "all motions; test, fresh"].paper == 0.979  # in the paper's body fatigue hardly matters
    assert rows["even", "all motions; test, (2, 0.05, 1)"].paper == 0.979
    report = Report("tired_actor", "ablations", "")
    ablations.make(replace(compared, brains=compared.brains[1:3]), report)
    rows = {(row.subject, row.condition): row for row in report.rows if row.metric == "success"}
    assert rows["even", "no mining; test, tiring"].paper == rows["even", "no mining; test, fresh"].paper == 0.923
    assert rows["even", "no mining; test, MF 80%"].paper is None
    assert not any(subject == "soft" and "tiring" in condition for subject, condition in rows)
    assert len(rows) == 12


def test_spent_bodies_are_told_apart_by_whether_they_learnt_to_get_up(compared: Bench) -> None:
    report = Report("tired_actor", "fig11", "")
    fig11.make(replace(compared, brains=(compared.brains[1], compared.brains[3])), report)
    followed = {row.condition: row.value for row in report.rows if row.metric == "followed_s"}
    own = [followed[f"{what}; own rates"] for what in ("gets up", "never learnt to get up")]
    assert own[0] == own[1] and 0.0 < own[0] <= 6.0  # the same brain


def test_only_who_is_led_no_more_has_got_up(compared: Bench) -> None:
    (stretch,) = rising(getting_up())
    collect([stretch], ["rise"], ["made"]).save(Path(compared.brains[3]) / "rises.npz")
    report = Report("tired_actor", "recovery", "")
    recovery.make(replace(compared, brains=(compared.brains[3],)), report)
    rows = {row.condition: row for row in report.rows if row.metric == "rises"}
    assert {name: row.value for name, row in rows.items()} == {"fresh": 0.0, "MF 50%": 0.0}  # nobody tilts up
    assert rows["fresh"].n == 1


def test_a_bent_path_and_how_it_curves() -> None:
    clip = fig7.bent(walk(6.0), 90.0)
    half = round(fig7.LEG * RATE)
    np.testing.assert_allclose(clip.qpos[[0, half, -1], :2], [[0, 0], [3, 0], [3, 3]], atol=5e-3)
    np.testing.assert_allclose(rotation.heading(clip.qpos[[0, -1], 3:7]), [0.0, np.pi / 2], atol=1e-6)
    t = np.arange(90)[:, None] / RATE
    ring = 2.0 * np.concatenate([np.cos(t), np.sin(t)], axis=1)  # 2 m/s about a radius of 2 m
    np.testing.assert_allclose(fig7.curvature(ring, RATE)[3:-3], 0.5, rtol=0.01)
    assert np.isnan(fig7.curvature(0.1 * ring, RATE)).all()
    ramp = np.arange(40.0)[:, None]
    np.testing.assert_allclose(over_a_step(ramp, RATE, fig7.SWAY)[8:-8], ramp[8:-8])


def test_only_students_of_held_places_choose_their_path(compared: Bench) -> None:
    report = Report("tired_actor", "fig7", "")
    fig7.make(replace(compared, brains=("actor",)), report)
    assert not report.rows and "no student of held places" in report.skipped[0]
