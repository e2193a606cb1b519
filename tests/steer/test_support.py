"""What no body could do is told from what one can."""

import numpy as np
import pytest

from lactic.body import humanoid
from lactic.motion.standing import standing
from lactic.steer.stream import beyond_support

BODY = humanoid()


def test_standing_is_supported_and_a_body_that_is_pushed_about_is_not():
    clip = standing(BODY, seconds=6.0)
    assert beyond_support(BODY, clip.qpos, clip.fps) == 0.0
    pushed = clip.qpos.copy()
    time = np.arange(len(pushed)) / clip.fps
    pushed[:, 0] += 0.3 * np.sin(2 * np.pi * time)  # 12 m/s² at most: the floor would have to push a metre away
    assert beyond_support(BODY, pushed, clip.fps) > 0.7


def test_who_flies_needs_no_support_and_a_moment_tells_nothing():
    clip = standing(BODY, seconds=3.0)
    above = clip.qpos.copy()
    above[:, 2] += 0.5
    above[:, 0] += 0.3 * np.sin(2 * np.pi * np.arange(len(above)) / clip.fps)
    assert beyond_support(BODY, above, clip.fps) == 0.0
    assert beyond_support(BODY, above[:5], clip.fps) == 0.0


def test_one_foot_carries_alone():
    clip = standing(BODY, seconds=3.0)
    lifted = clip.qpos.copy()
    left = 7 + BODY.joints.index("left_hip_y"), 7 + BODY.joints.index("left_knee")
    lifted[:, left[0]], lifted[:, left[1]] = -0.8, 1.2
    assert beyond_support(BODY, lifted, clip.fps) == pytest.approx(0.0)
    lifted[:, 1] += 0.6 * np.cos(1.5 * np.pi * np.arange(len(lifted)) / clip.fps)
    assert beyond_support(BODY, lifted, clip.fps) > 0.5
