"""Steps: when each foot comes down, how far, how fast, how high; and how unlike left and right are."""

from dataclasses import dataclass

import numpy as np

from lactic.lab.events import phases
from lactic.lab.take import Take

SWING = 0.1
"""Seconds a foot must have swung for its landing to be a step."""


@dataclass
class Steps:
    """Landings of feet, by episode, then time."""

    episode: np.ndarray
    frame: np.ndarray
    foot: np.ndarray
    """Index into the body's feet (the humanoid's: 0 right, 1 left)."""
    height: np.ndarray
    """Greatest height of the foot's joint in the swing before, m."""
    length: np.ndarray
    """Ground covered since the other foot's last landing, foot to foot, along the way, m; NaN for the first."""
    seconds: np.ndarray
    """Time since the other foot's last landing; NaN for the first."""


def steps(take: Take) -> Steps:
    """Every landing of a foot after a swing, while the episode counts."""
    found = []
    for foot, name in enumerate(take.body.feet):
        air = phases(~take.planted[..., foot] & take.alive, max(1, round(SWING * take.fps)), gap=1)
        landed = (air.end < np.minimum(len(take), take.fell_at[air.episode])) & (air.start > 0)
        air = air.where(landed)
        height = air.most(take.xpos[:, :, take.body.bodies.index(name), 2])
        found.append(np.stack([air.episode, air.end, np.full(len(air), foot), height], 1))
    table = np.concatenate(found)
    table = table[np.lexsort((table[:, 1], table[:, 0]))]
    episode, frame, foot = table[:, :3].astype(int).T
    length, seconds = np.full(len(table), np.nan), np.full(len(table), np.nan)
    where = np.array(take.columns(take.body.feet))
    place = take.xpos[frame, episode, where[foot], :2]
    # the step before, if it was another foot's in the same episode
    before = np.arange(1, len(table)) - 1
    other = (episode[1:] == episode[:-1]) & (foot[1:] != foot[:-1])
    now, before = np.arange(1, len(table))[other], before[other]
    way = take.qpos[frame[now], episode[now], :2] - take.qpos[frame[before], episode[before], :2]
    way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-6)
    length[now] = ((place[now] - place[before]) * way).sum(1)
    seconds[now] = (frame[now] - frame[before]) / take.fps
    return Steps(episode, frame, foot, table[:, 3], length, seconds)


def asymmetry(steps: Steps, values: np.ndarray, episodes: int, left: int = 1, right: int = 0) -> np.ndarray:
    """(L − R)/mean of L and R of a quantity of the steps, per episode; 0 if even, NaN where a side is missing."""
    sides = []
    for foot in (left, right):
        own = (steps.foot == foot) & np.isfinite(values)
        count = np.bincount(steps.episode[own], minlength=episodes)
        total = np.bincount(steps.episode[own], weights=values[own], minlength=episodes)
        sides.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
    return (sides[0] - sides[1]) / (0.5 * (sides[0] + sides[1]))
