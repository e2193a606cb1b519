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
from lactic.strength.learned import LEAST, SHIPPED, Network, network
from lactic.strength.leg import shipped_leg
from lactic.strength.limit import hinges
from lactic.strength.ranges import WIDE, Ranges

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
        self, body: Body, count: int, device: str | torch.device = "cpu", torque_limit: Any = None,
        folder: str | Path = SHIPPED, ranges: Ranges = WIDE, passes: int = 1,
    ) -> None:  # fmt: skip
        self.device, self.passes = torch.device(device), passes
        self._correction = TorchNetwork(network("R", folder)).to(self.device)
        self._effort = TorchNetwork(network("E", folder)).to(self.device)
        self._passive = TorchNetwork(network("passive", folder)).to(self.device)
        index, sign = hinges(body, shipped_leg())
        joints = len(body.joints)
        self.hinges = torch.from_numpy(index.reshape(-1)).to(self.device)
        self._sign = torch.from_numpy(sign).float().to(self.device)
        fresh = np.asarray(body.torque_limit if torque_limit is None else torque_limit)[index.reshape(-1)]
        self._fresh = torch.as_tensor(fresh, dtype=torch.float32, device=self.device)
        limits = torch.tensor([ranges.low, ranges.high, ranges.speed, ranges.torque], device=self.device)
        self._low, self._high, self._speed, self._torque = limits
        self._law = torch.zeros(4, count, joints, device=self.device)
        self.intent, self.given = (torch.zeros(count, 2, len(sign[0]), device=self.device) for _ in range(2))
        """Torques wanted and given at the last substep, (world, leg, coordinate), OpenSim's signs."""
        self.state = torch.zeros(2, count, 2, len(sign[0]), device=self.device)
        """Angles and velocities they hold for."""
        self._left_now = torch.ones(count, 2, 1, device=self.device)

    def drive(self, targets: Any, stiffness: Any, damping: Any, limits: Any) -> None:
        """The PD law of the substeps to come, (world, joint) each, as for the world."""
        for kept, given in zip(self._law, (targets, stiffness, damping, limits), strict=True):
            kept.copy_(torch.as_tensor(given))

    def __call__(self, world: Any) -> None:
        """Before a physics step: bound the legs' actuators of `world` by what muscles can give."""
        qpos, qvel = (torch.as_tensor(x, dtype=torch.float32, device=self.device) for x in (world.qpos, world.qvel))
        legs, n = self.hinges, self.intent.shape[2]
        targets, stiffness, damping, limits = self._law[:, :, legs]
        angle, speed = qpos[:, 7 + legs], qvel[:, 6 + legs]
        wanted = (stiffness * (targets - angle) - damping * speed).clamp(-limits, limits)
        q, qd, torque = (x.view(-1, 2, n) * self._sign for x in (angle, speed, wanted))
        left = (limits / self._fresh).view(-1, 2, n).mean(2, keepdim=True)
        self._left_now.copy_(self._left(left, q))
        given = self.nearest(q, qd, torque, left)
        self.state[0].copy_(q)
        self.state[1].copy_(qd)
        self.intent.copy_(torque)
        self.given.copy_(given)
        ours = (given * self._sign).view(-1, 2 * n)
        low = torch.where(ours > wanted, ours, torch.minimum(-limits, ours))
        high = torch.where(ours < wanted, ours, torch.maximum(limits, ours))
        bounds = torch.stack([low, high], 2)
        if isinstance(world.bounds, Tensor):
            world.bounds.index_copy_(1, legs, bounds)
        else:
            world.bounds[:, legs.numpy()] = bounds.numpy()

    def nearest(self, q: Tensor, qd: Tensor, torque: Tensor, capacity: Tensor | float = 1.0) -> Tensor:
        """τ − R of torques (…, coordinate), unchanged where R is shorter than `DEAD`; `capacity` (…, 1) of the leg."""
        left, rest = self._left(capacity, q), self._passive(self._pose(q))
        held = rest + (torque - rest) / left
        held = torch.maximum(torch.minimum(held, self._torque), -self._torque)
        for _ in range(self.passes):
            held = held - self._correction(self._inputs(q, qd, held))
        given = rest + left * (held - rest)
        return torch.where((torque - given).norm(dim=-1, keepdim=True) < DEAD, torque, given)

    def _left(self, capacity: Tensor | float, like: Tensor) -> Tensor:
        return torch.as_tensor(capacity, dtype=like.dtype, device=like.device).clamp(LEAST, 1.0)

    def effort(self) -> Tensor:
        """E of the torques given at the last substep, (world, leg), N; at least 0."""
        q, qd = self.state
        rest = self._passive(self._pose(q))
        torque = rest + (self.given - rest) / self._left_now
        return (self._left_now * self._effort(self._inputs(q, qd, torque)))[..., 0].clamp(min=0.0)

    def beyond(self) -> Tensor:
        """What could not be given at the last substep, R (world, leg, coordinate), Nm."""
        return self.intent - self.given

    def _inputs(self, q: Tensor, qd: Tensor, torque: Tensor) -> Tensor:
        speed = torch.maximum(torch.minimum(qd, self._speed), -self._speed)
        return torch.cat([self._pose(q), speed, torque], -1)

    def _pose(self, q: Tensor) -> Tensor:
        return torch.maximum(torch.minimum(q, self._high), self._low)

