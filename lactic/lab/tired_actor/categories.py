"""What kind of motion is followed and what is lost: kinds by what the motion itself does, not by its name."""

import numpy as np

from lactic import rotation
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.lab.tired_actor.drawing import by_split, draw
from lactic.lab.tired_actor.following import SPLITS, Followed, clips_of, follow, followers
from lactic.lab.trial import OFF
from lactic.motion.body_clip import BodyClip

TITLE = "motions followed by what they do, fresh"
NOTE = """
This is not in the paper. A motion is of the first of these kinds that fits what it does, whatever its name is.
"""
KINDS = ("turns over", "on the floor", "in the air", "turns on the spot", "runs", "walks", "stays in place")
UPRIGHT, LOW, AIR = 0.3, 0.55, 0.25
"""Cosine of the pelvis's lean, metres of its height, and metres that the lower ankle rises above its usual height."""
SPIN, RUN, WALK = 4.0, 2.0, 0.4
"""rad/s about the vertical, and m/s over the floor."""


def kind_of(clip: BodyClip) -> str:
    """The first of the kinds that a motion is."""
    speed, places = clip.qvel(), clip.positions()[0]
    up = rotation.rotate(clip.qpos[:, 3:7], np.broadcast_to(np.array([0.0, 0.0, 1.0]), (clip.frames, 3)))[:, 2]
    feet = places[:, [clip.body.bodies.index(name) for name in clip.body.feet], 2].min(axis=1)
    spin = np.abs(rotation.rotate(clip.qpos[:, 3:7], speed[:, 3:6])[:, 2])
    pace = np.linalg.norm(speed[:, :2], axis=1)
    is_so = (
        up.min() < -UPRIGHT,
        clip.qpos[:, 2].min() < LOW,
        feet.max() - np.median(feet) > AIR,
        np.percentile(spin, 98) > SPIN,
        np.percentile(pace, 80) > RUN,
        np.percentile(pace, 80) > WALK,
        True,
    )
    return KINDS[is_so.index(True)]


def make(bench: Bench, report: Report) -> None:
    """Each brain on each split, kind by kind."""
    for folder in followers(bench, report):
        for split in SPLITS:
            clips = clips_of(bench, split)
            found, kinds = follow(folder, clips, OFF), np.array([kind_of(clip) for clip in clips])
            for kind in KINDS:
                if (of := kinds == kind).any():
                    some = Followed(found.success[of], found.errors[of], found.parts[of])
                    some.share(report, folder.name, f"{split}, {kind}")
            lost = [clip.name for clip, done in zip(clips, found.success, strict=True) if not done]
            bench.say(f"{folder.name}, {split}: lost {len(lost)} of {len(clips)}: {' '.join(lost[:40])}")
    draw(report, "success", "Motions followed to their end, fresh", "share", by_split)
