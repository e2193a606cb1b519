"""Bodies: the programme of `pace` at other rates of tiring, in people of other size, and as the fitness changes."""

from typing import Any

from lactic import fatigue
from lactic.fatigue import Fitness
from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.people import pace
from lactic.lab.people.course import LightTrial, seen, walkers
from lactic.lab.performance import survival
from lactic.lab.pictures import COLOURS, dress, panel
from lactic.lab.report import Report
from lactic.lab.trial import own_fitness

TITLE = "one brain at other rates of tiring and in other bodies"
TIMES = (10.0, 30.0, 100.0)
"""How many times faster than people."""
PERSONS = ("person-1.60-52", "person-1.74-73", "person-1.90-102")
Conditions = list[tuple[str, dict[str, Any]]]
CHANGE = 30.0
"""Second at which the fitness changes."""


def person(times: float) -> Fitness:
    """A person's rates, so many times as fast."""
    return fatigue.preset("human").altered(time_scale=times)


def make(bench: Bench, report: Report) -> None:
    """Survival, speed when fresh and after a minute, of each body."""
    shown = []
    for folder in walkers(bench, report):
        own = own_fitness(folder)
        asks: Conditions = [(f"person × {times:g}", {"fitness": person(times)}) for times in TIMES]
        asks += [(name, {"fitness": own, "body": name}) for name in PERSONS]
        asks.append(("(1, 0.01, 1)", {"fitness": fatigue.preset("cheema2023")}))
        changes = ((CHANGE, person(TIMES[-1])),)
        changed = f"person × {TIMES[0]:g}, × {TIMES[-1]:g} from {CHANGE:g} s"
        asks.append((changed, {"fitness": person(TIMES[0]), "changes": changes}))
        for condition, more in asks:
            ask = bench.ask(pace.SECONDS, commands=pace.PROGRAMME, standing=True, **more)
            made = seen(bench, folder, ask, condition)
            shown.append((f"{folder.name}, {condition}", made))
            report.add(folder.name, condition, "survival", survival(made.stood))
            report.add(folder.name, condition, "speed_fresh", statistics.mean(made.speed(*pace.FRESH)))
            report.add(folder.name, condition, "speed_60", statistics.mean(made.speed(pace.RUN - 1, pace.RUN)))
            report.add(folder.name, condition, "legs_strength_60", statistics.mean(made.strength_at(pace.RUN)))
    _picture(report, shown)


def _picture(report: Report, shown: list[tuple[str, LightTrial]]) -> None:
    axis = panel(report, width=10, height=4.0, x="time (s)")
    for k, (name, made) in enumerate(shown):
        middles = [start + 0.5 for start in range(int(pace.SECONDS))]
        speeds = [statistics.mean(made.speed(s - 0.5, s + 0.5)).value for s in middles]
        style = ("-", "--")[k // len(COLOURS) % 2]
        axis.plot(middles, speeds, style, color=COLOURS[k % len(COLOURS)], lw=1.5, label=name)
    dress(axis, "speed along the command", "m/s")
