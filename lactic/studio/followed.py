"""What a character that follows motions is given to follow: a clip of one's own, or a walk, again and again."""

from dataclasses import replace

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.motion import BodyClip, retarget
from lactic.motion.clip import carry_on
from lactic.motion.looping import repeated, times_for
from lactic.motion.recorded import stretches
from lactic.play.driver import Look
from lactic.play.steered import SHIPPED
from lactic.play.tire.blended import Blended, told
from lactic.steer.matching import TAGS, Database

SPAN = 300.0
"""Seconds that a motion is repeated for; then its follower begins again, as tired as it is."""
SHORTEST = 0.2
"""Seconds of a clip that can be followed."""
WALKING = (1.0, 1.7)
"""m/s, in the mean of a second. With wider bounds the longest walk begins as a run ends: followed only just."""


def endless(clip: BodyClip, body: Body, rate: float) -> BodyClip:
    """The clip on the body, for minutes on end, from the origin along x."""
    if clip.seconds < SHORTEST:
        raise InputError(f"{clip.name}: {clip.frames} frames are no motion; give {SHORTEST:g} s or more")
    if clip.body_name != body.name:
        clip = replace(retarget(clip.to_clip(), body, fps=rate, close=clip.cyclic)[0], name=clip.name)
    clip = clip.resample(rate)
    qpos = clip.qpos.copy()
    qpos[:, :3], qpos[:, 3:7] = carry_on(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), qpos[:, :3], qpos[:, 3:7])
    clip = replace(clip, qpos=qpos)
    for seconds in (SPAN / 20, SPAN):  # in two goes: one of many hundred short rounds takes seconds
        clip = repeated(clip, times_for(clip, round(seconds * rate) + 1))[0]
    return clip


def looks(tracked: Blended) -> dict[str, Look]:
    """What a tape keeps of the motion that its character follows."""
    return {
        "clip_xpos": lambda: tracked.own().xpos[0],
        "clip_xquat": lambda: tracked.own().xquat[0],
        "clock": lambda: tracked.clock[0],
        "away": lambda: tracked.away[0],
        "lost": lambda: len(told(tracked.losses[0])),
    }


def walk() -> BodyClip:
    """The longest walk in the motion that ships with `steer`."""
    shipped = Database.load(SHIPPED)
    second = round(shipped.fps)
    best = slice(0, 0)
    for begin, end in zip(shipped.clip_start[:-1], shipped.clip_start[1:], strict=True):
        speed = np.linalg.norm(shipped.qvel[begin:end, :2], axis=1)
        speed = np.convolve(speed, np.full(second, 1 / second), "same")[: end - begin]
        walks = shipped.tags[begin:end, TAGS.index("walk")] & (speed > WALKING[0]) & (speed < WALKING[1])
        for first, last in stretches(walks, best.stop - best.start):
            if last - first > best.stop - best.start:
                best = slice(begin + first, begin + last)
    return BodyClip(shipped.body_name, shipped.fps, shipped.qpos[best].astype(float), "a walk that ships")
