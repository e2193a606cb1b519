"""Detectors on motion made by hand."""

import numpy as np
import pytest
from motions import spans, still, turning

from lactic import rotation
from lactic.lab import measure
from lactic.lab.events import Phases

FPS = 30.0


def alive(frames: int) -> np.ndarray:
    return np.ones((frames, 1), bool)


def eased(turns: float, frames: int = 30, rest: int = 10) -> np.ndarray:
    """Standing, then so many turns, then standing."""
    return np.concatenate([np.zeros(rest), np.linspace(0, turns, frames), np.full(rest, turns)])


@pytest.mark.parametrize(
    ("axis", "way", "kind"), [("y", -1, "backward"), ("y", 1, "forward"), ("x", -1, "left"), ("x", 1, "right")]
)
def test_a_full_turn_is_one_turn_of_its_kind(axis: str, way: int, kind: str):
    found = measure.turns(turning(axis, way * eased(1.0)), alive(50), FPS)
    assert found.kind.tolist() == [kind]
    assert 10 <= found.start[0] < found.middle[0] < found.end[0] <= 40
    assert abs(found.middle[0] - 24.5) <= 1


def test_turns_are_counted_whatever_way_the_body_faces():
    yaw = rotation.about("z", np.array([2.0]))
    quat = rotation.multiply(np.broadcast_to(yaw, (80, 1, 4)), turning("y", eased(-2.0, 60)))
    assert measure.turns(quat, alive(80), FPS).kind.tolist() == ["backward", "backward"]


def test_a_cartwheel_with_a_twist_is_still_one():
    roll, twist = turning("x", eased(-1.0)), turning("z", eased(0.15))
    assert measure.turns(rotation.multiply(roll, twist), alive(50), FPS).kind.tolist() == ["left"]


def test_rocking_over_and_back_is_no_turn():
    there = np.concatenate([np.zeros(5), np.linspace(0, 0.5, 20), np.linspace(0.5, 0, 20), np.zeros(5)])
    assert len(measure.turns(turning("y", there), alive(50), FPS)) == 0


def test_half_a_turn_lying_down_and_a_fall_in_mid_turn_are_no_turns():
    assert len(measure.turns(turning("y", np.concatenate([eased(0.25), np.full(20, 0.25)])), alive(70), FPS)) == 0
    fell = alive(50)
    fell[28:] = False
    assert len(measure.turns(turning("y", eased(-1.0)), fell, FPS)) == 0


def test_yaw_alone_turns_nothing_over_but_counts_as_spin():
    assert len(measure.turns(turning("z", eased(3.0)), alive(50), FPS)) == 0
    assert measure.spin(turning("z", eased(3.0)))[-1, 0] == pytest.approx([0, 0, 3.0])


def test_speed_is_ground_covered_and_swaying_is_none():
    take = still(91, 2)
    time = np.arange(91) / FPS
    take.qpos[:, 0, 0] = 3 * time
    take.qpos[:, 1, 0] = 0.1 * np.sin(2 * np.pi * time)  # a period is the window
    found = measure.speed(take.qpos, FPS)
    assert found[:, 0] == pytest.approx(3.0, abs=1e-4)
    assert found[20:70, 1] == pytest.approx(0.0, abs=1e-3)


def test_a_flight_has_its_height_length_and_apex():
    take = still(60)
    time = np.arange(18) / FPS
    height = 3.0 * time - 0.5 * 9.81 * time**2  # 0.61 s in the air, to 0.459 m
    take.qpos[20:38, 0, 2] += height
    take.clearance[20:38, 0] = height[:, None]
    take.qpos[20:38, 0, 0] = np.linspace(0, 0.85, 18)
    take.qpos[38:, 0, 0] = 0.9
    found = measure.flights(take)
    assert len(found) == 1
    assert found.height[0] == pytest.approx(0.459, abs=0.01)
    assert found.apex[0] == pytest.approx(0.459 + take.body.rest[2], abs=0.01)
    assert found.length[0] == pytest.approx(0.9)
    take.fell_at[:] = 30  # down before landing
    del take.alive
    assert len(measure.flights(take)) == 0


def kicking(take, at: int, height: float, turn: float = 0.8) -> None:
    """Raise a foot for a third of a second while the body spins."""
    foot = take.columns(take.body.feet)[0]
    take.xpos[at : at + 10, 0, foot, 2] = height
    spun = np.interp(np.arange(len(take)), [at - 10, at + 20], [0, turn])
    take.qpos[:, 0, 3:7] = rotation.multiply(take.qpos[:, 0, 3:7], rotation.about("z", 2 * np.pi * spun))


def test_a_kick_is_a_high_foot_on_a_spinning_body():
    take = still(150)
    take.xpos[..., 2] = 0.1
    kicking(take, 40, 1.4)
    kicking(take, 100, 0.9, -0.8)
    found = measure.kicks(take)
    assert spans(found) == [(0, 40, 50), (0, 100, 110)]
    assert found.height == pytest.approx([1.4, 0.9])
    assert np.sign(found.turned).tolist() == [1, -1]


def test_a_raised_foot_without_spin_or_upside_down_is_no_kick():
    take = still(150)
    take.xpos[..., 2] = 0.1
    kicking(take, 40, 1.4, 0.1)
    assert len(measure.kicks(take)) == 0
    kicking(take, 100, 1.4)
    take.qpos[..., 3:7] = [0, 1, 0, 0]
    assert len(measure.kicks(take)) == 0


def test_rest_is_slow_and_upright_for_a_second():
    take = still(120, 4)
    take.qpos[:, 1, 0] = 1.2 * np.arange(120) / FPS  # walks
    take.qpos[:, 2, 3:7] = rotation.about("y", np.array(np.pi / 2))  # lies
    take.qpos[:, 3, 7:] = np.sin(2 * np.pi * 3 * np.arange(120) / FPS)[:, None]  # flails
    assert spans(measure.rests(take)) == [(0, 0, 120)]


def test_a_rest_helps_if_strength_returns_and_the_body_goes_on():
    rest = Phases(np.array([0, 0, 1, 2]), np.array([0, 60, 0, 0]), np.array([40, 100, 40, 40]))
    capacity = np.stack([np.linspace(0.3, 0.6, 120), np.linspace(0.6, 0.3, 120), np.linspace(0.3, 0.6, 120)], 1)
    repetition = Phases(np.array([0, 1]), np.array([45, 50]), np.array([60, 60]))
    # episode 0: the first rest helps, nothing follows the second; 1: strength falls; 2: it never goes on
    assert spans(measure.helpful_rests(rest, capacity, repetition)) == [(0, 0, 40)]


def test_jitter_is_the_acceleration_of_joints_where_it_is_looked_at():
    time = np.arange(300) / FPS
    wobble = 0.01 * np.sin(2 * np.pi * 2 * time)
    angles = np.stack([wobble, np.zeros(300)], 1)[:, :, None]
    found = measure.jitter(angles, FPS, np.ones((300, 2), bool))
    assert found[0] == pytest.approx(0.01 * (4 * np.pi) ** 2 / np.sqrt(2), rel=0.05)
    assert found[1] == 0
    assert np.isnan(measure.jitter(angles, FPS, np.zeros((300, 2), bool))).all()


def test_feet_that_slide_skate_and_feet_in_the_air_do_not():
    take = still(31, 3)
    take.xpos[..., 2] = 0.05
    take.xpos[:, 0, :, 0] = 0.5 * np.arange(31)[:, None] / FPS  # slides at 0.5 m/s
    take.xpos[:, 1, :, 0] = np.arange(31)[:, None] / FPS
    take.clearance[:, 1:] = 0.2
    take.clearance[:10, 2] = 0.0
    tiptoe = still(31)
    tiptoe.xpos[:, 0, :, 0] = take.xpos[:, 0, :, 0]
    found = measure.skate(take)
    assert np.isnan(measure.skate(tiptoe)).all()  # a heel that rises takes the foot's joint along, the toe stays
    assert found[[0, 2]] == pytest.approx([0.5, 0.0], abs=1e-4)
    assert np.isnan(found[1])


def test_facing_error_is_the_angle_to_a_direction():
    quat = rotation.about("z", np.radians(np.array([170.0, 0.0])))
    direction = np.array([[np.cos(np.radians(-170)), np.sin(np.radians(-170))], [0.0, 2.0]])
    assert np.degrees(measure.facing_error(quat, direction)) == pytest.approx([20, 90])


def limping(left_length: float = 0.6, right_length: float = 0.8) -> tuple:
    """A walk of alternating steps, a step every half second, with feet that swing for a third of a second."""
    take = still(241)
    feet = take.columns(take.body.feet)
    take.clearance[:] = 0.0
    take.xpos[:, 0, feet, 2] = 0.06
    place, side = np.zeros(2), 0
    for start in range(5, 240, 15):
        own = feet[side]
        landed = place[1 - side] + (right_length if side == 0 else left_length)
        swing = slice(start, start + 10)
        take.clearance[swing, 0, own] = 0.1
        take.xpos[swing, 0, own, 2] = 0.15 if side == 0 else 0.3
        take.xpos[start:, 0, own, 0] = landed
        place[side] = landed
        side = 1 - side
    take.qpos[:, 0, 0] = 1.4 * np.arange(241) / FPS
    return take, measure.steps(take)


def test_steps_have_length_time_and_height():
    _, found = limping()
    assert found.foot.tolist() == [k % 2 for k in range(len(found.foot))]
    assert len(found.foot) == 16
    assert found.length[1:5] == pytest.approx([0.6, 0.8, 0.6, 0.8])
    assert np.isnan(found.length[0])
    assert found.seconds[1:] == pytest.approx(0.5)


def test_a_foot_that_swings_close_to_the_floor_makes_a_step():
    take, found = limping()
    low = limping()[0]
    low.clearance[:] = np.minimum(low.clearance, 0.01)
    low.xpos[:, 0, :, 0] = take.qpos[:, :1, 0]
    feet = low.columns(low.body.feet)
    for side, own in enumerate(feet):  # stands, then swings evenly to its next place
        ends = found.frame[found.foot == side]
        place = take.xpos[ends - 1, 0, own, 0]
        knots = np.stack([ends - 10, ends], 1).reshape(-1)
        low.xpos[:, 0, own, 0] = np.interp(np.arange(len(low)), knots, np.append(0.0, np.repeat(place, 2)[:-1]))
    again = measure.steps(low)
    assert again.foot.tolist() == found.foot.tolist()
    assert np.abs(again.frame - found.frame).max() <= 1


def test_a_limp_is_uneven_and_an_even_gait_is_not():
    _, found = limping()
    assert measure.asymmetry(found, found.length, 1)[0] == pytest.approx((0.6 - 0.8) / 0.7, abs=1e-5)
    assert measure.asymmetry(found, found.seconds, 1)[0] == pytest.approx(0.0, abs=1e-5)
    assert measure.asymmetry(found, found.height, 1)[0] > 0.5
    _, even = limping(0.7, 0.7)
    assert measure.asymmetry(even, even.length, 1)[0] == pytest.approx(0.0, abs=1e-5)
