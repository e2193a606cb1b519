"""Fig. 15: a body limited by its fatigue against one that is only paid for sparing itself (Cheema 2020)."""

import numpy as np

from lactic.lab import measure, statistics
from lactic.lab.bench import Bench
from lactic.lab.performance import mean_alive, typical, with_decline
from lactic.lab.pictures import BLUE, GREEN, RED, dress, panels, shade
from lactic.lab.report import Report
from lactic.lab.trial import TIRED_SECONDS, Trial

TITLE = "torque limits against the fatigue reward of Cheema 2020, in the kick"
MARGIN = 0.02
"""Torque beyond RC counts from this share of the maximum on: limits are set at 30 Hz, torque is seen at its end."""


def make(bench: Bench, report: Report) -> None:
    """Whether kicks follow the strength left: the paper's reward baseline kicks higher as RC falls."""
    shown = []
    actor = next(iter(bench.characters("kick")), None)
    if actor is None or actor.skill is None:
        return
    conditions = tuple((name, of, actor.fitness, TIRED_SECONDS) for name, of in (("limits", ""), ("reward", "-reward")))
    for condition, trial in bench.trials(report, actor, conditions):
        with_decline(report, actor.name, condition, actor.skill, trial)
        found = measure.kicks(trial)
        capacity = trial.capacity.mean(-1)
        link = statistics.correlation(found.height, capacity[found.start, found.episode], found.episode)
        report.add(actor.name, condition, "kick_follows_capacity", link)
        report.add(actor.name, condition, "torque_beyond_capacity", statistics.mean(_beyond(trial)))
        shown.append((condition, trial, found))
    axes = panels(report, 2 * len(shown), height=1.8, sharex=True, x="time (s)")
    for k, (condition, trial, found) in enumerate(shown):
        episode = typical(trial, found)
        last = max(1, min(int(trial.fell_at[episode]), len(trial)))
        time = np.arange(last) / trial.fps
        torque = np.abs(trial.torque[:last, episode]) / trial.torque_limit
        top, bottom = axes[2 * k, 0], axes[2 * k + 1, 0]
        top.plot(time, 100 * trial.capacity[:last, episode].mean(-1), color=GREEN, lw=2, label="RC, body average")
        top.plot(time, 100 * torque.max(-1), color=BLUE, lw=0.9, label="torque of the hardest working joint")
        bottom.plot(time, trial.foot_height()[:last, episode].max(-1), color=RED, lw=1.2)
        for axis in (top, bottom):
            shade(axis, found, episode, trial.fps)
        dress(top, f"{condition}: strength left and torque", "% of maximum")
        dress(bottom, f"{condition}: height of the higher foot; grey: kick", "m")


def _beyond(trial: Trial) -> np.ndarray:
    """Share of joints and frames whose torque is more than RC allows, per episode."""
    over = np.abs(trial.torque) / trial.torque_limit > trial.capacity + MARGIN
    return mean_alive(over.mean(-1), trial.alive)
