"""Skills of the studio: brains that were found, read and tried, with what they do while nobody steers."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lactic import fatigue
from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainFile
from lactic.fatigue import Fitness
from lactic.motion import BodyClip
from lactic.muscle.man.musculature import musculature
from lactic.picture.muscles import has_muscles
from lactic.picture.plots import spoken
from lactic.play.fall import FallRule
from lactic.play.programme import Programme
from lactic.play.velocity import takes_velocity
from lactic.steer.matching import Database

QUICK, SLOW = 2.0, 20.0
"""Seconds of holding half its strength between which tiring is neither missed nor awaited in vain."""
SLOWED, HASTENED = 0.5, 20.0
"""Time scale at which quicker and slower bodies open."""
LEGS = (
    (0.0, 1.4, 0.0),
    (3.0, 3.5, 0.0),
    (12.0, 3.0, 60.0),
    (17.0, 2.0, 120.0),
    (22.0, 1.2, 160.0),
    (27.0, 0.0, 0.0),
    (32.0, 1.3, 200.0),
    (37.0, 2.6, 240.0),
    (43.0, 1.2, 290.0),
    (49.0, 0.0, 0.0),
    (54.0, 1.4, 330.0),
)
"""The second at which each leg begins, its speed in m/s and its direction in degrees from +x to the left."""
TOUR_SECONDS = 60.0
"""Until the tour begins again."""


@dataclass(frozen=True)
class LoadedSkill:
    """A brain that was found, read and tried for a step, with what its params.yaml says of it."""

    folder: BrainFolder
    brain: BrainFile
    programme: Programme
    """What is asked of it while nobody says anything; it starts again when it is over."""
    fall: FallRule
    """Bodies that must stay above a height in metres."""
    database: Database | None = None
    """What the leader plays that it follows, if it follows one."""
    motion: BodyClip | None = None
    """What it follows, for minutes on end, if it follows motions."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def goes(self) -> bool:
        """Whether its command is a velocity over the floor."""
        return takes_velocity(self.brain.info)

    @property
    def led(self) -> bool:
        """Whether keys and gamepads steer it."""
        return self.goes or self.database is not None


def opening_fitness(info_fitness: str) -> Fitness:
    """The preset a brain was made for, at a time scale that suits somebody who watches, unless it names one itself."""
    fitness = fatigue.preset(info_fitness)
    holds = float(fatigue.endurance_time(fitness.F * fitness.time_scale, fitness.R * fitness.time_scale, 0.5))
    if QUICK <= holds <= SLOW or math.isinf(holds) or fitness.time_scale != 1:
        return fitness
    return fitness.altered(time_scale=SLOWED if holds < QUICK else HASTENED)


def tour() -> Programme:
    """What one that goes where it is asked does while nobody steers: walk, run, turn, stop, set out again."""
    rows = []
    for second, speed, degrees in LEGS:
        way = math.radians(degrees)
        rows.append((second, speed * math.cos(way), speed * math.sin(way)))
    return Programme.of(rows, 2, clock="real", seconds=TOUR_SECONDS)


def regions(body: Body) -> dict[str, tuple[str, ...]]:
    """The body's regions, pairs of limbs together, and all of it; of the muscle man each muscle too, by its name."""
    found = {"whole body": body.joints, **body.regions}
    for pair in ("legs", "arms"):
        parts = [body.regions.get(f"{side} {pair[:-1]}", ()) for side in ("left", "right")]
        if all(parts):
            found[pair] = parts[0] + parts[1]
    if has_muscles(body):
        found |= {name: tuple(body.joints[k] for k in own) for name, own in sorted(musculature().whole.items())}
    return found


@dataclass(frozen=True, eq=False)
class BodyParts:
    """What is read out of a body: its joints, or whole muscles of which each may be several strands."""

    names: tuple[str, ...]
    """As people say them."""
    keys: tuple[str, ...]
    shares: np.ndarray
    """(part, joint): which joints or strands a part is made of, by strength; a row adds up to 1."""


@lru_cache(maxsize=4)  # those on stage: every actor has a body of its own, which must not stay when it leaves
def body_parts(body: Body) -> BodyParts:
    """The parts of a body."""
    if not has_muscles(body):
        return BodyParts(tuple(map(spoken, body.joints)), body.joints, np.eye(len(body.joints)))
    whole = musculature().whole
    shares = np.zeros((len(whole), len(body.joints)))
    for row, own in zip(shares, whole.values(), strict=True):
        row[list(own)] = body.torque_limit[list(own)] / body.torque_limit[list(own)].sum()
    return BodyParts(tuple(whole), tuple(whole), shares)
