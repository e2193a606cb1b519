"""The kinematic character: transitions without a jump, feet that stand, sticks that are followed."""

import subprocess
import sys

import numpy as np
import pytest
from footsteps import steps_database, walk_along

from lactic import rotation
from lactic.body import humanoid
from lactic.errors import InputError
from lactic.lab.bergamin2020.continuity import Slides
from lactic.steer.gamepad import ArtificialUser, Gamepad, tidy
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.legs import legs_capacity
from lactic.steer.matching import Database, build
from lactic.steer.matching import features as layout
from lactic.steer.playback import play, switch
from lactic.steer.steering import PACINGS, Steering, pacing_named

FPS = 60


@pytest.fixture(scope="module")
def database():
    return steps_database()


def pads(count: int, angle: float | np.ndarray = 0.0, trigger: float = 0.0) -> np.ndarray:
    """Gamepads with the left stick pushed home in a direction."""
    rows = np.zeros((count, 6))
    rows[:, 0], rows[:, 1], rows[:, 4] = np.cos(angle), np.sin(angle), trigger
    return rows


def off(heading: np.ndarray, goal: float) -> np.ndarray:
    """Degrees between headings and a goal."""
    return np.degrees(np.abs(rotation.wrap(heading - goal)))


def test_pose_and_velocity_are_continuous_at_every_transition(database):
    """Must be below 1e-6 m and 1e-3 m/s for every rigid body, whatever is switched to and whenever."""
    crowd, user = KinematicCharacters(database, 4), ArtificialUser(4, seed=5, chance=0.01)
    draw = np.random.default_rng(0)
    arguments = crowd.steering, crowd.tree, crowd.limbs, crowd.frames, crowd.state
    places, speeds = [], []
    for k in range(400):
        before = [array.copy() for array in crowd.step(user.step())]
        if k % 4:
            continue
        for i in range(4):  # also where no search would go
            switch(crowd.frames, crowd.state, i, int(draw.integers(database.frames - 60)))
            play(*arguments, i, 0.0)
        places.append(np.abs(crowd.pose.positions - before[2]).max())
        speeds.append(np.abs(crowd.pose.velocities - before[4]).max())
        np.testing.assert_allclose(crowd.pose.qvel, before[1], atol=1e-4)
    assert max(places) < 1e-6
    assert max(speeds) < 1e-3


def test_shown_velocity_is_that_of_the_shown_motion(database):
    """No pop: what moves between two frames is what the velocities say, through locks, releases and transitions."""
    crowd, user = KinematicCharacters(database, 10), ArtificialUser(10, seed=1)
    at, speed = crowd.pose.positions.copy(), crowd.pose.velocities.copy()
    worst = 0.0
    for _ in range(60 * FPS):
        pose = crowd.step(user.step())
        assert np.isfinite(pose.qpos).all() and np.isfinite(pose.qvel).all()
        worst = max(worst, np.abs(pose.positions - at - (pose.velocities + speed) / (2 * FPS)).max())
        at, speed = pose.positions.copy(), pose.velocities.copy()
    assert worst < 0.05  # a fast shin passes 3 cm by acceleration alone
    assert crowd.transitions.min() > 5
    low, high = humanoid().range.T
    assert (crowd.pose.qpos[:, 7:] >= low - 1e-9).all() and (crowd.pose.qpos[:, 7:] <= high + 1e-9).all()


def test_locked_feet_slide_less_than_five_millimetres(database):
    """On average a contact, and far less than the same contacts would without the lock."""
    crowd, user = KinematicCharacters(database, 4), ArtificialUser(4, seed=2, chance=0.002)
    slides = Slides(crowd)
    for _ in range(20 * FPS):
        crowd.step(user.step())
        slides.look()
    shown, free = np.mean(slides.found, axis=0)
    assert len(slides.found) > 40
    assert shown < 0.005
    assert free > 3 * shown


@pytest.mark.parametrize("trigger", [0.0, 1.0])
def test_a_quarter_turn_is_done_in_a_second(database, trigger):
    crowd = KinematicCharacters(database, 6)
    begin = 3 * FPS + 9 * np.arange(6)  # at six phases of the gait
    for side in (np.pi / 2, -np.pi / 2):
        crowd.place(np.zeros((6, 2)), np.zeros(6))
        heading = []
        for k in range(begin[-1] + 3 * FPS):
            heading.append(rotation.heading(crowd.step(pads(6, np.where(k < begin, 0, side), trigger)).qpos[:, 3:7]))
        for i in range(6):
            # over a third of a second, for a pelvis turns with each step
            after = np.unwrap(np.array(heading)[begin[i] + FPS - 10 : begin[i] + FPS + 10, i])
            assert off(after.mean(), side) < 10
            assert off(np.array(heading)[begin[i] + 2 * FPS :, i], side).mean() < 10


def test_speed_and_direction_follow_the_stick(database):
    character = KinematicCharacters(database)
    for trigger, speed in ((0.0, 1.4), (1.0, 3.2)):
        for k in range(5 * FPS):
            pose = character.step(Gamepad((0.0, 1.0), trigger=trigger).array()[None])
            if k == 3 * FPS:
                before = pose.qpos[0, :2].copy()
        way = (pose.qpos[0, :2] - before) * FPS / (2 * FPS - 1)
        assert way[1] == pytest.approx(speed, rel=0.2)
        assert abs(way[0]) < 0.2 * speed
    for _ in range(3 * FPS):
        pose = character.step(np.zeros((1, 6)))
    assert np.linalg.norm(pose.qvel[0, :2]) < 0.1
    height = pose.qpos[0, 2]
    for _ in range(3 * FPS):
        pose = character.step(Gamepad((1.0, 0.0), button=True).array()[None])
    assert pose.qpos[0, 2] < height - 0.1


def test_a_search_comes_every_ten_steps_or_at_once_when_the_stick_jumps(database):
    crowd = KinematicCharacters(database, 1)
    at = []
    for k in range(40):
        before = crowd.searches[0]
        crowd.step(pads(1, 0.0 if k < 23 else np.pi / 2))
        if crowd.searches[0] > before:
            at.append(k)
    assert at[0] == 0 and 23 in at
    gaps = np.diff(at)
    assert gaps.max() == 10
    assert np.count_nonzero(gaps != 10) == 1


def test_many_are_as_one(database):
    crowd, alone = KinematicCharacters(database, 3), KinematicCharacters(database)
    users = ArtificialUser(3, seed=7, chance=0.01)
    for _ in range(200):
        rows = users.step().copy()
        many, one = crowd.step(rows), alone.step(rows[1:2])
    np.testing.assert_allclose(many.qpos[1], one.qpos[0], atol=1e-12)


def test_placed_where_and_facing_as_told(database):
    crowd = KinematicCharacters(database, 2)
    crowd.place(np.array([[1.0, 2.0], [-3.0, 0.5]]), np.array([0.3, -2.0]))
    np.testing.assert_allclose(crowd.pose.qpos[:, :2], [[1, 2], [-3, 0.5]], atol=1e-9)
    np.testing.assert_allclose(rotation.heading(crowd.pose.qpos[:, 3:7]), [0.3, -2.0], atol=1e-9)
    for _ in range(2 * FPS):
        pose = crowd.step(np.zeros((2, 6)))
    np.testing.assert_allclose(pose.qpos[:, :2], [[1, 2], [-3, 0.5]], atol=0.1)


def test_predicted_way_of_a_held_stick_is_the_spring_s(database):
    crowd = KinematicCharacters(database, 1)
    for _ in range(3 * FPS):
        crowd.step(pads(1, 0.0))
    asked = crowd.state.query[0, layout.SLICES["trajectory"]].reshape(3, 2)
    yaw = rotation.heading(crowd.state.blended[0, 3:7])
    np.testing.assert_allclose(np.linalg.norm(asked, axis=1), 1.4 * np.array([0.33, 0.66, 1.0]), rtol=0.01)
    assert abs(yaw) < 0.2


def test_the_way_asked_for_now_is_that_of_the_query_at_a_search(database):
    crowd = KinematicCharacters(database, 2)
    pads = np.array([[1.0, 0, 0, 0, 1, 0], [0, 0.7, 1, 0, 0, 0]])
    for _ in range(25):
        before = crowd.searches.copy()
        yaw = rotation.heading(crowd.state.blended[:, 3:7])
        crowd.step(pads)
        fresh = crowd.searches > before
        asked = layout.into_frame(yaw[:, None], crowd.asked() - crowd.state.blended[:, None, :2])
        query = crowd.state.query[:, layout.SLICES["trajectory"]].reshape(2, 3, 2)
        np.testing.assert_allclose(asked[fresh], query[fresh], atol=1e-9)
    assert crowd.searches.min() > 2
    assert crowd.matched().shape == (2, 3, 2)


def test_tired_legs_ask_for_less_and_recover(database):
    """Speed declines with the legs' residual capacity under one rule and not under the other, and comes back."""
    speeds = {}
    for rule in PACINGS:
        crowd = KinematicCharacters(database, 1, pacing=rule)
        for name, capacity in (("fresh", 1.0), ("tired", 0.4), ("rested", 1.0)):
            for k in range(4 * FPS):
                pose = crowd.step(pads(1, 0.0, 1.0), capacity)
                if k == 2 * FPS:
                    before = pose.qpos[0, 0]
            speeds[rule, name] = (pose.qpos[0, 0] - before) / 2
    assert speeds["tireless", "tired"] == pytest.approx(speeds["tireless", "fresh"], rel=0.1)
    assert speeds["in proportion", "tired"] < 0.6 * speeds["in proportion", "fresh"]
    assert 0 < speeds["with a reserve", "tired"] < speeds["in proportion", "tired"]
    for rule in ("in proportion", "with a reserve"):
        assert speeds[rule, "rested"] == pytest.approx(speeds[rule, "fresh"], rel=0.1)


def test_the_default_asks_for_less_by_degrees_and_keeps_a_reserve():
    steering = Steering()
    asked = steering.run * pacing_named("with a reserve")(np.array([1.0, 0.75, 0.5, 0.4, 0.3, 0.1]))[:, 0]
    assert asked[0] == steering.run
    assert asked[2] == pytest.approx(steering.walk)
    assert asked[1] == pytest.approx((steering.walk + steering.run) / 2)
    assert asked[3] == pytest.approx(steering.walk / 2)
    assert (asked[4:] == 0).all()


def test_who_is_too_tired_stands_until_it_has_recovered(database):
    """It stops below a tenth of its speed, and sets out above a quarter."""
    crowd = KinematicCharacters(database, 1, pacing="in proportion")
    jumps, before = [], None
    for capacity, rests in ((1.0, False), (0.12, False), (0.09, True), (0.2, True), (0.3, False)):
        for _ in range(4 * FPS):
            pose = crowd.step(pads(1, 0.0, 1.0), capacity)
            if before is not None and rests:
                jumps.append(np.abs(pose.qpos - before).max())
            before = pose.qpos.copy()
        assert crowd.resting[0] == rests
        if rests:
            assert np.linalg.norm(pose.qvel[0, :2]) < 0.05
    assert max(jumps) < 0.1  # rad or m in a frame, also where it comes to rest


def test_capacity_of_the_legs_is_that_of_the_weaker_one():
    body = humanoid()
    spent = np.zeros((2, len(body.joints)))
    assert legs_capacity(body, spent).tolist() == [1, 1]
    spent[0, [body.joints.index(name) for name in body.regions["left leg"]]] = 0.5
    spent[1, body.joints.index("right_knee")] = 1.0
    right = [body.joints.index(name) for name in body.regions["right leg"]]
    knee = body.torque_limit[body.joints.index("right_knee")] / body.torque_limit[right].sum()
    np.testing.assert_allclose(legs_capacity(body, spent), [0.5, 1 - knee])
    with pytest.raises(InputError, match="in proportion"):
        pacing_named("sluggish")


def test_wrong_input_is_said_and_missing_styles_are_walked(database):
    crowd = KinematicCharacters(database, 2)
    with pytest.raises(InputError, match="shape"):
        crowd.step(np.zeros((1, 6)))
    with pytest.raises(InputError):
        KinematicCharacters(database, 0)
    plain = build([walk_along(np.full(200, 1.2), np.zeros(200)), walk_along(np.zeros(200), np.zeros(200))])
    character = KinematicCharacters(plain)
    assert set(character.missing) == {"crouch"} or set(character.missing) == {"run", "crouch"}
    for _ in range(30):
        pose = character.step(tidy(np.array([[np.nan, 1.0, 5.0, np.inf, -3.0, 1.0]])))
    assert np.isfinite(pose.qpos).all()


def test_locks_can_be_switched_off(database):
    crowd = KinematicCharacters(database, 1, Steering(lock=False))
    for _ in range(2 * FPS):
        crowd.step(pads(1))
        assert not crowd.state.hold.any()
    np.testing.assert_allclose(crowd.state.qpos[0, :7], crowd.state.blended[0, :7])


def test_it_runs_without_numba(database, tmp_path):
    """The same code uncompiled gives the same motion."""
    database.save(tmp_path / "steps.npz")
    lines = [
        "import sys",
        "sys.modules['numba'] = None",
        "from lactic.steer.matching import Database",
        "from lactic.steer.kinematic import KinematicCharacters",
        "import numpy as np",
        f"character = KinematicCharacters(Database.load({str(tmp_path / 'steps.npz')!r}))",
        "for k in range(45): pose = character.step(np.array([[1.0, 0, 0, 0, 0, 0]]))",
        "print(*pose.qpos[0])",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    character = KinematicCharacters(Database.load(tmp_path / "steps.npz"))
    for _ in range(45):
        pose = character.step(pads(1))
    np.testing.assert_allclose(np.array(done.stdout.split(), dtype=float), pose.qpos[0], atol=1e-6)
