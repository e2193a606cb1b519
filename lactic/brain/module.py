"""The brain as a torch module: policy, intent, fatigue and limits in one pass, batched."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lactic.body import Body
from lactic.strength import LoadKind, pd_torque, spend


class Senses(NamedTuple):
    """What a policy may look at; every field is batch first."""

    qpos: Tensor
    qvel: Tensor
    xpos: Tensor
    """(world, body, 3), world body left out."""
    command: Tensor
    """What a person or programme asks for, (world, size of the command)."""
    fatigue: Tensor
    """(world, joint, 3): MA, MR, MF."""


class Outputs(NamedTuple):
    """What a brain gives the engine, the next fatigue state, and the load that caused it."""

    targets: Tensor
    stiffness: Tensor
    damping: Tensor
    limits: Tensor
    fatigue: Tensor
    load: Tensor
    clock: Tensor | None = None
    """How fast a motion shall run on, (world, 1), of a brain that follows motions."""


class PoseSequence(nn.Module):
    """Holds poses: the command is a phase that runs from 0 (first pose) to the last, linear in between."""

    def __init__(self, poses: Tensor):
        super().__init__()
        self.poses: Tensor
        self.register_buffer("poses", poses.to(torch.float32))

    def forward(self, senses: Senses) -> tuple[Tensor, Tensor]:
        """The pose at phase `command[:, 0]`, with β = 1."""
        knots = torch.arange(self.poses.shape[0], device=self.poses.device, dtype=torch.float32)
        # hat functions: 1 at their own knot, 0 at the others
        weight = (1.0 - (senses.command[:, :1].clamp(0.0, float(len(knots) - 1)) - knots).abs()).clamp(min=0.0)
        return weight @ self.poses, torch.ones_like(senses.command[:, :1])


class Brain(nn.Module):
    """Policy and body joined: state, torque given, command, fatigue and fitness to targets, gains, limits, next fatigue
    and load."""

    def __init__(
        self,
        body: Body,
        policy: nn.Module,
        *,
        torque_limit: Tensor | None = None,
        control_dt: float = 1 / 30,
        load: LoadKind = "applied",
    ):
        super().__init__()
        self.body, self.policy, self.control_dt, self.load = body, policy, control_dt, load
        self.kp: Tensor
        self.kd: Tensor
        self.torque_limit: Tensor
        # an exported buffer must not be called like an output
        self.register_buffer("kp", torch.tensor(body.stiffness, dtype=torch.float32))
        self.register_buffer("kd", torch.tensor(body.damping, dtype=torch.float32))
        limit = torch.tensor(body.torque_limit) if torque_limit is None else torque_limit
        self.register_buffer("torque_limit", limit.to(torch.float32))

    def forward(
        self,
        qpos: Tensor,
        qvel: Tensor,
        xpos: Tensor,
        torque: Tensor,
        command: Tensor,
        fatigue: Tensor,
        fitness: Tensor,
    ) -> Outputs:
        """One control step; `torque` is what the joints gave in the last one, `fitness` is (world, joint, 5): F, R, r,
        L with the time scale multiplied in, and the rule."""
        targets, beta, *clock = self.policy(Senses(qpos, qvel, xpos, command, fatigue))
        if self.load == "intended":
            torque = pd_torque(targets, beta, qpos[:, 7:], qvel[:, 6:], self.kp, self.kd)
        left = spend(fatigue, torque, self.torque_limit, fitness, self.control_dt)
        return Outputs(targets, beta * self.kp, beta * self.kd, left.limits, left.fatigue, left.load, *clock)
