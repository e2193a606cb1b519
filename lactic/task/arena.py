"""A world as float32 torch tensors, whichever engine runs it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lactic.world.interface import World


def _view(name: str) -> Any:
    """An array of the world as a tensor, read anew each time."""

    def read(arena: "Arena") -> Tensor:
        array = getattr(arena.world, name)
        return array if arena.shares else torch.from_numpy(np.array(array, dtype=np.float32))

    return property(read)


class Arena:
    """Views and calls of a world in torch: without copies for a WarpWorld, converted from float64 for a CpuWorld."""

    def __init__(self, world: World):
        self.world, self.body, self.count = world, world.body, world.count
        self.shares = isinstance(world.qpos, Tensor)
        self.device = world.qpos.device if self.shares else torch.device("cpu")

    def _write(self, tensor: Tensor) -> Any:
        return tensor if self.shares else tensor.detach().numpy()

    qpos = _view("qpos")
    """Positions (world, nq)."""
    qvel = _view("qvel")
    """Velocities (world, nv)."""
    xpos = _view("xpos")
    """Positions of the bodies (world, body, 3)."""
    xquat = _view("xquat")
    """Rotations of the bodies (world, body, 4)."""
    torque = _view("torque")
    """Mean |torque| of each joint over the last control step (world, joint)."""
    touch = _view("touch")
    """Contacts of each body with the ground (world, body)."""

    @property
    def faulted(self) -> Tensor:
        """Worlds whose state was lost in the last step (world,)."""
        return self.world.faulted if self.shares else torch.from_numpy(np.array(self.world.faulted))

    def drive(self, targets: Tensor, stiffness: Tensor, damping: Tensor, limits: Tensor) -> None:
        """Set targets, gains and torque limits, (world, joint) each."""
        self.world.drive(*(self._write(x) for x in (targets, stiffness, damping, limits)))

    def push(self, body: int, wrench: Tensor) -> None:
        """Force and torque (world, 6) at the centre of mass of a body, in the world's frame, until written again."""
        self.world.push[:, body] = self._write(wrench)

    def step(self, substeps: int, before: Callable[[World], None] | None = None) -> None:
        """Advance by one control step; `before` is called ahead of each substep."""
        self.world.step(substeps, before)

    def reset(self, mask: Tensor, qpos: Tensor, qvel: Tensor) -> None:
        """Place the worlds where `mask` is true."""
        self.world.reset(self._write(mask), self._write(qpos), self._write(qvel))
