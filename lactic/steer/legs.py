"""What strength the legs have left."""

import numpy as np

from lactic.body import Body
from lactic.errors import InputError


def legs_shares(body: Body) -> np.ndarray:
    """How much each joint counts (joint, 2) in the strength of the left and the right leg: by its maximal torque."""
    shares = np.zeros((len(body.joints), 2))
    for side, region in enumerate(("left leg", "right leg")):
        if region not in body.regions:
            raise InputError(f"body '{body.name}' has no {region}: its steering cannot feel fatigue")
        joints = [body.joints.index(name) for name in body.regions[region]]
        shares[joints, side] = body.torque_limit[joints] / body.torque_limit[joints].sum()
    return shares


def legs_capacity(body: Body, fatigued: np.ndarray) -> np.ndarray:
    """Residual capacity of the weaker leg (…) from MF (…, joint): the mean of 1 − MF weighted by maximal torque."""
    return 1 - (np.asarray(fatigued) @ legs_shares(body)).max(axis=-1)
