"""Fig. 12: learning with springs on muscle lengths, and with activations as actions, on the same budget.

Give the folders of runs after the item: `lactic lab feng2023 fig12 runs/muscle-vae runs/muscle-activation`.
"""

import json
from pathlib import Path

import numpy as np
import yaml

from lactic.lab.bench import Bench
from lactic.lab.pictures import COLOURS, dress, panel
from lactic.lab.report import Report

TITLE = "muscle-space PD against plain activation"
WORDS = {"length": "springs on lengths", "activation": "activations"}
BETTER = "springs beside activations"
TARGETS = {(BETTER, "steps_longer"): (0.0, None)}
ADVICE = "train one with the setting `control: activation`, and give both folders after the item"


def make(bench: Bench, report: Report) -> None:
    """Control steps until a clip is lost, at the largest number of samples that all runs have."""
    curves: dict[str, tuple[str, np.ndarray]] = {}
    for name in bench.motions:
        try:
            params = yaml.safe_load((Path(name) / "params.yaml").read_text())
            rows = [json.loads(line) for line in (Path(name) / "log.jsonl").read_text().splitlines()]
            rows = [row for row in rows if np.isfinite(row["hold"])]
            points = np.array([(row["samples"], row["seconds"], row["hold"]) for row in rows])
            control = WORDS[params["control"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            report.skip(f"{name}: no run of MuscleVAE with a log ({error})")
            continue
        if len(points):
            curves[Path(name).name] = control, points
    if not curves:
        report.skip(f"no runs to compare; {ADVICE}")
        return
    budget = min(points[-1, 0] for _, points in curves.values())
    ends: dict[str, list[float]] = {control: [] for control in WORDS.values()}
    for name, (control, points) in curves.items():
        at = points[points[:, 0] <= budget]
        last = at[-1] if len(at) else points[0]
        ends[control].append(float(last[2]))
        report.add(name, control, "samples", float(last[0]))
        report.add(name, control, "seconds", float(last[1]))
        report.add(name, control, "steps_until_lost", float(last[2]))
    if all(ends.values()):
        springs, plain = (max(ends[control]) for control in WORDS.values())
        report.add("runs", BETTER, "steps_longer", springs - plain)
    axis = panel(report, height=3.4, x="control steps so far (million)")
    for (name, (control, points)), colour in zip(curves.items(), COLOURS, strict=False):
        axis.plot(points[:, 0] / 1e6, points[:, 2], color=colour, label=f"{name}: {control}")
    dress(axis, "how long a clip is followed while learning, with noise", "control steps")
