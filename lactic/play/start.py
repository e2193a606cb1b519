"""Where a character starts: states of its own motion that ship with its brain."""

import numpy as np

from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError

DISTURBANCE = 1e-3  # rad; no two takes of a character that starts at rest are quite alike


def stored_states(folder: BrainFolder, body: Body) -> tuple[np.ndarray, np.ndarray] | None:
    """All states (S, nq) and (S, nv) of the folder's starts.npz; None without one."""
    model, path = body.model, folder.path / "starts.npz"
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            qpos, qvel = (np.array(stored[name], dtype=float) for name in ("qpos", "qvel"))
    except Exception as error:  # NumPy and zipfile let many kinds through on damaged archives
        raise InputError(f"{path}: no start states can be read ({error})") from error
    if qpos.ndim != 2 or not len(qpos) or qpos.shape[1] != model.nq or qvel.shape != (len(qpos), model.nv):
        raise InputError(f"{path}: needs qpos (S, {model.nq}) and qvel (S, {model.nv})")
    if not (np.isfinite(qpos).all() and np.isfinite(qvel).all()):
        raise InputError(f"{path}: holds NaN or infinite values")
    return qpos, qvel


def start_states(folder: BrainFolder, body: Body, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """States (count, nq) and (count, nv) drawn from the folder's starts.npz; without one the rest pose, disturbed."""
    rng, stored = np.random.default_rng(seed), stored_states(folder, body)
    if stored is None:
        qpos = np.tile(body.rest, (count, 1))
        qpos[:, 7:] += rng.normal(0.0, DISTURBANCE, (count, body.model.nu))
        return qpos, np.zeros((count, body.model.nv))
    chosen = rng.integers(len(stored[0]), size=count)
    qpos = stored[0][chosen]
    qpos[:, :2] = 0.0
    return qpos, stored[1][chosen]
