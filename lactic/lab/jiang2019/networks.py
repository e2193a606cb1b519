"""Sec. 3.2 and 3.3: how accurate the shipped R and E are, on uniform samples as in the paper and at the boundary."""

from itertools import pairwise

import numpy as np

from lactic.errors import InputError
from lactic.lab.bench import Bench
from lactic.lab.pictures import BLUE, dress, panel
from lactic.lab.report import Report
from lactic.muscle.accuracy import EDGES, NEAR, correction_rows, effort_rows
from lactic.muscle.exact import correction, effort
from lactic.muscle.learned import network
from lactic.muscle.leg import shipped_leg
from lactic.muscle.samples import JIANG2019, Samples

TITLE = "accuracy of the learned torque limits R and effort E"
SAMPLES = 6000
PAPER = {"R": 0.95, "E": 0.92}


def make(bench: Bench, report: Report) -> None:
    """Exact answers of gait2392's leg for fresh samples, and what the networks make of them."""
    leg, rng = shipped_leg(), np.random.default_rng(bench.seed)
    q, qd = JIANG2019.states(SAMPLES, rng)
    try:
        pulls = leg.pull(q, qd)
    except InputError as error:
        report.skip(str(error))
        return
    uniform, near = JIANG2019.torques(SAMPLES, rng), rng.random(SAMPLES) < 0.5
    beyond = correction(pulls, uniform).torque
    outward = beyond / np.maximum(np.linalg.norm(beyond, axis=1, keepdims=True), 1e-9)
    aside = rng.uniform(-NEAR, NEAR, (SAMPLES, 1))
    torque = np.where(near[:, None], uniform - beyond + aside * outward, uniform)
    limits = Samples(q, qd, torque, correction(pulls, torque).torque, near)

    given = pulls.torque(rng.random((SAMPLES, len(leg.muscles))))  # τ = D(a, q, q̇) of uniform activations
    inside = uniform - beyond - np.abs(aside) * outward
    inside -= correction(pulls, inside).torque
    feasible = np.where(near[:, None], inside, given)
    rate = effort(pulls, feasible, leg.force).rate
    known = np.isfinite(rate)
    efforts = Samples(q[known], qd[known], feasible[known], rate[known], near[known])

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
