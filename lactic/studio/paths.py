"""Paths of actors that are steered: where they are asked to go and where the matched clip goes, kept and drawn."""

from typing import TYPE_CHECKING, Any

import numpy as np

from lactic.play.steered import Steered
from lactic.steer.matching.features import AHEAD

if TYPE_CHECKING:
    import viser

ASKED, MATCHED = 0, 1
COLOURS = {ASKED: (0, 114, 178), MATCHED: (0, 158, 115)}
"""Blue and green (Okabe and Ito)."""
HEIGHTS = {ASKED: 0.022, MATCHED: 0.014}
"""Metres above the ground: the path asked for lies on the other."""
DOT = 0.05
"""Metres across of the dots after 0.33, 0.66 and 1.0 s."""
TIMES = np.array([0.0, *AHEAD])


class LeadTape:
    """What led an actor: a ring beside its tape. Places are those of the actor; its leader may be elsewhere."""

    def __init__(self, size: int, bodies: int):
        self.xpos, self.xquat = np.zeros((size, bodies, 3)), np.zeros((size, bodies, 4))
        self.paths = np.zeros((size, 2, len(TIMES), 2))
        """(frame, asked or matched, point, 2): the root and where it is to be after 0.33, 0.66 and 1.0 s."""

    def record(self, slot: int, steered: Steered) -> None:
        """Write down what leads the actor now."""
        leader, root = steered.kinematic, steered.kinematic.pose.qpos[0, :2]
        positions, rotations = steered.shown()
        self.xpos[slot], self.xquat[slot] = positions[0], rotations[0]
        self.paths[slot, :, 0] = root
        self.paths[slot, ASKED, 1:], self.paths[slot, MATCHED, 1:] = leader.asked()[0], leader.matched()[0]
        self.paths[slot] += steered.player.world.qpos[0, :2] - root


def straight(place: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The path (4, 2) of something at `place` (2,) that goes at `velocity` (2,)."""
    return place + TIMES[:, None] * velocity


def curve(path: np.ndarray, points: int = 17) -> np.ndarray:
    """The cubic through the four points (4, 2) of a path, as points (point, 2)."""
    powers = np.vander(np.linspace(0.0, TIMES[-1], points), len(TIMES))
    return powers @ np.linalg.solve(np.vander(TIMES), path)


class GroundPaths:
    """Lines with dots below an actor's node: the path asked for, and that of a clip if one is matched."""

    def __init__(self, server: "viser.ViserServer", name: str, matched: bool):
        self.lines: dict[int, Any] = {}
        self.dots: dict[int, Any] = {}
        for kind, label in ((ASKED, "asked"), (MATCHED, "matched"))[: 1 + matched]:
            colour = COLOURS[kind]
            self.lines[kind] = server.scene.add_line_segments(
                f"{name}/path {label}", np.zeros((1, 2, 3), np.float32), colour, thickness=5.0, thickness_units="screen"
            )
            self.dots[kind] = server.scene.add_point_cloud(
                f"{name}/dots {label}", np.zeros((3, 3), np.float32), colour, point_size=DOT, point_shape="circle"
            )

    def show(self, paths: np.ndarray | None) -> None:
        """Draw the paths (asked, or asked and matched, point, 2), or hide them."""
        for handle in (*self.lines.values(), *self.dots.values()):
            if handle.visible != (paths is not None):
                handle.visible = paths is not None
        for kind, path in enumerate(() if paths is None else paths):
            line = _on_ground(curve(path), HEIGHTS[kind])
            self.lines[kind].points = np.stack([line[:-1], line[1:]], axis=1)
            self.dots[kind].points = _on_ground(path[1:], HEIGHTS[kind])


def _on_ground(points: np.ndarray, height: float) -> np.ndarray:
    return np.column_stack([points, np.full(len(points), height)]).astype(np.float32)
