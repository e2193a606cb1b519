"""What led a steered character in the last minute: its kinematic character, the way asked for, the way matched."""

import numpy as np

from lactic.play.steered import Steered
from lactic.steer.matching.features import AHEAD

ASKED, MATCHED = 0, 1


class Guide:
    """A ring beside a tape, of as many frames; places are those of the simulated character, which may be elsewhere."""

    def __init__(self, size: int, bodies: int):
        self.xpos, self.xquat = np.zeros((size, bodies, 3)), np.zeros((size, bodies, 4))
        self.ways = np.zeros((size, 2, 1 + len(AHEAD), 2))
        """(frame, asked or matched, point, 2): the root and where it is to be after 0.33, 0.66 and 1.0 s."""

    def keep(self, slot: int, steered: Steered) -> None:
        """Write down what leads the character now."""
        kinematic, pose = steered.kinematic, steered.kinematic.pose
        shift = steered.player.world.qpos[0, :2] - pose.qpos[0, :2]
        self.xpos[slot], self.xquat[slot] = pose.positions[0], pose.rotations[0]
        self.xpos[slot, :, :2] += shift
        self.ways[slot, :, 0] = pose.qpos[0, :2]
        self.ways[slot, ASKED, 1:], self.ways[slot, MATCHED, 1:] = kinematic.asked()[0], kinematic.matched()[0]
        self.ways[slot] += shift


def straight(place: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The way (4, 2) of something at `place` (2,) that goes at `velocity` (2,)."""
    return place + np.array([0.0, *AHEAD])[:, None] * velocity


def curve(way: np.ndarray, points: int = 17) -> np.ndarray:
    """The cubic through the four points (4, 2) of a way, as points (point, 2)."""
    times = np.array([0.0, *AHEAD])
    t = np.linspace(0.0, times[-1], points)
    others = [np.delete(times, k) for k in range(len(times))]
    # Lagrange's polynomials
    share = [np.prod((t[:, None] - rest) / (times[k] - rest), axis=1) for k, rest in enumerate(others)]
    return np.stack(share, axis=1) @ way
