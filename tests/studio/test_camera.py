"""The studio's camera: it steps back until all characters are in the picture, and comes near again."""

from types import SimpleNamespace

import numpy as np
import pytest

from lactic.studio.camera import KEPT, Retreat, distance_needed, middle, together

FOV, ASPECT = np.radians(36), 16 / 9
FRONT = np.array([0.0, -1.0, 0.0])


def seen(spot: np.ndarray, camera: SimpleNamespace) -> bool:
    """Whether a spot lies in a camera's picture, by perspective."""
    line = camera.look_at - camera.position
    ahead = line / np.linalg.norm(line)
    right = np.cross(ahead, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    off = spot - camera.position
    depth, x, y = off @ ahead, off @ right, off @ np.cross(right, ahead)
    return bool(depth > 0 and abs(x) < depth * np.tan(FOV / 2) * ASPECT and abs(y) < depth * np.tan(FOV / 2))


def window(position) -> SimpleNamespace:
    return SimpleNamespace(position=np.array(position, float), look_at=np.array([0, 0, 0.88]), fov=FOV, aspect=ASPECT)


def test_characters_that_part_all_stay_in_the_picture():
    camera, retreat = window((3.1, -4.3, 1.75)), Retreat()
    for spread in (2.0, 8.0, 14.0):
        offsets = np.array([[-spread, 0.0, 0.0], [0.0, 1.5, 0.0], [spread, -1.5, 0.0]])
        for _ in range(200):
            retreat.step(0, camera, offsets, 0.05)
        for x, y, _ in offsets:
            for z in (0.05, 1.8):
                assert seen(np.array([x, y, z]), camera)
    assert camera.look_at == pytest.approx([0, 0, 0.88])


def test_a_camera_comes_back_to_where_it_was_put_when_they_meet_again():
    camera, retreat = window((3.1, -4.3, 1.75)), Retreat()
    before = camera.position.copy()
    distances = []
    for offset in (10.0, 0.3):
        for _ in range(400):
            retreat.step(7, camera, np.array([[-offset, 0, 0.0], [offset, 0, 0.0]]), 0.05)
        distances.append(np.linalg.norm(camera.position - camera.look_at))
    assert distances[0] > 15 and distances[1] == pytest.approx(np.linalg.norm(before - camera.look_at), rel=0.03)


def test_no_camera_is_moved_while_all_are_in_its_picture():
    camera, retreat = window((0.0, -30.0, 4.0)), Retreat()
    retreat.step(0, camera, np.array([[-3.0, 0, 0], [3.0, 0, 0]]), 0.05)
    assert camera.position == pytest.approx([0.0, -30.0, 4.0])


def test_what_is_nearer_to_the_camera_needs_more_room():
    aside = np.array([[4.0, 0.0, 0.0]])
    assert distance_needed(aside + 3 * FRONT, FRONT, FOV, ASPECT) == pytest.approx(
        3 + distance_needed(aside, FRONT, FOV, ASPECT)
    )
    assert distance_needed(aside, FRONT, FOV, 1.0) > distance_needed(aside, FRONT, FOV, 2.0)


def test_the_stage_is_centred_amid_all_that_are_near_enough():
    feet = np.array([[0.0, 1.5], [20.0, 0.0], [KEPT + 1.0, -1.5]])
    assert together(feet, 0).tolist() == [True, True, False]
    assert together(feet, 2).tolist() == [False, True, True]
    assert middle(feet[:2]) == pytest.approx([10.0, 0.75])
