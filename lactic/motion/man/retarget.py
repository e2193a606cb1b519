"""Moving a clip onto the muscle man: limbs point as the clip's do, hinges bend in their planes, feet stand.

Where limbs point and how pelvis, torso, head and feet are turned, `motion.retarget` finds, as for the humanoid. The
muscle man's bodies are not turned at rest, in its T-pose. A limb's turn is thus the one that takes its bone and the
axis of its hinge at rest to those of the clip.
"""

import numpy as np

from lactic import rotation
from lactic.body import humanoid, muscle_man
from lactic.body.muscle_man import segments
from lactic.motion import ground
from lactic.motion.clip import Clip
from lactic.motion.retarget import bone_rotation, orientations
from lactic.motion.roles import SIDES, find_roles, leg_length

WITHIN = 0.98
"""Share of a ball joint's range that a pose may use: at the very end MuJoCo pushes back."""


def onto_man(clip: Clip, fps: float = 20.0) -> np.ndarray:
    """Poses (frame, nq) of the muscle man that follow the clip, at `fps`."""
    roles = find_roles(clip)
    if abs(fps - clip.fps) > 1e-6:
        clip = clip.resample(fps, smooth=fps > clip.fps)
    targets, directions = orientations(clip, humanoid(), roles)
    turns = _turns(targets, directions)
    body = muscle_man()
    model = body.model
    qpos = np.tile(model.qpos0, (clip.frames, 1))
    actual = {"pelvis": turns["pelvis"]}
    for segment in segments()[1:]:
        assert segment.range is not None  # only the root has none
        address = model.joint(segment.joint).qposadr[0]
        above = actual[str(segment.parent)]
        wish = turns.get(segment.name)
        if wish is None:  # hands, toes and clavicles go with what carries them
            local = np.tile([1.0, 0.0, 0.0, 0.0], (clip.frames, 1))
        elif segment.axis is not None:
            angle = _about(rotation.multiply(rotation.conjugate(above), wish), segment.axis)
            angle = np.clip(angle, *segment.range)
            qpos[:, address] = angle
            local = rotation.exp(angle[:, None] * segment.axis)
        else:
            local = _inside(rotation.multiply(rotation.conjugate(above), wish), segment.range[1])
        if segment.axis is None:
            qpos[:, address : address + 4] = local
        actual[segment.name] = rotation.multiply(above, local)
    positions, _ = clip.globals()
    hips = (positions[:, roles["left_thigh"]] + positions[:, roles["right_thigh"]]) / 2
    middle = (_offset("left_thigh") + _offset("right_thigh")) / 2
    scale = (np.linalg.norm(_offset("left_shin")) + np.linalg.norm(_offset("left_foot"))) / leg_length(clip, roles)
    qpos[:, 3:7] = turns["pelvis"]
    qpos[:, :3] = hips * scale - rotation.rotate(turns["pelvis"], middle)
    qpos[:, :2] -= qpos[0, :2]
    standing, _ = ground.stand(body, qpos, clip.fps)
    return standing


def _turns(targets: dict[str, np.ndarray], directions: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """World rotation (frame, 4) that each rigid body of the muscle man should have."""
    pelvis = targets["pelvis"]
    torso = targets.get("torso", pelvis)
    head = targets.get("head", torso)
    made = {"pelvis": pelvis, "spine": rotation.slerp(pelvis, torso, 0.5), "torso": torso}
    made |= {"neck": rotation.slerp(torso, head, 0.5), "head": head}
    held = {segment.name: segment for segment in segments()}
    for side in SIDES:
        for upper, lower, end, sign in (("upper_arm", "forearm", "hand", -1.0), ("thigh", "shin", "foot", 1.0)):
            hinge = held[f"{side}_{lower}"]
            assert hinge.range is not None
            # the y axis of `orientations` is the one about which a knee bends, and against which an elbow does
            axis = sign * np.sign(hinge.range.sum()) * hinge.axis
            for part, next_part in ((upper, lower), (lower, end)):
                name = f"{side}_{part}"
                bone = rotation.normalize(_offset(f"{side}_{next_part}"))[None]
                now = bone_rotation(directions[name], rotation.to_matrix(targets[name])[..., :, 1])
                made[name] = rotation.multiply(now, rotation.conjugate(bone_rotation(bone, axis[None])))
        made[f"{side}_foot"] = targets[f"{side}_foot"]
    return made


def _about(q: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The angle of the part of a rotation that is about `axis`, rad."""
    return rotation.wrap(2 * np.arctan2(q[..., 1:] @ axis, q[..., 0]))


def _inside(q: np.ndarray, widest: float) -> np.ndarray:
    """The rotation, turned back towards rest where it is outside a ball joint's range; neighbours near each other."""
    turn = rotation.log(q)
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    return rotation.exp(turn * np.minimum(1.0, WITHIN * widest / np.maximum(angle, 1e-9)))


def _offset(name: str) -> np.ndarray:
    """Place of a rigid body in its parent at rest."""
    return muscle_man().model.body(name).pos
