"""What people's characters are asked, and which of them: brains whose command is a velocity over the floor."""

from lactic import fatigue
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.play.velocity import takes_velocity

PACE = 3.5
"""m/s: a run that nobody keeps up for long."""
DEFAULT = "pace"


def own_fitness(folder: BrainFolder) -> Fitness:
    """The fitness that a brain was made for."""
    return fatigue.preset(folder.load().info.fitness)


def chosen(bench: Bench, report: Report) -> list[BrainFolder]:
    """The brains given with --brain, or `pace`; says which there are none of."""
    found = []
    for name in bench.brains or (DEFAULT,):
        try:
            found.append(catalogue.find(name))
        except InputError:
            report.skip(f"no brain '{name}'")
    return found


def walkers(bench: Bench, report: Report) -> list[BrainFolder]:
    """Those of them that take a velocity; says which are left out."""
    found = []
    for folder in chosen(bench, report):
        if takes_velocity(folder.load().info):
            found.append(folder)
        else:
            report.skip(f"{folder.name}: its command is not a velocity (vx, vy)")
    return found
