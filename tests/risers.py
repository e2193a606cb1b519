"""A clip that gets up as no body can: laid on its back for a second, tilted onto its feet in another, standing."""

import numpy as np

from lactic import body as bodies
from lactic import rotation
from lactic.motion.body_clip import BodyClip

RATE = 30.0
LYING, UP = 30, 60
"""Last frame that lies, and first that stands upright."""


def getting_up(seconds: float = 4.0) -> BodyClip:
    """Such a clip, facing along x all the time."""
    body = bodies.get("humanoid")
    frames = round(seconds * RATE) + 1
    up = np.clip((np.arange(frames) - LYING) / (UP - LYING), 0.0, 1.0)
    qpos = np.tile(body.rest, (frames, 1))
    qpos[:, 2] = 0.12 + up * (body.rest[2] - 0.12)
    qpos[:, 3:7] = rotation.about("y", (up - 1.0) * np.pi / 2)
    return BodyClip(body.name, RATE, qpos, "riser")
