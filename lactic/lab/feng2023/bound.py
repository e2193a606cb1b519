"""How long arms can be held at the best at the paper's rates, however muscles share the load, by shoulder blades."""

import numpy as np

from lactic import fatigue
from lactic.lab.bench import Bench
from lactic.lab.feng2023.hold import RATE, hold_arms
from lactic.lab.pictures import BLUE, RED, dress, panel
from lactic.lab.report import Report
from lactic.muscle.man import arms

TITLE = "how long arms could be held, by how far the shoulder blades are turned"
DEGREES = (0.0, 10.0, 20.0, 30.0)
HELD = 150.0  # s
TARGETS = {(f"blades {np.degrees(arms.BLADE):g}° up", "at_most_s"): (96.0, None)}


def make(bench: Bench, report: Report) -> None:
    """The least largest activation, the seconds after which nothing holds the pose, and those until arms are sunk."""
    fitness = fatigue.preset("feng2023-arms")
    rates = fatigue.rates(fitness, ["arm"])[0]
    bounds, sunk = [], []
    for degrees in DEGREES:
        condition, blade = f"blades {degrees:g}° up", float(np.radians(degrees))
        least = arms.least_largest(arms.carried(arms.posture(blade)))
        bounds.append(arms.longest(least, rates))
        report.add("arms", condition, "least_largest_activation", least)
        report.add("arms", condition, "at_most_s", bounds[-1])
        found = hold_arms(fitness, HELD, 0.0, 0.0, blade=blade)
        sunk.append(found.when(0.0, HELD))
        report.add("arms", condition, "seconds_until_sunk", sunk[-1])
        report.add("arms", condition, "drop_fresh_m", float(found.drop[RATE]))
    axes = panel(report, x="shoulder blades turned up (°)")
    axes.plot(DEGREES, bounds, "o-", color=BLUE, label="pose held at most")
    axes.plot(DEGREES, sunk, "o-", color=RED, label="hands 25 cm below the shoulders")
    dress(axes, "arms held horizontally at the paper's rates", "s")
