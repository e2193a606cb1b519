"""What people's characters are asked, and which of them: brains whose command is a velocity over the floor."""

from lactic.brain.catalogue import BrainFolder
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.play.velocity import takes_velocity

PACE = 3.5
"""m/s: a run that nobody keeps up for long."""
DEFAULT = "pace"


def walkers(bench: Bench, report: Report) -> list[BrainFolder]:
    """The brains given with --brain, or `pace`, that take a velocity; the report says which are left out."""
    found = []
    for folder in bench.folders(report, DEFAULT):
        if takes_velocity(folder.load().info):
            found.append(folder)
        else:
            report.skip(f"{folder.name}: its command is not a velocity (vx, vy)")
    return found
