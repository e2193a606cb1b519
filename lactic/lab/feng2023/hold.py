"""Arms held horizontally by springs on muscle lengths until they sink, rested, and held again (feng2023 Sec. 5.2).

The body is fixed, as in the paper, but for the arms. What muscles aim at is in `lactic/muscle/man/arms.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lactic.body import muscle_man
from lactic.fatigue import Fitness
from lactic.muscle.man.arms import BLADE, balance, hanging
from lactic.muscle.man.men import SUBSTEPS, MuscleMen
from lactic.muscle.man.muscled import muscled
from lactic.muscle.man.musculature import musculature
from lactic.picture.recording import Recording
from lactic.world import CpuWorld

RATE = 20  # control steps a second
HELD, RESTED, AGAIN = 120.0, 60.0, 60.0  # s (Fig. 9, 10)
SUNK = 0.25  # m that a hand is below its shoulder when arms count as sunk
SIDES = ("right", "left")
GROUPS = {
    "forearm": ("brachioradialis", "extensor_", "flexor_", "palmaris", "pronator", "supinator"),
    "upper arm": ("biceps_brachii", "bicep_brachii", "triceps", "brachialis", "coracobrachialis"),
    "shoulder": ("deltoid", "supraspinatus", "infraspinatus", "subscapularis", "teres"),
}
"""What Fig. 10 draws, by the beginnings of muscles' names."""


@dataclass(frozen=True)
class Held:
    """What happened, frame by frame at the control rate."""

    qpos: np.ndarray
    drop: np.ndarray
    """(frame,): how far the hands are below the shoulders, m, mean of both sides."""
    state: np.ndarray
    """(frame, muscle, 3): MA, MR, MF."""
    force: np.ndarray
    """(frame, muscle), N."""

    def recording(self) -> Recording:
        """The same as a recording of `muscled()`."""
        body, time = muscled(), np.arange(len(self.qpos)) / RATE
        load, limit = self.state[..., 0], (1.0 - self.state[..., 2]) * body.torque_limit
        about = "arms held", body.name, body.joints, RATE
        return Recording(*about, time, self.qpos, self.state, load, self.force, limit)

    def when(self, first: float, last: float, below: float = SUNK) -> float:
        """The second from which on, between two, hands are so far below the shoulders; NaN if they never are."""
        part = self.drop[round(first * RATE) : round(last * RATE)] > below
        return float(np.argmax(part)) / RATE if part.any() else float("nan")


def hold_arms(
    fitness: Fitness,
    held: float = HELD,
    rested: float = RESTED,
    again: float = AGAIN,
    exhausted: Iterable[str] = (),
    blade: float = BLADE,
) -> Held:
    """Hold the arms, rest them, hold them again, for so many seconds each; some muscles or groups begin exhausted.

    `blade` is how far the shoulder blades are turned up, rad.
    """
    body = muscle_man(pinned=True)
    man = MuscleMen(CpuWorld(body, substeps=SUBSTEPS), fitness)
    man.exhaust(exhausted)
    hands, shoulders = ([body.bodies.index(f"{side}_{part}") for side in SIDES] for part in ("hand", "upper_arm"))
    rows = []
    for k in range(round((held + rested + again) * RATE)):
        man.step(hanging() if held <= k / RATE < held + rested else balance(blade))
        drop = (man.xpos[0, shoulders, 2] - man.xpos[0, hands, 2]).mean()
        rows.append((man.qpos[0].copy(), drop, man.fatigue[0].copy(), man.force[0].copy()))
    return Held(*(np.array(column) for column in zip(*rows, strict=True)))


def members(group: str) -> np.ndarray:
    """The muscles of one of `GROUPS`, both sides; toes have flexors and extensors too."""
    held = musculature()
    legs = {k for part, muscles in held.groups.items() if part.endswith("leg") for k in muscles}
    names = [name.split("_", 1)[1] for name in held.names]
    return np.array([k for k, name in enumerate(names) if k not in legs and name.startswith(GROUPS[group])])
