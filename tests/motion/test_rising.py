"""Getting up: which stretches rise from the floor, and how one is laid over a body that lies."""

from dataclasses import replace

import numpy as np
from risers import LYING, RATE, UP, getting_up

from lactic.motion.rising import AFTER, HELPS, LEAD, Rises, distances, laid, led, marks, moved, rises, rising

REST = 1.0


def heights(*parts: tuple[float, int]) -> np.ndarray:
    """So many frames at each height."""
    return np.concatenate([np.full(frames, height) for height, frames in parts])


def test_a_rise_begins_a_second_before_it_lies_no_more() -> None:
    assert rises(heights((0.1, 50), (0.5, 10), (1.0, 5)), REST, 10.0) == [(39, 60)]
    assert rises(heights((1.0, 3), (0.1, 4), (0.5, 10), (1.0, 5)), REST, 10.0) == [(3, 17)]  # it fell just before
    assert rises(heights((0.1, 5), (0.5, 5), (1.0, 5), (0.1, 5), (0.5, 5), (1.0, 5)), REST, 10.0) == [(0, 10), (15, 25)]


def test_what_never_lay_or_takes_too_long_is_no_rise() -> None:
    assert rises(heights((0.5, 10), (1.0, 5)), REST, 10.0) == []
    assert rises(heights((1.0, 10), (0.1, 5)), REST, 10.0) == []
    assert rises(heights((0.1, 5), (0.5, 60), (1.0, 5)), REST, 10.0) == []
    assert rises(heights((0.1, 5), (1.0, 5), (0.5, 5), (1.0, 5)), REST, 10.0) == [(0, 5)]


def test_stretches_are_cut_out_of_clips_and_their_ends_held() -> None:
    (found,) = rising(getting_up())
    assert found.seconds < 3.0 and found.qpos[0, 2] < 0.3
    up = found.frames - 1 - round(AFTER * RATE)
    assert LYING < up < UP
    short = replace(getting_up(), qpos=getting_up().qpos[: UP - 1])
    (held,) = rising(short, after=3.0)
    assert held.frames == up + 1 + 90
    np.testing.assert_array_equal(held.qpos[-20], short.qpos[-1])
    standing = replace(getting_up(), qpos=getting_up().qpos[UP:])
    assert rising(standing) == []


def test_a_motion_is_turned_and_moved_over_a_body() -> None:
    clip = getting_up()
    there = replace(clip, qpos=moved(clip.qpos, 2.0, np.array([3.0, -4.0])))
    np.testing.assert_allclose(there.qpos[LYING, :2], [3.0, -4.0], atol=1e-12)
    own, other = (marks(*one.positions()) for one in (clip, there))
    turn, place = laid(other, own)
    np.testing.assert_allclose(turn, 2.0, atol=1e-6)
    np.testing.assert_allclose(place, np.tile([3.0, -4.0], (clip.frames, 1)), atol=1e-6)
    moving = slice(LYING + 1, UP)
    rows = distances(other[moving], own, np.zeros(clip.frames)).argmin(1)
    np.testing.assert_array_equal(rows, np.arange(clip.frames)[moving])


def test_of_equal_frames_the_later_is_taken_and_a_face_is_told_from_a_back() -> None:
    clip = getting_up()
    own = marks(*clip.positions())
    left = (clip.frames - 1 - np.arange(clip.frames)) / RATE
    assert distances(own[:1], own, left).argmin() >= LYING
    prone = clip.qpos[:1].copy()
    prone[:, 3:7] = [np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0]  # on its face
    face = marks(*clip.body.places(prone))
    assert distances(face, np.concatenate([own[:1], face]), np.zeros(2)).argmin() == 1


def test_a_body_is_led_from_its_own_pose_to_its_feet() -> None:
    (clip,) = rising(getting_up())
    pose = moved(clip.qpos[:1], 1.0, np.array([5.0, 6.0]))
    pose[0, 7:] += 0.1
    (lead,) = Rises([clip, clip.mirror()]).leads(pose)
    frames = round(LEAD * RATE)
    np.testing.assert_allclose(lead.qpos[0], pose[0])
    np.testing.assert_allclose(lead.qpos[-1, :2], [5.0, 6.0], atol=0.1)
    assert lead.qpos[-1, 2] > 0.8 and frames < lead.frames <= frames + clip.frames
    assert np.abs(lead.qvel()).max() < 10.0
    halfway = led(pose[0], clip.qpos, RATE)[frames // 2]
    np.testing.assert_allclose(halfway[7:], (pose[0, 7:] + clip.qpos[0, 7:]) / 2)


def test_a_motion_that_leads_up_may_be_further_away() -> None:
    (near,) = rising(getting_up())
    bent = near.qpos.copy()
    bent[:, 7:] += 0.1
    far = replace(near, qpos=bent)
    plain, weighed = Rises([near, far]), Rises([near, far], np.array([0.0, 1.0]))
    apart = plain.distances(near.qpos[:1]).reshape(2, -1).min(1)
    assert 0.0 < apart[1] - apart[0] < HELPS
    assert plain.owner[plain.rows(near.qpos[:1])] == [0] and weighed.owner[weighed.rows(near.qpos[:1])] == [1]
    further = Rises([near, replace(near, qpos=near.qpos + 0.6 * (np.arange(35) > 6))], np.array([0.0, 1.0]))
    assert further.owner[further.rows(near.qpos[:1])] == [0]
