"""Functions of one coordinate as OpenSim files write them: constant, linear, cubic spline, any of them scaled.

Each is one table of cubic pieces, so geometry evaluates all of them alike.
"""

from dataclasses import dataclass

import numpy as np

from lactic.muscle.osim_xml import Element


@dataclass(frozen=True)
class Curve:
    """y = c0 + c1·u + c2·u² + c3·u³ with u = x − start, where piece k lies between knots k − 1 and k."""

    knots: np.ndarray  # (n,)
    start: np.ndarray  # (n + 1,)
    coefficients: np.ndarray  # (n + 1, 4)

    @property
    def constant(self) -> float | None:
        """Its value where that never changes."""
        return float(self.coefficients[0, 0]) if len(self.knots) == 0 and not self.coefficients[0, 1:].any() else None

    def __call__(self, x: np.ndarray | float) -> np.ndarray:
        """Values at x."""
        piece = np.searchsorted(self.knots, x)
        u, c = x - self.start[piece], self.coefficients[piece]
        return c[..., 0] + u * (c[..., 1] + u * (c[..., 2] + u * c[..., 3]))

    def scaled(self, factor: float) -> "Curve":
        """The same curve with all values multiplied."""
        return Curve(self.knots, self.start, self.coefficients * factor)


def linear(slope: float, offset: float) -> Curve:
    """y = slope·x + offset."""
    return Curve(np.zeros(0), np.zeros(1), np.array([[offset, slope, 0.0, 0.0]]))


def spline(x: np.ndarray, y: np.ndarray) -> Curve:
    """The cubic spline of Forsythe, Malcolm & Moler 1977 (SimmSpline), linear beyond its ends.

    Its third derivative at an end is that of the cubic through the four points there; three points have none.
    """
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    matrix, right = np.zeros((n, n)), np.zeros(n)  # unknown: a sixth of the second derivative at each knot
    for i in range(1, n - 1):
        matrix[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        right[i] = slope[i] - slope[i - 1]
    matrix[0, :2], matrix[-1, -2:] = (-1.0, 1.0), (1.0, -1.0)
    if n > 3:
        second = np.diff(slope) / (x[2:] - x[:-2])
        third = np.diff(second) / (x[3:] - x[:-3])  # divided differences
        right[0], right[-1] = h[0] * third[0], -h[-1] * third[-1]
    if n == 2:
        matrix = np.eye(2)
    sixth = np.linalg.solve(matrix, right)
    table = np.zeros((n + 1, 4))
    table[1:n] = np.stack([y[:-1], slope - h * (sixth[1:] + 2 * sixth[:-1]), 3 * sixth[:-1], np.diff(sixth) / h], 1)
    table[0, :2] = y[0], table[1, 1]
    table[n, :2] = y[-1], slope[-1] + h[-1] * (sixth[-2] + 2 * sixth[-1])
    return Curve(x, np.concatenate([x[:1], x]), table)


def read_curve(holder: Element) -> Curve:
    """The function inside an element, as <SimmSpline> or <function><SimmSpline>."""
    inner = holder.maybe("function")
    if inner is not None:
        return read_curve(inner)
    found = holder.maybe("Constant", "LinearFunction", "SimmSpline", "MultiplierFunction")
    if found is None:
        kinds = ", ".join(child.tag for child in holder.children() if child.tag not in ("coordinates", "axis"))
        holder.fail(
            f"function {kinds or '(none)'} is not known here; known are Constant, LinearFunction, SimmSpline and "
            "MultiplierFunction"
        )
    if found.tag == "Constant":
        return linear(0.0, found.number("value"))
    if found.tag == "LinearFunction":
        slope, offset = found.numbers("coefficients", 2)
        return linear(slope, offset)
    if found.tag == "MultiplierFunction":
        return read_curve(found).scaled(found.number("scale", 1.0))
    x, y = np.array(found.numbers("x")), np.array(found.numbers("y"))
    if len(x) != len(y) or len(x) < 2:
        found.fail(f"needs as many y as x, two or more, and has {len(x)} x and {len(y)} y")
    if (np.diff(x) <= 0).any():
        found.fail("its x must rise from each to the next")
    return spline(x, y)
