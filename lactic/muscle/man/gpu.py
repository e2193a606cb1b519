"""Muscles of all characters of a WarpWorld: the kernels, their constants and their memory."""

from typing import Any

import numpy as np
import torch
import warp as wp
from torch import Tensor

from lactic.muscle.man import kernels
from lactic.muscle.man.law import RATE_HALF_LIFE, Gains
from lactic.muscle.man.musculature import musculature


class WarpMuscles:
    """`Forces` of the muscles of a WarpWorld's characters.

    Arrays are views (world, muscle) of memory in which the world is the fastest index.
    """

    def __init__(self, world: Any, rates: np.ndarray, gains: Gains) -> None:
        strands, model = musculature().strands, world.body.model
        where, muscles, anchors = world.qpos.device, len(strands.rest), len(strands.body)
        bodies = model.nbody - 1

        def held(values: np.ndarray) -> Tensor:
            return torch.as_tensor(np.ascontiguousarray(values), dtype=torch.float32, device=where)

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(shape, device=where)

        def numbers(values: np.ndarray) -> Any:
            return wp.from_torch(torch.as_tensor(np.ascontiguousarray(values), dtype=torch.int32, device=where))

        self.rates = held(rates)
        """(muscle, 5): F, R, r, L, rule."""
        own = {name: zeros(muscles, world.count) for name in ("target", "length", "rate", "force")}
        own["target"][:] = held(strands.rest)[:, None]
        compartments = zeros(3, muscles, world.count)
        self.target, self.length, self.rate, self.force = (array.T for array in own.values())
        self.state = compartments.permute(2, 1, 0)
        """(world, muscle, 3): MA, MR, MF."""

        paths, fibres = kernels.Paths(), kernels.Fibres()
        paths.start, paths.body = numbers(strands.start), numbers(strands.body - 1)
        paths.weight, paths.place = wp.from_torch(held(strands.weight)), wp.from_torch(held(strands.place), wp.vec3)
        for name in ("force", "fibre", "tendon", "rest"):
            setattr(fibres, name, wp.from_torch(held(getattr(strands, name))))
        fibres.rates = wp.from_torch(self.rates)

        # what each body gets, bodies with most anchors first: they take longest
        parts = np.argwhere(strands.weight > 0)
        on = strands.body[*parts.T] - 1
        order = np.argsort(-np.bincount(on, minlength=bodies), kind="stable")
        parts = parts[np.argsort(np.argsort(order)[on], kind="stable")]
        on, anchor = strands.body[*parts.T], parts[:, 0]
        sizes = np.bincount(on - 1, minlength=bodies)[order]
        muscle = np.searchsorted(strands.start, anchor, side="right") - 1
        self._gathered = [
            numbers(order),
            numbers(np.r_[0, np.cumsum(sizes)]),
            numbers(anchor),
            numbers(muscle),
            wp.from_torch(held(strands.weight[*parts.T])),
            wp.from_torch(held(strands.place[*parts.T] - model.body_ipos[on]), wp.vec3),
        ]
        self._paths = paths
        pose, tug = wp.from_torch(zeros(bodies, 7, world.count)), wp.from_torch(zeros(anchors, 3, world.count))
        self._pose = [wp.from_torch(world.xpos, wp.vec3), wp.from_torch(world.xquat, wp.vec4)], pose
        target, length, rate, force = (wp.from_torch(array) for array in own.values())
        state = wp.from_torch(compartments)
        new = 1.0 - 0.5 ** (world.timestep / RATE_HALF_LIFE)
        self._pulled = (
            [paths, fibres, gains.stiffness, gains.damping, new, world.timestep, pose, target],
            [length, rate, state, force, tug],
        )
        self._settled = [length, rate, force, state]
        self._given = [pose, force, tug]
        self._push = wp.from_torch(world.push, wp.spatial_vector)
        self._over_bodies, self._over_muscles = (bodies, world.count), (muscles, world.count)
        world.exert(self)

    def settle(self, placed: Any) -> None:
        """Fresh muscles of the lengths that the pose gives them."""
        wp.launch(kernels.carry, self._over_bodies, self._pose[0], [self._pose[1]])
        wp.launch(kernels.settle, self._over_muscles, [placed, self._paths, self._pose[1]], self._settled)

    def apply(self) -> None:
        """A physics step of all muscles."""
        wp.launch(kernels.carry, self._over_bodies, self._pose[0], [self._pose[1]])
        wp.launch(kernels.pull, self._over_muscles, *self._pulled)
        wp.launch(kernels.gather, self._over_bodies, [*self._gathered, *self._given], [self._push])
