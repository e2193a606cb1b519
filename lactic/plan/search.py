"""From a task to its best motion: coarse searches from several guesses, then the best of them on all nodes."""

import time
from dataclasses import dataclass, replace

import numpy as np

from lactic.errors import InputError
from lactic.plan.drive import Drive
from lactic.plan.problem import Scheme
from lactic.plan.solve import Say, Solution, solve
from lactic.plan.tasks import PRODUCT, SETTINGS, Task, flight, guesses, held_phase

COARSE = {"jump": 40, "swing": 100, "reach": 120}
FEWEST = 10
SLACK = (0.0, 0.5)
"""rad: flights are sought within the joints' range, then a little beyond."""


@dataclass(frozen=True)
class Plan:
    """A motion in two phases: held (on the ground, at the bar) and in flight."""

    task: Task
    drive: Drive
    scheme: Scheme
    held: Solution
    """Its iterations and seconds are those of the last search."""
    seconds: float
    """That the held phase lasts."""
    searched: list[Solution]
    """All searches of the held phase, the last one included."""
    flown: Solution | None = None
    airborne: float = 0.0
    """Seconds of the flight."""
    slack: float = 0.0
    """rad by which joints went beyond their range in the flight, at most."""

    @property
    def solving(self) -> float:
        """Seconds that all searches of the held phase took, as the paper counts (Table 1)."""
        return sum(s.seconds for s in self.searched)

    @property
    def cpu(self) -> float:
        """Seconds of processors' time that took."""
        return sum(s.cpu for s in self.searched)

    @property
    def iterations(self) -> int:
        """Of all searches of the held phase."""
        return sum(s.iterations for s in self.searched)


def best_plan(
    task: Task,
    drive: Drive,
    nodes: int | None = None,
    scheme: Scheme = "trapezoid",
    say: Say | None = None,
    fly: bool = True,
    product: float = PRODUCT,
    within: float = np.inf,
) -> Plan:
    """The best motion found; InputError where there is none, or none `within` so many seconds of searching."""
    nodes = nodes or SETTINGS[task].nodes
    if not FEWEST <= nodes <= 2000:
        raise InputError(f"nodes {nodes}: must be between {FEWEST} and 2000")
    coarse = held_phase(task, drive, min(COARSE[task], nodes), scheme, product)
    tried: list[Solution] = []
    begun, found = time.perf_counter(), guesses(task, coarse)
    for k, guess in enumerate(found):
        if task == "jump" and tried:
            break
        try:  # each guess has its share of the time, and the refinement the rest
            tried.append(solve(replace(coarse, start=guess), say, until=begun + within * (k + 1) / (len(found) + 1)))
        except InputError as error:
            last = error
    if not tried:
        raise last
    best = min(tried, key=lambda s: s.objective)
    if nodes > coarse.nodes:
        fine = held_phase(task, drive, nodes, scheme, product)
        best = solve(replace(fine, start=resampled(best.nodes, nodes)), say, warm=True, until=begun + within)
        tried.append(best)
    plan = Plan(task, drive, scheme, best, coarse.seconds, tried)
    if not fly:
        return plan
    for slack in SLACK:
        aloft = flight(task, drive, best.nodes[-1], scheme, slack)
        try:
            flown = solve(aloft, say, most=400, until=begun + within)
            return replace(plan, flown=flown, airborne=aloft.seconds, slack=slack)
        except InputError:
            continue
    return plan


def resampled(values: np.ndarray, count: int) -> np.ndarray:
    """The same motion with another number of nodes."""
    old, new = np.linspace(0, 1, len(values)), np.linspace(0, 1, count)
    return np.stack([np.interp(new, old, column) for column in values.T], 1)
