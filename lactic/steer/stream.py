"""Streams: a kinematic character led for a long time, frame by frame, for a simulated one to follow in training.

Motion matching runs on a CPU and one frame after another; a stream is what it gave, so that thousands of simulations
can follow it on a GPU. A file holds several streams, each never interrupted (bergamin2020, Sec. 5.3.3).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.files import check_target, load_arrays, packed, save_arrays, unpacked
from lactic.motion import ground

VERSION = 2
ANGLE_STEP, RATE_STEP = 1e-4, 2e-3  # rad; rad/s and m/s: what angles and velocities are rounded to
LARGEST = 32767
LONGEST = 24 * 60.0  # minutes
SHORTEST = 5.0  # seconds of a stream: time to start and a little to follow
LOOKED_AT = 3600  # frames of each stream whose feasibility is told
UNDER_WAY = 10.0  # seconds that the user, which begins with sticks at rest, steers before the recording
WEAKEST = 0.4  # residual capacity of the legs of a tiring stream, at least
TIRING = (40.0, 120.0)  # seconds in which such legs tire and recover
LOW = 0.04
"""m; a sole lower than this may carry."""
FAR = 0.25
"""m from the feet that carry, beyond which no foot reaches: its length and some width."""
SMOOTHING = 0.1
"""Seconds either way over which the centre of mass is averaged: accelerations are second differences."""
FREE_FALL = 6.0
"""m/s² downwards from which on the body flies and the floor need not push."""


@dataclass(frozen=True)
class Stream:
    """Frames of all streams in a row; stream s is `starts[s]` to `starts[s + 1] - 1`."""

    body_name: str
    fps: float
    starts: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    goal: np.ndarray
    """(frame, 3): velocity asked for (x, y) and heading, in the world."""
    capacity: np.ndarray
    """(frame,): residual capacity of the legs, by which it asked for less."""

    @property
    def frames(self) -> int:
        """How many there are."""
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """Of all streams together."""
        return self.frames / self.fps

    def save(self, path: str | Path) -> None:
        """Write the streams compactly: angles in steps of 1e-4 rad, velocities of 0.002."""
        path = Path(path)
        arrays: dict[str, Any] = {
            "version": VERSION,
            "body": self.body_name,
            "joints": bodies.get(self.body_name).joints,
            "fps": self.fps,
            "stream_starts": self.starts,
            "root": self.qpos[:, :7].astype(np.float32),
            "hinges": _small(self.qpos[:, 7:] / ANGLE_STEP, path),
            "rates": _small(self.qvel / RATE_STEP, path),
            "goal": self.goal.astype(np.float32),
            "capacity": self.capacity.astype(np.float32),
        }
        save_arrays(path, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Stream":
        """Read streams that `save` wrote."""
        arrays = load_arrays(path, "no such file; make one with `lactic match record`", "no streams, or damaged ones")
        if "stream_starts" not in arrays or int(arrays.get("version", 0)) != VERSION:
            raise InputError(f"{path}: holds no streams of version {VERSION}; make them with `lactic match record`")
        try:
            return _checked(path, arrays)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: damaged streams ({error})") from error


def _checked(path: str | Path, arrays: dict[str, np.ndarray]) -> Stream:
    body = bodies.get(str(arrays["body"].item()))
    if tuple(map(str, arrays["joints"])) != body.joints:
        raise InputError(f"{path}: made for another version of the body '{body.name}'; record it again")
    qpos = np.concatenate([arrays["root"].astype(float), unpacked(arrays["hinges"], np.int16) * ANGLE_STEP], axis=1)
    asked = (arrays[name].astype(float) for name in ("goal", "capacity"))
    stream = Stream(
        body.name,
        float(arrays["fps"]),
        arrays["stream_starts"].astype(np.int64),
        qpos,
        unpacked(arrays["rates"], np.int16) * RATE_STEP,
        *asked,
    )
    count, held = stream.frames, (stream.qvel, stream.goal, stream.capacity)
    wide = [(count, body.model.nv), (count, 3), (count,)]
    whole = [array.shape for array in held] == wide and qpos.shape[1] == body.model.nq
    starts = stream.starts
    if not whole or starts[0] != 0 or starts[-1] != count or (np.diff(starts) < SHORTEST * stream.fps).any():
        raise InputError(f"{path}: damaged streams (arrays do not fit each other)")
    if not all(np.isfinite(array).all() for array in (qpos, *held)):
        raise InputError(f"{path}: damaged streams (values that cannot be)")
    return stream


def _small(values: np.ndarray, path: Path) -> np.ndarray:
    """Numbers (frame, column) that fit into two bytes, packed."""
    if np.abs(values).max(initial=0) > LARGEST:
        raise InputError(f"{path}: a joint turns further or faster than the file can hold")
    return packed(values, np.int16)


def record(
    database: Any,
    minutes: float,
    *,
    streams: int = 8,
    seed: int = 0,
    tiring: bool = False,
    hurry: float = 1.0,
    say: Callable[[str], None] = lambda line: None,
) -> Stream:
    """Let the artificial user lead characters of a database for `minutes` in all, in so many streams.

    They are set on the floor, which no follower can leave. Where they are `tiring`, the residual capacity of the legs
    runs out and comes back in a time of each stream's own, and they go slower by it. With `hurry` the user changes its
    mind so many times as often.
    """
    from lactic.steer.gamepad import CHANGE, ArtificialUser
    from lactic.steer.kinematic import KinematicCharacters

    if not 1 <= streams <= 1000:
        raise InputError(f"streams {streams}: must be between 1 and 1000")
    if not (np.isfinite(minutes) and minutes <= LONGEST and 60 * minutes >= SHORTEST * streams):
        raise InputError(
            f"minutes {minutes:g}: must be at most {LONGEST:g} and give each of {streams} streams {SHORTEST:g} s"
        )
    crowd = KinematicCharacters(database, streams, pacing="with a reserve" if tiring else "tireless", quiet=False)
    draw, dt = np.random.default_rng(seed + 1), 1 / database.fps
    begun, turn = draw.uniform(0.0, 2 * np.pi, streams), 2 * np.pi / draw.uniform(*TIRING, streams)
    if not 0 < hurry <= 100:
        raise InputError(f"hurry {hurry:g}: must be more than 0 and at most 100")
    user = ArtificialUser(streams, seed, dt, hurry * CHANGE, crouch="crouch" in database.tags_present)
    steps = round(minutes * 60 * database.fps / streams)
    model = crowd.body.model
    widths = ((model.nq,), (model.nv,), (3,), ())
    kept = [np.zeros((streams, steps, *width), np.float32) for width in widths]
    for _ in range(round(UNDER_WAY * database.fps)):
        user.step()
    for k in range(steps):
        tired = 0.5 * (1.0 - WEAKEST) * (1.0 - np.cos(begun + turn * k * dt))
        capacity = 1.0 - tired * tiring
        pose = crowd.step(user.step(), capacity)
        now = (pose.qpos, pose.qvel, crowd.state.goal, capacity)
        for array, value in zip(kept, now, strict=True):
            array[:, k] = value
        if k % (60 * round(database.fps)) == 0:
            say(f"{streams * k / database.fps / 60:.0f} of {minutes:g} minutes")
    feet = [crowd.body.bodies.index(name) for name in crowd.body.feet]
    for qpos, qvel in zip(kept[0], kept[1], strict=True):
        heights = ground.clearance(crowd.body, qpos.astype(float))
        shift = ground.settle(heights[:, feet].min(axis=1), heights.min(axis=1), database.fps)
        qpos[:, 2] += shift
        qvel[:, 2] += np.gradient(shift) * database.fps
    flat = [array.reshape(streams * steps, *array.shape[2:]).astype(float) for array in kept]
    return Stream(crowd.body.name, database.fps, np.arange(streams + 1) * steps, *flat)


def record_file(
    database: str | Path,
    out: str | Path,
    minutes: float = 30.0,
    **options: Any,
) -> dict[str, Any]:
    """`lactic match record`: `record` streams of a database file, write them, and tell what they hold."""
    from lactic.steer.matching import Database

    out = check_target(out, "streams are")
    made = record(Database.load(database), minutes, **options)
    made.save(out)
    speed = np.linalg.norm(made.qvel[:, :2], axis=1)
    body = bodies.get(made.body_name)
    looked_at = [made.qpos[start : min(start + LOOKED_AT, end)] for start, end in pairwise(made.starts)]
    beyond = [beyond_support(body, part, made.fps) for part in looked_at]
    return {
        "file": str(out),
        "megabytes": round(out.stat().st_size / 1e6, 2),
        "body": made.body_name,
        "fps": made.fps,
        "streams": len(made.starts) - 1,
        "frames": made.frames,
        "minutes": round(made.seconds / 60, 2),
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
