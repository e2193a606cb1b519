"""Actions that hold the arms of the muscle man horizontally, and that let them hang; nothing is learnt.

While arms are held, targets stay as they are: those whose springs balance gravity in the T-pose with the least squares
of activation. Nobody corrects them, so the arms go where tired muscles let them (feng2023 Sec. 5.2).
"""

from functools import cache

import mujoco
import numpy as np

from lactic.body import muscle_man
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature

SLACK = 0.5  # rest lengths beyond its own that a resting muscle aims at
SPARING = 1.0  # Nm of error that a whole activation is worth


@cache
def balance() -> np.ndarray:
    """Actions (muscle,) whose springs hold the T-pose against gravity."""
    from scipy.optimize import lsq_linear  # here, since play and training need no scipy

    model, strands = muscle_man().model, musculature().strands
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    points = law.anchors(strands, data.xpos, turns)
    each = np.diag(strands.force)  # one muscle at a time
    wrench = np.stack([law.wrenches(strands, data.xpos, turns, data.xipos, points, force) for force in each])
    arms = np.zeros((len(strands.rest), model.nv))
    for body in range(1, model.nbody):
        place, turn = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, place, turn, body)
        arms += wrench[:, body, :3] @ place + wrench[:, body, 3:] @ turn
    active, passive = law.curves(strands, strands.rest, np.zeros(len(strands.rest)))
    wanted = data.qfrc_bias[6:] - passive @ arms[:, 6:]
    rows = np.vstack([(active[:, None] * arms[:, 6:]).T, SPARING * np.eye(len(active))])
    wish = np.concatenate([wanted, np.zeros(len(active))])
    share = lsq_linear(rows, wish, bounds=(0, 1), tol=1e-14, max_iter=1000).x  # by itself it ends before it is there
    return -(share * active + passive)


def hanging() -> np.ndarray:
    """Actions (muscle,) that let the arms hang and hold all else as before."""
    action, muscles = balance().copy(), musculature()
    for side in ("right", "left"):
        action[list(muscles.groups[f"{side} arm"])] = SLACK
    return action
