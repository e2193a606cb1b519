"""Walks that were followed to their end, with what the body and the motion did: for items that look at how they are
done."""

from dataclasses import dataclass

import numpy as np

from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.fatigue import Fitness
from lactic.lab.tired_actor.following import WEAK, Followed, follow
from lactic.lab.trial import OFF
from lactic.motion.body_clip import BodyClip
from lactic.play.tracked import Tracked

SECONDS = 6.0
STEP = 0.1
"""Metres along the way by which a foot leads at least for a step to count."""
LEVELS: tuple[tuple[str, Fitness | None, float], ...] = (
    *((f"MF {spent:.0%}", None, spent) for spent in (0.0, 0.5, 0.8, 0.9, 0.95)),
    (f"{WEAK:.0%} torque", OFF, 1.0 - WEAK),
)
"""Names, fitness (None: the brain's own) and MF at the start; the last is a body that is weak and does not tire."""


@dataclass
class Walk:
    """What a body did and what its motion did meanwhile, (frame, …) each."""

    number: int
    """Of the clip."""
    done: bool
    """Whether it was followed to its end."""
    qpos: np.ndarray
    qvel: np.ndarray
    xpos: np.ndarray
    spent: np.ndarray
    """MF, (frame, joint)."""
    aim_qpos: np.ndarray
    aim_qvel: np.ndarray
    aim_xpos: np.ndarray


def walk(
    folder: BrainFolder,
    clips: list[BodyClip],
    fitness: Fitness | None,
    spent: float,
    joints: list[str] | None = None,
    only: int | None = None,
) -> tuple[Followed, list[Walk]]:
    """Follow clips strictly and record them (or `only` one of them) until each is lost; `joints` (all where None) are
    fatigued by `spent` at first."""
    seen: dict[int, list[tuple[np.ndarray, ...]]] = {}

    def each(driver: Tracked, chosen: list[int], live: np.ndarray) -> None:
        world, aim, tired = driver.player.world, driver.moment(), driver.player.fatigue[..., 2]
        states = (world.qpos, world.qvel, world.xpos, tired, aim.qpos, aim.qvel, aim.xpos)
        for k in np.flatnonzero(live):
            if only is None or chosen[k] == only:
                seen.setdefault(chosen[k], []).append(tuple(state[k].copy() for state in states))

    found = follow(folder, clips, fitness, spent, joints=joints, each=each)
    walks = []
    for i, frames in sorted(seen.items()):
        columns = [np.stack(column) for column in zip(*frames, strict=True)]
        walks.append(Walk(i, bool(found.success[i]), *columns))
    return found, walks


def step_length(xpos: np.ndarray, body: Body) -> float:
    """Mean length of the steps of a walk (frame, body, 3), m: how far the feet are apart along the way where they are
    farthest, without the first and last step, of which only a part may be there; NaN where there are none."""
    way = xpos[-1, 0, :2] - xpos[0, 0, :2]
    left, right = (xpos[:, body.bodies.index(name), :2] for name in body.feet)
    apart = (left - right) @ (way / max(float(np.linalg.norm(way)), 1e-9))
    ahead = np.sign(apart[np.abs(apart) > STEP])  # which foot leads, where one does: feet that pass each other tremble
    far = np.abs(apart[np.abs(apart) > STEP])
    steps = np.split(far, np.flatnonzero(np.diff(ahead)) + 1)[1:-1]
    return float(np.mean([step.max() for step in steps])) if steps else np.nan
