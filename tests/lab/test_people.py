"""What is measured of people's characters, on courses made by hand and on characters that stand."""

import json

import numpy as np
import pytest
from motions import still, trial_of
from standing import Stander
from test_trial import LEGS, crouching

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.lab import job
from lactic.lab import skills as known
from lactic.lab.episodes import Ask, Episodes
from lactic.lab.events import Phases
from lactic.lab.people import bodies as other_bodies
from lactic.lab.people import commands, limp, load, pace, skills
from lactic.lab.people import course as courses
from lactic.lab.people.commands import RUNNING, VelocityUser
from lactic.lab.people.course import LightTrial, course, leg_joints
from lactic.lab.report import Report, met
from lactic.lab.trial import OFF, body_of

FPS = 30.0


def made_of(speed: np.ndarray, strength: np.ndarray | None = None) -> LightTrial:
    """A course of characters that go along x at `speed` (frame, character)."""
    frames, count = speed.shape
    place = np.zeros((frames + 1, count, 2), np.float32)
    place[1:, :, 0] = np.cumsum(speed, axis=0) / FPS
    held = np.ones((frames + 1, count), np.float32) if strength is None else strength
    asked = np.tile(np.float32([3.5, 0]), (frames, count, 1))
    return LightTrial(FPS, place, asked, held, np.full(count, frames), frames, np.zeros(count, int))


def by_window(*speeds: float) -> np.ndarray:
    """Speeds (frame, 2) that are held for five seconds each."""
    return np.repeat(np.array(speeds), 150)[:, None] * np.ones((1, 2))


def test_pace_is_read_off_a_programme_by_hand():
    second = np.arange(3000) / FPS
    speed = np.where(second < 60, 3.5 - 0.04 * second, np.where(second < 80, 0.0, np.where(second < 82, 1.0, 2.0)))
    strength = np.interp(np.arange(3001) / FPS, [0, 60, 80, 100], [1.0, 0.2, 0.35, 0.2])
    made = made_of(np.tile(speed[:, None], (1, 4)), np.tile(strength[:, None], (1, 4)).astype(np.float32))
    made.place[:, 3, 0] = 0.0
    made.fell_at[3] = 10  # stands, and falls at once: no speed is taken of it
    report = Report("people", "pace", "t", targets=pace.TARGETS)
    pace.rows(report, "a", "b", made)
    found = {row.metric: row for row in report.rows}
    assert found["survival"].value == 0.75 and found["fallen"].value == 1
    assert found["speed_fresh"].value == pytest.approx(3.5 - 0.04 * 5.5, abs=0.01)
    assert found["speed_60"].value == pytest.approx(3.5 - 0.04 * 59.5, abs=0.01)
    assert found["speed_again"].value == pytest.approx((2 * 1 + 3 * 2) / 5, abs=0.01)
    assert found["speed_again_later"].value == pytest.approx(2.0, abs=0.01)
    assert found["strength_gain"].value == pytest.approx(0.15, abs=1e-3)
    assert found["largest_rise"].value < 0 and met(vars(found["largest_rise"]))
    assert found["sudden_stops"].value == 0 and found["speed_60"].n == 3
    pace.by_window(report, "a", made)
    assert report.value("a", "95 to 100 s", "speed_along") == pytest.approx(2.0, abs=0.01)
    assert report.value("a", "55 to 60 s", "legs_strength") == pytest.approx(0.2, abs=1e-3)


def test_a_rise_counts_from_the_tenth_second_on():
    speeds = pace.windows(made_of(by_window(1.0, 3.0, 2.0, 2.2, 2.1, 2.0)), 30.0)
    found = pace.largest_rise(speeds)
    assert found.value == pytest.approx(0.1, abs=1e-3) and found.low <= found.value <= found.high
    again = pace.largest_rise(pace.windows(made_of(by_window(3.0, 2.0, 0.0, 1.0)), 20.0))
    assert again.value == pytest.approx(10.0, abs=0.01)  # from standing, as a share of 0.1 m/s
    fallen = made_of(by_window(3.0, 2.0, 1.0))
    fallen.fell_at[:] = 5
    assert np.isnan(pace.largest_rise(pace.windows(fallen, 15.0)).value)


def test_sudden_stops_are_those_between_two_windows_of_characters_still_up():
    assert pace.stops(pace.windows(made_of(by_window(2.0, 0.6, 0.2)), 15.0)).tolist() == [False, True]
    assert not pace.stops(pace.windows(made_of(by_window(2.0, 0.6, 0.4, 0.2)), 20.0)).any()
    fell = made_of(by_window(2.0, 0.6, 0.2))
    fell.fell_at[:] = 320
    assert not pace.stops(pace.windows(fell, 15.0)).any()


def test_a_turn_is_over_when_the_way_gone_is_the_new_one():
    frames = 360
    made = made_of(np.zeros((frames, 3)))
    second = np.arange(frames + 1) / FPS
    for k, begins in enumerate((6.5, 7.5)):
        made.place[:, k, 0] = np.minimum(second, begins)
        made.place[:, k, 1] = np.maximum(second - begins, 0)
    made.place[:, 2, 0] = second  # never turns
    aside = np.tile([0.0, 1.0], (3, 1))
    found = commands.seconds_to_turn(made, 6.0, aside)
    assert found[0] == pytest.approx(0.5, abs=0.3) and found[1] - found[0] == pytest.approx(1.0, abs=0.05)
    assert np.isnan(found[2])
    made.fell_at[0] = 300
    del made.stood
    assert np.isnan(commands.seconds_to_turn(made, 6.0, aside)[0])


def test_the_user_stops_walks_runs_and_turns_as_far_as_its_speed_allows():
    user, asked = VelocityUser(200, seed=1), []
    for k in range(1800):
        asked.append(user(k / FPS))
    asked = np.array(asked)
    speed = np.linalg.norm(asked, axis=-1)
    new = (np.diff(asked, axis=0) != 0).any(-1)
    starts = [np.flatnonzero(new[:, k]) for k in range(200)]
    gaps = np.concatenate([np.diff(each) for each in starts]) / FPS
    assert gaps.min() >= 1.9 and np.median(gaps) == pytest.approx(3.5, abs=0.3)
    assert (speed[0] == 0).mean() == pytest.approx(0.15, abs=0.08)
    assert speed.max() <= 3.5 and speed[speed > 0].min() >= 0.8
    before, after = asked[:-1][new], asked[1:][new]
    moving = (np.linalg.norm(before, axis=-1) > 0) & (np.linalg.norm(after, axis=-1) > 0)
    before, after = before[moving], after[moving]
    cosine = (before * after).sum(-1) / np.linalg.norm(before, axis=-1) / np.linalg.norm(after, axis=-1)
    running = np.maximum(np.linalg.norm(before, axis=-1), np.linalg.norm(after, axis=-1)) > RUNNING
    assert cosine[running].min() > -1e-6 and cosine[~running].min() < -0.8


def test_a_course_keeps_place_strength_and_falls(folder):
    character = folder(command="velocity")
    made = course(character, Ask(1.0, OFF, episodes=3, commands=((0.0, 3.5, 0.0),), standing=True))
    assert made.place.shape == (31, 3, 2) and made.command.shape == (30, 3, 2)
    assert made.stood.all() and (made.strength == 1).all() and made.falls.sum() == 0
    assert np.abs(made.speed(0.5, 1.0)).max() < 0.5  # it stands
    spent = course(crouching(folder("weak", command="velocity")), Ask(4.0, body_of(0, 0, 0), episodes=3, spent=LEGS))
    assert not spent.stood.any() and spent.falls.tolist() == [1, 1, 1] and len(spent.place) < 121
    assert (spent.strength == 0).all() and np.isnan(spent.speed(0, 3)).all()


def test_characters_that_get_up_fall_again_as_tired_as_they_were(folder):
    ask = Ask(6.0, body_of(0, 0, 0), episodes=2, spent=LEGS)
    made = course(crouching(folder(command="velocity")), ask, get_up=True)
    assert len(made.place) == 181 and (made.falls >= 2).all() and (made.strength == 0).all()
    assert made.fell_at.max() < 90


def test_legs_are_hips_knees_and_ankles_in_the_plane_of_walking():
    body = bodies.get("humanoid")
    assert {body.joints[k] for k in leg_joints(body)} == {
        f"{side}_{joint}" for side in ("left", "right") for joint in ("hip_y", "knee", "ankle_y")
    }


def test_a_rest_counts_if_a_repetition_comes_before_the_next_one():
    rest = Phases(np.array([0, 0, 0, 1]), np.array([0, 60, 120, 0]), np.array([40, 100, 150, 40]))
    rising = np.tile(np.linspace(0.2, 0.6, 200)[:, None], (1, 2))
    repetition = Phases(np.array([0, 0, 1]), np.array([45, 160, 50]), np.array([50, 170, 60]))
    kept = skills.rests_followed(rest, rising, repetition)
    assert kept.count(2).tolist() == [2, 1]  # nothing was done between the second and the third
    assert len(skills.rests_followed(rest, -rising, repetition)) == 0


def test_repetitions_are_counted_by_strength(clip):
    trial = trial_of(clip("backflip"), 900, 2, np.linspace(0, 1, 900))
    found = known.backflips(trial)
    strength = trial.capacity.mean(-1)
    everywhere = skills.rate_in(trial, found, strength, (0.0, 1.0)).value
    assert everywhere == pytest.approx(len(found) / 2 / 0.5)
    height = skills.heights(trial, known.SKILLS["backflip"], found)
    assert (height > 0.2).all() and np.ptp(height) < 0.1
    assert np.isnan(skills.rate_in(still_trial(), Phases(*[np.zeros(0, int)] * 3), np.ones((30, 1)), (0, 0.5)).value)


def still_trial():
    """A body that stands for a second, as far as rates look at it."""
    return still(30)


def test_the_load_is_counted_in_every_physics_step_and_by_the_formula(folder):
    character, body = folder(command="velocity"), bodies.get("humanoid")
    ask = Ask(0.2, OFF, episodes=2, standing=True, commands=((0.0, 0.0, 0.0),))
    single, whole = Episodes(character, ask), Episodes(character, ask)
    for _ in single:
        angles, rates = single.world.qpos[:, 7:].copy(), single.world.qvel[:, 6:].copy()
        given, intended = load.torques(single)
        assert intended == pytest.approx(-body.stiffness * angles - body.damping * rates, rel=1e-4, abs=1e-3)
        assert (given >= 0).all() and (given <= body.torque_limit + 1e-6).all()
    for _ in whole:
        whole.step()
    assert single.world.qpos == pytest.approx(whole.world.qpos, abs=1e-9)  # counting changes nothing


def test_worlds_that_tell_the_torque_are_compared_with_single_steps():
    from lactic.world import CpuWorld

    class Slipping(CpuWorld):
        """Tells a thousandth too much."""

        def step(self, substeps=4, before=None):
            super().step(substeps, before)
            self.torque *= 1.001

    body = bodies.get("humanoid")
    assert load.difference(CpuWorld(body, 2, threads=1), CpuWorld(body, 2, threads=1)) < 1e-9
    assert load.difference(Slipping(body, 2, threads=1), CpuWorld(body, 2, threads=1)) == pytest.approx(1e-3, rel=0.1)


@pytest.fixture
def stander(folder, monkeypatch) -> Stander:
    """A character that takes velocities and stands, in items cut short."""
    character = folder(command="velocity")
    for module in (pace, commands, other_bodies, limp):
        monkeypatch.setattr(module, "walkers", lambda *_: [character])
    monkeypatch.setattr(catalogue, "find", lambda _: character)
    monkeypatch.setattr("lactic.lab.pictures.draw_strip", lambda *a, **k: a[3].touch())
    for module, name, value in (
        (pace, "SECONDS", 6.0),
        (pace, "LONG", 1.0),
        (commands, "LOOK", 1.0),
        (commands, "SETTLE", 1.0),
        (commands, "FRESH_MINUTES", 0.05),
        (commands, "TIRED_MINUTES", 0.05),
        (limp, "SECONDS", 3.0),
        (load, "SECONDS", 2.0),
        (load, "STEPS", 10),
    ):
        monkeypatch.setattr(module, name, value)
    return character


@pytest.mark.parametrize("item", ["pace", "commands", "bodies", "limp", "load"])
def test_items_leave_rows_pictures_and_a_page(item, stander, tmp_path):
    said: list[str] = []
    job.run("people", item, tmp_path / "out", episodes=2, say=said.append)
    held = json.loads((tmp_path / "out" / f"{item}.json").read_text())
    metrics = {row["metric"] for row in held["rows"]}
    wanted = {
        "pace": {
            "survival",
            "speed_fresh",
            "speed_60",
            "speed_again",
            "strength_gain",
            "largest_rise",
            "survival_10min",
            "speed_along",
            "legs_strength",
        },
        "commands": {"speed_along", "seconds_to_turn", "falls_a_minute"},
        "bodies": {"survival", "speed_fresh", "speed_60"},
        "limp": {"survival", "step_time_unevenness"},
        "load": {"seconds_to_half", "load_ratio"},
    }
    assert wanted[item] <= metrics
    assert (tmp_path / "out" / f"{item}.png").is_file()
    if item in ("pace", "limp"):
        assert any("not met" in line for line in said)
        assert "not met" in (tmp_path / "out" / "results.md").read_text()


def test_what_is_not_there_is_said(tmp_path, monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(courses, "DEFAULT", "nobody")
    job.run("people", "pace", tmp_path, say=said.append)
    assert "skipped: no brain 'nobody'" in said
    job.run("people", "pace", tmp_path, brains=("hop",), say=said.append)
    assert "skipped: hop: its command is not a velocity (vx, vy)" in said
