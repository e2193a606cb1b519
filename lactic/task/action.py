"""From the policy's numbers to joint targets and the multiplier β of the gains."""

from typing import Literal

import torch
from torch import Tensor, nn

from lactic.body import Body
from lactic.brain.layout import Layout

REACH = 0.6
"""Targets span mid-range ± REACH·range for actions in ±1: a little past the joint limits."""
OCTAVES = (-2.0, 1.0)
"""β = 2^a between a quarter and twice the gains: beyond, a joint at its limit rattles (see the body's armature)."""


def action_layout(body: Body) -> Layout:
    """The parts of an action; β has its place also without it, so that experts with and without are interchangeable."""
    return Layout(joints=len(body.joints), beta=1)


class ActionMap(nn.Module):
    """Actions (`action_layout`): targets = centre + 0.6·range·a, and β = 2^a clamped to [1/4, 2], 1 at a = 0.

    The centre is the middle of the ranges, or the pose at rest for characters that begin by standing.
    """

    def __init__(self, body: Body, beta: bool = True, centre: Literal["middle", "rest"] = "middle"):
        super().__init__()
        self.beta, self.layout = beta, action_layout(body)
        self.size = self.layout.size
        low, high = torch.tensor(body.range, dtype=torch.float32).T
        self.middle: Tensor
        self.span: Tensor
        rest = torch.tensor(body.rest[7:], dtype=torch.float32)
        self.register_buffer("middle", rest if centre == "rest" else (low + high) / 2, persistent=False)
        self.register_buffer("span", REACH * (high - low), persistent=False)

    def torque(self, stiffness: Tensor, torque_limit: Tensor) -> Tensor:
        """Share of its strength that an action of 1 asks each joint for, beside an action of 0, (joint,)."""
        return self.span * stiffness / torque_limit

    def forward(self, action: Tensor, command: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Targets (world, joint) and β (world, 1); the command changes nothing."""
        aims, octaves = action.split(self.layout.sizes, dim=1)
        octaves = octaves if self.beta else 0.0 * octaves
        return self.middle + self.span * aims, torch.exp2(octaves.clamp(*OCTAVES))
