"""Clips on the muscle man: limbs point as the clip's, joints stay in range, cycles close."""

import mujoco
import numpy as np
import pytest

from lactic import rotation
from lactic.body import humanoid, muscle_man
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.man import ManLibrary, onto_man
from lactic.motion.man.build import ClipList, build, lists, read_list
from lactic.motion.man.clips import cycled, velocities


def waving(frames: int = 61, fps: float = 60.0) -> BodyClip:
    """The humanoid walks ahead, bends its right knee and elbow, and raises its left thigh, once a second."""
    body = humanoid()
    qpos = np.tile(body.rest, (frames, 1))
    phase = (1 - np.cos(2 * np.pi * np.arange(frames) / fps)) / 2
    qpos[:, 0] = 1.2 * np.arange(frames) / fps
    for joint, most in (("right_knee", 1.0), ("right_elbow", 1.2), ("left_hip_y", 0.7), ("right_shoulder_x", 0.6)):
        index = body.joints.index(joint)
        low, high = body.range[index]
        qpos[:, 7 + index] = phase * (most if high >= most else -most if low <= -most else high)
    return BodyClip("humanoid", fps, qpos, "waving")


def places(qpos: np.ndarray, model: mujoco.MjModel) -> np.ndarray:
    data = mujoco.MjData(model)
    found = []
    for pose in qpos:
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        found.append(data.xpos.copy())
    return np.array(found)


def test_limbs_point_as_those_of_the_clip():
    clip, man = waving(), muscle_man().model
    qpos = onto_man(clip.to_clip(), 60.0)
    here, there = places(qpos, man), places(clip.qpos, humanoid().model)
    for side in ("left", "right"):
        for upper, lower in (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm")):
            bones = []
            for at, model in ((here, man), (there, humanoid().model)):
                first, second = (model.body(f"{side}_{part}").id for part in (upper, lower))
                bones.append(rotation.normalize(at[:, second] - at[:, first]))
            # at rest the shins of the muscle man lean by 0.1 rad, and its knees do not bend backwards
            most = 0.12 if upper == "shin" else 0.02
            assert np.sum(bones[0] * bones[1], -1).min() > np.cos(most), (side, upper)


def test_poses_are_whole_and_inside_the_ranges():
    model = muscle_man().model
    qpos = onto_man(waving().to_clip(), 20.0)
    assert len(qpos) == 21 and np.isfinite(qpos).all()
    data = mujoco.MjData(model)
    for pose in qpos:
        data.qpos[:] = pose
        mujoco.mj_forward(model, data)
        assert not np.any(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
    assert abs(places(qpos, model)[:, 1:, 2].min()) < 0.12  # it stands on the floor, not in the air


def test_velocities_lead_from_pose_to_pose():
    model, qpos = muscle_man().model, onto_man(waving().to_clip(), 60.0)
    speed = velocities(qpos, 60.0)
    guess = qpos[10].copy()
    mujoco.mj_integratePos(model, guess, speed[11], 2 / 60)
    np.testing.assert_allclose(guess, qpos[12], atol=1e-6)


def test_a_cycle_goes_on_without_a_jump():
    clip = waving(90)  # one and a half cycles
    long = cycled(onto_man(clip.to_clip(), 60.0), 60.0, 5.0)
    assert len(long) >= 301
    steps = np.linalg.norm(np.diff(long, axis=0), axis=1)
    assert steps.max() < 0.15
    assert np.ptp(long[:, 0]) > 0.8 * 1.2 * 5.0 * np.ptp(onto_man(clip.to_clip(), 60.0)[:, 0]) / (1.2 * 89 / 60)


def test_a_library_keeps_clips_splits_and_mirror_images(tmp_path):
    made = build([waving().to_clip()], ClipList(), 20.0, mirror=True)
    made.save(tmp_path / "man.npz")
    again = ManLibrary.load(tmp_path / "man.npz")
    assert again.names == ("waving", "waving_mirror") and again.splits == ("train", "train")
    np.testing.assert_allclose(again.qpos, made.qpos, atol=1e-6)
    left, right = (muscle_man().model.joint(f"{side}_knee").qposadr[0] for side in ("left", "right"))
    np.testing.assert_allclose(made.poses(0)[:, right], made.poses(1)[:, left], atol=1e-6)
    assert len(again.choose(names=("waving",))) == 1
    with pytest.raises(InputError, match="no clip of"):
        again.choose(names=("flying",))


def test_lists_that_ship_name_every_trial_once():
    for name in lists():
        read = read_list(name)
        assert len(set(read.names)) == len(read.names) > 0
        apart = [clip for names in read.splits.values() for clip in names]
        assert set(apart) <= set(read.names) and len(set(apart)) == len(apart)
    with pytest.raises(InputError, match="no such list"):
        read_list("flying")
