"""A body's motion on the skeleton that it came from: its bones, feet where the body's are, the source's fingers."""

from dataclasses import replace

import numpy as np
import pytest
from skeletons import Y_UP_BACK, Z_UP, a_pose, along_z, bvh, names_of

from lactic import rotation
from lactic.errors import InputError
from lactic.motion import BodyClip, Clip, onto, read, retarget
from lactic.motion.bvh_write import write_like
from lactic.motion.roles import SIDES, find_roles

KINDS = {
    "cmu": {},
    "biped": {"scale": 39.37, "world": Z_UP},
    "unreal": {"scale": 1.0, "world": Y_UP_BACK},
    "rigify": {"rest": Z_UP, "pose": a_pose},
    "unity_suffix": {"static_root": "Armature"},
    "smpl": {"without": ("hand", "toe")},
    "maya": {"pose": along_z},
}
"""Families, and how their files differ."""


@pytest.fixture(params=KINDS)
def file(request, tmp_path):
    """A walk of one family."""
    path = tmp_path / "walk.bvh"
    path.write_text(bvh(names_of(request.param), **KINDS[request.param]))
    return path


def walk_of(tmp_path, **options):
    (tmp_path / "walk.bvh").write_text(bvh(names_of("mixamo"), **options))
    return read(tmp_path / "walk.bvh")


def with_fingers(source: Clip) -> Clip:
    """Each hand gets a finger that bends."""
    hands = [find_roles(source)[f"{side}_hand"] for side in SIDES]
    bends = rotation.about("z", np.linspace(0, 1.2, source.frames))
    same = np.array([[1.0, 0.0, 0.0, 0.0]] * 2)
    return replace(
        source,
        joints=(*source.joints, "LeftFinger", "RightFinger"),
        parents=(*source.parents, *hands),
        offsets=np.concatenate([source.offsets, source.tips[hands]]),
        tips=np.concatenate([source.tips, source.tips[hands] / 2]),
        rest=np.concatenate([source.rest, same]),
        rotations=np.concatenate([source.rotations, np.stack([bends, bends], axis=1)], axis=1),
    )


def ankles(source: Clip, motion: BodyClip, moved: Clip) -> np.ndarray:
    """Ankle to ankle and hip to ankle (frame, 3, 3) of the skeleton, less those of the body at its scale."""
    roles, bodies = find_roles(source), motion.body.bodies
    at, body_at = moved.globals()[0], motion.positions()[0]
    _, residual = retarget(source)

    def spans(points, index):
        thighs, feet = ([points[:, index(f"{side}_{part}")] for side in SIDES] for part in ("thigh", "foot"))
        return np.stack([feet[0] - feet[1], *(foot - (thighs[0] + thighs[1]) / 2 for foot in feet)], axis=1)

    return spans(at, roles.__getitem__) - spans(body_at, bodies.index) / residual.scale


def lowest_toe(clip: Clip) -> np.ndarray:
    roles = find_roles(clip)
    toes = [roles.get(f"{side}_toe", roles[f"{side}_foot"]) for side in SIDES]
    at, turned = clip.globals()
    return (at[:, toes] + rotation.rotate(turned[:, toes], clip.tips[toes]))[..., 2]


def test_there_and_back_is_the_source(file):
    source = read(file)
    motion, _ = retarget(source)
    moved = onto(source, motion, followed=motion)
    assert (moved.joints, moved.parents, moved.fps) == (source.joints, source.parents, source.fps)
    np.testing.assert_array_equal(moved.offsets, source.offsets)
    (at, turned), (was_at, was) = moved.globals(), source.globals()
    off = np.degrees(rotation.angle(rotation.multiply(rotation.conjugate(was), turned)))
    assert off.mean() < 0.5 and off.max() < 2.0
    assert np.linalg.norm(at - was_at, axis=-1).max() < 0.015  # the body was settled on the floor
    bones = [
        np.linalg.norm(at[:, j] - at[:, parent], axis=-1) for j, parent in enumerate(source.parents) if parent >= 0
    ]
    np.testing.assert_allclose(
        np.stack(bones), np.linalg.norm(source.offsets[1:], axis=1)[:, None] + np.zeros(40), atol=1e-9
    )
    assert np.linalg.norm(ankles(source, motion, moved), axis=-1).max() < 0.005


def tired_of(motion: BodyClip) -> BodyClip:
    """Turned about, elsewhere, on bent knees and with a bent back: as a tired body may be."""
    qpos, joints = motion.qpos.copy(), motion.body.joints
    qpos[:, :2] = qpos[:, :2] @ [[0.0, 1.0], [-1.0, 0.0]] + [3.0, -2.0]
    qpos[:, 3:7] = rotation.multiply(np.tile(rotation.about("z", np.array(np.pi / 2)), (40, 1)), qpos[:, 3:7])
    for joint, more in (("hip_y", -0.3), ("knee", 0.6), ("ankle_y", -0.3)):
        for side in SIDES:
            qpos[:, 7 + joints.index(f"{side}_{joint}")] += more
    qpos[:, 7 + joints.index("abdomen_y")] += 0.4
    qpos[:, 2] -= 0.86 * (1 - np.cos(0.3))
    return BodyClip("humanoid", 30.0, qpos)


def test_another_motion_of_the_body_is_followed(tmp_path):
    source = with_fingers(walk_of(tmp_path))
    motion, _ = retarget(source)
    tired = tired_of(motion)
    moved = onto(source, tired)
    assert np.linalg.norm(ankles(source, tired, moved), axis=-1).max() < 0.005
    assert lowest_toe(moved).min() > np.percentile(lowest_toe(source), 10) - 0.01
    roles, (_, before), (_, after) = find_roles(source), source.globals(), moved.globals()
    bodies, (_, body_before), (_, body_after) = tired.body.bodies, motion.positions(), tired.positions()
    for role in ("pelvis", "torso", "head", "left_upper_arm", "right_forearm", "left_foot"):
        j, part = roles[role], bodies.index(role)
        turn = rotation.multiply(after[:, j], rotation.conjugate(before[:, j]))
        body_turn = rotation.multiply(body_after[:, part], rotation.conjugate(body_before[:, part]))
        assert np.degrees(rotation.angle(rotation.multiply(rotation.conjugate(body_turn), turn))).max() < 1.5, role
    spine = source.joints.index("mixamorig:Spine")
    assert source.joints[roles["torso"]] == "mixamorig:Spine1"
    np.testing.assert_allclose(moved.rotations[:, spine], source.rotations[:, spine], atol=1e-9)  # it never turned
    fingers = [source.joints.index(f"{side}Finger") for side in ("Left", "Right")]
    np.testing.assert_allclose(moved.rotations[:, fingers], source.rotations[:, fingers], atol=1e-9)


def test_proportions_are_the_skeleton_s_own(tmp_path):
    """Shoulders, elbows and knees elsewhere: ankles are the body's, and so is where the bones of arms point."""
    source = walk_of(tmp_path)
    roles, offsets = find_roles(source), source.offsets.copy()
    for side in SIDES:
        offsets[roles[f"{side}_upper_arm"]] += [-0.08, 0.0, -0.08]
        for part, longer in (("forearm", 1.15), ("hand", 0.7), ("shin", 0.95), ("foot", 1.05)):
            offsets[roles[f"{side}_{part}"]] *= longer
    source = replace(source, offsets=offsets)
    motion, _ = retarget(source)
    tired = tired_of(motion)
    moved = onto(source, tired, followed=motion)
    assert np.linalg.norm(ankles(source, tired, moved), axis=-1).max() < 0.005
    at, there, bodies = moved.globals()[0], tired.positions()[0], tired.body.bodies
    for side in SIDES:
        for above, part, most in (("upper_arm", "forearm", 1e-3), ("forearm", "hand", 1e-3), ("thigh", "shin", 0.03)):
            ends = [f"{side}_{name}" for name in (above, part)]
            bone = np.subtract(*(at[:, roles[end]] for end in ends))
            body_bone = rotation.normalize(np.subtract(*(there[:, bodies.index(end)] for end in ends)))
            scaled = np.linalg.norm(offsets[roles[ends[1]]]) * body_bone
            assert np.linalg.norm(bone - scaled, axis=-1).max() < most, part
    toes = [roles[f"{side}_toe"] for side in SIDES]
    was = source.globals()[0][:, toes, 2].min()
    assert at[:, toes, 2].min() > was - 0.01 and lowest_toe(moved).min() > lowest_toe(source).min() - 0.01


def test_the_floor_is_where_the_body_lies(tmp_path):
    """On its back with its feet up in the air: feet do not tell where the floor is."""
    source = walk_of(tmp_path)
    roles, turned = find_roles(source), source.rotations.copy()
    back, up = (np.tile(rotation.about("y", np.array(turn)), (source.frames, 1)) for turn in (-np.pi / 2, -1.2))
    turned[:, 0] = rotation.multiply(back, turned[:, 0])
    for thigh in (roles[f"{side}_thigh"] for side in SIDES):
        turned[:, thigh] = rotation.multiply(up, turned[:, thigh])
    lying = replace(source, rotations=turned, root_pos=source.root_pos * [1.0, 1.0, 0.0] + [0.0, 0.0, 0.12])
    motion, _ = retarget(lying)
    away = onto(lying, motion).globals()[0] - lying.globals()[0]
    assert np.abs(away[..., 2]).max() < 0.03


def test_joints_of_the_spine_share_the_turn(tmp_path):
    source = walk_of(tmp_path)
    spine, chest = (source.joints.index(f"mixamorig:{name}") for name in ("Spine", "Spine1"))
    source.rotations[:, spine] = source.rotations[:, chest]  # both turn now
    motion, _ = retarget(source)
    qpos = motion.qpos.copy()
    qpos[:, 7 + motion.body.joints.index("abdomen_y")] += 0.4
    bent, straight = (onto(source, replace(motion, qpos=q), followed=motion) for q in (qpos, motion.qpos))
    more = rotation.angle(rotation.multiply(rotation.conjugate(straight.rotations), bent.rotations))
    np.testing.assert_allclose(more[:, [spine, chest]], 0.2, atol=0.01)


def test_a_pause_and_a_slower_clock(tmp_path):
    """What is not simulated does as the source did at that time."""
    source = with_fingers(walk_of(tmp_path))
    motion, _ = retarget(source)
    when = np.concatenate([np.arange(10) / 30, np.full(15, 0.3), 0.3 + np.arange(40) / 60])
    frames = np.minimum(np.round(when * 30).astype(int), 39)
    slow = BodyClip("humanoid", 30.0, motion.qpos[frames])
    moved = onto(source, slow, when, motion)
    assert moved.frames == 65
    finger = rotation.log(moved.rotations[:, source.joints.index("LeftFinger")])[:, 2]
    np.testing.assert_allclose(finger, np.interp(when, np.arange(40) / 30, np.linspace(0, 1.2, 40)), atol=1e-6)
    alike = onto(source, motion, followed=motion)
    np.testing.assert_allclose(moved.root_pos[10:25], np.tile(alike.root_pos[9], (15, 1)), atol=1e-6)
    at = np.flatnonzero(np.abs(when * 30 - frames) < 1e-6)
    np.testing.assert_allclose(moved.globals()[0][at], alike.globals()[0][frames[at]], atol=1e-6)
    quarter = BodyClip("humanoid", 15.0, motion.qpos[::2])  # another rate: frames by time
    np.testing.assert_allclose(onto(source, quarter, followed=motion).root_pos, alike.root_pos[::2], atol=1e-6)


def test_a_file_is_written_as_its_source(file, tmp_path):
    """Hierarchy letter by letter, and each number of the motion, in the source's unit, axes and channels."""
    out = tmp_path / "out.bvh"
    write_like(out, read(file), file)
    (head, motion), (head_out, motion_out) = (path.read_text().split("MOTION") for path in (file, out))
    assert head_out == head
    numbers, numbers_out = (
        np.array([line.split() for line in text.splitlines()[3:]], dtype=float) for text in (motion, motion_out)
    )
    turns = np.round((numbers_out - numbers) / 360) * 360
    np.testing.assert_allclose(numbers_out - turns, numbers, atol=1e-4)
    source = read(file)
    motion, _ = retarget(source)
    moved = onto(source, motion, followed=motion)
    write_like(out, moved, file)
    assert out.read_text().split("MOTION")[0] == head
    hips = find_roles(source)["pelvis"]  # a root above them stands still in the file
    np.testing.assert_allclose(read(out).globals()[0][:, hips:], moved.globals()[0][:, hips:], atol=1e-5)


def test_channels_are_added_only_where_they_lack(tmp_path):
    """A root without positions above hips that move, other orders, spaces in names, and knees that were hinges."""
    text = bvh(names_of("biped"), static_root="Scene").replace("JOINT Bip01_L_Thigh", "JOINT Bip01 L Thigh")
    lines = text.splitlines()
    knee = next(i for i, line in enumerate(lines) if line.endswith("L_Calf")) + 3
    start = sum(int(line.split()[1]) for line in lines[:knee] if line.startswith("CHANNELS"))
    lines[knee] = "CHANNELS 1 Xrotation"
    first = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for i in range(first, len(lines)):
        words = lines[i].split()
        lines[i] = " ".join(words[:start] + words[start + 2 : start + 3] + words[start + 3 :])
    file, out = tmp_path / "hinge.bvh", tmp_path / "out.bvh"
    file.write_text("\n".join(lines) + "\n")
    source = read(file)
    write_like(out, source, file)
    assert out.read_text().split("MOTION")[0] == file.read_text().split("MOTION")[0]
    turned = replace(source, rotations=source.rotations.copy())
    joint = source.joints.index("Bip01_L_Calf")
    turned.rotations[:, joint] = rotation.multiply(
        turned.rotations[:, joint], np.tile(rotation.about("z", np.array(0.2)), (40, 1))
    )
    write_like(out, turned, file)
    changed = set(out.read_text().splitlines()[: knee + 1]) - set(lines)
    assert changed == {"CHANNELS 3 Xrotation Zrotation Yrotation"}
    np.testing.assert_allclose(read(out).globals()[0], turned.globals()[0], atol=1e-5)


def test_another_skeleton_is_refused(file, tmp_path):
    (tmp_path / "other.bvh").write_text(bvh(names_of("vrm")))
    with pytest.raises(InputError, match="skeleton"):
        write_like(tmp_path / "out.bvh", read(file), tmp_path / "other.bvh")
    assert not (tmp_path / "out.bvh").exists()
