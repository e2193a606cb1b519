"""Small hand-made motion files of every format."""

import json

import numpy as np

from lactic.motion import deepmimic

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


def deepmimic_text(frames=5):
    frame = [0.0333, 0.0, 0.9, 0.0, 1.0, 0.0, 0.0, 0.0]
    for _, _, _, width in deepmimic.SKELETON[1:]:
        frame += [1.0, 0.0, 0.0, 0.0][:width] if width == 4 else [-0.3] * width
    return json.dumps({"Loop": "wrap", "Frames": [frame] * frames}).replace("],", "],\n")


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


def write_poselib(path, frames=10, doubled=False, **changes):
    rotations = np.zeros((frames, 3, 4), dtype=np.float32)
    turn = 0.1 * np.arange(frames)
    rotations[..., 3] = 1.0
    rotations[:, 1, 1], rotations[:, 1, 3] = np.sin(turn / 2), np.cos(turn / 2)
    root = np.stack([turn, 0 * turn, 0 * turn + 0.9], axis=1)
    if doubled:
        rotations, root = np.repeat(rotations, 2, axis=0), np.repeat(root, 2, axis=0)

    def tensor(values):
        return {"arr": np.asarray(values), "context": {"dtype": "float32"}}

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
