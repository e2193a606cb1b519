"""Strip and curves of a clip that was tired, as pictures in memory: what other processes draw for this one."""

import io
from collections.abc import Sequence

import numpy as np

from lactic import body as bodies
from lactic.picture.film import draw_strip
from lactic.picture.recording import Recording
from lactic.picture.tired_plot import tired_figure

SHARP = 110
"""Dots to an inch of the curves."""


def strip(record: Recording, ghost: np.ndarray) -> bytes:
    """The clip beside the tired body every few seconds, as a PNG."""
    drawn, body = io.BytesIO(), bodies.get(record.body)
    draw_strip(body, record.qpos, record.fps, drawn, tint=record.tint(body), end=True, beside=ghost)
    return drawn.getvalue()


def curves(
    record: Recording, ghost: np.ndarray, clock: np.ndarray, lost: Sequence[tuple[float, float]], title: str
) -> bytes:
    """Strength, clock and speed over time, as a PNG."""
    drawn, body = io.BytesIO(), bodies.get(record.body)
    tired_figure(record, body, ghost, clock, lost, title).savefig(drawn, dpi=SHARP, format="png")
    return drawn.getvalue()
