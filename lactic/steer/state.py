"""What kinematic characters play, and everything about them that changes, as arrays for compiled code."""

from typing import NamedTuple

import numpy as np


class Frames(NamedTuple):
    """What is played: the database's poses, and the last frame of each one's clip."""

    qpos: np.ndarray
    qvel: np.ndarray
    contacts: np.ndarray
    last: np.ndarray


class State(NamedTuple):
    """Everything that changes, an entry (or row) a character."""

    frame: np.ndarray
    """Frame of the database that plays now."""
    since: np.ndarray
    """Steps since the last search."""
    style: np.ndarray
    """Style asked for, a place among `matching.TAGS`."""
    clock: np.ndarray
    """Seconds since the last transition."""
    turn: np.ndarray
    shift: np.ndarray
    """Turn about z, and after it shift (…, 2), that carry the clip to the character."""
    drift: np.ndarray
    """rad/s by which that turn changes."""
    slide: np.ndarray
    """(…, 2) m/s by which that shift changes."""
    source: np.ndarray
    source_rate: np.ndarray
    """Pose and velocity the blend started with."""
    gap: np.ndarray
    gap_rate: np.ndarray
    """(…, 3) what lay between the root's rotation and the clip's then, and its rate."""
    blended: np.ndarray
    blended_rate: np.ndarray
    """Pose and velocity before feet are locked."""
    qpos: np.ndarray
    qvel: np.ndarray
    """What is shown."""
    at: np.ndarray
    turned: np.ndarray
    speed: np.ndarray
    spin: np.ndarray
    """Of the rigid bodies as shown: position, rotation, velocity, angular velocity."""
    feet: np.ndarray
    feet_rate: np.ndarray
    """(…, foot, 3) positions of the feet before locking, and their velocities."""
    hold: np.ndarray
    """(…, limb) `holding.FREE` or `LOCKED`."""
    hold_clock: np.ndarray
    """(…, limb) seconds since that changed."""
    hold_points: np.ndarray
    """(…, limb, `holding.BEGUN` … `CLIP_RATE`, 3)"""
    bent: np.ndarray
    """(…, limb) rad/s at which the hinge of each limb turned as shown, while it was led; else 0."""
    springs: np.ndarray
    """(…, 8) what follows the sticks, by `steering.SPRINGS`."""
    goal: np.ndarray
    """(…, 3) velocity and heading the sticks ask for."""
    pacing: np.ndarray
    """(…, 2) factors on speed and turn rate that fatigue asks for."""
    query: np.ndarray


def blank(count: int, nq: int, bodies: int, limbs: int, springs: int, features: int) -> State:
    """Characters of which nothing is known."""
    pose, rate, spot, body = (nq,), (nq - 1,), (3,), (bodies, 3)
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("source", "blended", "qpos"), pose),
        **dict.fromkeys(("source_rate", "blended_rate", "qvel"), rate),
        **dict.fromkeys(("gap", "gap_rate", "goal"), spot),
        **dict.fromkeys(("at", "speed", "spin"), body),
        **dict.fromkeys(("feet", "feet_rate"), (2, 3)),
        **dict.fromkeys(("hold", "hold_clock", "bent"), (limbs,)),
        "turned": (bodies, 4),
        **dict.fromkeys(("shift", "slide"), (2,)),
        "hold_points": (limbs, 7, 3),
        "springs": (springs,),
        "pacing": (2,),
        "query": (features,),
    }
    whole = ("frame", "since", "style", "hold")
    return State(
        **{
            name: np.zeros((count, *shapes.get(name, ())), dtype=np.int64 if name in whole else float)
            for name in State._fields
        }
    )
