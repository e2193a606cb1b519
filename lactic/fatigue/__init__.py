"""Fatigue: strength that runs out with use and comes back with rest; pure functions on NumPy or torch arrays."""

from lactic.fatigue.endurance import endurance_limit, endurance_time
from lactic.fatigue.fitness import DEFAULT, PRESETS, QUICK, RULE_SAYS, Fitness, fitness_rows, preset, rates
from lactic.fatigue.law import RULES, Rule, advance, fresh, residual_capacity, step, track, uniform

__all__ = [
    "DEFAULT",
    "PRESETS",
    "QUICK",
    "RULES",
    "RULE_SAYS",
    "Fitness",
    "Rule",
    "advance",
    "endurance_limit",
    "endurance_time",
    "fitness_rows",
    "fresh",
    "preset",
    "rates",
    "residual_capacity",
    "step",
    "track",
    "uniform",
]
