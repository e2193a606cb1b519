"""How far learned answers are from exact ones: in the paper's sense, and by distance from the boundary.

jiang2019 reports 95 % for R and 92 % for E; its published code prints ‖learned − exact‖/‖exact‖ over all test samples,
and 1 minus that is taken as its accuracy. On uniform torques, which mostly lie far outside, it says little about where
strength ends, so errors are also given by the distance ‖R‖ from the boundary.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from lactic.muscle.learned import Network
from lactic.muscle.samples import Samples

EDGES = (0.0, 5.0, 20.0, 50.0, 100.0, 200.0, np.inf)  # Nm outside the boundary
NEAR = 20.0
Row = dict[str, Any]


def accuracy(learned: np.ndarray, exact: np.ndarray) -> float:
    """1 − ‖learned − exact‖/‖exact‖ over all samples and outputs."""
    return float(1 - np.linalg.norm(learned - exact) / np.linalg.norm(exact))


def correction_rows(network: Network, samples: Samples) -> list[Row]:
    """Accuracy of R, and its error in Nm (norm over the coordinates) by distance from the boundary."""
    learned = network(samples.inputs.astype(np.float32))
    error, out = np.linalg.norm(learned - samples.label, axis=1), np.linalg.norm(samples.label, axis=1)
    uniform, within = ~samples.near, out <= NEAR
    close = samples.near & within
    rows = [
        _row("R", "uniform", error[uniform], accuracy(learned[uniform], samples.label[uniform])),
        _row("R", f"drawn within {NEAR:g} Nm of the boundary", error[close]),
    ]
    rows.append(_row("R", f"drawn up to {NEAR:g} Nm inside", error[samples.near & (out == 0)]))
    for low, high in pairwise(EDGES):
        where = (out > low) & (out <= high)
        name = f"{low:g} to {high:g}" if np.isfinite(high) else f"more than {low:g}"
        rows.append(_row("R", f"outside by {name} Nm", error[where]))
    return [row for row in rows if row["samples"]]


def effort_rows(network: Network, samples: Samples) -> list[Row]:
    """Accuracy of E, and its error in N."""
    learned = network(samples.inputs.astype(np.float32))[:, 0]
    error, rows = np.abs(learned - samples.label), []
    for where, chosen in (("uniform", ~samples.near), ("drawn near the boundary", samples.near)):
        if chosen.any():
            rows.append(_row("E", where, error[chosen], accuracy(learned[chosen], samples.label[chosen])))
    return rows


def passive_rows(network: Network, q: np.ndarray, torque: np.ndarray) -> list[Row]:
    """Accuracy of the passive torque, and its error in Nm."""
    learned = network(q.astype(np.float32))
    return [_row("passive", "uniform", np.linalg.norm(learned - torque, axis=1), accuracy(learned, torque))]


def _row(network: str, where: str, error: np.ndarray, share: float | None = None) -> Row:
    middle, most = (float(np.quantile(error, at)) for at in (0.5, 0.95)) if len(error) else (np.nan, np.nan)
    return {"network": network, "samples": len(error), "where": where, "accuracy": share, "median": middle, "p95": most}
