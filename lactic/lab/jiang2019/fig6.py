"""Fig. 6: torques of hip, knee and ankle over a stride, beside the range of a person's peaks."""

import numpy as np

from lactic.lab import legs
from lactic.lab.bench import Bench
from lactic.lab.jiang2019.gait import HUMAN, PEAKS, SECONDS, brains, kind_of
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report

TITLE = "torques over a stride"
JOINTS = {"hip": (0, "extension −, flexion +"), "knee": (3, "flexion −, extension +"), "ankle": (4, "plantarflexion −")}

BELOW = "% of the stride, from landing to landing; grey: a person's peaks"


def make(bench: Bench, report: Report) -> None:
    """Mean and spread over strides, from a foot's landing to its next."""
    shown = []
    for folder in brains(bench, report):
        found = legs.ride(folder, SECONDS, bench.episodes, bench.seed, bench.threads)
        curves = {name: found.curve(place) for name, (place, _) in JOINTS.items()}
        if not len(curves["hip"]):
            report.skip(f"{folder.name}: takes no strides")
            continue
        condition = kind_of(folder)
        shown.append((folder.name, condition, curves))
        report.add(folder.name, condition, "strides", len(curves["hip"]))
        for name, rows in curves.items():
            middle = rows.mean(0)
            report.add(folder.name, condition, f"{name}_most", middle.max())
            report.add(folder.name, condition, f"{name}_least", middle.min())
    kinds = sorted({condition for _, condition, _ in shown})
    axes = panels(
        report,
        len(JOINTS),
        len(kinds),
        width=4.6 * len(kinds) + 1.5,
        height=2.2,
        x=BELOW,
    )
    for column, condition in enumerate(kinds):
        for row, (name, (place, words)) in enumerate(JOINTS.items()):
            axis = axes[row, column]
            for metric, (own, sign) in PEAKS.items():
                if own == place:
                    low, high = HUMAN[condition][metric]
                    axis.axhspan(sign * low - 0.01, sign * high + 0.01, color="#BBBBBB", lw=0, alpha=0.6)
            for k, (brain, played, curves) in enumerate(shown):
                if played == condition:
                    middle, spread = curves[name].mean(0), curves[name].std(0)
                    share = np.linspace(0, 100, len(middle))
                    axis.fill_between(share, middle - spread, middle + spread, color=COLOURS[k], alpha=0.15, lw=0)
                    axis.plot(share, middle, color=COLOURS[k], lw=1.8, label=brain)
            axis.axhline(0, color="#777777", lw=0.8)
            dress(axis, f"{name}, {condition} ({words})", "Nm/kg", legend=row == 0)
