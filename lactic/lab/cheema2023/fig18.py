"""Fig. 18 (and 17): the ant walks slower and lower when it tires."""

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.performance import mean_alive, performance, third, typical
from lactic.lab.pictures import FRESH, band, dress, panels, strip
from lactic.lab.pictures import TIRED as RED
from lactic.lab.report import Report
from lactic.lab.trial import OFF, TIRED, TIRED_SECONDS
from lactic.picture.plots import GREEN

TITLE = "speed of the ant, fresh and tired, over 64 worlds"
WORLDS = 64


def make(bench: Bench, report: Report) -> None:
    """Speed and height of the torso towards a goal far ahead, while standing."""
    actors = bench.characters("ant")
    actor = actors[0] if actors else None
    if actor is None or (actor.tired is None and actor.expert is None):
        report.skip("ant: no brain 'ant' or 'ant-expert'")
        return
    figure, axes = panels(2, height=2.4, sharex=True)
    for condition, folder, fitness, colour in (
        ("expert", actor.expert, OFF, FRESH),
        ("fresh", actor.tired, OFF, GREEN),
        ("tired", actor.tired, TIRED, RED),
    ):
        if folder is None:
            report.skip(f"ant, {condition}: its brain is missing")
            continue
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness, episodes=min(WORLDS, bench.episodes)))
        performance(report, "ant", condition, None, trial)
        speed, height = measure.speed(trial.qpos, trial.fps), trial.qpos[..., 2]
        report.add("ant", condition, "root_height", statistics.mean(mean_alive(height, trial.alive)))
        for name, values in (("speed", speed), ("root_height", height)):
            first, last = mean_alive(values, third(trial, 0)), mean_alive(values, third(trial, 2))
            report.add("ant", condition, f"{name}_first", statistics.mean(first))
            report.add("ant", condition, f"{name}_last", statistics.mean(last))
            way = "lower" if condition == "tired" else None
            report.add("ant", condition, f"{name}_change", statistics.change(first, last), paper_change=way)
        band(axes[0, 0], trial, speed, condition, colour)
        band(axes[1, 0], trial, height, condition, colour)
        report.extra[condition] = strip(trial, typical(trial), count=8)
    axes[0, 0].set_ylim(bottom=0)
    dress(axes[0, 0], "Speed", "m/s")
    dress(axes[1, 0], "Height of the torso", "m")
    axes[1, 0].set_xlabel("time (s)")
    report.figure = figure
