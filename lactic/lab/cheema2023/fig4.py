"""Fig. 4 (and 5): inside a joint while a cartwheel is repeated, rested from, and tried again."""

import numpy as np

from lactic.lab import measure
from lactic.lab.bench import Bench
from lactic.lab.performance import typical, with_rests
from lactic.lab.pictures import BLACK, BLUE, GREEN, PURPLE, RED, SKY, dress, panels, shade, strip
from lactic.lab.report import Report
from lactic.lab.trial import RECOVERING, TIRED_SECONDS, TIRING

TITLE = "the 3CC model and the torque it allows during cartwheels"


def make(bench: Bench, report: Report) -> None:
    """Compartments on the left, limit and applied torque on the right; grey where a cartwheel is."""
    actor = next(bench.performers(report, "cartwheel"), None)
    if actor is None:
        return
    subject, folder, skill = actor
    for body in (TIRING, RECOVERING):  # the picture is of the first body in which a rest helps, or else of the last
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, body))
        found, helped = with_rests(report, subject, body.name, skill, trial)
        if len(helped):
            break
    counts = helped.count(trial.episodes) * trial.stood
    episode = int(np.argmax(counts)) if counts.any() else typical(trial, found)
    last = min(int(trial.fell_at[episode]), len(trial))
    tired = trial.spent[:last, episode].mean(0)
    mine = helped.episode == episode
    if mine.any():  # of the joints that rest helps, not of one that the standing body works on
        rested = trial.spent[helped.start[mine], episode] - trial.spent[helped.end[mine] - 1, episode]
        tired = np.where(rested.min(0) > 0, tired, 0.0)
    joint = int(np.argmax(tired))
    name = trial.body.joints[joint]
    report.add(subject, name, "mean_MF", float(trial.spent[:last, episode, joint].mean()))

    axes = panels(report, 1, 2, width=12, height=3.6, sharey=True)
    time = np.arange(last) / trial.fps
    column = 100 * np.stack([a[:last, episode, joint] for a in (trial.load, trial.active, trial.spent)], 1)
    load, active, spent = column.T
    torque = 100 * np.abs(trial.torque[:last, episode, joint]) / trial.torque_limit[joint]
    left, right = axes[0]
    for values, label, colour in (
        (load, "TL", BLACK),
        (active, "MA", RED),
        (100 - active - spent, "MR", SKY),
        (spent, "MF", PURPLE),
    ):
        left.plot(time, values, label=label, color=colour, lw=1.4)
    right.plot(time, load, label="TL", color=BLACK, lw=1.0, alpha=0.6)
    right.plot(time, 100 - spent, label="RC, the limit", color=GREEN, lw=2)
    right.plot(time, torque, label="torque applied", color=BLUE, lw=1.2, ls="--")
    rest = measure.rests(trial)
    for axis, title in ((left, f"3CC at the {name.replace('_', ' ')}, {body.name}"), (right, "as limits of torque")):
        shade(axis, found, episode, trial.fps)
        for a, b in zip(rest.start[rest.episode == episode], rest.end[rest.episode == episode], strict=True):
            axis.plot([a / trial.fps, b / trial.fps], [-4, -4], color=GREEN, lw=4, solid_capstyle="butt")
        axis.set_xlabel("time (s); grey: cartwheel, green line: rest")
        dress(axis, title, "% MVC")
    report.pictures["strip"] = strip(trial, episode, count=20, travel=False)
