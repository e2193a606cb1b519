"""What leaders do, led for a long time by the artificial user: motions for a library, to be followed in training.

Motion matching runs on a CPU and one frame after another; thousands of simulations follow what it gave on a GPU. Each
leader is never interrupted (bergamin2020, Sec. 5.3.3).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.files import check_target
from lactic.motion import ground
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import Library, collect, movement
from lactic.steer.steering import RESERVE

SPLIT, RATE = "leader", 30.0
"""Split of the motions in their library, and its frames a second."""
LONGEST = 24 * 60.0  # minutes
SHORTEST = 5.0  # seconds of a stream: time to start and a little to follow
LOOKED_AT = 60.0  # seconds of each stream whose feasibility is told
UNDER_WAY = 10.0  # seconds that the user, which begins with sticks at rest, steers before the recording
WEAKEST = RESERVE  # residual capacity of the legs of a tiring stream, at least
TIRING = (40.0, 120.0)  # seconds in which such legs tire and recover
LOW = 0.04
"""m; a sole lower than this may carry."""
FAR = 0.25
"""m from the feet that carry, beyond which no foot reaches: its length and some width."""
SMOOTHING = 0.1
"""Seconds either way over which the centre of mass is averaged: accelerations are second differences."""
FREE_FALL = 6.0
"""m/s² downwards from which on the body flies and the floor need not push."""


def record(
    database: Any,
    minutes: float,
    *,
    streams: int = 8,
    seed: int = 0,
    tiring: bool = False,
    hurry: float = 1.0,
    name: str = SPLIT,
    source: str = "",
    say: Callable[[str], None] = lambda line: None,
) -> Library:
    """Let the artificial user lead characters of a database for `minutes` in all, in so many streams; a library of what
    they did, called by `name` and a number.

    They are set on the floor, which no follower can leave, and begin over the origin. Where they are `tiring`, the
    residual capacity of the legs runs out and comes back in a time of each stream's own, and they go slower by it. With
    `hurry` the user changes its mind so many times as often.
    """
    from lactic.steer.gamepad import CHANGE, ArtificialUser
    from lactic.steer.kinematic import KinematicCharacters

    if not 1 <= streams <= 1000:
        raise InputError(f"streams {streams}: must be between 1 and 1000")
    if not (np.isfinite(minutes) and minutes <= LONGEST and 60 * minutes >= SHORTEST * streams):
        raise InputError(
            f"minutes {minutes:g}: must be at most {LONGEST:g} and give each of {streams} streams {SHORTEST:g} s"
        )
    if not 0 < hurry <= 100:
        raise InputError(f"hurry {hurry:g}: must be more than 0 and at most 100")
    crowd = KinematicCharacters(database, streams, pacing="with a reserve" if tiring else "tireless")
    draw, dt = np.random.default_rng(seed + 1), 1 / database.fps
    begun, turn = draw.uniform(0.0, 2 * np.pi, streams), 2 * np.pi / draw.uniform(*TIRING, streams)
    user = ArtificialUser(streams, seed, dt, hurry * CHANGE, crouch="crouch" in database.tags_present)
    steps = round(minutes * 60 * database.fps / streams)
    kept = np.zeros((streams, steps, crowd.body.model.nq), np.float32)
    for _ in range(round(UNDER_WAY * database.fps)):
        user.step()
    for k in range(steps):
        tired = 0.5 * (1.0 - WEAKEST) * (1.0 - np.cos(begun + turn * k * dt))
        kept[:, k] = crowd.step(user.step(), 1.0 - tired * tiring).qpos
        if k % (60 * round(database.fps)) == 0:
            say(f"{streams * k / database.fps / 60:.0f} of {minutes:g} minutes")
    clips = [_settled(crowd.body, qpos, database.fps, f"{name}_{i}") for i, qpos in enumerate(kept)]
    return collect(clips, [SPLIT] * streams, [source] * streams)


def _settled(body: bodies.Body, poses: np.ndarray, fps: float, name: str) -> BodyClip:
    """A clip of these poses (frame, nq) at the library's rate, set on the floor and begun over the origin."""
    qpos, feet = poses.astype(float), [body.bodies.index(name) for name in body.feet]
    heights = ground.clearance(body, qpos)
    qpos[:, 2] += ground.settle(heights[:, feet].min(axis=1), heights.min(axis=1), fps)
    qpos[:, :2] -= qpos[0, :2]
    return BodyClip(body.name, fps, qpos, name).resample(RATE)


def record_file(
    database: str | Path,
    out: str | Path,
    minutes: float = 30.0,
    **options: Any,
) -> dict[str, Any]:
    """`lactic match record`: `record` streams of a database file, write them, and tell what they hold."""
    from lactic.steer.matching import Database

    out = check_target(out, "a library is")
    made = record(Database.load(database), minutes, name=out.stem, source=str(database), **options)
    made.save(out)
    speed, body = movement(made)["speed"], bodies.get(made.body_name)
    beyond = [beyond_support(body, made.clip(i).qpos[: round(LOOKED_AT * RATE)], RATE) for i in range(len(made))]
    return {
        "file": str(out),
        "megabytes": round(out.stat().st_size / 1e6, 2),
        "body": made.body_name,
        "fps": made.fps,
        "streams": len(made),
        "frames": len(made.qpos),
        "minutes": round(float(made.seconds.sum()) / 60, 2),
        "speed": {"mean": round(float(speed.mean()), 3), "max": round(float(speed.max()), 3)},
        "beyond support": round(float(np.mean(beyond)), 3),
    }


def beyond_support(body: bodies.Body, qpos: np.ndarray, fps: float) -> float:
    """Share of the frames in which a body stands, but would need the floor to push from more than `FAR` off its feet.

    The point is that of a mass at its centre: x − z·ẍ/(g + z̈). Captured walks have up to a twentieth of such frames,
    captured runs a fifth; a leader with more of them makes its follower fall.
    """
    model, data = body.model, mujoco.MjData(body.model)
    feet = [body.bodies.index(name) for name in body.feet]
    centre, at = np.empty((len(qpos), 3)), np.empty((len(qpos), len(feet), 3))
    for k, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centre[k], at[k] = data.subtree_com[1], data.xpos[1:][feet]
    reach, weights = ground.window(len(qpos), fps, SMOOTHING)
    if len(qpos) < 4 * reach:
        return 0.0
    smooth = np.stack([np.convolve(centre[:, k], weights, "valid") for k in range(3)], 1)
    pull = np.gradient(np.gradient(smooth, axis=0), axis=0) * fps**2
    inner = slice(reach, len(qpos) - reach)
    gravity = -model.opt.gravity[2]
    point = smooth[:, :2] - smooth[:, 2:] * pull[:, :2] / (gravity + np.maximum(pull[:, 2:], -FREE_FALL))
    carry = (ground.clearance(body, qpos)[:, feet] < LOW)[inner]
    off = _off(point, at[inner, :, :2], carry)[carry.any(1)]
    return float((off > FAR).mean()) if len(off) else 0.0


def _off(point: np.ndarray, feet: np.ndarray, carry: np.ndarray) -> np.ndarray:
    """Distance (frame,) of points (frame, 2) to the line between feet (frame, 2, 2), or to the one that carries."""
    # a foot that does not carry is where the other one is; where none does, the answer does not count
    first = np.where(carry[:, :1], feet[:, 0], feet[:, -1])
    last = np.where(carry[:, -1:], feet[:, -1], first)
    along = last - first
    part = np.clip(((point - first) * along).sum(1) / np.maximum((along**2).sum(1), 1e-9), 0.0, 1.0)
    return np.linalg.norm(point - first - part[:, None] * along, axis=1)
