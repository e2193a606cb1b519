"""Written BVH comes back the same, for clips of every source and for recordings of a body."""

import numpy as np
import pytest
from motion_files import BVH
from skills import skill

from lactic import rotation
from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.motion import BodyClip, Clip, read
from lactic.motion.bvh import Y_UP, read_bvh
from lactic.motion.bvh_write import write_bvh, write_recording


def round_trip(clip, path, unit="m"):
    """Largest errors of rotations in radians and of all joint positions in metres after writing and reading."""
    write_bvh(path, clip, unit)
    back = read_bvh(path, unit=unit, rest_frame=False, fps=clip.fps)
    assert set(back.joints) == set(clip.joints) and back.frames == clip.frames
    order = [back.joints.index(name) for name in clip.joints]
    apart = rotation.multiply(rotation.conjugate(clip.rotations), back.rotations[:, order])
    at, at_back = clip.globals()[0], back.globals()[0][:, order]
    return rotation.angle(apart).max(), np.abs(at - at_back).max()


def test_random_rotations_and_gimbal_lock_survive(tmp_path):
    rng = np.random.default_rng(1)
    rotations = rotation.normalize(rng.normal(size=(50, 4, 4)))
    rotations[:10] = rotation.from_euler(rng.choice([-1, 0, 1], (10, 4, 3)) * np.pi / 2, "xyz")
    offsets = rng.normal(size=(4, 3))
    offsets[0] = 0
    # joint 3 hangs below joint 1: file order, depth first, is not the clip's order
    clip = Clip("random", 50.0, ("a", "b", "c", "d"), (-1, 0, 0, 1), offsets, rng.normal(size=(50, 3)), rotations)
    for unit in ("m", "cm", "mm", "inch"):
        angle, distance = round_trip(clip, tmp_path / "a.bvh", unit)
        assert angle < 1e-4 and distance < 1e-5


@pytest.mark.parametrize("name", ["backflip", "spinkick", "cartwheel", "walk"])
def test_skills_survive(tmp_path, name):
    angle, distance = round_trip(skill(name).to_clip(), tmp_path / "again.bvh")
    assert angle < 1e-4 and distance < 1e-5


def test_a_recording_of_a_body_survives(tmp_path):
    rng, body = np.random.default_rng(2), humanoid()
    qpos = np.tile(body.rest, (20, 1))
    qpos[:, :3] += rng.normal(size=(20, 3))
    qpos[:, 3:7] = rotation.normalize(rng.normal(size=(20, 4)))
    qpos[:, 7:] = rng.uniform(*body.range.T, (20, len(body.joints)))
    path = tmp_path / "motion.bvh"
    write_recording(path, humanoid(), qpos, 30.0)
    clip, back = BodyClip("humanoid", 30.0, qpos), read(path)
    assert back.fps == 30.0 and set(back.joints) == set(body.bodies)
    at, turned = clip.positions()
    at_back, turned_back = back.globals()
    order = [back.joints.index(name) for name in body.bodies]
    assert np.abs(at - at_back[:, order]).max() < 1e-5
    assert rotation.angle(rotation.multiply(rotation.conjugate(turned), turned_back[:, order])).max() < 1e-4


def test_angles_run_on_without_jumps(tmp_path):
    """A tumble turns each angle past ±180 degrees, and the middle one past the ±90 where another triple takes over."""
    t = np.linspace(0, 1, 121)
    for axis in "xyz":
        turn = rotation.multiply(rotation.about(axis, 4 * np.pi * t), rotation.about("x", np.full(121, 0.3)))
        path, clip = (
            tmp_path / f"{axis}.bvh",
            Clip(axis, 60.0, ("a",), (-1,), np.zeros((1, 3)), np.zeros((121, 3)), turn[:, None]),
        )
        angle, _ = round_trip(clip, path)
        assert angle < 1e-4
        rows = np.array([line.split() for line in path.read_text().splitlines()[-121:]], dtype=float)
        steps = np.abs(np.diff(rows[:, 3:], axis=0))
        assert steps.max() < 90 and np.median(steps.max(1)) < 10
        middle = rotation.from_euler(np.radians((rows[1:, 3:] + rows[:-1, 3:]) / 2), "zyx")
        middle[..., 1:] = middle[..., 1:] @ Y_UP.T
        halfway = rotation.slerp(turn[:-1], turn[1:], np.full(120, 0.5))
        off = rotation.angle(rotation.multiply(rotation.conjugate(halfway), middle))
        assert np.degrees(np.quantile(off, 0.9)) < 1  # what a tool shows between two frames


def test_an_ant_survives_too(tmp_path):
    rng, body = np.random.default_rng(4), ant()
    qpos = np.tile(body.rest, (9, 1))
    qpos[:, 3:7] = rotation.normalize(rng.normal(size=(9, 4)))
    qpos[:, 7:] = rng.uniform(*body.range.T, (9, len(body.joints)))
    write_recording(tmp_path / "ant.bvh", ant(), qpos, 24.0)
    back, (at, _) = read(tmp_path / "ant.bvh"), BodyClip("ant", 24.0, qpos).positions()
    order = [back.joints.index(name) for name in body.bodies]
    assert np.abs(at - back.globals()[0][:, order]).max() < 1e-5


def test_the_file_is_what_blender_expects(tmp_path):
    """Every leaf has an end site of some length, every joint three rotations, the root three positions before them."""
    path = tmp_path / "rest.bvh"
    write_recording(path, humanoid(), np.tile(humanoid().rest, (2, 1)), 30.0)
    lines = [line.strip() for line in path.read_text().splitlines()]
    assert lines[0] == "HIERARCHY" and lines[1] == "ROOT pelvis"
    assert lines[4] == "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
    assert lines.count("CHANNELS 3 Zrotation Yrotation Xrotation") == 14
    ends = [lines[i + 2] for i, line in enumerate(lines) if line == "End Site"]
    assert len(ends) == 5  # head, hands, feet
    assert all(np.linalg.norm(np.array(end.split()[1:], dtype=float)) > 0.01 for end in ends)
    assert lines.count("{") == lines.count("}")
    assert lines[lines.index("MOTION") + 1] == "Frames: 2"
    height = float(lines[-1].split()[1])
    assert 0.8 < height < 1.1  # metres, y up


def test_nothing_is_left_of_a_clip_that_cannot_be_written(tmp_path):
    path = tmp_path / "small.bvh"
    path.write_text(BVH)
    clip = read(path)
    clip.rotations[1, 0] = np.nan
    with pytest.raises(InputError, match="NaN"):
        write_bvh(tmp_path / "out.bvh", clip)
    assert [p.name for p in tmp_path.iterdir()] == ["small.bvh"]
