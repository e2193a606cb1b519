"""What a motion library holds: how long its clips are, how fast they go and turn, and how high the root is."""

import itertools
from typing import TYPE_CHECKING

import numpy as np

from lactic.motion.library import Library, movement
from lactic.picture.plots import GROUP_COLOURS, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 40
MOVES = {"speed": "speed over the floor (m/s)", "turn": "turning (°/s, left +)", "height": "height of the root (m)"}


def library_figure(library: Library) -> "Figure":
    """Clips by length, and minutes by speed, turn rate and height, for each split."""
    from matplotlib.figure import Figure

    splits = sorted(set(library.splits), key=lambda split: -library.splits.count(split))
    parts = [library.choose([split]) for split in splits]
    moves = [movement(part) for part in parts]
    figure = Figure(figsize=(11, 7), layout="constrained")  # no pyplot: it keeps figures alive, may want a display
    panels = {"length (s)": ("clips", 1.0, [part.seconds for part in parts])}
    for key, label in MOVES.items():
        panels[label] = ("minutes", 1 / library.fps / 60, [move[key] for move in moves])
    for axes, (label, (unit, each, values)) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        together = np.concatenate(values)
        high = np.percentile(np.abs(together), 99.9) + 1e-3  # the rarest would take most of the room
        bins = np.linspace(-high if label == MOVES["turn"] else 0.0, high, BINS + 1)
        for split, value, colour in zip(splits, values, itertools.cycle(GROUP_COLOURS), strict=False):
            within, weights = np.clip(value, bins[0], bins[-1]), np.full(len(value), each)
            axes.hist(within, bins, weights=weights, color=colour, label=split, histtype="step", lw=1.8)
        axes.set(xlabel=label, yscale="log")
        dress(axes, "", unit, legend=False)
        axes.legend(frameon=False)
    minutes = library.seconds.sum() / 60
    title = f"{len(library)} clips of {library.body_name}, {minutes:.0f} minutes (the outer steps hold what is beyond)"
    figure.suptitle(title, x=0.01, ha="left", fontsize=13)
    return figure
