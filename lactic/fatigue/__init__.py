"""Fatigue: strength that runs out with use and comes back with rest; pure functions on NumPy or torch arrays."""

from lactic.fatigue.endurance import endurance_limit, endurance_time, endurance_time_simulated
from lactic.fatigue.fitness import DEFAULT, PRESETS, QUICK, RULE_SAYS, Fitness, fitness_rows, preset, rates
from lactic.fatigue.initial import curve, exponential, exponential_rate, fresh, from_curve, uniform
from lactic.fatigue.law import RULES, Rule, residual_capacity, step, track

__all__ = [
    "DEFAULT",
    "PRESETS",
    "QUICK",
    "RULES",
    "RULE_SAYS",
    "Fitness",
    "Rule",
    "curve",
    "endurance_limit",
    "endurance_time",
    "endurance_time_simulated",
    "exponential",
    "exponential_rate",
    "fitness_rows",
    "fresh",
    "from_curve",
    "preset",
    "rates",
    "residual_capacity",
    "step",
    "track",
    "uniform",
]
