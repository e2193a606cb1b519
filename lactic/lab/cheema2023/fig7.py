"""Fig. 7: which joints each skill tires most."""

import numpy as np

from lactic.lab import statistics
from lactic.lab.bench import Bench
from lactic.lab.performance import mean_alive
from lactic.lab.pictures import panel
from lactic.lab.report import Report
from lactic.lab.skills import FIVE
from lactic.lab.trial import TIRED_SECONDS, own_fitness
from lactic.picture.film import draw_strip

TITLE = "joints most affected by fatigue"
PRINTED = 5


def make(bench: Bench, report: Report) -> None:
    """Mean MF of every joint; the most tired ones are printed."""
    means: dict[str, np.ndarray] = {}
    body = None
    for name, folder, _ in bench.performers(report, *FIVE):
        trial = bench.trial(folder, bench.ask(TIRED_SECONDS, own_fitness(folder)))
        body = trial.body
        joints = [mean_alive(trial.spent[..., k], trial.alive) for k in range(len(body.joints))]
        means[name] = np.array([np.nanmean(values) for values in joints])
        order = np.argsort(-means[name])
        for rank, k in enumerate(order):
            report.add(name, body.joints[k], "mean_MF", statistics.mean(joints[k]), quiet=rank >= PRINTED)
    if body is None:
        return
    names, table = list(means), np.stack(list(means.values()))
    axis = panel(report, width=11, height=0.45 * len(names) + 1.6)
    image = axis.imshow(100 * table, cmap="Reds", vmin=0, vmax=100, aspect="auto")
    axis.set_yticks(range(len(names)), names)
    words = [joint.replace("_", " ") for joint in body.joints]
    axis.set_xticks(range(len(words)), words, rotation=70, ha="right", fontsize=8)
    axis.set_title("Fatigued share of each joint, mean over two minutes", loc="left", fontsize=10.5)
    axis.figure.colorbar(image, label="% MF")
    tint = body.weakest(table)
    poses = np.tile(body.rest, (len(names), 1))
    report.pictures["bodies"] = lambda path: draw_strip(
        body, poses, 1.0, path, every=1.0, tint=tint, labels=names, travel=False, height=300
    )
