"""Clips and body clips: resampling, velocity, mirror, loop, concatenation, saving."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from lactic import rotation
from lactic.body import humanoid
from lactic.errors import InputError
from lactic.motion import BodyClip, Clip


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def stick(frames=31, fps=30.0):
    """A pelvis walking along x at 1 m/s and turning 0.5 rad/s, with two swinging legs."""
    t = np.arange(frames) / fps
    rotations = np.zeros((frames, 3, 4))
    rotations[:, 0] = rotation.about("z", 0.5 * t)
    rotations[:, 1] = rotation.about("y", 0.3 * np.sin(4 * t))
    rotations[:, 2] = rotation.about("x", 0.2 * t)
    offsets = np.array([[0, 0, 0], [0, 0.1, -0.1], [0, -0.1, -0.1]], dtype=float)
    root = np.stack([t, np.zeros_like(t), np.ones_like(t)], axis=1)
    return Clip("stick", fps, ("hips", "left_leg", "right_leg"), (-1, 0, 0), offsets, root, rotations)


def body_clip(rng, frames=40, fps=30.0):
    """Random smooth motion of the humanoid within its limits."""
    body = humanoid()
    t = np.arange(frames)[:, None] / fps
    middle, half = body.range.mean(axis=1), np.ptp(body.range, axis=1) / 2
    qpos = np.zeros((frames, body.model.nq))
    qpos[:, :3] = np.concatenate([1.2 * t, 0.3 * np.sin(t), 0.9 + 0.05 * np.cos(3 * t)], axis=1)
    qpos[:, 3:7] = rotation.from_euler(np.concatenate([0.3 * np.sin(2 * t), 0.2 * np.sin(3 * t), 0.8 * t], axis=1))
    qpos[:, 7:] = middle + 0.8 * half * np.sin(2 * t + rng.uniform(0, 6, len(middle)))
    return BodyClip("humanoid", fps, qpos, "random")


def test_resampling_keeps_duration_and_hits_the_old_frames():
    clip = stick()
    fine = clip.resample(60)
    assert fine.frames == 61
    np.testing.assert_allclose(fine.root_pos[::2], clip.root_pos, atol=1e-12)
    gap = rotation.multiply(rotation.conjugate(fine.rotations[::2]), clip.rotations)
    assert rotation.angle(gap).max() < 1e-7
    # a steady turn stays steady between the frames
    np.testing.assert_allclose(rotation.heading(fine.rotations[:, 0]), 0.5 * np.arange(61) / 60, atol=1e-9)
    assert clip.resample(20).seconds == pytest.approx(clip.seconds)


def test_smooth_resampling_of_a_low_rate_follows_the_curve_better():
    low, true = stick(17, 16.0), stick(201, 200.0)
    linear, smooth = low.resample(200), low.resample(200, smooth=True)
    inner = slice(13, -13)  # the first and last of the 16 intervals have one neighbour less

    def error(clip):
        apart = rotation.multiply(rotation.conjugate(clip.rotations), true.rotations)
        return rotation.angle(apart)[inner].max()

    assert error(smooth) < 0.2 * error(linear)


def test_mirror_twice_is_the_same_and_once_swaps_sides():
    clip = stick()
    mirrored = clip.mirror()
    at, _ = clip.globals()
    at_mirrored, _ = mirrored.globals()
    np.testing.assert_allclose(at_mirrored[:, 1], at[:, 2] * [1, -1, 1], atol=1e-12)
    np.testing.assert_allclose(mirrored.mirror().rotations, clip.rotations, atol=1e-15)


def test_a_loop_carries_position_and_heading_on():
    clip = stick()
    twice = clip.loop(2)
    assert twice.frames == 2 * clip.frames - 1
    np.testing.assert_allclose(rotation.heading(twice.rotations[-1, 0]), 1.0, atol=1e-9)
    turned = rotation.rotate(rotation.about("z", np.array(0.5)), np.array([1.0, 0, 0]))
    np.testing.assert_allclose(twice.root_pos[-1], np.array([1.0, 0, 1.0]) + turned, atol=1e-9)


def test_body_velocity_is_mujocos(rng):
    clip = body_clip(rng)
    model, qvel = clip.body.model, clip.qvel()
    steps = np.zeros((clip.frames - 1, model.nv))
    for i in range(clip.frames - 1):
        mujoco.mj_differentiatePos(model, steps[i], 1 / clip.fps, clip.qpos[i], clip.qpos[i + 1])
    np.testing.assert_allclose(qvel[1:-1], (steps[1:] + steps[:-1]) / 2, atol=1e-8)
    np.testing.assert_allclose(qvel[[0, -1]], steps[[0, -1]], atol=1e-8)


def test_integrating_the_velocity_gives_the_next_frames(rng):
    clip = body_clip(rng).resample(240)
    qpos, qvel = clip.qpos[0].copy(), clip.qvel()
    for i in range(clip.frames - 1):
        mujoco.mj_integratePos(clip.body.model, qpos, (qvel[i] + qvel[i + 1]) / 2, 1 / clip.fps)
    assert np.abs(qpos - clip.qpos[-1]).max() < 5e-3


def test_body_mirror_mirrors_every_rigid_body(rng):
    clip = body_clip(rng)
    mirrored, names = clip.mirror(), clip.body.bodies
    at, _ = clip.positions()
    at_mirrored, _ = mirrored.positions()
    for i, name in enumerate(names):
        other = name.replace("left", "*").replace("right", "left").replace("*", "right")
        np.testing.assert_allclose(at_mirrored[:, names.index(other)], at[:, i] * [1, -1, 1], atol=1e-9)
    np.testing.assert_allclose(mirrored.mirror().qpos, clip.qpos, atol=1e-12)
    assert (mirrored.qpos[:, 7:] >= clip.body.range[:, 0] - 1e-12).all()


def test_a_closed_cycle_repeats_without_a_seam(rng):
    clip = body_clip(rng).closed()
    assert clip.gap() < 1e-9
    looped = clip.loop(3)
    steps = np.abs(np.diff(looped.qpos[:, 7:], axis=0)).max(axis=1)
    seam = clip.frames - 1
    np.testing.assert_allclose(looped.qpos[seam, 7:], looped.qpos[0, 7:], atol=1e-9)
    assert steps[seam] == pytest.approx(steps[0])
    away = looped.qpos[[seam, 2 * seam, 3 * seam], :2] - looped.qpos[[0, seam, 2 * seam], :2]
    np.testing.assert_allclose(away, np.tile(away[0], (3, 1)), atol=1e-9)
    # velocity at the seam is that of the running cycle, whichever end it is asked at
    np.testing.assert_allclose(clip.qvel()[0, 6:], clip.qvel()[-1, 6:], atol=1e-9)
    np.testing.assert_allclose(clip.qvel()[0], looped.qvel()[seam], atol=1e-6)
    assert clip.resample(47).gap() < 1e-6


def test_saved_clips_come_back_and_damage_is_named(rng, tmp_path):
    clip, path = body_clip(rng), tmp_path / "clip.npz"
    clip.save(path)
    back = BodyClip.load(path)
    assert (back.name, back.fps, back.cyclic, back.body_name) == ("random", 30.0, False, "humanoid")
    np.testing.assert_array_equal(back.qpos, clip.qpos)
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"\0" * 100):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"clip\.npz"):
            BodyClip.load(path)
    replace(clip, qpos=clip.qpos * np.nan).save(path)
    with pytest.raises(InputError, match="NaN"):
        BodyClip.load(path)
