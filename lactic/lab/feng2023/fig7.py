"""Fig. 7: activations of leg muscles in four motions."""

import numpy as np

from lactic.lab.bench import Bench
from lactic.lab.feng2023.motions import LEG, by_force, chosen, followers, muscles_of, trace
from lactic.lab.pictures import COLOURS, dress, panels
from lactic.lab.report import Report

TITLE = "activations of leg muscles in four motions"
COUNT, SECONDS = 4, 4.0


def make(bench: Bench, report: Report) -> None:
    """Mean and highest activation of the main muscles of the right leg, until the motion is lost, and their curves."""
    shown = []
    for folder, library in followers(bench, report):
        for kind, poses in chosen(library, COUNT).items():
            found = trace(bench, folder, kind, poses, min(SECONDS, (len(poses) - 1) / library.fps))
            active = found.state[: max(found.well, 1), :, 0]
            curves = {name: by_force(active, muscles_of(name)) for name in LEG}
            for name, curve in curves.items():
                report.add(f"{folder.name}, {kind}", name, "mean_activation", float(curve.mean()))
                report.add(f"{folder.name}, {kind}", name, "highest_activation", float(curve.max()))
            shown.append((f"{folder.name}: {kind}", curves, found.fps))
    axes = panels(report, len(shown), height=2.4, x="time (s)")
    for axis, (title, curves, fps) in zip(axes[:, 0], shown, strict=True):
        for (name, curve), colour in zip(curves.items(), COLOURS, strict=True):
            axis.plot(np.arange(len(curve)) / fps, 100 * curve, color=colour, label=name.replace("_", " "))
        dress(axis, f"{title}, right leg", "activation (%)")
