"""What a character that goes where it is asked does while nobody steers: walk, run, turn, stop, set out again."""

import math

from lactic.play.programme import Programme

LEGS = (
    (0.0, 1.4, 0.0), (4.0, 3.5, 0.0), (15.0, 3.0, 50.0), (20.0, 2.2, 110.0), (25.0, 1.3, 150.0), (29.0, 0.0, 0.0),
    (37.0, 1.3, 190.0), (41.0, 3.5, 230.0), (50.0, 1.6, 290.0), (55.0, 0.0, 0.0))  # fmt: skip
"""The second at which each leg begins, its speed in m/s and its direction in degrees from +x to the left."""
SECONDS = 62.0
"""Until it begins again."""


def tour() -> Programme:
    """The legs as velocities over the floor, in real seconds."""
    rows = []
    for second, speed, degrees in LEGS:
        way = math.radians(degrees)
        rows.append((second, speed * math.cos(way), speed * math.sin(way)))
    return Programme.of(rows, 2, clock="real", seconds=SECONDS)
