"""The whole state of a world as named arrays, so that a run can go on where it stopped.

A CpuWorld goes on bit for bit. A WarpWorld gets back its state and the solver's memory of the last step.
"""

from typing import Any

import mujoco
import numpy as np

from lactic.world.cpu import CpuWorld
from lactic.world.interface import World


def remember(world: World) -> dict[str, np.ndarray]:
    """Copies of everything the next step depends on, gains and targets excepted: `drive` sets those."""
    if isinstance(world, CpuWorld):
        return {"state": np.array(world._batch.state), "home": world._home.copy(), "torque": world.torque.copy()}
    import warp as wp

    held: Any = world
    arrays = {
        "qpos": held._d.qpos,
        "qvel": held._d.qvel,
        "time": held._d.time,
        "warmstart": held._d.qacc_warmstart,
        "home": held._home,
        "torque": held._torque,
        "given": held._given,
    }
    return {name: wp.to_torch(array).cpu().numpy().copy() for name, array in arrays.items()}


def recall(world: World, arrays: dict[str, np.ndarray]) -> None:
    """Bring back what `remember` gave, in a world of the same body and size."""
    if isinstance(world, CpuWorld):
        world._batch.state[:] = arrays["state"]
        world._home[:] = arrays["home"]
        world._batch.forward(stage=int(mujoco.mjtStage.mjSTAGE_VEL))
        world.torque[:] = arrays["torque"]
        return
    import torch
    import warp as wp

    held: Any = world
    device = held.qpos.device
    held.reset(None, *(torch.as_tensor(arrays[name], device=device) for name in ("qpos", "qvel")))
    kept = (
        (held._d.qacc_warmstart, "warmstart"),
        (held._d.time, "time"),
        (held._home, "home"),
        (held._torque, "torque"),
        (held._given, "given"),
    )
    for array, name in kept:
        wp.to_torch(array).copy_(torch.as_tensor(arrays[name], device=device))
