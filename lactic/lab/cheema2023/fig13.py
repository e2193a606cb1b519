"""Fig. 13: fewer backflips and cartwheels in the same time, seen as loops of the head's path."""

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.performance import helpful_rests, typical, with_decline
from lactic.lab.pictures import FRESH, RED, dress, panels
from lactic.lab.report import Report
from lactic.lab.trial import OFF, TIRED_SECONDS, Trial, own_fitness

TITLE = "number of backflips and cartwheels, fresh and tired"


def make(bench: Bench, report: Report) -> None:
    """Repetitions of the same brain in a body that tires and one that does not."""
    paths = []
    for name, folder, skill in bench.performers(report, "backflip", "cartwheel"):
        for condition, fitness, colour in (("fresh", OFF, FRESH), ("tired", own_fitness(folder), RED)):
            trial = bench.trial(folder, bench.ask(TIRED_SECONDS, fitness))
            found = with_decline(report, name, condition, skill, trial, condition == "tired")
            helpful_rests(report, name, condition, trial, found)
            episode = typical(trial, found)
            count = int((found.episode == episode).sum())
            paths.append((f"{name}, {condition}: {count} in {TIRED_SECONDS:g} s", *_path(trial, episode), colour))
    axes = panels(report, len(paths), width=11, height=1.7)
    for axis, (title, way, height, colour) in zip(axes[:, 0], paths, strict=True):
        axis.plot(way, height, color=colour, lw=1.1)
        axis.set_ylim(0, 2.4)
        axis.set_xlabel("way covered by the root (m)")
        dress(axis, title, "foot height (m)")


def _path(trial: Trial, episode: int) -> tuple[np.ndarray, np.ndarray]:
    """Where a foot was, along the way the root covered: a turn of the body draws a loop."""
    last = max(2, min(int(trial.fell_at[episode]), len(trial)))
    root = trial.qpos[:last, episode, :2].astype(float)
    step = np.diff(root, axis=0)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(step, axis=1))])
    ahead = step / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9)
    foot = trial.xpos[:last, episode, trial.columns(trial.body.feet[:1])[0]].astype(float)
    offset = ((foot[1:, :2] - root[1:]) * ahead).sum(1)
    return way + np.concatenate([offset[:1], offset]), foot[:, 2]
