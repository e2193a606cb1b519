"""The skills of cheema2023: which clip, what counts as a repetition, and which quantity fatigue takes away."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lactic.lab import gait, measure
from lactic.lab.events import Phases
from lactic.lab.take import Take

HOP_HEIGHT = 0.03
"""A flight higher than this is a hop, m."""


@dataclass(frozen=True)
class Skill:
    """What to look for in a skill's motion."""

    name: str
    clip: str
    repetitions: Callable[[Take], Phases]
    unit: str
    """What one repetition is."""
    survival: float = 0.95
    """Share of fresh episodes that shall stand for 20 s."""
    column: str | None = None
    """Its column in the paper's Table 1."""
    travels: bool = False
    """Whether speed is what it is about."""
    lowered: tuple[str, ...] = ()
    """What fatigue lowers, as the paper says in its Figs. 12 to 14."""


def step_phases(take: Take) -> Phases:
    """Landings of feet as phases of one frame."""
    found = gait.steps(take)
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
        Skill("run", "run", step_phases, "step", 0.98, "Locomot.", travels=True, lowered=("speed",)),
        Skill("walk", "walk", step_phases, "step", 0.98, "Locomot.", travels=True, lowered=("speed",)),
        Skill("hop", "hop", hops, "hop", 0.98, "Hopping", lowered=("length", "height")),
        Skill("cartwheel", "cartwheel", cartwheels, "cartwheel", 0.95, "Cartwh.", lowered=("repetitions_per_minute",)),
        Skill("backflip", "backflip", backflips, "backflip", 0.90, "Backflip", lowered=("repetitions_per_minute",)),
        Skill("kick", "spinkick", measure.kicks, "kick", 0.95, "360 Kick", lowered=("height", "jump")),
        Skill("pace", "run_amp", step_phases, "step", travels=True, lowered=("speed",)),
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


def mean_by_episode(found: Phases, values: np.ndarray, episodes: int, chosen: np.ndarray | None = None) -> np.ndarray:
    """Mean of the events' values in each episode, (episode,); NaN where there are none."""
    own = np.ones(len(found), bool) if chosen is None else chosen
    count = np.bincount(found.episode[own], minlength=episodes)
    total = np.bincount(found.episode[own], weights=values[own], minlength=episodes)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
