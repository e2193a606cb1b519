"""The clips that are followed: every frame as a state to start from, as a view to reach, and as muscle lengths."""

import numpy as np
import torch
from torch import Tensor

from lactic import fatigue
from lactic.body import muscle_man
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.learn.vae.muscles import PARTS, TorchMuscles
from lactic.learn.vae.state import ManView, Skeleton, seen
from lactic.motion.man import ManLibrary

CURVE_LOAD, CURVE_HALF, CURVE_TIMES, CURVE_STEP = 0.7, 120.0, 3, 0.05
"""Load, seconds of it and of rest after it, how often, and seconds between points of the fatigue curve (Fig. 15)."""


class ManReference:
    """Frames of all clips on one device."""

    def __init__(self, library: ManLibrary, skeleton: Skeleton, muscles: TorchMuscles, fps: float = 20.0):
        if abs(library.fps - fps) > 1e-6:
            raise InputError(f"the library has {library.fps:g} frames a second; make it with {fps:g}")
        device = muscles.rest.device
        self.names, self.fps = library.names, fps
        _, turned = muscle_man().places(library.qpos)

        def tensor(values: np.ndarray) -> Tensor:
            return torch.tensor(values, dtype=torch.float32, device=device)

        self.qpos, self.qvel = tensor(library.qpos), tensor(library.velocities())
        fresh = torch.tensor([0.0, 0.0, 1.0] * PARTS, device=device).expand(len(turned), -1)
        state = skeleton.sensed(self.qpos, self.qvel, tensor(turned), fresh)
        self.views = seen(skeleton, state)
        self.joints = skeleton.joints(state.turn)
        chunks = torch.arange(len(turned), device=device).split(2048)
        self.lengths = torch.cat([muscles.stretch(state.at(rows)).length for rows in chunks])
        lasts = library.starts[1:] - 1
        self.last = torch.tensor(np.repeat(lasts, np.diff(library.starts)), device=device)
        """(frame,): the last frame of the same clip."""
        self.begins = torch.tensor(np.flatnonzero(np.arange(len(turned)) < self.last.cpu().numpy()), device=device)
        """Frames that have one after them."""
        self.flat = self.views.flat()

    def draw(self, count: int) -> Tensor:
        """Random frames (count,) that have one after them."""
        at = (torch.rand(count, device=self.begins.device) * len(self.begins)).long()
        return self.begins[at.clamp(max=len(self.begins) - 1)]

    def goal(self, frames: Tensor) -> ManView:
        """What frames look like."""
        return ManView(*(part[frames] for part in self.views))


class TiredStarts:
    """Points of a fatigue curve that episodes begin at: loads and rests by turns (feng2023 B.4, Fig. 15)."""

    def __init__(self, fitness: Fitness, muscles: TorchMuscles, tires: bool = True):
        half = round(CURVE_HALF / CURVE_STEP)
        loads = np.tile(np.repeat([CURVE_LOAD, 0.0], half), CURVE_TIMES)
        rates = fatigue.rates(fitness, ["whole body"])[0]
        curve = fatigue.track(loads, rates, CURVE_STEP) if tires else fatigue.fresh((1,))
        self.curve = torch.tensor(curve, dtype=torch.float32, device=muscles.rest.device)
        """(point, 3): MA, MR, MF."""
        self._part = muscles.part

    def draw(self, count: int) -> Tensor:
        """Compartments (count, muscle, 3); the muscles of each of five parts share a point of the curve."""
        at = (
            (torch.rand(count, PARTS, device=self.curve.device) * len(self.curve)).long().clamp(max=len(self.curve) - 1)
        )
        return torch.einsum("cpk,mp->cmk", self.curve[at], self._part)
