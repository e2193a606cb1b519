"""Fig. 16: walking in a direction that changes every 10 s, slower as fatigue grows."""

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.events import smooth
from lactic.lab.performance import mean_alive, performance
from lactic.lab.pictures import FRESH, RED, dress, panels
from lactic.lab.report import Report
from lactic.lab.trial import OFF, TIRED_SECONDS, Trial, own_fitness

TITLE = "walking in a direction that changes every 10 s"
EVERY = 10.0
NEAR, SOON = np.radians(15), 3.0


def make(bench: Bench, report: Report) -> None:
    """How fast it turns (to any direction, drawn evenly), and how fast it walks in each stretch of 10 s, asked for
    1.4 m/s.

    The walker is `pace`, tired at the fitness it was made for. It has no expert: its body tired from the first.
    """
    actor = next(iter(bench.characters("pace")), None)
    if actor is None or actor.skill is None:
        report.skip("pace: no brain 'pace'")
        return
    shown = []
    for condition, folder, fitness, colour in (
        ("expert", actor.expert, OFF, "#999999"),
        ("fresh", actor.transferred, OFF, FRESH),
        ("tired", actor.transferred, actor.transferred and own_fitness(actor.transferred), RED),
    ):
        if folder is None or fitness is None:
            continue
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness, turn_every=EVERY))
        performance(report, actor.name, condition, actor.skill, trial)
        reached, seconds = turning(trial)
        report.add(actor.name, condition, "turned_in_3s", statistics.share(int((seconds <= SOON).sum()), len(reached)))
        report.add(actor.name, condition, "seconds_to_turn", statistics.mean(seconds))
        speed = measure.speed(trial.qpos, trial.fps)
        for block in range(int(TIRED_SECONDS / EVERY)):
            own = slice(round(block * EVERY * trial.fps), round((block + 1) * EVERY * trial.fps))
            value = statistics.mean(mean_alive(speed[own], trial.alive[own] & trial.stood))
            report.add(actor.name, condition, f"speed_{block * EVERY:.0f}_to_{(block + 1) * EVERY:.0f}_s", value)
        shown.append((condition, trial, colour))
    axes = panels(report, 1, len(shown), width=4 * len(shown), height=4)
    for axis, (condition, trial, colour) in zip(axes[0], shown, strict=True):
        _path(axis, trial, colour)
        dress(axis, f"{condition}: path from above, a dot every 5 s", "m")


def turning(trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """Of every change of direction in an episode still standing: whether it was reached, and after how many seconds."""
    error = measure.facing_error(trial.qpos[..., 3:7], trial.command)
    error = smooth(error, round(0.3 * trial.fps))  # the pelvis swings with every step
    block = round(EVERY * trial.fps)
    seconds = []
    for start in range(block, len(trial), block):
        part = error[start : start + block]
        near = (part < NEAR) & trial.alive[start : start + block]
        first = np.where(near.any(0), near.argmax(0) / trial.fps, np.nan)
        seconds.append(first[trial.alive[start]])
    found = np.concatenate(seconds) if seconds else np.zeros(0)
    return np.isfinite(found), found


def _path(axis, trial: Trial, colour: str) -> None:
    episode = int(np.argmax(trial.fell_at))
    last = max(2, min(int(trial.fell_at[episode]), len(trial)))
    root = trial.qpos[:last, episode, :2]
    axis.plot(root[:, 0], root[:, 1], color=colour, lw=1.5)
    dots = root[:: round(5 * trial.fps)]
    axis.plot(dots[:, 0], dots[:, 1], "o", color=colour, ms=5)
    for start in range(0, last, round(EVERY * trial.fps)):
        way = trial.command[start, episode]
        axis.annotate(
            "", root[start] + 1.5 * way, root[start], arrowprops={"arrowstyle": "->", "color": "#222222", "lw": 1.4}
        )
    axis.set_aspect("equal", adjustable="datalim")
