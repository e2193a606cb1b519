"""Actions that hold the arms of the muscle man horizontally, and that let them hang; nothing is learnt.

While arms are held, targets stay as they are: those whose springs balance gravity with the least squares of activation.
Nobody corrects them, so the arms go where tired muscles let them (feng2023 Sec. 5.2).

How long that lasts depends on the shoulder blades. In the rest pose, a T, only small muscles lift the upper arm against
its blade. A person turns the blade too: a third of the way that an arm is raised (Inman, Saunders & Abbott 1944). The
paper does not say how its character holds them.
"""

from functools import cache
from typing import NamedTuple

import mujoco
import numpy as np

from lactic.body import muscle_man
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature

SLACK = 0.5  # rest lengths beyond its own that a resting muscle of an arm aims at
LOOSE = 0.1
"""The same of the trunk's muscles that hold a shoulder blade or an arm; further, and arms fall into the chest, since
nothing touches."""
SPARING = 1.0  # Nm of error that a whole activation is worth
BLADE = np.radians(20.0)
"""How far a shoulder blade is turned up from the rest pose while its arm is horizontal; `lactic lab feng2023 bound`."""
JOINTS = ("clavicle", "shoulder", "elbow", "wrist")


class Carried(NamedTuple):
    """What a pose asks of the arms' joints, and what muscles can do about it."""

    wanted: np.ndarray  # (dof,): Nm that muscles have to give besides their passive force
    pulls: np.ndarray  # (dof, muscle): Nm at full activation
    active: np.ndarray  # (muscle,): force at full activation, in maximal forces
    passive: np.ndarray  # (muscle,)
    length: np.ndarray  # (muscle,): m


def posture(blade: float = BLADE) -> np.ndarray:
    """A pose (nq,) with straight horizontal arms to the sides, and shoulder blades turned up by an angle, rad."""
    model = muscle_man().model
    qpos = model.qpos0.copy()
    for side, sign in (("right", 1.0), ("left", -1.0)):
        for joint, angle in (("clavicle", -blade), ("shoulder", blade)):
            first = int(model.joint(f"{side}_{joint}").qposadr[0])
            mujoco.mju_axisAngle2Quat(qpos[first : first + 4], [sign, 0.0, 0.0], angle)
    return qpos


def carried(qpos: np.ndarray) -> Carried:
    """Gravity's load on the joints of both arms in a pose at rest, and the moments of all muscles there."""
    model, strands = muscle_man().model, musculature().strands
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    points = law.anchors(strands, data.xpos, turns)
    length = law.lengths(strands, points)
    each = np.diag(strands.force)  # one muscle at a time
    wrench = np.stack([law.wrenches(strands, data.xpos, turns, data.xipos, points, force) for force in each])
    moments = np.zeros((len(strands.rest), model.nv))
    for body in range(1, model.nbody):
        place, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, place, turn, body)
        moments += wrench[:, body, :3] @ place + wrench[:, body, 3:] @ turn
    active, passive = law.curves(strands, length, np.zeros(len(length)))
    owner = [model.joint(int(joint)).name for joint in model.dof_jntid]
    arms = np.array([name.endswith(JOINTS) for name in owner])
    moments = moments[:, arms]
    return Carried(data.qfrc_bias[arms] - passive @ moments, active * moments.T, active, passive, length)


@cache
def balance(blade: float = BLADE) -> np.ndarray:
    """Actions (muscle,) whose springs hold that posture against gravity."""
    from scipy.optimize import lsq_linear  # here, since play and training need no scipy

    found = carried(posture(blade))
    count = len(found.active)
    rows = np.vstack([found.pulls, SPARING * np.eye(count)])
    wish = np.concatenate([found.wanted, np.zeros(count)])
    share = lsq_linear(rows, wish, bounds=(0, 1), tol=1e-14, max_iter=1000).x  # by itself it ends before it is there
    return found.length / musculature().strands.rest - 1.0 - (share * found.active + found.passive)


def least_largest(found: Carried) -> float:
    """The least activation that the most active muscle must have to hold a pose; infinite if none is enough."""
    from scipy.optimize import linprog

    joints, count = found.pulls.shape
    largest = np.concatenate([np.zeros(count), [1.0]])  # what is made small: one more unknown, above all activations
    below = np.hstack([np.eye(count), -np.ones((count, 1))])
    even = np.hstack([found.pulls, np.zeros((joints, 1))])
    made = linprog(largest, A_ub=below, b_ub=np.zeros(count), A_eq=even, b_eq=found.wanted)
    return float(made.fun) if made.success else float("inf")


def longest(least: float, rates: np.ndarray) -> float:
    """Seconds after which no way of sharing the load can hold a pose that needs `least`; `rates` are a `Fitness`'s.

    Activations that hold a pose may be averaged over time and still hold it. So whatever muscles do by turns, and
    however the average weighs the seconds, one muscle's average is `least` or more. Weighed by how much of the fatigue
    of a second is left at the end, if muscles recovered at r·R all along, that is F·least·(1 − exp(−rR·T))/(rR) of
    fatigue in one muscle, and a muscle cannot have more than 1.
    """
    F, recovery = rates[0], rates[1] * rates[2]
    spent = recovery / (F * least)
    return float(-np.log1p(-spent) / recovery) if spent < 1.0 else float("inf")


@cache
def hanging() -> np.ndarray:
    """Actions (muscle,) that let arms and shoulder blades hang and hold all else as before."""
    action, muscles = balance().copy(), musculature()
    crossing = np.abs(carried(posture(0.0)).pulls).max(0) > 1e-9
    action[crossing] = np.maximum(action[crossing], LOOSE)
    for side in ("right", "left"):
        action[list(muscles.groups[f"{side} arm"])] = SLACK
    return action
