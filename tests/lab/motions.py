"""Motion made by hand, and clips posing as trials."""

import numpy as np

from lactic import body as bodies
from lactic import rotation
from lactic.lab.events import Phases
from lactic.lab.take import Take, of_clip
from lactic.lab.trial import Trial
from lactic.motion.body_clip import BodyClip


def still(frames: int, episodes: int = 1, fps: float = 30.0) -> Take:
    """The humanoid at rest, standing; change what a test is about."""
    body = bodies.get("humanoid")
    qpos = np.tile(body.rest, (frames, episodes, 1)).astype(np.float32)
    return posed(body, qpos, fps)


def posed(body: bodies.Body, qpos: np.ndarray, fps: float = 30.0) -> Take:
    """Bodies at the given poses, all of whose parts are where the root is and touch the floor when it is at rest."""
    parts = len(body.bodies)
    xpos = np.repeat(qpos[:, :, None, :3], parts, axis=2)
    clearance = np.repeat(qpos[:, :, 2:3] - body.rest[2], parts, axis=2)
    return Take(body, fps, qpos, xpos, clearance, np.full(qpos.shape[1], len(qpos)))


def turning(axis: str, turns: np.ndarray) -> np.ndarray:
    """Quaternions (frame, 1, 4) of a body turned so many times about its own axis."""
    return rotation.about(axis, 2 * np.pi * np.asarray(turns))[:, None]


def trial_of(clip: BodyClip, frames: int, episodes: int, spent: np.ndarray | None = None) -> Trial:
    """A clip over and over as the episodes of a trial; `spent` (frame,) is every joint's MF."""
    take = of_clip(clip, repeats=1 + frames // (clip.frames - 1))
    part = slice(None, frames)

    def each(values: np.ndarray) -> np.ndarray:
        return np.repeat(values[part], episodes, axis=1)

    joints = len(take.body.joints)
    tired = np.zeros(frames) if spent is None else spent
    column = np.broadcast_to(tired[:, None, None], (frames, episodes, joints)).astype(np.float32)
    return Trial(
        body=take.body,
        fps=take.fps,
        qpos=each(take.qpos),
        xpos=each(take.xpos),
        clearance=each(take.clearance),
        fell_at=np.full(episodes, frames),
        load=0.5 * column,
        active=0.1 * column,
        spent=column,
        torque=10 * column,
        command=np.tile(np.float32([1, 0]), (frames, episodes, 1)),
        torque_limit=take.body.torque_limit.astype(np.float32),
        frames=frames,
    )


def spans(found: Phases) -> list[tuple[int, int, int]]:
    """(episode, start, end) of each stretch."""
    return list(zip(found.episode.tolist(), found.start.tolist(), found.end.tolist(), strict=True))
