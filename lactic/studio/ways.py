"""The ways of a steered character, drawn on the ground: where it is asked to go, and where the matched clip goes."""

from typing import Any

import numpy as np
import viser

from lactic.studio.guide import ASKED, MATCHED, curve

COLOURS = {ASKED: (0, 114, 178), MATCHED: (0, 158, 115)}
"""Blue and green (Okabe and Ito)."""
HEIGHTS = {ASKED: 0.022, MATCHED: 0.014}
"""Metres above the ground: the way asked for lies on the other."""
DOT = 0.05
"""Metres across of the dots after 0.33, 0.66 and 1.0 s."""


class Ways:
    """Lines with dots in the scene, below a character's node: the way asked for, and that of a clip if one leads."""

    def __init__(self, server: viser.ViserServer, name: str, matched: bool = True):
        self.lines: dict[int, Any] = {}
        self.dots: dict[int, Any] = {}
        for kind, label in ((ASKED, "asked"), (MATCHED, "matched"))[: 1 + matched]:
            colour = COLOURS[kind]
            self.lines[kind] = server.scene.add_line_segments(
                f"{name}/way {label}", np.zeros((1, 2, 3), np.float32), colour, thickness=5.0, thickness_units="screen"
            )
            self.dots[kind] = server.scene.add_point_cloud(
                f"{name}/dots {label}", np.zeros((3, 3), np.float32), colour, point_size=DOT, point_shape="circle"
            )

    def show(self, ways: np.ndarray) -> None:
        """Draw the ways (asked, or asked and matched, point, 2)."""
        for kind, way in enumerate(ways):
            path = _on_ground(curve(way), HEIGHTS[kind])
            self.lines[kind].points = np.stack([path[:-1], path[1:]], axis=1)
            self.dots[kind].points = _on_ground(way[1:], HEIGHTS[kind])

    def set_visible(self, on: bool) -> None:
        """Show or hide them."""
        for handle in (*self.lines.values(), *self.dots.values()):
            if handle.visible != on:
                handle.visible = on


def _on_ground(points: np.ndarray, height: float) -> np.ndarray:
    return np.column_stack([points, np.full(len(points), height)]).astype(np.float32)
