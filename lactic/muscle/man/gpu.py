"""Muscles of all characters of a WarpWorld: the kernels, their constants and their memory."""

from typing import Any

import numpy as np
import torch
import warp as wp
from torch import Tensor

from lactic.muscle.man import kernels
from lactic.muscle.man.law import RATE_HALF_LIFE, Gains
from lactic.muscle.man.musculature import musculature


def shared(tensor: Tensor, kind: Any = None) -> Any:
    """The same memory as a Warp array."""
    return wp.from_torch(tensor, kind)


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
            return shared(torch.as_tensor(np.ascontiguousarray(values), dtype=torch.int32, device=where))

        self.rates = held(rates)
        """(muscle, 5): F, R, r, L, rule."""
        own = {name: zeros(muscles, world.count) for name in ("target", "length", "rate", "force")}
        own["target"][:] = held(strands.rest)[:, None]
        compartments = zeros(3, muscles, world.count)
        self.target, self.length, self.rate, self.force = (array.T for array in own.values())
        self.state = compartments.permute(2, 1, 0)
        """(world, muscle, 3): MA, MR, MF."""
        self.outside = zeros(world.count, bodies, 6)
        """(world, body, 6): what pushes the bodies beside their muscles, as a world's `push`."""

        paths, fibres = kernels.Paths(), kernels.Fibres()
        paths.start, paths.body = numbers(strands.start), numbers(strands.body - 1)
        paths.weight, paths.place = shared(held(strands.weight)), shared(held(strands.place), wp.vec3)
        for name in ("force", "fibre", "tendon", "rest"):
            setattr(fibres, name, shared(held(getattr(strands, name))))
        fibres.rates = shared(self.rates)

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
            shared(held(strands.weight[*parts.T])),
            shared(held(strands.place[*parts.T] - model.body_ipos[on]), wp.vec3),
        ]
        self._paths = paths
        pose, tug = shared(zeros(bodies, 7, world.count)), shared(zeros(anchors, 3, world.count))
        self._pose = [shared(world.xpos, wp.vec3), shared(world.xquat, wp.vec4)], pose
        target, length, rate, force = (shared(array) for array in own.values())
        state = shared(compartments)
        new = 1.0 - 0.5 ** (world.timestep / RATE_HALF_LIFE)
        self._pulled = (
            [paths, fibres, gains.stiffness, gains.damping, new, world.timestep, pose, target],
            [length, rate, state, force, tug],
        )
        outside = shared(self.outside, wp.spatial_vector)
        self._settled = [length, rate, force, state, outside]
        self._given = [pose, force, tug, outside]
        self._push = shared(world.push, wp.spatial_vector)
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
