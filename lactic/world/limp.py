"""Bodies that lie on the floor, as they come to when all strength leaves them."""

import numpy as np

from lactic.body import Body
from lactic.world.cpu import CpuWorld

SECONDS = 2.5
"""How long they fall and settle."""
PUSH = 1.5
"""m/s and rad/s that the root gets on top of its own at most, so that they fall to all sides."""


def lying(body: Body, qpos: np.ndarray, qvel: np.ndarray, seed: int = 0) -> np.ndarray:
    """Poses (state, nq) in which bodies come to lie that go limp in the states given; the same at every call."""
    draw, count = np.random.default_rng(seed), len(qpos)
    world = CpuWorld(body, count)
    pushed = np.array(qvel, dtype=float)
    pushed[:, :6] += draw.uniform(-PUSH, PUSH, (count, 6))
    world.reset(None, np.array(qpos, dtype=float), pushed)
    none = np.zeros((count, len(body.joints)))
    world.drive(none, none, none, none)
    for _ in range(round(SECONDS / (4 * world.timestep))):
        world.step(4)
    return world.qpos.copy()
