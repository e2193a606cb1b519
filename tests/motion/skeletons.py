"""One walk, written as BVH for skeletons of any family: other names, units, axes, rest poses, a root above the hips."""

import numpy as np

from lactic import rotation
from lactic.motion.clip import forward

# part, the part above it, and where it stands from there in a T-pose: metres, x ahead, y left, z up; for the left side
CENTRE = {
    "hips": ("", (0, 0, 0)),
    "spine": ("hips", (0, 0, 0.12)),
    "chest": ("spine", (0, 0, 0.2)),
    "neck": ("chest", (0, 0, 0.2)),
    "head": ("neck", (0, 0, 0.1)),
}
SIDE = {
    "collar": ("chest", (0, 0.04, 0.15)),
    "upper_arm": ("collar", (0, 0.14, 0)),
    "forearm": ("upper_arm", (0, 0.28, 0)),
    "hand": ("forearm", (0, 0.25, 0)),
    "thigh": ("hips", (0, 0.09, -0.03)),
    "shin": ("thigh", (0, 0, -0.42)),
    "foot": ("shin", (0, 0, -0.41)),
    "toe": ("foot", (0.14, 0, -0.06)),
}
TIPS = {"head": (0, 0, 0.2), "hand": (0, 0.1, 0), "toe": (0.06, 0, 0)}
TIPS |= {"forearm": SIDE["hand"][1], "foot": SIDE["toe"][1]}  # of skeletons without hands or toes
BELOW = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot", "collar": "upper_arm"}

Y_UP = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # ours to: y up, looks along z
Y_UP_BACK = np.diag([-1.0, 1.0, -1.0]) @ Y_UP  # y up, looks along -z
Z_UP = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # z up, looks along -y

HIPS = "Hips Spine Spine1 Neck Head"
UPLEG = "*Shoulder *Arm *ForeArm *Hand *UpLeg *Leg *Foot *ToeBase"
BIPED = "*_Clavicle *_UpperArm *_Forearm *_Hand *_Thigh *_Calf *_Foot *_Toe0"
UNREAL = "clavicle_* upperarm_* lowerarm_* hand_* thigh_* calf_* foot_* ball_*"
UNITY = "*Shoulder *UpperArm *LowerArm *Hand *UpperLeg *LowerLeg *Foot *Toes"
UNITY_SUFFIX = "Shoulder_* UpperArm_* LowerArm_* Hand_* UpperLeg_* LowerLeg_* Foot_* Toes_*"
RIGIFY = "shoulder.* upper_arm.* forearm.* hand.* thigh.* shin.* foot.* toe.*"
JOINTS = "*Collar *Shoulder *Elbow *Wrist *Hip *Knee *Ankle *Toe"
MAYA = "Scapula_* Shoulder_* Elbow_* Wrist_* Hip_* Knee_* Ankle_* Toes_*"
# what every name begins with, names of the middle, names of a side (* is the side), how the sides are called
FAMILIES = {
    "cmu": ("", HIPS, UPLEG, "Left Right"),
    "mixamo": ("mixamorig:", HIPS, UPLEG, "Left Right"),
    "humanik": ("Character1_", HIPS, UPLEG, "Left Right"),
    "biped": ("Bip01_", "Pelvis Spine Spine1 Neck Head", BIPED, "L R"),
    "unreal": ("", "pelvis spine_01 spine_02 neck_01 head", UNREAL, "l r"),
    "unity": ("", "Hips Spine Chest Neck Head", UNITY, "Left Right"),
    "unity_suffix": ("", "Hips Spine Chest Neck Head", UNITY_SUFFIX, "L R"),
    "rigify": ("", "spine spine.001 spine.003 spine.004 spine.006", RIGIFY, "L R"),
    "xsens": ("", "Hips Chest Chest2 Neck Head", JOINTS, "Left Right"),
    "rokoko": ("", HIPS, "*Shoulder *Arm *ForeArm *Hand *Thigh *Shin *Foot *Toe", "Left Right"),
    "vrm": ("J_Bip_", "C_Hips C_Spine C_Chest C_Neck C_Head", UNITY.replace("*", "*_"), "L R"),
    "smpl": ("m_avg_", "Pelvis Spine1 Spine2 Neck Head", JOINTS.replace("*", "*_").replace("Toe", "Foot"), "L R"),
    "poser": ("", "hip abdomen chest neck head", "*Collar *Shldr *ForeArm *Hand *Thigh *Shin *Foot *Toe", "l r"),
    "asf": ("", "root lower upper neck head", "*clavicle *humerus *radius *wrist *femur *tibia *foot *toes", "l r"),
    "maya": ("", "Root_M Spine1_M Chest_M Neck_M Head_M", MAYA, "L R"),
}


def parts(without=()):
    """Every part with the part above it and its place in a T-pose, parents first."""
    found = {part: (above, np.array(at, dtype=float)) for part, (above, at) in CENTRE.items()}
    for side, flip in (("left", 1), ("right", -1)):
        for part, (above, at) in SIDE.items():
            if part not in without:
                found[f"{side}_{part}"] = (above if above in CENTRE else f"{side}_{above}", np.array(at) * [1, flip, 1])
    return found


def names_of(family):
    """Part to name."""
    prefix, centre, side, marks = FAMILIES[family]
    names = dict(zip(CENTRE, (prefix + name for name in centre.split()), strict=True))
    for left_right, mark in zip(("left", "right"), marks.split(), strict=True):
        own = (prefix + name.replace("*", mark) for name in side.split())
        names |= dict(zip((f"{left_right}_{part}" for part in SIDE), own, strict=True))
    return names


def walk(frames=40, fps=30.0):
    """Place of the hips (frame, 3) and turn of every part against the one above (frame, 4), from a T-pose."""
    t = np.arange(frames) / fps
    swing = np.sin(2 * np.pi * t)
    turns = {"hips": rotation.about("z", 0.3 + 0.1 * swing), "chest": rotation.about("z", -0.2 * swing)}
    turns["head"] = rotation.about("y", 0.1 + 0.1 * swing)
    for side, flip in (("left", 1), ("right", -1)):
        hang = np.broadcast_to(rotation.about("x", np.array(-1.3 * flip)), (frames, 4))
        turns[f"{side}_upper_arm"] = rotation.multiply(rotation.about("y", 0.4 * flip * swing), hang)
        turns[f"{side}_forearm"] = rotation.about("z", -flip * (0.6 + 0.3 * swing))
        turns[f"{side}_thigh"] = rotation.about("y", -0.1 - 0.5 * flip * swing)
        turns[f"{side}_shin"] = rotation.about("y", 0.6 + 0.4 * np.cos(2 * np.pi * t) * flip)
        turns[f"{side}_foot"] = rotation.about("y", -0.3 + 0.1 * swing * flip)
    return np.stack([1.2 * t, 0.02 * swing, 0.88 + 0.02 * swing**2], axis=1), turns


def a_pose(part):
    """Arms lowered by 50 degrees."""
    side, _, what = part.partition("_")
    lowered = np.radians(-50 if side == "left" else 50) if what in ("upper_arm", "forearm", "hand") else 0.0
    return rotation.about("x", np.array(lowered))


def legs_apart(part):
    """The same, and legs a little apart, feet flat."""
    side, _, what = part.partition("_")
    if what in ("thigh", "shin"):
        return rotation.about("x", np.array(0.15 if side == "left" else -0.15))
    return a_pose(part)


def arms_down(part):
    """Arms hanging."""
    side, _, what = part.partition("_")
    lowered = np.pi / 2 if what in ("upper_arm", "forearm", "hand") else 0.0
    return rotation.about("x", np.array(-lowered if side == "left" else lowered))


def along_z(part):
    """Every bone straight up: no pose of a person."""
    side, _, what = part.partition("_")
    if what not in BELOW:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return rotation.between(parts()[f"{side}_{BELOW[what]}"][1], np.array([0.0, 0.0, 1.0]))


def bvh(names, *, scale=100.0, world=Y_UP, rest=None, pose=None, static_root="", without=(), fps=30.0, **more):
    """The walk as a BVH file: units in a metre, axes of the motion and of the rest pose, and how that is posed.

    More: a `table` of joints, as `parts` gives it; the `order` of rotations; whether `all_move`, each joint with
    position channels; whether the static root carries the `path` over the floor.
    """
    rest = world if rest is None else rest
    table, euler = more.get("table", parts(without)), more.get("order", "zyx")
    order = list(table)
    above = [order.index(parent) if parent else -1 for parent, _ in table.values()]
    place, turns = walk(fps=fps)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(place), 1))
    local = np.stack([turns.get(part, still) for part in order], axis=1)
    offsets = np.array([at for _, at in table.values()])
    _, turned = forward(above, offsets, place, local)
    posed = np.array([[1.0, 0.0, 0.0, 0.0] if pose is None else pose(part) for part in order])
    into, base = rotation.from_matrix(world), rotation.conjugate(rotation.from_matrix(rest))
    turned = rotation.multiply(rotation.multiply(into, rotation.multiply(turned, rotation.conjugate(posed))), base)
    place = place @ world.T * scale

    def bone(j, vector):
        return rotation.rotate(posed[j], np.array(vector, dtype=float)) @ rest.T * scale

    lines, columns = ["HIERARCHY"], []

    def add(j, depth):
        kind = "JOINT" if depth else "ROOT"
        offset = np.zeros(3) if above[j] < 0 else bone(above[j], offsets[j])
        moves = "6 Xposition Yposition Zposition" if above[j] < 0 or more.get("all_move") else "3"
        lines.extend([f"{kind} {names[order[j]]}", "{", "OFFSET " + text(offset)])
        lines.append(f"CHANNELS {moves} " + " ".join(f"{axis.upper()}rotation" for axis in euler))
        own = turned[:, j]
        if above[j] >= 0 and more.get("all_move"):
            columns.append(np.tile(offset, (len(place), 1)))
        if above[j] < 0:
            columns.append(place)
        else:
            own = rotation.multiply(rotation.conjugate(turned[:, above[j]]), own)
        columns.append(np.degrees(rotation.to_euler(own, euler)))
        below = [k for k, parent in enumerate(above) if parent == j]
        for k in below:
            add(k, depth + 1)
        if not below:
            side, _, what = order[j].partition("_")
            tip = np.array(TIPS.get(what or side, (0.02, 0, 0))) * [1, -1 if side == "right" else 1, 1]
            lines.extend(["End Site", "{", "OFFSET " + text(bone(j, tip)), "}"])
        lines.append("}")

    if static_root:
        moves = "6 Xposition Yposition Zposition" if more.get("path") else "3"
        lines += [f"ROOT {static_root}", "{", "OFFSET 0 0 0", f"CHANNELS {moves} Zrotation Yrotation Xrotation"]
        if more.get("path"):
            above_floor = np.outer(place @ world[:, 2], world[:, 2])
            columns.append(place - above_floor)
            place = above_floor
        columns.append(np.zeros((len(place), 3)))
    add(0, 1 if static_root else 0)
    lines += ["}"] * bool(static_root) + ["MOTION", f"Frames: {len(place)}", f"Frame Time: {1 / fps:.7f}"]
    return "\n".join(lines + [text(row) for row in np.concatenate(columns, axis=1)]) + "\n"


def text(numbers):
    return " ".join(f"{number:.7f}" for number in numbers)
