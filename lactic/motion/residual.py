"""What a motion lost on its way onto a body."""

from dataclasses import dataclass, field

import numpy as np

from lactic.motion import ground
from lactic.motion.body_clip import BodyClip
from lactic.motion.roles import SIDES


@dataclass(frozen=True)
class Residual:
    """How far the body's motion is from the clip's; angles in radians, lengths in metres."""

    direction_mean: float
    """Mean angle between limb directions of clip and body."""
    direction_max: float
    worst: str
    """Where the largest angle is: limb and frame."""
    position_mean: float
    """Mean distance of hands and feet from the clip's, both seen from the hips and scaled by leg length."""
    position_max: float
    clipped: dict[str, int] = field(default_factory=dict)
    """Frames at a joint limit, by joint; on the humanoid by group of joints, and with the limb two degrees off."""
    frames: int = 0
    scale: float = 1.0
    """Leg length of the body over that of the clip's skeleton."""
    lifted: float = 0.0
    """Largest upward correction that kept the body above the floor."""
    lowest_foot: float = 0.0
    """Lowest point of a foot over the whole clip."""


def residual(
    result: BodyClip,
    angles: dict[str, np.ndarray],
    parts: dict[str, int],
    there: np.ndarray,
    roles: dict[str, int],
    scale: float,
    lifted: float,
    clipped: dict[str, int],
) -> Residual:
    """How far a clip on a body is from joints that are `there` (frame, joint, 3): limbs off by `angles` (frame,);
    `parts` and `roles` say which rigid body and which joint plays which role."""
    everything = np.stack(list(angles.values()))
    limb, frame = np.unravel_index(np.argmax(everything), everything.shape)
    here, _ = result.positions()
    own, wished = (
        points - (points[:, [index["left_thigh"]]] + points[:, [index["right_thigh"]]]) / 2
        for points, index in ((here, parts), (there, roles))
    )
    ends = [f"{side}_{end}" for side in SIDES for end in ("hand", "foot")]
    apart = [
        np.linalg.norm(own[:, parts[end]] - scale * wished[:, roles[end]], axis=-1)
        for end in ends
        if end in parts and end in roles
    ]
    feet = [result.body.bodies.index(name) for name in result.body.feet]
    return Residual(
        direction_mean=float(everything.mean()),
        direction_max=float(everything.max()),
        worst=f"{list(angles)[limb]} in frame {frame}",
        position_mean=float(np.mean(apart)),
        position_max=float(np.max(apart)),
        clipped=clipped,
        frames=result.frames,
        scale=float(scale),
        lifted=lifted,
        lowest_foot=float(ground.clearance(result.body, result.qpos)[:, feet].min()),
    )


def at_limit(result: BodyClip) -> np.ndarray:
    """Which hinges are at the end of their range, (frame, joint)."""
    low, high = result.body.range.T
    return (result.qpos[:, 7:] <= low + 1e-6) | (result.qpos[:, 7:] >= high - 1e-6)
