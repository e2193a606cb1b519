"""Small hand-made motion files of every format."""

import json

import numpy as np

from lactic import rotation
from lactic.motion import deepmimic
from lactic.motion.clip import Clip

BVH = """HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT LeftUpLeg
	{
		OFFSET 10 -5 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		JOINT LeftLeg
		{
			OFFSET 0 -40 0
			CHANNELS 3 Zrotation Yrotation Xrotation
			End Site
			{
				OFFSET 0 -42 0
			}
		}
	}
	JOINT RightUpLeg
	{
		OFFSET -10 -5 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		End Site
		{
			OFFSET 0 -80 0
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 90 0 0 0 0 0 0 0 0 0 0 0 0 0
0 90 10 0 90 0 0 0 0 0 0 30 0 0 0
0 91 20 10 20 30 1 2 3 4 5 6 7 8 9
"""


def deepmimic_text(frames=5, swing=0.0, speed=0.0):
    """A DeepMimic motion: hips swing by so many radians once a second, knees bend by 0.3, the root goes ahead."""
    made = []
    for k in range(frames):
        lean = swing * np.sin(2 * np.pi * 0.0333 * k)
        frame = [0.0333, speed * 0.0333 * k, 0.9, 0.0, 1.0, 0.0, 0.0, 0.0]
        for name, _, _, width in deepmimic.SKELETON[1:]:
            angle = {"right_hip": lean, "left_hip": -lean}.get(name, 0.0) + 0.15 * name.endswith("hip")
            hinge = 0.3 if name.endswith("elbow") else -0.3
            frame += [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)] if width == 4 else [hinge] * width
        made.append(frame)
    return json.dumps({"Loop": "wrap", "Frames": made}).replace("],", "],\n")


CMU = (
    ("Hips", -1, (0, 0, 0)),
    ("LHipJoint", 0, (0, 0, 0)),
    ("LeftUpLeg", 1, (0, 0.08, -0.1)),
    ("LeftLeg", 2, (0, 0.13, -0.37)),
    ("LeftFoot", 3, (0, 0.13, -0.37)),
    ("LeftToeBase", 4, (0.12, 0, -0.04)),
    ("RHipJoint", 0, (0, 0, 0)),
    ("RightUpLeg", 6, (0, -0.08, -0.1)),
    ("RightLeg", 7, (0, -0.13, -0.37)),
    ("RightFoot", 8, (0, -0.13, -0.37)),
    ("RightToeBase", 9, (0.12, 0, -0.04)),
    ("LowerBack", 0, (0, 0, 0)),
    ("Spine", 11, (0, 0, 0.12)),
    ("Spine1", 12, (0, 0, 0.12)),
    ("Neck", 13, (0, 0, 0)),
    ("Neck1", 14, (0, 0, 0.1)),
    ("Head", 15, (0, 0, 0.09)),
    ("LeftShoulder", 13, (0, 0, 0)),
    ("LeftArm", 17, (0, 0.18, 0.05)),
    ("LeftForeArm", 18, (0, 0.28, 0)),
    ("LeftHand", 19, (0, 0.2, 0)),
    ("RightShoulder", 13, (0, 0, 0)),
    ("RightArm", 21, (0, -0.18, 0.05)),
    ("RightForeArm", 22, (0, -0.28, 0)),
    ("RightHand", 23, (0, -0.2, 0)),
)
"""Joints, parents and offsets (m, z up) of a skeleton as CMU's BVH files have it: a T-pose, legs apart."""


CMU_UNIT = 0.0254 / 0.45
"""Metres; a reader knows the unit of CMU's files by their joints."""


def cmu_clip(seconds=2.0, fps=120.0):
    """It stands with its arms down, and swings legs and arms once a second."""
    names, parents, offsets = zip(*CMU, strict=True)
    frames = round(seconds * fps)
    rotations = np.zeros((frames, len(CMU), 4))
    rotations[..., 0] = 1.0
    lean = 0.3 * np.sin(2 * np.pi * np.arange(frames) / fps)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        leg = rotation.about("x", np.full(frames, -sign * np.arctan(0.13 / 0.37)))  # legs straight down
        rotations[:, names.index(f"{side}UpLeg")] = rotation.multiply(rotation.about("y", sign * lean), leg)
        rotations[:, names.index(f"{side}Leg")] = rotation.about("y", np.full(frames, 0.2))
        arm = rotation.about("x", np.full(frames, -sign * 1.4))
        rotations[:, names.index(f"{side}Arm")] = rotation.multiply(rotation.about("y", -sign * lean), arm)
    root = np.tile([0.0, 0.0, 0.92], (frames, 1))
    return Clip("swing", fps, names, parents, np.array(offsets, float), root, rotations)


def write_amass(path, frames=4, **changes):
    arrays = {
        "poses": np.zeros((frames, 156)),
        "trans": np.tile([0.0, 0.0, 1.1], (frames, 1)),
        "mocap_framerate": np.array(120.0),
        "gender": np.array("neutral"),
        "betas": np.zeros(16),
    }
    arrays.update(changes)
    np.savez(path, **{k: v for k, v in arrays.items() if v is not None})


def poselib_of(clip):
    """What a file of poselib holds of a clip, for `write_poselib`."""
    return {
        "rotation": tensor(np.roll(clip.rotations, -1, axis=-1).astype(np.float32)),
        "root_translation": tensor(clip.root_pos.astype(np.float32)),
        "fps": clip.fps,
        "skeleton_tree": {
            "node_names": list(clip.joints),
            "parent_indices": tensor(np.array(clip.parents)),
            "local_translation": tensor(clip.offsets.astype(np.float32)),
        },
    }


def tensor(values):
    return {"arr": np.asarray(values), "context": {"dtype": "float32"}}


def write_poselib(path, frames=10, doubled=False, **changes):
    rotations = np.zeros((frames, 3, 4), dtype=np.float32)
    turn = 0.1 * np.arange(frames)
    rotations[..., 3] = 1.0
    rotations[:, 1, 1], rotations[:, 1, 3] = np.sin(turn / 2), np.cos(turn / 2)
    root = np.stack([turn, 0 * turn, 0 * turn + 0.9], axis=1)
    if doubled:
        rotations, root = np.repeat(rotations, 2, axis=0), np.repeat(root, 2, axis=0)

    motion = {
        "rotation": tensor(rotations),
        "root_translation": tensor(root),
        "is_local": True,
        "fps": 60,
        "skeleton_tree": {
            "node_names": ["pelvis", "left_thigh", "left_shin"],
            "parent_indices": tensor(np.array([-1, 0, 1])),
            "local_translation": tensor(np.array([[0, 0, 1], [0, 0.1, 0], [0, 0, -0.4]], dtype=np.float32)),
        },
    }
    motion.update(changes)
    np.save(path, np.array(motion, dtype=object), allow_pickle=True)
