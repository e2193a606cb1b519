"""Moving arrays between NumPy and whatever a world is made of."""

import numpy as np


def given(world, array):
    """`array` as the world wants it."""
    if isinstance(world.qpos, np.ndarray):
        return np.asarray(array)
    import torch

    tensor = torch.tensor(np.asarray(array), device=world.qpos.device)
    return tensor.float() if tensor.is_floating_point() else tensor


def seen(array):
    """A copy of a view, as NumPy."""
    return np.array(array.cpu().numpy() if hasattr(array, "cpu") else array)


def drive(world, *arrays):
    world.drive(*(given(world, array) for array in arrays))


def reset(world, ids=None, qpos=None, qvel=None):
    world.reset(*(None if array is None else given(world, array) for array in (ids, qpos, qvel)))


def state(world):
    return {name: seen(getattr(world, name)) for name in ("qpos", "qvel", "xpos", "xquat", "force", "push", "touch")}


def flying(body, rng, count, height=20.0):
    """Random poses and velocities far above the ground, joints inside their ranges."""
    qpos = np.tile(body.model.qpos0, (count, 1))
    qpos[:, 2] = height
    qpos[:, 3:7] = rng.normal(size=(count, 4))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    low, high = body.range.T
    qpos[:, 7:] = low + (high - low) * rng.uniform(0.2, 0.8, (count, len(body.joints)))
    qvel = rng.normal(size=(count, body.model.nv))
    return qpos, qvel
