"""Made-up skills of the humanoid: a closed run and walk with feet that stand, and jumps, flips, wheels and kicks."""

from dataclasses import replace
from functools import cache

import numpy as np
from footsteps import walk_along

from lactic import body, rotation
from lactic.motion.body_clip import BodyClip
from lactic.motion.ground import clearance

FPS = 30.0
PACES = {"run": (2.5, 3.0), "walk": (2.5 / 3, 2.0)}
"""Speed in m/s and steps a second."""
EARLY = 0.3
"""Seconds before it leaves the floor that it begins to turn."""
HUMAN = body.get("humanoid")


@cache
def skill(name: str) -> BodyClip:
    """run, walk, jump, backflip, cartwheel or spinkick, on the humanoid at 30 frames a second."""
    return _gait(name) if name in PACES else _jump(name, *JUMPS[name])


def _gait(name: str) -> BodyClip:
    """One closed cycle of two steps."""
    speed, pace = PACES[name]
    running = name == "run"
    whole = walk_along(np.full(240, speed), np.zeros(240), 0.82 if running else 0.86, name).resample(FPS)
    qpos = whole.qpos[60 : 61 + round(2 / pace * FPS)].copy()
    if running:  # elbows are bent, and both feet leave the floor around frames 8 and 18
        qpos[:, [7 + HUMAN.joints.index(f"{side}_elbow") for side in ("left", "right")]] = -1.4
        qpos[:, 2] += 0.08 * np.clip(np.cos(0.2 * np.pi * (np.arange(len(qpos)) - 8)), 0, None)
    return replace(whole, qpos=qpos).closed()


LEGS = ("right_knee", "left_knee", "right_hip_y", "left_hip_y")
JUMPS = {
    # turns about an axis of the body, metres up and metres ahead, angles of joints in mid-air
    "jump": (("x", 0.0), 0.3, 0.7, {}),
    "backflip": (
        ("y", -1.0),
        0.6,
        -0.3,
        {"right_knee": 1.2, "left_knee": 1.2, "right_hip_y": -1.2, "left_hip_y": -1.2},
    ),
    "cartwheel": (("x", -1.0), 0.0, 0.0, {"right_shoulder_x": -1.5, "left_shoulder_x": 1.5}),
    "spinkick": (("z", 1.0), 0.5, 0.2, {"right_hip_y": -1.8}),
}


def _jump(name: str, turn: tuple[str, float], up: float, ahead: float, angles: dict[str, float]) -> BodyClip:
    """Stands, leaves the floor as gravity lets it, turns about an axis meanwhile, and stands again."""
    axis, turns = turn
    half = np.sqrt(2 * up / 9.81) if up else 0.5
    time = np.arange(round((2 * half + 1.0) * FPS) + 1) / FPS - 0.5 - half
    over = np.clip(time / (half + EARLY) / 2 + 0.5, 0, 1)
    share = over * over * (3 - 2 * over)
    qpos = np.tile(HUMAN.rest, (len(time), 1))
    qpos[:, 3:7] = rotation.about(axis, 2 * np.pi * turns * share)
    middle = np.clip(1 - (time / (half + EARLY)) ** 2, 0, 1)
    for joint, angle in angles.items():
        qpos[:, 7 + HUMAN.joints.index(joint)] = angle * middle
    flight = np.clip(up - 9.81 * time**2 / 2, 0, None)
    qpos[:, 0] = ahead * np.clip(time / half / 2 + 0.5, 0, 1)
    lowest = clearance(HUMAN, qpos).min(axis=1)
    qpos[:, 2] += np.where(flight > 0, np.maximum(flight, 0.05 - lowest), -lowest) if up else -lowest
    return BodyClip("humanoid", FPS, qpos, name)
