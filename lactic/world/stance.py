"""Whether a body stands: PD about its rest pose, at full strength."""

import numpy as np

from lactic.body import Body
from lactic.world.cpu import CpuWorld

SECONDS, RATE = 3.0, 30
SUNK = 0.5
"""Of the root's height at rest, below which it has fallen."""


def stance(body: Body) -> str:
    """What becomes of it in three seconds, in words."""
    world = CpuWorld(body)
    for k in range(round(SECONDS * RATE)):
        world.step(4)
        if world.faults:
            return f"no: its state is lost after {(k + 1) / RATE:.2f} s; give it more armature or lower gains"
        if world.qpos[0, 2] < SUNK * body.rest[2]:
            return (
                f"no: it sinks below half its height after {(k + 1) / RATE:.2f} s; give it more strength or stiffness"
            )
    load = float((world.torque[0] / body.torque_limit).max())
    weakest = body.joints[int(np.argmax(world.torque[0] / body.torque_limit))]
    return f"yes, for {SECONDS:g} s; {weakest} has the largest load, {load:.0%} of its strength"
