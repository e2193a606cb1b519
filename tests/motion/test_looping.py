"""A repeated motion goes on in place and heading, without a jump, and the source's own joints go with it."""

from dataclasses import replace

import numpy as np
import pytest
from skeletons import bvh, names_of

from lactic import body as bodies
from lactic import rotation
from lactic.motion import BodyClip, read, retarget
from lactic.motion.looping import repeated, repeated_like, seam

BODY = bodies.get("humanoid")
FPS, PERIOD = 30.0, 40


def gait(frames: int, turn: float = 0.0) -> BodyClip:
    """Legs that swing with a period of 40 frames while the body goes 1.2 m/s, turning by `turn` radians a frame."""
    k = np.arange(frames)
    qpos = np.tile(BODY.rest, (frames, 1))
    heading = turn * k
    qpos[:, 0], qpos[:, 1] = np.cumsum(0.04 * np.cos(heading)), np.cumsum(0.04 * np.sin(heading))
    qpos[:, 3:7] = rotation.about("z", heading)
    swing = np.sin(2 * np.pi * k / PERIOD)
    for joint, sign in (("left_hip_y", 0.5), ("right_hip_y", -0.5), ("left_shoulder_y", -0.3)):
        qpos[:, 7 + BODY.joints.index(joint)] = sign * swing
    return BodyClip("humanoid", FPS, qpos, "gait")


def test_a_round_is_left_where_the_next_can_be_joined_in_step() -> None:
    leave, join, width = seam(gait(155))
    assert (leave - join) % PERIOD == 0 and leave + width <= 154


@pytest.mark.parametrize("turn", [0.0, 0.01])
def test_the_motion_goes_on_without_a_jump(turn: float) -> None:
    clip = gait(155, turn)
    leave, join, _ = seam(clip)
    long, rounds = repeated(clip, 3)
    assert long.frames == 155 + 2 * (leave - join) == len(rounds.late)
    # the same gait that never ended: in step, in place, and turning on
    whole = gait(long.frames, turn)
    np.testing.assert_allclose(long.qpos[:, 7:], whole.qpos[:, 7:], atol=1e-9)
    np.testing.assert_allclose(long.qpos[:, :3], whole.qpos[:, :3], atol=1e-9)
    turned = rotation.multiply(rotation.conjugate(whole.qpos[:, 3:7]), long.qpos[:, 3:7])
    assert rotation.angle(turned).max() < 1e-6


def test_a_cycle_is_repeated_as_it_is() -> None:
    clip = replace(gait(PERIOD + 1), cyclic=True)
    assert seam(clip) == (PERIOD, 0, 0)
    long, rounds = repeated(clip, 4)
    np.testing.assert_allclose(long.qpos, gait(4 * PERIOD + 1).qpos, atol=1e-9)
    np.testing.assert_array_equal(rounds.late[PERIOD : 2 * PERIOD], np.arange(PERIOD))


def test_a_seam_that_does_not_fit_is_led_over() -> None:
    clip = gait(60)
    clip.qpos[:, 7 + BODY.joints.index("neck_y")] = np.linspace(0.0, 0.8, 60)
    long, _ = repeated(clip, 2)
    fastest = np.abs(np.diff(clip.qpos[:, 7:], axis=0)).max()
    assert np.abs(np.diff(long.qpos[:, 7:], axis=0)).max() < fastest + 0.8 * 1.5 / seam(clip)[2]


def test_the_source_is_repeated_alike(tmp_path) -> None:
    (tmp_path / "walk.bvh").write_text(bvh(names_of("mixamo")))
    source = read(tmp_path / "walk.bvh")
    motion, _ = retarget(source, fps=FPS)
    long, rounds = repeated(motion, 3)
    again, _ = retarget(repeated_like(source, rounds, FPS))
    assert again.frames == long.frames
    assert np.abs(again.qpos[:, 7:] - long.qpos[:, 7:]).mean() < np.radians(0.5)
