"""How fast a character goes and what its legs have left: what films and the pace picture say of it."""

from collections.abc import Sequence

import numpy as np

from lactic.body import Body
from lactic.picture.recording import Recording
from lactic.steer.legs import legs_capacity

OVER = 1.0  # seconds that a speed is the mean of


def floor_speed(qpos: np.ndarray, fps: float, cuts: Sequence[int] | np.ndarray = (), over: float = OVER) -> np.ndarray:
    """Speed of the root over the floor (T,), m/s: the way it went in the second around each frame, cuts left out."""
    steps = np.linalg.norm(np.diff(qpos[:, :2], axis=0), axis=1)
    steps[[int(cut) - 1 for cut in cuts if 0 < cut < len(qpos)]] = 0.0
    gone = np.concatenate([[0.0], np.cumsum(steps)])
    half = max(1, round(over * fps / 2))
    at = np.arange(len(qpos))
    first, last = np.maximum(at - half, 0), np.minimum(at + half, len(qpos) - 1)
    return (gone[last] - gone[first]) * fps / np.maximum(last - first, 1)


def legs_left(record: Recording, body: Body) -> np.ndarray | None:
    """Strength left in the weaker leg (T,), 0 to 1; None for a body without two legs."""
    if not {"left leg", "right leg"} <= set(body.regions):
        return None
    return np.asarray(legs_capacity(body, record.fatigue[..., 2]))


def asked_speed(record: Recording) -> np.ndarray | None:
    """The speed that was asked for (T,), m/s; None where the command says nothing of that."""
    if not len(record.command) or record.asks not in ("velocity", "lane"):
        return None
    return np.linalg.norm(record.command[:, : 2 if record.asks == "velocity" else 1], axis=1)
