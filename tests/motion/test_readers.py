"""Every reader on a hand-made file, and on the shared clips where they are."""

import numpy as np
import pytest
from motion_files import BVH, CMU_UNIT, cmu_clip, deepmimic_text, poselib_of, write_amass, write_poselib
from skills import skill

from lactic import rotation
from lactic.errors import InputError
from lactic.motion import read
from lactic.motion.amass import read_amass
from lactic.motion.bvh import read_bvh
from lactic.motion.bvh_write import write_bvh
from lactic.motion.poselib import read_poselib


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


def test_captured_clips(captured, tmp_path):
    """Every file of CMU's skill set, poselib's of the paper, DeepMimic's and ReActIdle's, where they are."""
    files = captured.all_of_cmu()
    assert len(files) == 67
    for path in files:
        clip = read(path)
        rest, _ = clip.rest_globals()
        head, left, right = (rest[clip.joints.index(n)] for n in ("Head", "LeftHand", "RightHand"))
        assert 0.35 < head[2] < 1.0 and left[1] > 0.5 and right[1] < -0.5, path  # a T-pose, metres, left at +y
        assert 0.1 < clip.root_pos[:, 2].max() < 2 and clip.frames > 100, path
        slow = path.stem.split("_")[0] in ("75", "87", "88") or path.stem in ("90_08", "90_11")
        assert clip.fps == (60 if slow else 120), path
    assert read(captured.cmu("run/09_10")).root_pos[:, 2].min() > 0.9  # untracked ends are cut
    rates = {"run": (30, 41), "walk": (30, 77), "hop": (30, 149), "cartwheel": (30, 144), "backflip": (16, 29)}
    for name, expected in rates.items():
        clip = read_poselib(captured.poselib(name))
        assert (clip.fps, clip.frames) == expected
        assert np.median(np.linalg.norm(np.diff(clip.root_pos, axis=0), axis=1)) > 1e-3  # no pose is stored twice
    ours, theirs = read(captured.deepmimic("backflip")), read(captured.poselib("backflip"))
    at, at_theirs = ours.globals()[0], theirs.globals()[0]
    for mine, their in (("left_knee", "left_shin"), ("right_wrist", "right_hand"), ("neck", "head")):
        apart = at[:, ours.joints.index(mine)] - at_theirs[:, theirs.joints.index(their)]
        assert np.linalg.norm(apart, axis=-1).max() < 0.02  # two conventions, one motion
    idle = read(captured.idle("003"))  # metres, and positions on every joint
    assert idle.fps == 24 and idle.frames == 918
    for clip in (idle, *(read(captured.cmu(name)) for name in ("backflip/88_01", "cartwheel/49_06"))):
        write_bvh(tmp_path / "again.bvh", clip)
        np.testing.assert_allclose(read_bvh(tmp_path / "again.bvh", unit="m").root_pos, clip.root_pos, atol=1e-5)


def test_amass_without_a_frame_rate_takes_the_option(tmp_path):
    path = tmp_path / "a.npz"
    write_amass(path, mocap_framerate=None)
    with pytest.raises(InputError, match="fps"):
        read_amass(path)
    assert read_amass(path, fps=60).fps == 60
