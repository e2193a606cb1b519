"""Numbers said in words: what a fitness means for somebody who holds something, and names people read."""

import math

import numpy as np

from lactic import fatigue
from lactic.fatigue import PRESETS, RULE_SAYS, Fitness

AND = " · "
"""Between a name in a list and what is said of it."""


def duration(seconds: float) -> str:
    """A time as people say it: 0.8 s, 58 s, 4 min 20 s, 2 h, for ever."""
    if math.isinf(seconds):
        return "for ever"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    if seconds < 3570:
        minutes, rest = divmod(round(seconds / 5) * 5, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{seconds / 3600:.1f} h" if seconds < 35000 else f"{seconds / 3600:.0f} h"


def meaning(fitness: Fitness) -> str:
    """What F, R, r and the time scale amount to, in a sentence or two."""
    rows = list((fitness.joints or {"": fitness}).values())
    F, R, r, L = np.array([(row.F, row.R, row.r, row.L) for row in rows]).T
    scale = fitness.time_scale
    if not (F > 0).any():
        return "Never tires."
    held = fatigue.endurance_time(F * scale, R * scale, 0.5, L * scale)
    ever = fatigue.endurance_limit(F, R)
    said = f"Holds half its strength {_span(held)}; {_share(ever)}."
    recovery = R * r * scale
    if (recovery > 0).any():
        back = math.log(2) / np.where(recovery > 0, recovery, np.nan)
        said += f" At rest, half of what was lost is back in {_range(float(np.nanmin(back)), float(np.nanmax(back)))}."
    else:
        said += " What is lost never comes back."
    return said


def _span(seconds: np.ndarray) -> str:
    low, high = float(seconds.min()), float(seconds.max())
    return "for ever" if math.isinf(low) else f"for {_range(low, high)}"


def _range(low: float, high: float) -> str:
    """One time, or two where they differ, the unit said once if it is the same."""
    first, last = duration(low), duration(high)
    if first == last:
        return last
    if first.split()[1:] == last.split()[1:]:
        first = first.split()[0]
    return f"{first} to {last}"


def _share(share: np.ndarray) -> str:
    low, high = f"{100 * share.min():.0f}", f"{100 * share.max():.0f}"
    if high == "0":
        return "nothing for ever"
    return f"{high} % for ever" if low == high else f"{low} to {high} % for ever, joint by joint"


def fitness_name(fitness: Fitness, tires: bool = True) -> str:
    """A fitness in a few characters: its preset, and its time scale where that is another."""
    if not tires:
        return "does not tire"
    usual = PRESETS[fitness.name].time_scale if fitness.name in PRESETS else 1.0
    return fitness.name if fitness.time_scale == usual else f"{fitness.name} ×{fitness.time_scale:g}"


def listed(name: str, about: str) -> str:
    """An entry of a list: a name and a sentence about it."""
    return f"{name}{AND}{about}" if about else name


def name_of(entry: str) -> str:
    """The name in an entry of a list."""
    return entry.partition(AND)[0]


def preset_entry(name: str) -> str:
    """A preset in a list: what it is, and when its rest multiplier counts where it has one."""
    fitness = PRESETS[name]
    rule = f"; {RULE_SAYS[fitness.rule]}" if fitness.r not in (0.0, 1.0) else ""
    return listed(name, fitness.about + rule)
