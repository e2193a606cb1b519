"""Fig. 6: characters that move by samples from the prior; nobody says what to do."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.feng2023.players import brains, ride
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report
from lactic.play.fall import FallRule
from lactic.play.man import MusclePlayer, Sampling
from lactic.play.man.job import states

TITLE = "samples from the prior"
COUNT, SECONDS = 64, 20.0
TARGETS = {("prior", "share_up"): (0.9, None)}


def make(bench: Bench, report: Report) -> None:
    """How many stay up, how far they go, and a picture of their paths."""
    shown = []
    for folder in brains(bench, report, "motion", "muscle-vae"):
        player = MusclePlayer(folder.load(), None, min(COUNT, bench.episodes), threads=bench.threads)
        rule = FallRule.of(folder, player.body)
        driver = Sampling(player, states(folder, player, bench.seed), rule, bench.seed)
        made = ride(bench, f"{folder.name}, prior", driver, SECONDS)
        report.add(folder.name, "prior", "share_up", statistics.share(int(made.up.sum()), len(made.up)))
        report.add(folder.name, "prior", "seconds_up", statistics.mean(np.minimum(made.fell_at, SECONDS)))
        steps = np.linalg.norm(np.diff(made.place[::5], axis=0), axis=-1).sum(0)
        report.add(folder.name, "prior", "metres_gone", statistics.mean(np.where(made.up, steps, np.nan)))
        shown.append((folder.name, made))
    axes = panels(report, len(shown), width=6, height=6, x="m")
    for axis, (name, made) in zip(axes[:, 0], shown, strict=True):
        for k in range(made.place.shape[1]):
            last = int(min(made.fell_at[k], SECONDS) * made.fps)
            path = made.place[: last + 1, k] - made.place[0, k]
            axis.plot(*path.T, color=COLOURS[k % len(COLOURS)], lw=1, alpha=0.7)
            if not made.up[k]:
                axis.plot(*path[-1], "x", color="black", ms=5)
        axis.set_aspect("equal", "datalim")
        dress(axis, f"{name}: paths of {SECONDS:g} s (a cross: fell)", "m", legend=False)
