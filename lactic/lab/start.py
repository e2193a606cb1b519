"""Where episodes start: each from a state of its own, another phase of the motion, disturbed."""

import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.motion.ground import clearance
from lactic.play.start import stored_states

ANGLE, RATE = 0.05, 0.5
"""Standard deviations of the disturbance: rad of the joints and of the root's turn, rad/s of their velocities."""


def distinct_starts(
    folder: BrainFolder, body: Body, count: int, seed: int, standing: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """States (count, nq) and (count, nv), no two alike: the brain's own, each drawn as often as any other, disturbed.

    Brains without stored states start in the rest pose, and so do all if `standing`. The lowest point stays as high
    above the floor as it was, and never below it.
    """
    rng = np.random.default_rng(seed)
    stored = None if standing else stored_states(folder, body)
    if stored is None:
        stored = body.rest[None], np.zeros((1, body.model.nv))
    rounds = [rng.permutation(len(stored[0])) for _ in range(-(-count // len(stored[0])))]
    chosen = np.concatenate(rounds)[:count]
    qpos, qvel = stored[0][chosen], stored[1][chosen]
    qpos[:, :2] = 0.0
    return disturbed(body, qpos, qvel, rng)


def disturbed(
    body: Body, qpos: np.ndarray, qvel: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The states with normal noise on joints and root, joints within their range, feet back on the floor."""
    count, joints = len(qpos), len(body.joints)
    before = clearance(body, qpos).min(1)
    qpos, qvel = qpos.copy(), qvel.copy()
    qpos[:, 7:] = np.clip(qpos[:, 7:] + rng.normal(0.0, ANGLE, (count, joints)), *body.range.T)
    qpos[:, 3:7] = rotation.multiply(qpos[:, 3:7], rotation.exp(rng.normal(0.0, ANGLE, (count, 3))))
    qvel[:, 3:] += rng.normal(0.0, RATE, (count, qvel.shape[1] - 3))
    # in the air a body stays as high; on the floor, soles that the noise pushed into it would throw the body up
    qpos[:, 2] += np.maximum(before, 0.0) - clearance(body, qpos).min(1)
    return qpos, qvel
