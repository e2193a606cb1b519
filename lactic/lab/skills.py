"""The skills of cheema2023: which clip, what counts as a repetition, and which quantity fatigue takes away."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lactic.lab import measure
from lactic.lab.events import Phases
from lactic.lab.take import Take

HOP_HEIGHT = 0.03
"""A flight higher than this is a hop, m."""


@dataclass(frozen=True)
class MeasuredSkill:
    """What to look for in a skill's motion."""

    name: str
    clip: str
    repetitions: Callable[[Take], Phases]
    column: str | None = None
    """Its column in the paper's Table 1."""
    travels: bool = False
    """Whether speed is what it is about."""
    lowered: tuple[str, ...] = ()
    """What fatigue lowers, as the paper says in its Figs. 12 to 14."""


def step_phases(take: Take) -> Phases:
    """Landings of feet as phases of one frame."""
    found = measure.steps(take)
    return Phases(found.episode, found.frame, found.frame + 1)


def hops(take: Take) -> measure.Flights:
    """Flights of an upright body."""
    found = measure.flights(take)
    own = (found.height > HOP_HEIGHT) & (found.least(take.up) > 0.5)
    return measure.Flights(*(column[own] for column in vars(found).values()))


def backflips(take: Take) -> Phases:
    """Full turns backward."""
    return measure.turns(take.qpos[..., 3:7], take.alive, take.fps).of("backward")


def cartwheels(take: Take) -> Phases:
    """Full turns to either side."""
    return measure.turns(take.qpos[..., 3:7], take.alive, take.fps).of("left", "right")


SKILLS = {
    skill.name: skill
    for skill in (
        MeasuredSkill("run", "run", step_phases, "Locomot.", travels=True, lowered=("speed",)),
        MeasuredSkill("walk", "walk", step_phases, "Locomot.", travels=True, lowered=("speed",)),
        MeasuredSkill("hop", "hop", hops, "Hopping", lowered=("length", "height")),
        MeasuredSkill("cartwheel", "cartwheel", cartwheels, "Cartwh.", lowered=("repetitions_per_minute",)),
        MeasuredSkill("backflip", "backflip", backflips, "Backflip", lowered=("repetitions_per_minute",)),
        MeasuredSkill("kick", "spinkick", measure.kicks, "360 Kick", lowered=("height", "jump")),
        MeasuredSkill("pace", "run_amp", step_phases, travels=True, lowered=("speed",)),
    )
}
FIVE = ("backflip", "cartwheel", "hop", "run", "kick")
"""The five skills of the paper, in the order of its Table 1."""


def event_values(found: Phases) -> dict[str, np.ndarray]:
    """The measured quantities of repetitions: height, length, jump … where they have them."""
    base = ("episode", "start", "end", "kind", "middle", "turned")
    return {name: values for name, values in vars(found).items() if name not in base}


def in_third(found: Phases, frames: int, third: int) -> np.ndarray:
    """Which events have their middle in the first (0), second or last (2) third of so many frames.

    By the middle, so that events cut off by the start and by the end cost the first and last third alike.
    """
    return (3 * (found.start + found.end) // (2 * frames)) == third
