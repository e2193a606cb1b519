"""Any skeleton in: one walk on skeletons of many families gives the same motion on the humanoid."""

from dataclasses import replace

import numpy as np
import pytest
import skeletons
import yaml
from motion_files import deepmimic_text, write_amass
from rigs import RIGS, table_of
from skeletons import FAMILIES, Y_UP, Y_UP_BACK, Z_UP, a_pose, along_z, arms_down, bvh, legs_apart, names_of

from lactic import rotation
from lactic.cli import main
from lactic.errors import InputError
from lactic.motion import BodyClip, Clip, read, retarget
from lactic.motion.bvh_write import write_like
from lactic.motion.names import split
from lactic.motion.roles import ROLES, find_roles, read_map, write_map

UNNAMED = {part: f"joint_{i}" for i, part in enumerate(skeletons.parts())}
# how the file of each family differs: units in a metre, axes, rest pose, a root above the hips
SETTINGS = {
    "cmu": {"scale": 1.0},
    "mixamo": {"scale": 100.0, "static_root": "Armature"},
    "humanik": {"scale": 100.0, "static_root": "Reference"},
    "biped": {"scale": 1 / 0.0254, "world": Z_UP},
    "unreal": {"scale": 100.0, "world": Z_UP, "static_root": "root"},
    "unity": {"scale": 1.0, "rest": Y_UP_BACK},
    "unity_suffix": {"scale": 100.0, "static_root": "joint_Root", "without": ("toe",)},
    "rigify": {"scale": 1.0, "world": Z_UP},
    "xsens": {"scale": 100.0, "without": ("hand", "toe")},
    "rokoko": {"scale": 1000.0},
    "vrm": {"scale": 1.0, "rest": Y_UP_BACK},
    "smpl": {"scale": 1.0, "world": Z_UP, "rest": Y_UP},
    "poser": {"scale": 1 / 2.7},
    "asf": {"scale": 1 / 0.0564},
    "maya": {"scale": 100.0},
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return moved(tmp_path_factory.mktemp("plain"), names_of("cmu")).qpos


def written(folder, names, **setting):
    path = folder / "walk.bvh"
    path.write_text(bvh(names, **setting))
    return path


def moved(folder, names, **setting):
    clip, residual = retarget(read(written(folder, names, **setting)))
    assert residual.frames == 40
    return clip


def off(qpos, plain):
    """Largest difference of place (m) and of angles (rad), seen from where the hips start and face."""

    def seen(q):
        turn = rotation.about("z", -rotation.heading(q[0, 3:7]))
        place = rotation.rotate(np.broadcast_to(turn, (len(q), 4)), q[:, :3] - q[0, :3] * [1, 1, 0])
        return place, rotation.multiply(np.broadcast_to(turn, (len(q), 4)), q[:, 3:7])

    (place, turned), (place_plain, turned_plain) = seen(qpos), seen(plain)
    apart = rotation.angle(rotation.multiply(rotation.conjugate(turned), turned_plain))
    return np.abs(place - place_plain).max(), max(apart.max(), np.abs(qpos[:, 7:] - plain[:, 7:]).max())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_walk_from_every_family(family, tmp_path, plain):
    metres, radians = off(moved(tmp_path, names_of(family), **SETTINGS[family]).qpos, plain)
    assert metres < 1e-5 and radians < 1e-6


def hips_turned(part):
    """Hips across the shoulders."""
    return rotation.about("z", np.array(np.pi / 2 if part == "hips" else 0.0))


@pytest.mark.parametrize(
    "setting, degrees",
    [
        ({"pose": a_pose}, 1e-5),
        ({"pose": arms_down, "world": Z_UP}, 1e-5),
        ({"pose": a_pose, "static_root": "root", "world": Z_UP, "rest": Y_UP_BACK}, 1e-5),
        ({"pose": hips_turned}, 7),
        ({"pose": along_z, "static_root": "root"}, 7),  # a frame of the walk stands in for the rest pose
    ],
)
@pytest.mark.parametrize("names", [names_of("unreal"), UNNAMED], ids=["named", "unnamed"])
def test_other_rest_poses_and_joints_without_names(setting, degrees, names, tmp_path, plain):
    metres, radians = off(moved(tmp_path, names, **setting).qpos, plain)
    assert metres < 0.005 and np.degrees(radians) < degrees


@pytest.mark.parametrize("pose", [hips_turned, along_z])
def test_a_frame_that_stands_in_for_rest_is_made_upright_and_square(pose, tmp_path, plain):
    """What the trunk does in that frame is not taken for how it is at rest."""
    clip = moved(tmp_path, names_of("unreal"), pose=pose)
    apart = np.degrees(np.abs(clip.qpos[:, 7:] - plain[:, 7:])).max(axis=0)
    assert max(apart[clip.body.joints.index(f"abdomen_{axis}")] for axis in "xyz") < 1
    assert max(apart[clip.body.joints.index(f"{side}_hip_{axis}")] for side in ("left", "right") for axis in "xyz") < 1


ASIDE = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) @ Z_UP  # z up, looks along x
# how files of one family differ, by the program that wrote them
WRITERS = [
    {"order": "zxy", "all_move": True},
    {"order": "xyz", "static_root": "root", "path": True, "world": Z_UP, "pose": a_pose},
    {"order": "yxz", "world": ASIDE, "pose": legs_apart},
    {"scale": 10.0, "static_root": "Armature", "rest": Y_UP_BACK},
]


@pytest.mark.parametrize("number, rig", list(enumerate(RIGS)))
def test_the_same_walk_from_whole_rigs(number, rig, tmp_path, plain):
    """With twists, fingers, faces, helpers and clothes, as one of four programs writes them."""
    table, names, moves = table_of(rig)
    writer = dict(WRITERS[number % len(WRITERS)])
    if pose := writer.get("pose"):
        writer["pose"] = lambda key: pose(moves[key])
    called = {key: name.replace("_", " ") for key, name in names.items()} if number % 3 == 0 else names
    metres, radians = off(moved(tmp_path, called, **writer, table=table).qpos, plain)
    assert metres < 1e-4 and radians < 1e-4


def test_the_tree_tells_what_names_tell(tmp_path):
    """On the skeletons of AMASS and DeepMimic and on one with collars as long as forearms."""
    write_amass(tmp_path / "amass.npz")
    (tmp_path / "deepmimic.txt").write_text(deepmimic_text())
    written(tmp_path, names_of("cmu"))
    for name in ("amass.npz", "deepmimic.txt", "walk.bvh"):
        clip = read(tmp_path / name)
        offsets = clip.offsets.copy()
        collars = [j for j, joint in enumerate(clip.joints) if joint in ("LeftShoulder", "RightShoulder")]
        for j in collars:
            offsets[j + 1] += [0, 0, 0.3]
            offsets[j] = [0, 0, 0.05]
        clip = replace(clip, offsets=offsets)
        unnamed = replace(clip, joints=tuple(f"joint_{j}" for j in range(len(clip.joints))))
        assert find_roles(unnamed) == find_roles(clip), name


def test_a_sword_is_no_arm(tmp_path):
    """In one hand, longer than an arm, on a skeleton whose names say nothing."""
    path = written(tmp_path, UNNAMED)
    lines = path.read_text().splitlines()
    hand = next(i for i, line in enumerate(lines) if line.endswith(UNNAMED["right_hand"]))
    sword = next(i for i in range(hand, len(lines)) if lines[i] == "End Site") + 2
    lines[sword] = "OFFSET 0 0 120"
    path.write_text("\n".join(lines) + "\n")
    clip = read(path)
    assert {role: clip.joints[j] for role, j in find_roles(clip).items()}.items() >= {
        "right_upper_arm": UNNAMED["right_upper_arm"],
        "right_forearm": UNNAMED["right_forearm"],
        "left_thigh": UNNAMED["left_thigh"],
    }.items()


def test_names_that_only_tell_sides_tell_them(tmp_path):
    numbered = {part: f"mid_{i}" for i, part in enumerate(skeletons.parts())}
    limbs = {"leg": ("thigh", "shin", "foot"), "arm": ("upper_arm", "forearm", "hand")}
    for side, mark in (("left", "R"), ("right", "L")):  # what is seen to be left is called right
        for limb, segments in limbs.items():
            numbered |= {f"{side}_{part}": f"{limb}_{mark}0_{i}" for i, part in enumerate(segments)}
    clip = read(written(tmp_path, numbered))
    named = {role: clip.joints[j] for role, j in find_roles(clip).items()}
    for side, mark in (("left", "L"), ("right", "R")):
        for limb, segments in limbs.items():
            assert [named[f"{side}_{part}"] for part in segments] == [f"{limb}_{mark}0_{i}" for i in range(3)]


def test_a_shoulder_may_be_the_collar(tmp_path, plain):
    """Where the joint below it has a name that nobody knows, it is seen in the motion."""
    names = names_of("cmu")
    for side, mark in (("left", "L"), ("right", "R")):
        own = {"collar": "Shoulder", "upper_arm": "Bicep", "forearm": "Elbow", "hand": "Hand"}
        names |= {f"{side}_{part}": f"{mark}.{name}" for part, name in own.items()}
    metres, radians = off(moved(tmp_path, names).qpos, plain)
    assert metres < 1e-5 and radians < 1e-6


def test_joints_of_one_name(tmp_path):
    """As exporters call the ends of all fingers; the file that is written calls them alike again."""
    names = names_of("mixamo") | {"left_toe": "End", "right_toe": "End"}
    path, out = written(tmp_path, names), tmp_path / "out.bvh"
    clip = read(path)
    assert {"End", "End_2"} <= set(clip.joints) and len(set(clip.joints)) == len(clip.joints)
    write_like(out, clip, path)
    assert out.read_text().split("MOTION")[0] == path.read_text().split("MOTION")[0]


def test_files_come_out_in_metres_with_z_up(tmp_path):
    for family, setting in SETTINGS.items():
        clip = read(written(tmp_path, names_of(family), **setting))
        at, _ = clip.globals()
        roles = find_roles(clip)
        thigh, shin = at[0, roles["left_thigh"]], at[0, roles["left_shin"]]
        assert np.linalg.norm(thigh - shin) == pytest.approx(0.42, rel=0.02), family
        assert at[0, roles["head"], 2] - at[0, roles["left_foot"], 2] > 1.1, family


def test_lying_on_the_floor_is_not_another_up_axis(tmp_path):
    """A body that lies still, head along z, in a file with y up."""
    path = written(tmp_path, names_of("unity"), scale=1.0)
    head = path.read_text().partition("MOTION")[0]
    lines = [f"0 0.15 {0.01 * i} 0 0 90" + " 0" * 60 for i in range(20)]
    path.write_text(f"{head}MOTION\nFrames: 20\nFrame Time: 0.033\n" + "\n".join(lines))
    assert read(path).globals()[0][..., 2].max() < 0.5


def test_a_root_that_is_turned_once_and_for_all_tells_what_is_up(tmp_path):
    """An armature that turns z up to y up, and a somersault in it: the motion alone does not tell."""
    path = written(tmp_path, names_of("mixamo"), world=Z_UP, static_root="Armature")
    lines = path.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for k, line in enumerate(lines[first:]):
        words = line.split()
        words[2], words[8] = "-90", f"{9 * k}"
        lines[first + k] = " ".join(words)
    path.write_text("\n".join(lines) + "\n")
    clip, told = read(path), read(path, up="y")
    np.testing.assert_allclose(clip.globals()[0], told.globals()[0], atol=1e-9)
    at, roles = clip.rest_globals()[0], find_roles(clip)
    assert at[roles["head"], 2] - at[roles["left_foot"], 2] > 1.1


def tree(text):
    """A clip of a skeleton that is drawn by indentation, every bone 0.2 m long."""
    names, parents, open_at = [], [], []
    for line in text.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        del open_at[depth:]
        parents.append(open_at[-1] if open_at else -1)
        open_at.append(len(names))
        names.append(line.strip())
    still = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(names), 1))
    return Clip("drawn", 30.0, tuple(names), tuple(parents), np.full((len(names), 3), 0.115), np.zeros((1, 3)), still)


OLD_BIPED = """
Bip01
  Bip01 Pelvis
    Bip01 Spine
      Bip01 L Thigh
        Bip01 L Calf
          Bip01 L Foot
      Bip01 R Thigh
        Bip01 R Calf
          Bip01 R Foot
      Bip01 Spine1
        Bip01 Neck
          Bip01 Head
          Bip01 L Clavicle
            Bip01 L UpperArm
              Bip01 L Forearm
          Bip01 R Clavicle
            Bip01 R UpperArm
              Bip01 R Forearm
"""
CROWDED = """
root
  ik_foot_root
    ik_foot_l
    ik_foot_r
  ik_hand_root
    ik_hand_l
    ik_hand_r
  pelvis
    thigh_twist_01_l
    thigh_l
      thigh_twist_02_l
      calf_l
        calf_twist_01_l
        foot_l
          ball_l
    thigh_r
      calf_r
        foot_r
          ball_r
    spine_01
      spine_02
        spine_03
          clavicle_l
            upperarm_l
              upperarm_twist_01_l
              lowerarm_l
                hand_l
                  thumb_01_l
                  index_01_l
          clavicle_r
            upperarm_r
              lowerarm_r
                hand_r
          neck_01
            neck_02
              head
                eyeball_l
"""


RIGGED = """
world_grp
  root_jnt
    lf_skirt_01_jnt
      lf_skirt_02_jnt
        lf_skirt_03_jnt
          lf_skirt_04_jnt
            lf_skirt_05_jnt
    rt_skirt_01_jnt
      rt_skirt_02_jnt
        rt_skirt_03_jnt
          rt_skirt_04_jnt
            rt_skirt_05_jnt
    lf_thigh_jnt
      lf_knee_jnt
        lf_ankle_jnt
          lf_ball_jnt
            lf_bigtoe_jnt
    rt_thigh_jnt
      rt_knee_jnt
        rt_ankle_jnt
          rt_ball_jnt
            rt_bigtoe_jnt
    spine.003
      spine.004
        spine.005
          spine.006
            face
              tongue
      lf_clav_jnt
        lf_upArm_jnt
          lf_elbow_jnt
            lf_wrist_jnt
      rt_clav_jnt
        rt_upArm_jnt
          rt_elbow_jnt
            rt_wrist_jnt
"""


def test_old_bipeds_and_crowded_skeletons():
    for drawn, pelvis, torso, expected in (
        (OLD_BIPED, "Bip01 Pelvis", "Bip01 Spine1", {"head": "Bip01 Head", "right_shin": "Bip01 R Calf"}),
        (
            RIGGED,
            "root_jnt",
            "spine.003",
            {"left_toe": "lf_ball_jnt", "right_thigh": "rt_thigh_jnt", "head": "spine.006"},
        ),
        (CROWDED, "pelvis", "spine_03", {"left_hand": "hand_l", "left_toe": "ball_l", "left_foot": "foot_l"}),
    ):
        clip = tree(drawn)
        named = {role: clip.joints[j] for role, j in find_roles(clip).items()}
        assert named["pelvis"] == pelvis and named["torso"] == torso
        assert expected.items() <= named.items()
    assert ("left_hand" in find_roles(tree(OLD_BIPED))) is False


def test_sides_in_names():
    for left in (
        "LeftArm",
        "ns:LeftArm",
        "arm.L",
        "Arm_l",
        "lArm",
        "larm",
        "leftarm",
        "B-upper_arm.L.001",
        "mArmLeft",
        "lf_arm",
    ):
        assert split(left)[0] == "left", left
    for middle in ("Spine", "L5", "T12", "Chest_M", "joint_12", "root", "Reference", "LowerBack"):
        assert split(middle)[0] == "", middle


def test_mirroring_knows_the_sides_of_every_family(tmp_path):
    for family in FAMILIES:
        clip = read(written(tmp_path, names_of(family)))
        roles, at = find_roles(clip), clip.mirror().globals()[0]
        apart = at[:, roles["left_hand"]] - clip.globals()[0][:, roles["right_hand"]] * [1, -1, 1]
        assert np.abs(apart).max() < 1e-9, family


def test_a_map_has_the_last_word(tmp_path, plain):
    odd = {part: f"b{i:02d}" for i, part in enumerate(skeletons.parts())}
    path, out = written(tmp_path, odd), tmp_path / "walk.map.yaml"
    assert main(["clips", "map", str(path), "--out", str(out)]) == 0
    proposal = yaml.safe_load(out.read_text())
    assert set(proposal) == set(ROLES) and proposal["left_shin"] == odd["left_shin"]
    out.write_text(out.read_text().replace("left_", "x_").replace("right_", "left_").replace("x_", "right_"))
    assert main(["clips", "map", str(path), "--out", str(out)]) == 2  # what was edited is not lost
    assert main(["clips", "convert", str(path), str(tmp_path / "walk.npz"), "--map", str(out)]) == 0
    assert off(BodyClip.load(tmp_path / "walk.npz").qpos, plain)[1] > 0.5  # left is right: it does as it is told
    clip = read(path, roles={"head": None, "left_toe": None, "pelvis": odd["hips"]})
    roles = find_roles(clip)
    assert "head" not in roles and "left_toe" not in roles and "right_toe" in roles


@pytest.mark.parametrize(
    "text, about",
    [
        ("left_wing: LeftArm", "no role 'left_wing'"),
        ("left_shin: 12", "name of a joint"),
        ("- a", "a map holds lines"),
        ("a: [", "not YAML"),
    ],
)
def test_wrong_maps(tmp_path, text, about):
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(InputError, match=about):
        read_map(tmp_path / "m.yaml")


def test_one_line_says_what_is_missing(tmp_path, capsys):
    clip = read(written(tmp_path, names_of("unity")))
    with pytest.raises(InputError, match="left_shin: Knie, but there is no such joint"):
        find_roles(replace(clip, roles={"left_shin": "Knie"}))
    path = tmp_path / "snake.bvh"
    path.write_text(
        "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation JOINT b { OFFSET 0 1 0 "
        "CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 1 0 } } }\n"
        "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n"
    )
    assert main(["clips", "convert", str(path), str(tmp_path / "snake.npz")]) == 2
    said = capsys.readouterr().err.strip()
    assert "left_thigh" in said and "lactic clips map" in said and len(said.splitlines()) == 1
    assert not (tmp_path / "snake.npz").exists()
    assert "left_thigh: null  # needed" in write_map(read(path))
