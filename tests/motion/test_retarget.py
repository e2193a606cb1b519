"""Retargeted clips: within limits, on the floor, and moving as the clip moves."""

from dataclasses import replace

import numpy as np
import pytest
from motion_files import CMU_UNIT, cmu_clip, deepmimic_text, poselib_of, write_amass, write_poselib
from skills import PACES, skill

from lactic import rotation
from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.motion import BodyClip, ground, hinges, read, retarget
from lactic.motion.bvh_write import write_bvh
from lactic.motion.roles import find_roles


def check(clip, mean_degrees):
    """The facts every retargeted clip must show."""
    moved, residual = retarget(clip, fps=30)
    body = moved.body
    assert (moved.qpos[:, 7:] >= body.range[:, 0]).all() and (moved.qpos[:, 7:] <= body.range[:, 1]).all()
    heights = ground.clearance(body, moved.qpos)
    feet = heights[:, [body.bodies.index(name) for name in body.feet]]
    assert feet.min() > -0.02 and heights.min() > -0.02
    assert np.min(feet) < 0.02  # and it does stand there
    assert np.degrees(residual.direction_mean) < mean_degrees, residual
    np.testing.assert_allclose(np.linalg.norm(moved.qpos[:, 3:7], axis=1), 1, atol=1e-9)
    # no branch of the angles is changed in mid-motion: nothing moves faster than a fast kick
    assert np.abs(np.diff(moved.qpos[:, 7:], axis=0)).max() * moved.fps < 45
    assert (np.sum(moved.qpos[1:, 3:7] * moved.qpos[:-1, 3:7], axis=1) > 0).all()
    return moved, residual


FORMATS = {
    "bvh": lambda path, clip: write_bvh(path, clip, "cm"),
    "npy": lambda path, clip: write_poselib(path, **poselib_of(clip)),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["run", "walk", "jump", "cartwheel", "backflip", "spinkick"])
def test_skills_survive_files_and_retargeting(name, form, tmp_path):
    made, path = skill(name), tmp_path / f"{name}.{form}"
    FORMATS[form](path, made.to_clip())
    moved, residual = check(read(path), 1.0)
    assert residual.scale == pytest.approx(1, abs=1e-3) and moved.frames == made.frames
    away = np.ptp(made.qpos[:, 0])
    # the root of a body that turns over in the air goes round its centre of mass, which goes straight
    assert np.ptp(moved.qpos[:, 0]) == pytest.approx(away, abs=0.12 if name == "backflip" else 0.02)
    pitch = moved.qvel()[:, 4].sum() / moved.fps  # about its own left: backwards is negative
    assert np.degrees(pitch) == pytest.approx(-360 if name == "backflip" else 0, abs=15)


def test_other_skeletons_swing_their_legs_as_far(tmp_path):
    """Of other proportions and rest poses: DeepMimic's, and CMU's in a T-pose with legs apart."""
    (tmp_path / "dm.txt").write_text(deepmimic_text(60, swing=0.4, speed=1.0))
    write_bvh(tmp_path / "cmu.bvh", cmu_clip(), CMU_UNIT)
    for name, swing in (("dm.txt", 0.4), ("cmu.bvh", 0.3)):
        moved, residual = check(read(tmp_path / name), 3.0)
        for side in ("left", "right"):
            hip = moved.qpos[:, 7 + moved.body.joints.index(f"{side}_hip_y")]
            assert np.ptp(hip) / 2 == pytest.approx(swing, abs=0.05), (name, side)
        assert 0.9 < residual.scale < 1.2
    clip = read(tmp_path / "dm.txt")
    moved, residual = retarget(clip, fps=30)
    assert np.ptp(moved.qpos[:, 0]) == pytest.approx(residual.scale * np.ptp(clip.root_pos[:, 0]), rel=0.05)


def test_a_cycle_is_closed_and_still_stands(tmp_path):
    write_bvh(tmp_path / "run.bvh", skill("run").to_clip())
    moved, _ = retarget(read(tmp_path / "run.bvh"), fps=30, close=True)
    assert moved.cyclic and moved.gap() < 1e-9
    again = moved.loop(3)
    assert ground.clearance(again.body, again.qpos).min() > -0.02
    away = again.qpos[-1, :2] - again.qpos[0, :2]
    assert np.linalg.norm(away) / again.seconds == pytest.approx(PACES["run"][0], abs=0.1)


def test_a_t_pose_becomes_arms_held_out(tmp_path):
    """The rest poses differ by 90 degrees at the shoulders; bone directions tell."""
    write_amass(tmp_path / "t.npz", poses=np.tile([np.pi / 2, *[0.0] * 155], (4, 1)))
    moved, residual = retarget(read(tmp_path / "t.npz"))
    body = moved.body
    angles = dict(zip(body.joints, np.degrees(moved.qpos[0, 7:]), strict=True))
    assert angles["left_shoulder_x"] == pytest.approx(90, abs=10)
    assert angles["right_shoulder_x"] == pytest.approx(-90, abs=10)
    assert abs(angles["left_knee"]) < 10 and abs(angles["left_hip_y"]) < 10
    assert np.degrees(residual.direction_max) < 8


def test_the_body_retargets_to_itself():
    """A body's own motion, taken as a skeleton, comes back as the same angles."""
    body, rng = humanoid(), np.random.default_rng(4)
    t = np.arange(60)[:, None] / 30
    amplitude = 0.35 * np.minimum(-body.range[:, 0], body.range[:, 1])
    qpos = np.tile(body.rest, (60, 1))
    qpos[:, 7:] = amplitude * np.sin(2 * t + rng.uniform(0, 6, len(body.joints)))
    for name in body.joints:  # knees and elbows bend one way only
        if name.endswith(("knee", "elbow")):
            low, high = body.range[body.joints.index(name)]
            qpos[:, 7 + body.joints.index(name)] = (0.25 + 0.1 * np.sin(3 * t[:, 0])) * (low + high)
    qpos[:, 3:7] = rotation.about("z", 0.5 * t[:, 0])
    moved, residual = retarget(BodyClip("humanoid", 30.0, qpos).to_clip())
    assert np.degrees(residual.direction_max) < 2 and residual.scale == pytest.approx(1)
    feet = [i for i, name in enumerate(body.joints) if "ankle" in name]
    others = [i for i in range(len(body.joints)) if i not in feet]  # soles may be levelled
    assert np.degrees(np.abs(moved.qpos[:, 7:] - qpos[:, 7:])[:, others]).max() < 4


def test_a_foot_that_markers_turned_over_is_set_right():
    body = humanoid()
    qpos = np.tile(body.rest, (60, 1))
    swing = 7 + body.joints.index("left_hip_y")
    qpos[:, swing] = 0.2 * np.sin(np.arange(60) / 5)
    clip = BodyClip("humanoid", 30.0, qpos).to_clip()
    whole, _ = retarget(clip)
    turned = clip.rotations.copy()
    foot = find_roles(clip)["left_foot"]
    turned[20:35, foot] = rotation.multiply(turned[20:35, foot], rotation.about("x", np.full(15, np.radians(170))))
    turned[19, foot] = rotation.multiply(turned[19, foot], rotation.about("x", np.radians(60)))
    ankles = [7 + i for i, name in enumerate(body.joints) if "ankle" in name]
    moved, _ = retarget(replace(clip, rotations=turned))
    assert np.degrees(np.abs(moved.qpos - whole.qpos)[:, ankles]).max() < 2
    turned[:, foot] = rotation.about("x", np.radians(170))
    moved, _ = retarget(replace(clip, rotations=turned))  # it is never found again: at rest
    assert np.degrees(np.abs(moved.qpos)[:, ankles]).max() < 15


def test_a_trunk_that_markers_turned_over_for_a_moment_is_set_right():
    body = humanoid()
    qpos = np.tile(body.rest, (60, 1))
    qpos[:, 3:7] = rotation.about("z", np.arange(60) / 30)
    clip = BodyClip("humanoid", 30.0, qpos).to_clip()
    whole, _ = retarget(clip)
    turned, root = clip.rotations.copy(), find_roles(clip)["pelvis"]
    turned[30:34, root] = rotation.multiply(turned[30:34, root], rotation.about("x", np.full(4, np.radians(150))))
    moved, _ = retarget(replace(clip, rotations=turned))
    off = rotation.multiply(rotation.conjugate(whole.qpos[:, 3:7]), moved.qpos[:, 3:7])
    assert np.degrees(rotation.angle(off)).max() < 3


def test_a_knee_that_bends_the_wrong_way_does_not_jump_to_its_other_end():
    angle = np.concatenate([np.linspace(0.3, -1.9, 20), np.linspace(-1.9, 0.3, 20)])  # beyond −π + half of the range
    along = np.stack([-np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    bent = hinges.bend(along, 30.0, 0.0, 2.8)
    assert bent.max() < 0.35 and np.abs(bent[12:28]).max() < 0.05
    steady = np.linspace(0.2, 1.5, 40)
    along = np.stack([-np.sin(steady), 0 * steady, -np.cos(steady)], axis=1)
    np.testing.assert_allclose(hinges.bend(along, 30.0, 0.0, 2.8), steady, atol=2e-3)


def test_a_track_is_eased_where_it_is_sudden_and_nowhere_else():
    t = np.arange(90) / 30
    smooth = np.stack([np.sin(2 * t), np.cos(3 * t)], axis=1)
    np.testing.assert_allclose(hinges.eased(smooth, 30.0, 40.0), smooth, atol=1e-6)
    jumps = smooth + (t[:, None] > 1.5) * [0.3, 0.0]
    eased = hinges.eased(jumps, 30.0, 40.0)
    assert np.abs(np.diff(jumps, 2, axis=0)).max() * 900 > 200
    assert np.abs(np.diff(eased, 2, axis=0)).max() * 900 < 100
    assert np.abs(eased - jumps).max() < 0.2 and np.abs(eased - jumps)[:30].max() < 1e-3


def test_in_flight_the_centre_of_mass_goes_as_gravity_wants():
    body, fps = humanoid(), 60.0
    t = np.arange(61) / fps
    air = np.clip(t - 0.3, 0, 0.4) * (0.7 - np.clip(t, 0.3, 0.7))  # 0.4 s off the floor
    qpos = np.tile(body.rest, (61, 1))
    qpos[:, 2] += 0.5 * 25.0 * air  # and falling two and a half times too fast
    qpos[:, 2] -= ground.clearance(body, qpos[:1]).min()
    moved = ground.fly(body, qpos, fps)
    flying = np.flatnonzero(ground.clearance(body, qpos).min(axis=1) > ground.AIRBORNE)
    fall = np.diff(ground.centre(body, moved)[flying, 2], 2) * fps**2
    np.testing.assert_allclose(fall, -ground.GRAVITY, atol=1e-6)
    on_floor = np.setdiff1d(np.arange(61), flying)
    np.testing.assert_allclose(moved[on_floor], qpos[on_floor], atol=1e-12)
    hangs = np.tile(qpos[0], (61, 1))
    hangs[20:40, 2] += 0.1  # held by something
    np.testing.assert_array_equal(ground.fly(body, hangs, fps), hangs)


def test_hinges_keep_to_limits_and_pass_gimbal_lock_smoothly():
    t = np.linspace(0, 1, 60)
    swing = np.stack([0.2 * np.sin(9 * t), -np.pi / 2 + 0.5 * np.sin(6 * t), 0.3 * np.cos(7 * t)], axis=1)
    low, high = np.radians([-60.0, -140.0, -60.0]), np.radians([15.0, 60.0, 45.0])
    for order in ("xyz", "yxz"):
        angles = hinges.fit(rotation.from_euler(swing, "xyz"), 60.0, low, high, order=order)
        assert (angles >= low).all() and (angles <= high).all()
        assert np.abs(np.diff(angles, axis=0)).max() * 60 < 1.2 * hinges.SPEED_LIMIT
    angles = hinges.fit(rotation.from_euler(swing, "xyz"), 60.0, low, high)
    assert np.degrees(np.linalg.norm(hinges.error(angles, rotation.from_euler(swing, "xyz")), axis=1).max()) < 6


def test_the_lift_is_enough_everywhere_and_nothing_elsewhere():
    lowest = np.zeros(100)
    lowest[[20, 21, 60, 99]] = -0.05, -0.08, -0.03, -0.04
    for cyclic in (False, True):
        raised = ground.lift(lowest, 30.0, 0.015, cyclic)
        assert len(raised) == 100 and (lowest[:-1] + raised[:-1]).min() >= -0.015 - 1e-12
        assert raised[40] == 0 and np.abs(np.diff(raised)).max() < 0.03
    assert ground.lift(lowest, 30.0, 0.015)[-1] >= 0.025


def test_lowest_points_of_geoms():
    """Standing at rest the soles touch the floor; lifted and tilted they are where geometry says."""
    body = humanoid()
    feet = [body.bodies.index(name) for name in body.feet]
    pose = body.rest.copy()
    np.testing.assert_allclose(ground.clearance(body, pose[None])[0, feet], 0, atol=1e-9)
    pose[2] += 0.3
    np.testing.assert_allclose(ground.clearance(body, pose[None])[0, feet], 0.3, atol=1e-9)
    pose[3:7] = rotation.about("y", np.array(np.pi))  # on its head
    heights = ground.clearance(body, pose[None])[0]
    assert heights.argmin() == body.bodies.index("head")


def test_roles_of_a_known_skeleton():
    clip = cmu_clip()
    roles = find_roles(clip)
    named = {role: clip.joints[j] for role, j in roles.items()}
    assert named["torso"] == "Spine1" and named["left_upper_arm"] == "LeftArm" and named["right_toe"] == "RightToeBase"


def test_other_bodies_and_skeletons_without_legs_are_refused(tmp_path):
    write_amass(tmp_path / "t.npz")
    clip = read(tmp_path / "t.npz")
    with pytest.raises(InputError, match="ant"):
        retarget(clip, ant())
    with pytest.raises(InputError, match=r"no joint found for left_thigh.*lactic clips map"):
        retarget(replace(clip, joints=tuple(f"bone{i}" for i in range(22)), offsets=clip.offsets * 0))
