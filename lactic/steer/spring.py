"""A critically damped spring in closed form: f_crit of bergamin2020, Sec. 5.1.1."""

from math import exp

from lactic.compiling import njit


@njit(cache=True)
def track(x: float, v: float, goal: float, alpha: float, t: float) -> tuple[float, float]:
    """f¹ and f²: value and rate, t seconds on, of what a spring of natural frequency `alpha` pulls to a fixed goal."""
    decay = exp(-alpha * t)
    c = v + alpha * (x - goal)
    return goal + (x - goal + c * t) * decay, (v - c * alpha * t) * decay


@njit(cache=True)
def travel(v: float, a: float, goal: float, alpha: float, t: float) -> float:
    """f⁰: how far one gets in t seconds while a spring pulls the velocity v (rate a) to `goal`."""
    decay = exp(-alpha * t)
    c = a + alpha * (v - goal)
    return goal * t + (v - goal) * (1 - decay) / alpha + c * (1 - (alpha * t + 1) * decay) / (alpha * alpha)
