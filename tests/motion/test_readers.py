"""Every reader on a hand-made file, and on the shared clips where they are."""

import numpy as np
import pytest
from motion_files import BVH, CMU_UNIT, cmu_clip, deepmimic_text, poselib_of, write_amass, write_poselib
from skills import skill

from lactic import rotation
from lactic.errors import InputError
from lactic.motion import read
from lactic.motion.amass import read_amass
from lactic.motion.bvh_write import write_bvh


@pytest.fixture
def bvh(tmp_path):
    path = tmp_path / "small.bvh"
    path.write_text(BVH)
    return path


def test_bvh_axes_units_and_rotation_order(bvh):
    clip = read(bvh)
    assert clip.fps == 30.0 and clip.frames == 3
    assert clip.joints == ("Hips", "LeftUpLeg", "LeftLeg", "RightUpLeg") and clip.parents == (-1, 0, 1, 0)
    # centimetres are guessed; the file is y up and looks along z, with x at its left
    np.testing.assert_allclose(clip.root_pos[2], [0.20, 0.0, 0.91], atol=1e-12)
    np.testing.assert_allclose(clip.offsets[1], [0.0, 0.10, -0.05], atol=1e-12)
    np.testing.assert_allclose(clip.tips[2], [0.0, 0.0, -0.42], atol=1e-12)
    # frame 1 turns by 90 degrees about the vertical, towards the left
    np.testing.assert_allclose(rotation.heading(clip.rotations[1, 0]), np.pi / 2, atol=1e-9)
    # +30 degrees about the file's x, which is our y: a knee bends backwards
    np.testing.assert_allclose(clip.rotations[1, 2], rotation.about("y", np.array(np.pi / 6)), atol=1e-9)
    # R = Rz·Ry·Rx in the file's axes; its z, y, x are our x, z, y
    expected = rotation.from_euler(np.radians([[10.0, 20.0, 30.0]]), "xzy")[0]
    np.testing.assert_allclose(clip.rotations[2, 0], expected, atol=1e-9)


def test_bvh_options(bvh):
    assert read(bvh, unit="m").offsets[1, 1] == pytest.approx(10.0)
    assert read(bvh, unit=0.5).offsets[1, 1] == pytest.approx(5.0)
    assert read(bvh, fps=120).fps == 120
    assert read(bvh, rest_frame=True).frames == 2
    np.testing.assert_allclose(read(bvh, up="z").root_pos[2], [-0.91, 0.0, 0.2], atol=1e-12)
    for wrong in ({"unit": "mile"}, {"unit": -1}, {"fps": 0}, {"fps": float("nan")}, {"up": "x"}):
        with pytest.raises(InputError):
            read(bvh, **wrong)


def test_options_of_another_format_are_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(deepmimic_text())
    with pytest.raises(InputError, match="unit"):
        read(path, unit="cm")


def test_the_format_is_found_by_content(tmp_path):
    path = tmp_path / "renamed.dat"
    path.write_text(BVH)
    assert read(path).joints[0] == "Hips"
    path.write_text(deepmimic_text())
    assert read(path).joints[0] == "root"
    path.write_text("hello")
    with pytest.raises(InputError, match=r"renamed\.dat"):
        read(path)


def test_deepmimic_knees_bend_backwards_and_elbows_forwards(tmp_path):
    path = tmp_path / "dm.txt"
    path.write_text(deepmimic_text())
    clip = read(path)
    assert clip.cyclic and clip.frames == 5 and clip.fps == pytest.approx(30.03, abs=0.01)
    at, _ = clip.globals()
    ankle, knee = at[0, clip.joints.index("left_ankle")], at[0, clip.joints.index("left_knee")]
    assert ankle[0] < knee[0] and knee[1] > 0  # a hinge angle of -0.3 about their z bends the shin back; left is +y
    np.testing.assert_allclose(clip.root_pos[0], [0, 0, 0.9], atol=1e-12)


def test_amass_poses_turn_about_smpl_axes(tmp_path):
    poses = np.zeros((4, 156))
    poses[:, 0] = np.pi / 2  # AMASS's usual standing root: SMPL's y up into the world's z up
    poses[1, 3 * 4] = 0.5  # left knee about SMPL's x, its left
    path = tmp_path / "amass.npz"
    write_amass(path, poses=poses)
    clip = read(path)
    assert clip.fps == 120 and len(clip.joints) == 22
    at, _ = clip.globals()
    head, pelvis = at[0, clip.joints.index("head")], at[0, 0]
    assert head[2] > pelvis[2] + 0.4
    still, bent = at[0, clip.joints.index("left_ankle")], at[1, clip.joints.index("left_ankle")]
    forward = rotation.rotate(clip.rotations[0, 0], np.array([1.0, 0, 0]))
    assert (bent - still) @ forward < -0.1
    left = rotation.rotate(clip.rotations[0, 0], np.array([0.0, 1.0, 0]))
    assert (at[0, clip.joints.index("left_hip")] - pelvis) @ left > 0.05


def test_poselib_drops_the_copies_of_doubled_frames(tmp_path):
    path = tmp_path / "motion.npy"
    write_poselib(path, frames=10)
    assert (read(path).fps, read(path).frames) == (60.0, 10)
    write_poselib(path, frames=10, doubled=True)
    clip = read(path)
    assert (clip.fps, clip.frames) == (30.0, 10)
    np.testing.assert_allclose(clip.rotations[3, 1], rotation.about("y", np.array(0.3)), atol=1e-6)


def test_flight_falls_with_g_in_every_unit(tmp_path):
    """A wrong unit or frame rate would show as a wrong gravity."""
    for unit in ("m", "cm", "inch"):
        write_bvh(tmp_path / "jump.bvh", skill("jump").to_clip(), unit)
        clip = read(tmp_path / "jump.bvh", unit=unit)
        top = int(np.argmax(clip.root_pos[:, 2]))
        bend = 2 * np.polyfit(np.arange(-5, 6) / clip.fps, clip.root_pos[top - 5 : top + 6, 2], 2)[0]
        assert bend == pytest.approx(-9.81, rel=0.02), unit


def test_two_conventions_tell_the_same_backflip(tmp_path):
    made = skill("backflip").to_clip()
    write_bvh(tmp_path / "flip.bvh", made, "cm")
    write_poselib(tmp_path / "flip.npy", **poselib_of(made))
    for path in tmp_path.iterdir():
        clip = read(path)
        order = [clip.joints.index(name) for name in made.joints]
        assert np.abs(clip.globals()[0][:, order] - made.globals()[0]).max() < 1e-4, path.name


def test_cmus_unit_is_known_by_its_joints(tmp_path):
    write_bvh(tmp_path / "swing.bvh", cmu_clip(), CMU_UNIT)
    clip = read(tmp_path / "swing.bvh")
    rest, _ = clip.rest_globals()
    head, left, right = (rest[clip.joints.index(n)] for n in ("Head", "LeftHand", "RightHand"))
    assert 0.35 < head[2] < 1.0 and left[1] > 0.5 and right[1] < -0.5  # a T-pose, metres, left at +y
    assert clip.fps == 120 and clip.frames == 240


def test_amass_without_a_frame_rate_takes_the_option(tmp_path):
    path = tmp_path / "a.npz"
    write_amass(path, mocap_framerate=None)
    with pytest.raises(InputError, match="fps"):
        read_amass(path)
    assert read_amass(path, fps=60).fps == 60
