"""Made-up locomotion of the humanoid: legs that swing, a root that travels on a circle."""

import numpy as np

from lactic import body, rotation
from lactic.motion import ground
from lactic.motion.body_clip import BodyClip


def stroll(
    seconds: float = 4.0,
    speed: float = 1.2,
    turn: float = 0.0,
    sideways: float = 0.0,
    knees: float = 0.0,
    fps: float = 60.0,
    heading: float = 0.3,
    phase: float = 0.0,
    name: str = "stroll",
) -> BodyClip:
    """Travel at `speed`, `sideways` radians off the heading, which turns at `turn` rad/s, on `knees` that stay bent."""
    human = body.get("humanoid")
    t = np.arange(round(seconds * fps) + 1) / fps
    qpos = np.tile(human.rest, (len(t), 1))
    yaw = heading + turn * t
    way = yaw + sideways
    step = speed * np.stack([np.cos(way), np.sin(way)], axis=1) / fps
    qpos[:, :2] = np.concatenate([[[0.0, 0.0]], np.cumsum((step[1:] + step[:-1]) / 2, axis=0)])
    qpos[:, 3:7] = rotation.about("z", yaw)
    swing = min(speed, 3.0) * 0.3 * np.sin(2 * np.pi * (0.6 + 0.3 * speed) * t + phase)
    for side, sign in (("right", 1.0), ("left", -1.0)):
        hip, knee, ankle = sign * swing - knees, np.abs(swing) + 2 * knees, -sign * swing / 4 - knees
        for joint, angle in (("hip_y", hip), ("knee", knee), ("ankle_y", ankle)):
            low, high = human.range[human.joints.index(f"{side}_{joint}")]
            qpos[:, 7 + human.joints.index(f"{side}_{joint}")] = np.clip(angle, low, high)
    qpos, _ = ground.stand(human, qpos, fps)
    return BodyClip("humanoid", fps, qpos, name)


def strolls(count: int = 10, seed: int = 0, seconds: float = 6.0) -> list[BodyClip]:
    """Walks, runs and crouched walks of many speeds, turns and directions."""
    draw = np.random.default_rng(seed)
    clips = []
    for k in range(count):
        fast, low = k % 4 == 1, k % 4 == 3
        speed = draw.uniform(2.6, 4.0) if fast else draw.uniform(0.1, 0.9) if low else draw.uniform(0, 1.6)
        clips.append(
            stroll(
                seconds,
                speed,
                draw.uniform(-1, 1),
                draw.uniform(-3, 3) if k % 2 == 0 else 0.0,
                0.7 if low else 0.0,
                heading=draw.uniform(-3, 3),
                phase=draw.uniform(0, 6),
                name=f"stroll{k}",
            )
        )
    return clips
