"""`lactic match upright`: a database in which standing costs next to nothing.

Motion of people, and of characters that learnt from it, stands leaning forwards: the ankles hold up the body all the
time, which one that tires cannot keep up. Here whatever stands comes to the body's own quiet standing, over the middle
of its feet, and half a minute of that is added.
"""

from dataclasses import replace

import numpy as np

from lactic import rotation
from lactic.motion import ground, sampling
from lactic.motion.body_clip import BodyClip
from lactic.motion.standing import NAME, standing
from lactic.steer.limb import limbs_of, reach
from lactic.steer.matching.build import build
from lactic.steer.matching.database import Database
from lactic.steer.matching.features import GROUPS
from lactic.steer.tree import tree_of

SLOW, FAST = 0.2, 0.6
"""m/s of the root below which it stands, and above which nothing is changed."""
SHORTEST = 0.6
"""Seconds; a shorter stop is part of a turn, which leans for a reason."""
FADE = 0.3
"""Seconds either way over which speeds, and all that is changed, are averaged."""
TALL = (0.9, 0.95)
"""Root height over that of quiet standing below which it is a crouch, and above which it is not."""
KEPT = ("shoulder", "elbow")
"""Joints that stay as they are: arms weigh little."""


def upright(database: Database) -> Database:
    """The database with its stances upright, and the body's own standing added."""
    body, rate = database.body, database.fps / database.every
    starts, own = database.clip_start, np.flatnonzero(database.mirror_of < 0)
    clips = [
        BodyClip(body.name, rate, database.qpos[starts[c] : starts[c + 1] : database.every], database.clip_names[c])
        for c in own
        if database.clip_names[c] != NAME
    ]
    return build(
        [*map(set_upright, clips), standing(body, fps=rate)],
        fps=database.fps,
        mirror=len(own) < len(database.clip_names),
        weights=dict(zip(GROUPS, database.group_weights(), strict=True)),
    )


def set_upright(clip: BodyClip) -> BodyClip:
    """The clip with the pose of quiet standing, over the middle of its feet, wherever it stands; arms stay."""
    body, share = clip.body, standing_share(clip)
    if not share.any():
        return clip
    quiet = standing(body, 1.0, clip.fps, sway=0.0).qpos[0]
    feet = [body.bodies.index(name) for name in body.feet]
    moved = [7 + k for k, name in enumerate(body.joints) if not any(part in name for part in KEPT)]
    facing = np.asarray(rotation.heading_rotation(clip.qpos[:, 3:7]))
    at, turned = body.places(clip.qpos)
    at_quiet, turned_quiet = (part[0] for part in body.places(quiet[None]))
    # where quiet standing would be: its feet's middle on the feet's middle, which swings less than it seems
    middle = np.asarray(rotation.rotate(facing, np.append((quiet[:2] - at_quiet[feet, :2].mean(axis=0)), 0.0)))
    root = _averaged(at[:, feet].mean(axis=1) + middle, share, clip.fps)
    root[:, 2] = quiet[2]
    qpos, part = clip.qpos.copy(), share[:, None]
    qpos[:, :3] += part * (root - qpos[:, :3])
    qpos[:, 3:7] = rotation.slerp(qpos[:, 3:7], facing, share)
    qpos[:, moved] += part * (quiet[moved] - qpos[:, moved])
    tree, limbs, (places, held) = tree_of(body), limbs_of(body), body.places(qpos)
    for limb in range(len(feet)):
        base, tip = limbs.base[limb], limbs.tip[limb]
        there = root + rotation.rotate(facing, at_quiet[tip] - quiet[:3])
        goal = at[:, tip] + part * (there - at[:, tip])
        flat = rotation.multiply(facing, np.broadcast_to(turned_quiet[tip], facing.shape))
        keep = np.asarray(rotation.slerp(turned[:, tip], flat, share))
        for k in np.flatnonzero(share):
            reach(tree, limbs, limb, qpos[k], places[k, base], held[k, tree.parents[base]], goal[k], keep[k])
    return replace(clip, qpos=qpos)


def standing_share(clip: BodyClip) -> np.ndarray:
    """How far each frame (frame,) stands: 1 in a stop that lasts, 0 where it walks or crouches, smoothly between."""
    speed = np.linalg.norm(sampling.rate(clip.qpos[:, :2], clip.fps), axis=1)
    low, high = TALL
    slow = np.clip((FAST - _smooth(speed, clip.fps)) / (FAST - SLOW), 0.0, 1.0)
    tall = np.clip((clip.qpos[:, 2] / clip.body.rest[2] - low) / (high - low), 0.0, 1.0)
    return _smooth(_lasting(slow * tall, round(SHORTEST * clip.fps)), clip.fps)


def _lasting(share: np.ndarray, frames: int) -> np.ndarray:
    """Shares without what lasts for less than so many frames; what lies at an end may have begun before."""
    padded = np.pad(share, frames, mode="edge")
    least = np.lib.stride_tricks.sliding_window_view(padded, frames).min(axis=1)
    return np.lib.stride_tricks.sliding_window_view(least, frames).max(axis=1)[1 : len(share) + 1]


def _smooth(values: np.ndarray, fps: float) -> np.ndarray:
    """Values (frame,) averaged over `FADE` either way."""
    reaches, weights = ground.window(len(values), fps, FADE)
    return np.convolve(np.pad(values, reaches, mode="edge"), weights, "valid")


def _averaged(values: np.ndarray, share: np.ndarray, fps: float) -> np.ndarray:
    """Values (frame, column) averaged in time over frames that stand, by how far they do."""
    total = np.maximum(_smooth(share, fps), 1e-9)
    return np.stack([_smooth(share * column, fps) / total for column in values.T], axis=1)
