"""Fig. 18 (and 17): the ant walks slower and lower when it tires."""

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.performance import basics, change, mean_alive, third, typical
from lactic.lab.pictures import FRESH, GREEN, RED, band, dress, panels, strip
from lactic.lab.report import Report
from lactic.lab.trial import OFF, TIRED_SECONDS

TITLE = "speed of the ant, fresh and tired, over 64 worlds"
WORLDS = 64


def make(bench: Bench, report: Report) -> None:
    """Speed and height of the torso towards a goal far ahead, while standing."""
    actor = next(iter(bench.characters("ant")), None)
    if actor is None or (actor.transferred is None and actor.expert is None):
        report.skip("ant: no brain 'ant' or 'ant-expert'")
        return
    axes = panels(report, 2, height=2.4, sharex=True, x="time (s)")
    for condition, folder, fitness, colour in (
        ("expert", actor.expert, OFF, FRESH),
        ("fresh", actor.transferred, OFF, GREEN),
        ("tired", actor.transferred, actor.fitness, RED),
    ):
        if folder is None:
            report.skip(f"ant, {condition}: its brain is missing")
            continue
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness, episodes=min(WORLDS, bench.episodes)))
        basics(report, "ant", condition, trial)
        speed, height = measure.speed(trial.qpos, trial.fps), trial.qpos[..., 2]
        report.add("ant", condition, "root_height", statistics.mean(mean_alive(height, trial.alive)))
        for name, values in (("speed", speed), ("root_height", height)):
            first, last = mean_alive(values, third(trial, 0)), mean_alive(values, third(trial, 2))
            change(report, "ant", condition, name, first, last, "lower" if condition == "tired" else None)
        band(axes[0, 0], trial, speed, condition, colour)
        band(axes[1, 0], trial, height, condition, colour)
        report.pictures[condition] = strip(trial, typical(trial), count=8)
    axes[0, 0].set_ylim(bottom=0)
    dress(axes[0, 0], "Speed", "m/s")
    dress(axes[1, 0], "Height of the torso", "m")
