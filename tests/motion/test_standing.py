"""Standing made of the body alone: still feet on the floor, joints that carry next to nothing."""

import numpy as np
import pytest
from footsteps import static_torque

from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.motion.ground import clearance
from lactic.motion.standing import standing


def test_feet_stay_and_joints_carry_little():
    body = humanoid()
    clip = standing(body, seconds=10.0)
    feet = clip.positions()[0][:, [body.bodies.index(name) for name in body.feet]]
    assert np.ptp(feet, axis=0).max() < 1e-6
    assert np.abs(clearance(body, clip.qpos[::60]).min(axis=1)).max() < 1e-6
    assert 0.003 < np.ptp(clip.qpos[:, :2], axis=0).min() < np.ptp(clip.qpos[:, :2], axis=0).max() < 0.03
    loads = [np.abs(static_torque(body, pose)) / body.torque_limit for pose in clip.qpos[::60]]
    assert np.max(loads) < 0.03  # a third of what people can hold for ever


def test_without_sway_nothing_moves_and_nothing_is_carried():
    body = humanoid()
    clip = standing(body, seconds=2.0, sway=0.0)
    assert np.ptp(clip.qpos, axis=0).max() == 0
    assert np.max(np.abs(static_torque(body, clip.qpos[0])) / body.torque_limit) < 0.002


def test_needs_legs():
    with pytest.raises(InputError, match="no hips and ankles to stand on"):
        standing(ant())
