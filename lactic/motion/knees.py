"""Straight legs for clips whose joint centres were estimated too far forward.

Marker sets place a knee's centre some centimetres before its axis. Of such a clip a body stands on knees bent by 30°,
and walks with 10 to 15° more than people do at every phase. A body that tires cannot stand like that.
"""

from dataclasses import replace

import numpy as np

from lactic.motion import ground
from lactic.motion.body_clip import BodyClip

STRAIGHTEST = np.radians(5)
"""What the knees of people come down to in every stride."""
MOST = np.radians(25)
"""The largest bend that is taken for an error of measurement."""
ROUND = np.radians(3)
"""Over how much the corner at a straight knee is rounded off."""
SLOW, BENT = 0.3, np.radians(15)
"""m/s below which a person stands, and the bend that is no way to stand."""
LONG, SHORTEST = 0.4, 0.7
"""Seconds: standing that is more than a step's pause, and the shortest part that is kept."""


def straightened(clip: BodyClip) -> list[BodyClip]:
    """The clip with as much bend taken off its knees as they never lose; its parts between standing on bent knees."""
    joints = clip.body.joints
    knees = [7 + joints.index(f"{side}_knee") for side in ("right", "left")]
    going = _speed(clip) > SLOW
    if not going.any():
        return [clip]
    extra = np.clip(np.percentile(clip.qpos[going][:, knees], 5) - STRAIGHTEST, 0.0, MOST)
    qpos, lengths = clip.qpos.copy(), []
    for side, knee in zip(("right", "left"), knees, strict=True):
        bent = qpos[:, knee]
        less = bent - extra
        straight = np.minimum(bent, (less + np.sqrt(less**2 + ROUND**2)) / 2)
        lengths.append(np.cos(straight / 2) / np.cos(bent / 2))  # of the leg, as thigh and shin are about as long
        # the line from hip to ankle and the sole keep their direction
        for joint in (f"{side}_hip_y", f"{side}_ankle_y"):
            qpos[:, 7 + joints.index(joint)] += (bent - straight) / 2
        qpos[:, knee] = straight
    qpos[:, 7:] = np.clip(qpos[:, 7:], *clip.body.range.T)
    qpos[:, :2] *= np.mean(lengths)  # longer legs make longer strides
    qpos, _ = ground.stand(clip.body, qpos, clip.fps, clip.cyclic)
    return _without_crouching(replace(clip, qpos=qpos), knees)


def _speed(clip: BodyClip) -> np.ndarray:
    return np.linalg.norm(clip.qvel()[:, :2], axis=1)


def _without_crouching(clip: BodyClip, knees: list[int]) -> list[BodyClip]:
    """The parts between frames that stand on bent knees for longer than a step takes."""
    crouches = (_speed(clip) < SLOW) & (clip.qpos[:, knees].mean(axis=1) > BENT)
    edges = np.flatnonzero(np.diff(crouches, prepend=False, append=False))
    long = [(a, b) for a, b in edges.reshape(-1, 2) if b - a > LONG * clip.fps]
    if not long:
        return [clip]
    bounds = [0, *(edge for span in long for edge in span), clip.frames]
    parts = [(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=True) if b - a > SHORTEST * clip.fps]
    return [replace(clip, name=f"{clip.name}_{a}", qpos=clip.qpos[a:b], cyclic=False) for a, b in parts]
