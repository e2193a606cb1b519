"""Labels found in the motion itself: which foot stands, and whether a frame is walking, running or crouching."""

import mujoco
import numpy as np

from lactic.motion import sampling

TAGS = ("walk", "run", "crouch")
"""Hard features: a search looks only at frames that carry the tag asked for. A frame may carry two."""
RUN_SPEED = 2.0
"""m/s of the root over the window from which it is a run (people change at about 2 m/s)."""
CROUCH_HEIGHT = 0.85
"""Root height as a share of standing height below which it is a crouch."""
WINDOW = 0.6
"""Seconds that speed and height are averaged over: about a step."""
AROUND = 0.8
"""Seconds before and after a run that belong to it too, so that runs can be started and stopped."""
SHORTEST_CROUCH = 0.8
"""Seconds; a shorter dip is no crouch."""
REST_SPEED = 0.25
"""m/s below which the character stands; standing upright belongs to walk and to run."""
SOLE_HEIGHT = 0.05
"""m of the sole's front edge above the floor below which a foot may stand."""
SOLE_SPEED = 0.4
"""m/s of it, while the body rests."""
SOLE_SHARE = 0.15
"""Of the body's speed, added to that: feet that were captured and retargeted slide more in faster motion."""
SHORTEST_CONTACT = 0.06
"""Seconds; shorter contacts and shorter gaps are noise."""


def tag_frames(qpos: np.ndarray, fps: float, standing_height: float) -> np.ndarray:
    """Tags (frame, 3) walk, run, crouch of one clip."""
    step = np.linalg.norm(sampling.rate(qpos[:, :2], fps), axis=1)
    speed = _averaged(step, WINDOW, fps)
    fast = speed > RUN_SPEED
    run = _widened(fast, AROUND, fps)
    # runs are started and stopped with bent knees, and there is no crouched run (bergamin2020 Sec. 5.1)
    low = (_averaged(qpos[:, 2], WINDOW, fps) < CROUCH_HEIGHT * standing_height) & ~run
    low = _without_short(low, True, round(SHORTEST_CROUCH * fps))
    rest = (speed < REST_SPEED) & ~low
    return np.stack([~fast & ~low, run | rest, low], axis=1)


def contacts(balls: np.ndarray, root: np.ndarray, fps: float) -> np.ndarray:
    """Whether each foot (frame, foot) stands, from the balls of the feet (frame, foot, 3) and the root (frame, 3)."""
    speed = np.linalg.norm(sampling.rate(balls, fps), axis=-1)
    body = np.linalg.norm(sampling.rate(root[:, :2], fps), axis=-1)
    found = (balls[..., 2] < SOLE_HEIGHT) & (speed < SOLE_SPEED + SOLE_SHARE * body[:, None])
    shortest = max(round(SHORTEST_CONTACT * fps), 1)
    for foot in range(found.shape[1]):
        found[:, foot] = _without_short(found[:, foot], True, shortest)
        found[:, foot] = _without_short(found[:, foot], False, shortest)
    return found


def ball_of_foot(model: mujoco.MjModel, foot: int) -> np.ndarray:
    """In the frame of the rigid body `foot`, the middle of its box's front lower edge; without a box its origin."""
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] == foot + 1 and model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
            return model.geom_pos[geom] + model.geom_size[geom] * [1, 0, -1]
    return np.zeros(3)


def _averaged(values: np.ndarray, seconds: float, fps: float) -> np.ndarray:
    """Mean over a window around each frame, shorter at the ends."""
    half = max(round(seconds * fps / 2), 0)
    total = np.concatenate([[0.0], np.cumsum(values)])
    at = np.arange(len(values))
    first, last = np.maximum(at - half, 0), np.minimum(at + half + 1, len(values))
    return (total[last] - total[first]) / (last - first)


def _widened(flags: np.ndarray, seconds: float, fps: float) -> np.ndarray:
    reach = round(seconds * fps)
    return _averaged(flags.astype(float), 2 * reach / fps, fps) > 1e-9


def _without_short(flags: np.ndarray, value: bool, shortest: int) -> np.ndarray:
    """Runs of `value` shorter than `shortest` frames turned over, except at the ends."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8))) + 1
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [len(flags)]])
    cleaned = flags.copy()
    for start, end in zip(starts, ends, strict=True):
        if flags[start] == value and end - start < shortest and start > 0 and end < len(flags):
            cleaned[start:end] = not value
    return cleaned
