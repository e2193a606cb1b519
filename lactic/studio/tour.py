"""What a character that goes where it is asked does while nobody steers: walk, run, turn, stop, set out again."""

import math

from lactic.play.programme import Programme

LEGS = (
    (0.0, 1.4, 0.0),
    (3.0, 3.5, 0.0),
    (12.0, 3.0, 60.0),
    (17.0, 2.0, 120.0),
    (22.0, 1.2, 160.0),
    (27.0, 0.0, 0.0),
    (32.0, 1.3, 200.0),
    (37.0, 2.6, 240.0),
    (43.0, 1.2, 290.0),
    (49.0, 0.0, 0.0),
    (54.0, 1.4, 330.0),
)
"""The second at which each leg begins, its speed in m/s and its direction in degrees from +x to the left."""
SECONDS = 60.0
"""Until it begins again."""


def tour() -> Programme:
    """The legs as velocities over the floor, in real seconds."""
    rows = []
    for second, speed, degrees in LEGS:
        way = math.radians(degrees)
        rows.append((second, speed * math.cos(way), speed * math.sin(way)))
    return Programme.of(rows, 2, clock="real", seconds=SECONDS)
