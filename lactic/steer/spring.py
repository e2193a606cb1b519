"""A critically damped spring in closed form: f_crit of bergamin2020, Sec. 5.1.1. Given by its half-life."""

from math import exp, log

from lactic.compiling import njit

HALF_WAY = 1.6783469900166612
"""x with (1 + x)·e^−x = ½: a spring of natural frequency α, let go, is half-way after x/α seconds."""
LN2 = log(2.0)
"""What decays at the rate β has halved after ln 2/β seconds."""


@njit(cache=True)
def track(x: float, v: float, goal: float, half_life: float, t: float) -> tuple[float, float]:
    """f¹ and f²: value and rate, t seconds on, of what a spring pulls to a fixed goal."""
    alpha = HALF_WAY / half_life
    decay = exp(-alpha * t)
    c = v + alpha * (x - goal)
    return goal + (x - goal + c * t) * decay, (v - c * alpha * t) * decay


@njit(cache=True)
def travel(v: float, a: float, goal: float, half_life: float, t: float) -> float:
    """f⁰: how far one gets in t seconds while a spring pulls the velocity v (rate a) to `goal`."""
    alpha = HALF_WAY / half_life
    decay = exp(-alpha * t)
    c = a + alpha * (v - goal)
    return goal * t + (v - goal) * (1 - decay) / alpha + c * (1 - (alpha * t + 1) * decay) / (alpha * alpha)
