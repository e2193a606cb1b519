"""Bend that knees never lose is taken off, and standing on bent knees is cut out."""

from dataclasses import replace

import numpy as np
import pytest
from footsteps import FPS, ramp, walk_along

from lactic import body
from lactic.motion.body_clip import BodyClip
from lactic.motion.ground import clearance
from lactic.motion.knees import STRAIGHTEST, straightened
from lactic.motion.standing import standing

HUMAN = body.get("humanoid")
KNEES, HIPS, ANKLES = (
    [7 + HUMAN.joints.index(f"{side}_{joint}") for side in ("left", "right")] for joint in ("knee", "hip_y", "ankle_y")
)
EXTRA = np.radians(15)


def bend(clip: BodyClip, extra: float) -> BodyClip:
    """The same clip on knees that are bent by so much more; leg and sole keep their directions."""
    qpos = clip.qpos.copy()
    qpos[:, KNEES] += extra
    qpos[:, HIPS] -= extra / 2
    qpos[:, ANKLES] -= extra / 2
    return replace(clip, qpos=qpos)


def walk(speed: np.ndarray) -> BodyClip:
    return walk_along(speed, np.zeros(len(speed)))


def test_a_bend_that_knees_never_lose_is_taken_off():
    clip = walk(np.full(round(4 * FPS), 1.4))
    assert np.percentile(clip.qpos[:, KNEES], 5) == pytest.approx(STRAIGHTEST, abs=np.radians(0.5))
    (straight,) = straightened(bend(clip, EXTRA))
    for joints in (KNEES, HIPS, ANKLES):
        np.testing.assert_allclose(straight.qpos[:, joints], clip.qpos[:, joints], atol=np.radians(0.5))
    lowest = clearance(HUMAN, straight.qpos).min(axis=1)
    assert np.abs(lowest).max() < 0.002  # a foot is on the floor in every frame of a walk
    assert straight.qpos[:, 2].mean() > bend(clip, EXTRA).qpos[:, 2].mean()
    assert 1.0 < straight.qpos[-1, 0] / clip.qpos[-1, 0] < 1.1  # longer legs make longer strides


def test_straight_knees_and_quiet_standing_are_left_alone():
    clip = walk(np.full(round(4 * FPS), 1.4))
    (same,) = straightened(clip)
    np.testing.assert_allclose(same.qpos[:, 7:], clip.qpos[:, 7:], atol=np.radians(0.5))
    still = standing(HUMAN, seconds=2.0)
    assert straightened(still) == [still]


def test_standing_on_bent_knees_is_cut_out():
    stop = ramp(1.4, 0, 4, 1.5, 0.5)
    clip = walk(np.concatenate([stop, stop[::-1]]))  # it stands from second 2 to 6 on knees bent by more than 15°
    before, after = straightened(bend(clip, EXTRA))
    for part in (before, after):
        moving = np.linalg.norm(part.qvel()[:, :2], axis=1) > 0.25
        assert 1.8 * FPS < part.frames < 2.6 * FPS and moving.mean() > 0.9 and not part.cyclic
    assert before.name != after.name
