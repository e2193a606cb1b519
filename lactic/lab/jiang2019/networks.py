"""Sec. 3.2 and 3.3: how accurate the shipped R and E are, on uniform samples as in the paper and at the boundary."""

from itertools import pairwise

import numpy as np

from lactic.errors import InputError
from lactic.lab.bench import Bench
from lactic.lab.pictures import BLUE, dress, panel
from lactic.lab.report import Report
from lactic.muscle.accuracy import EDGES, correction_rows, effort_rows
from lactic.muscle.learned import network
from lactic.muscle.leg import shipped_leg
from lactic.muscle.samples import Samples, correction_samples, effort_samples

TITLE = "accuracy of the learned torque limits R and effort E"
SAMPLES = 6000
APART = 1 << 30
"""From the seeds of what the networks learnt from."""
PAPER = {"R": 0.95, "E": 0.92}


def make(bench: Bench, report: Report) -> None:
    """Exact answers of gait2392's leg for fresh samples, and what the networks make of them."""
    try:
        limits = correction_samples(shipped_leg(), SAMPLES, seed=APART + bench.seed)
        efforts = effort_samples(shipped_leg(), SAMPLES, seed=APART + bench.seed)
    except InputError as error:
        report.skip(str(error))
        return
    for row in (*correction_rows(network("R"), limits), *effort_rows(network("E"), efforts)):
        name, where = row["network"], row["where"]
        if row["accuracy"] is not None:
            report.add(name, where, "accuracy", row["accuracy"], PAPER[name] if where == "uniform" else None)
        report.add(name, where, f"{name}_error_median", row["median"])
        report.add(name, where, f"{name}_error_p95", row["p95"])
    _draw(report, limits)


def _draw(report: Report, limits: Samples) -> None:
    error = np.linalg.norm(network("R")(limits.inputs.astype(np.float32)) - limits.label, axis=1)
    out = np.linalg.norm(limits.label, axis=1)
    places = [("inside", limits.near & (out == 0))]
    places += [
        (f"{low:g}–{high:g}" if np.isfinite(high) else f"> {low:g}", (out > low) & (out <= high))
        for low, high in pairwise(EDGES)
    ]
    axis = panel(report, width=8, height=3, x="distance from the boundary (Nm outside); whiskers: 5 to 95 % of samples")
    axis.boxplot(
        [error[where] for _, where in places],
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        boxprops={"facecolor": BLUE, "alpha": 0.35, "lw": 0},
        medianprops={"color": BLUE, "lw": 2},
    )
    axis.axhline(5, color="#777777", lw=1, ls=":")
    axis.set_xticks(range(1, len(places) + 1), [name for name, _ in places])
    dress(axis, "Error of the learned R by distance from the boundary", "Nm")
