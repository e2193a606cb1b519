"""Which way is up in a file, and how its skeleton stands at rest."""

from dataclasses import replace
from typing import Any

import numpy as np

from lactic import rotation
from lactic.motion.clip import Clip
from lactic.motion.roles import SIDES, leg_length

UPRIGHT = 0.8  # cosine
STILL = 1e-6  # of a quaternion's numbers: what changes less does not turn
ON_FLOOR = (-0.05, 0.3)  # lowest joint of a body that lies, in leg lengths
TOE_SLOPE = 0.4  # how far toes are below the ankle for each unit ahead: 0.3 in the CMU library, 0.5 in SMPL


def held(clip: Clip, roles: dict[str, int]) -> Clip:
    """The clip, its rest pose as joints above the hips hold it that never turn, if it stands up by that: an armature
    whose root turns z up to y up."""
    rest, j = clip.rest.copy(), clip.parents[roles["pelvis"]]
    while j >= 0:
        if np.ptp(clip.rotations[:, j], axis=0).max() < STILL:
            rest[j] = clip.rotations[0, j]
        j = clip.parents[j]
    still = replace(clip, rest=rest)
    return still if _rest_up(still, roles) == "y" else clip


def _upright(at: np.ndarray, roles: dict[str, int]) -> np.ndarray:
    """Mean direction of trunk and legs (frame, 3): 1 long where they are in line."""
    feet, hips, shoulders = (
        (at[:, roles[f"left_{part}"]] + at[:, roles[f"right_{part}"]]) / 2 for part in ("foot", "thigh", "upper_arm")
    )
    return (rotation.normalize(shoulders - hips) + rotation.normalize(hips - feet)) / 2


def _rest_up(clip: Clip, roles: dict[str, int]) -> str:
    """The axis that points up in the rest pose, '' if it is no upright pose of a person."""
    at = clip.rest_globals()[0]
    hips, shoulders = (
        rotation.normalize(at[roles[f"left_{part}"]] - at[roles[f"right_{part}"]]) for part in ("thigh", "upper_arm")
    )
    y, z = _upright(at[None], roles)[0, 1:] * (hips @ shoulders > UPRIGHT)
    return "y" if y > UPRIGHT else "z" if z > UPRIGHT else ""


def up_axes(clip: Clip, roles: dict[str, int]) -> tuple[str, str, int]:
    """The axis that points up in the motion, that of the rest pose ('' if not upright), and the most upright frame."""
    rest = _rest_up(clip, roles)
    at = clip.globals()[0]
    moving = _upright(at, roles)
    y, z = moving.mean(axis=0)[1:]
    up = "z" if z > y else "y"
    if rest and rest != up:
        # does it lie down, or has its world another axis? a body that lies down is on the floor
        low = at[..., " yz".index(rest)].min() / leg_length(clip, roles)
        up = rest if max(y, z) < UPRIGHT or ON_FLOOR[0] < low < ON_FLOOR[1] else up
    return up, rest, int(np.argmax(moving[:, " yz".index(up)]))


def stood(rest: np.ndarray, clip: Clip, roles: dict[str, int]) -> np.ndarray:
    """A pose (joint, 4) of the clip as people stand: the trunk above the hips and square to them, the head held as it
    mostly is, soles flat."""
    rest = _feet_flat(rest, clip, roles)
    at, turned = replace(clip, rest=rest).rest_globals()
    across = rotation.normalize((at[roles["left_thigh"]] - at[roles["right_thigh"]]) * [1.0, 1.0, 0.0])
    square = _frame(across, np.array([0.0, 0.0, 1.0]))
    hips, shoulders = ((at[roles[f"left_{part}"]] + at[roles[f"right_{part}"]]) / 2 for part in ("thigh", "upper_arm"))
    wanted = {roles[f"{side}_thigh"]: turned[roles[f"{side}_thigh"]] for side in SIDES}
    for role, part in (("torso", "upper_arm"), ("pelvis", "thigh")):  # where one joint is both, it is the pelvis
        leans = _frame(at[roles[f"left_{part}"]] - at[roles[f"right_{part}"]], shoulders - hips)
        back = rotation.multiply(square, rotation.conjugate(leans))
        wanted[roles[role]] = rotation.multiply(back, turned[roles[role]])
    if "head" in roles:
        wanted[roles["head"]] = rotation.multiply(square, _mostly(clip, roles, roles["head"]))
    world: list[Any] = []
    for j, parent in enumerate(clip.parents):
        above = world[parent] if parent >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
        world.append(wanted.get(j, rotation.multiply(above, rest[j])))
        rest[j] = rotation.multiply(rotation.conjugate(above), world[j])
    return rest


def _mostly(clip: Clip, roles: dict[str, int], joint: int) -> np.ndarray:
    """How a joint is turned on average, seen from where the hips face, while the body is upright."""
    at, turned = clip.globals()
    across = (at[:, roles["left_thigh"]] - at[:, roles["right_thigh"]]) * [1.0, 1.0, 0.0]
    up = np.broadcast_to([0.0, 0.0, 1.0], across.shape)
    seen = rotation.multiply(rotation.conjugate(_frame(across, up)), turned[:, joint])
    above = _upright(at, roles)[:, 2]
    seen = seen[above >= min(UPRIGHT, float(above.max()))]
    return np.linalg.eigh(seen.T @ seen)[1][:, -1]  # the same for q and -q


def _frame(left: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The rotation (..., 4) that takes y to `left`, and z as near to `up` as can be."""
    y = rotation.normalize(left)
    x = rotation.normalize(rotation.cross(y, up))
    return rotation.from_matrix(np.stack([x, y, rotation.cross(x, y)], axis=-1))


def _feet_flat(rest: np.ndarray, clip: Clip, roles: dict[str, int]) -> np.ndarray:
    """The pose with the feet turned until their toes are as low as in a person that stands."""
    at, turned = replace(clip, rest=rest).rest_globals()
    for foot, toe in ((roles[f"{side}_foot"], roles.get(f"{side}_toe")) for side in SIDES):
        if toe is not None:
            ahead = at[toe] - at[foot]
            flat = np.array([ahead[0], ahead[1], -TOE_SLOPE * np.hypot(ahead[0], ahead[1])])
            level = rotation.multiply(rotation.between(ahead, flat), turned[foot])
            rest[foot] = rotation.multiply(rotation.conjugate(turned[clip.parents[foot]]), level)
    return rest
