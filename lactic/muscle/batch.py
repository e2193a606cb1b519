"""Muscles as the strength of many characters at once, on any device: `limit.MuscleLimit` by the learned R and E.

Three things differ from the exact limit. Networks answer for (q, q̇, τ) in the ranges they were trained on, so states
and torques are held at the ends of these first: a box before the muscles, as extrapolated answers are torques that no
muscle can give. R is only near 0 where a torque can be given: a correction below `DEAD` counts as none, or every joint
would be bounded all the time and lose the engine's implicit damping. And fatigue is one number c for a leg, the mean of
its joints: R_c(τ) = c·R(p + (τ − p)/c) with the passive torque p, exact where all muscles keep the same share.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lactic.body import Body
from lactic.muscle.learned import LEAST, SHIPPED, Network, network
from lactic.muscle.leg import shipped_leg
from lactic.muscle.limit import hinges
from lactic.muscle.samples import WIDE, Ranges

DEAD = 2.0
"""Nm; a shorter correction is the network's noise."""


class TorchNetwork(torch.nn.Module):
    """A learned network on a device, in float32."""

    def __init__(self, source: Network) -> None:
        super().__init__()
        parts: list[torch.nn.Module] = []
        for weight, bias in source.layers:
            layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(weight))
                layer.bias.copy_(torch.from_numpy(bias))
            parts += [layer, torch.nn.ELU()]
        self.layers = torch.nn.Sequential(*parts[:-1])
        self.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (…, outputs) of inputs (…, inputs)."""
        return self.layers(x)


class BatchLimit:
    """Both legs of all worlds: give it every control step's `drive`, call it in every substep, as a `MuscleLimit`.

    `torque_limit` are the fresh maxima that a drive's limits are shares of, by default the body's. A second of the
    `passes` corrects the corrected torque, which leaves less that muscles cannot give. Nothing here waits for a GPU,
    and all tensors stay where they are, so calls may be captured in a CUDA graph.
    """

    def __init__(
        self,
        body: Body,
        count: int,
        device: str | torch.device = "cpu",
        torque_limit: Any = None,
        folder: str | Path = SHIPPED,
        ranges: Ranges = WIDE,
        passes: int = 1,
    ) -> None:
        self.device, self.passes = torch.device(device), passes
        self._correction = TorchNetwork(network("R", folder)).to(self.device)
        self._effort = TorchNetwork(network("E", folder)).to(self.device)
        self._passive = TorchNetwork(network("passive", folder)).to(self.device)
        index, sign = hinges(body, shipped_leg())
        self.hinges = torch.from_numpy(index.reshape(-1)).to(self.device)
        self._angles, self._speeds = 7 + self.hinges, 6 + self.hinges
        self._sign = torch.from_numpy(sign).float().to(self.device)
        fresh = np.asarray(body.torque_limit if torque_limit is None else torque_limit)[index.reshape(-1)]
        self._fresh = torch.as_tensor(fresh, dtype=torch.float32, device=self.device)
        limits = torch.tensor([ranges.low, ranges.high, ranges.speed, ranges.torque], device=self.device)
        self._low, self._high, self._speed, self._torque = limits
        self._least = -limits
        n = len(sign[0])
        self._law = torch.zeros(5, count, 2 * n, device=self.device)
        """Of the legs: targets, stiffness, damping, limits and their opposite."""
        self.intent, self.given = (torch.zeros(count, 2, n, device=self.device) for _ in range(2))
        """Torques wanted and given at the last substep, (world, leg, coordinate), OpenSim's signs."""
        self.state = torch.zeros(2, count, 2, n, device=self.device)
        """Angles and velocities they hold for."""
        self._left_now = torch.ones(count, 2, 1, device=self.device)

    def drive(self, targets: Any, stiffness: Any, damping: Any, limits: Any) -> None:
        """The PD law of the substeps to come, (world, joint) each, as for the world."""
        for kept, given in zip(self._law[:4], (targets, stiffness, damping, limits), strict=True):
            kept.copy_(torch.as_tensor(given, device=self.device).index_select(1, self.hinges))
        torch.neg(self._law[3], out=self._law[4])
        share = (self._law[3] / self._fresh).view(*self.intent.shape).mean(2, keepdim=True)
        self._left_now.copy_(self._left(share, share))

    def __call__(self, world: Any) -> None:
        """Before a physics step: bound the legs' actuators of `world` by what muscles can give."""
        qpos, qvel = (torch.as_tensor(x, dtype=torch.float32, device=self.device) for x in (world.qpos, world.qvel))
        targets, stiffness, damping, limits, least = self._law
        # few kernels: each costs a GPU some microseconds however little it does
        angle, speed = qpos.index_select(1, self._angles), qvel.index_select(1, self._speeds)
        wanted = torch.addcmul(stiffness * (targets - angle), damping, speed, value=-1.0).clamp(least, limits)
        q, qd = self.state
        for number, kept in ((angle, q), (speed, qd), (wanted, self.intent)):
            torch.mul(number.view(*kept.shape), self._sign, out=kept)
        self.given.copy_(self.nearest(q, qd, self.intent, self._left_now))
        ours = (self.given * self._sign).view(*wanted.shape)
        low = torch.where(ours > wanted, ours, torch.minimum(least, ours))
        high = torch.where(ours < wanted, ours, torch.maximum(limits, ours))
        bounds = torch.stack([low, high], 2)
        if isinstance(world.bounds, Tensor):
            world.bounds.index_copy_(1, self.hinges, bounds)
        else:
            world.bounds[:, self.hinges.numpy()] = bounds.numpy()

    def nearest(self, q: Tensor, qd: Tensor, torque: Tensor, capacity: Tensor | float = 1.0) -> Tensor:
        """τ − R of torques (…, coordinate), unchanged where R is shorter than `DEAD`; `capacity` (…, 1) of the leg."""
        pose, left = self._pose(q), self._left(capacity, q)
        rest, speed = self._passive(pose), torch.clamp(qd, self._least[2], self._speed)
        held = torch.addcdiv(rest, torque - rest, left).clamp(self._least[3], self._torque)
        for _ in range(self.passes):
            held = held - self._correction(torch.cat([pose, speed, held], -1))
        given = torch.addcmul(rest, left, held - rest)
        return torch.where((torque - given).norm(dim=-1, keepdim=True) < DEAD, torque, given)

    def _left(self, capacity: Tensor | float, like: Tensor) -> Tensor:
        return torch.as_tensor(capacity, dtype=like.dtype, device=like.device).clamp(LEAST, 1.0)

    def effort(self) -> Tensor:
        """E of the torques given at the last substep, (world, leg), N; at least 0."""
        q, qd = self.state
        pose, speed = self._pose(q), torch.clamp(qd, self._least[2], self._speed)
        rest = self._passive(pose)
        torque = torch.addcdiv(rest, self.given - rest, self._left_now)
        return (self._left_now * self._effort(torch.cat([pose, speed, torque], -1)))[..., 0].clamp(min=0.0)

    def beyond(self) -> Tensor:
        """What could not be given at the last substep, R (world, leg, coordinate), Nm."""
        return self.intent - self.given

    def _pose(self, q: Tensor) -> Tensor:
        return torch.clamp(q, self._low, self._high)
