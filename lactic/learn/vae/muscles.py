"""The muscle law inside the world model, in torch: lengths, muscle-space PD, activation, moments (feng2023 Eq. 12).

Every anchor is a sum of numbers of its bodies: their places and the axes of their rotations, with constant weights. So
all pieces of all muscles are one product with a constant matrix, and the moments of their forces one with its
transpose. `lactic.muscle.man.law` is what the simulation does, in every physics step. This is its shadow at the
control rate: an activation is reached within the control step, up to the strength that its part of the body has left.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lactic.learn.vae.state import ManState, Skeleton, mixed
from lactic.muscle.man import law
from lactic.muscle.man.law import LEAST, Gains
from lactic.muscle.man.musculature import musculature

PARTS = 5


class Stretch(NamedTuple):
    """TorchMuscles as a pose has them."""

    along: Tensor  # (…, 3, piece): unit vectors along the pieces
    length: Tensor  # (…, muscle): in rest lengths
    rate: Tensor  # (…, muscle): in rest lengths a second


class TorchMuscles(nn.Module):
    """All 284 muscles of the muscle man, for many states at once."""

    weave: Tensor
    owner: Tensor
    rest: Tensor
    force: Tensor
    fibre: Tensor
    tendon: Tensor
    share: Tensor
    part: Tensor

    def __init__(self, skeleton: Skeleton, gains: Gains | None = None) -> None:
        super().__init__()
        self.skeleton, self.gains = skeleton, gains or Gains()
        held = musculature()
        strands, count = held.strands, len(held.names)
        anchors = np.zeros((len(strands.body), skeleton.count, 4))
        for slot in range(2):
            rows, bodies = np.arange(len(anchors)), strands.body[:, slot] - 1
            weight = strands.weight[:, slot]
            anchors[rows, bodies, :3] += weight[:, None] * strands.place[:, slot]
            anchors[rows, bodies, 3] += weight
        inside = np.setdiff1d(np.arange(len(anchors) - 1), strands.start[1:-1] - 1)
        owner = np.searchsorted(strands.start, inside, side="right") - 1
        part = np.zeros((count, PARTS))
        for k, muscles in enumerate(held.groups.values()):
            part[list(muscles), k] = 1.0
        weighted = part * strands.force[:, None]
        arrays = {
            "weave": (anchors[inside + 1] - anchors[inside]).reshape(len(inside), -1),
            "owner": np.eye(count)[owner],
            "rest": strands.rest,
            "force": strands.force,
            "fibre": strands.fibre,
            "tendon": strands.tendon,
            "part": part,
            "share": weighted / weighted.sum(0),
        }
        for name, value in arrays.items():
            self.register_buffer(name, torch.tensor(value, dtype=torch.float32), persistent=False)

    @property
    def count(self) -> int:
        """How many muscles there are."""
        return len(self.rest)

    def stretch(self, state: ManState) -> Stretch:
        """Lengths and their rates of change (Eq. 18, 19; the rate from velocities rather than from the step before)."""
        axes = state.turn.transpose(-1, -2)  # row j is the body's axis j in the world
        turning = torch.linalg.cross(state.spin[..., None, :].expand_as(axes), axes)
        places, motions = self.skeleton.places(state), self.skeleton.motions(state) - state.speed[..., None, :]
        carried = torch.cat([axes, places[..., None, :]], -2).flatten(-3, -2)
        moving = torch.cat([turning, motions[..., None, :]], -2).flatten(-3, -2)
        # coordinates first: one large product rather than many small ones
        pieces, change = (torch.cat([carried, moving], -1).transpose(-1, -2) @ self.weave.T).split(3, -2)
        size = pieces.square().sum(-2).add(1e-12).sqrt()
        along = pieces / size[..., None, :]
        both = torch.stack([size, (along * change).sum(-2)], -2) @ self.owner / self.rest
        return Stretch(along, both[..., 0, :], both[..., 1, :])

    def asked(self, stretch: Stretch, action: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The activation that springs ask for (Eq. 4, 5, 11), and full active and passive force, in maximal forces."""
        fibre = (stretch.length - self.tendon) / self.fibre
        active = law.active_length(fibre) * law.active_velocity(stretch.rate / self.fibre)
        passive = law.passive_length(fibre)
        spring = self.gains.stiffness * (stretch.length - 1.0 - action) + self.gains.damping * stretch.rate
        return (spring.clamp(min=0.0) - passive) / active.clamp(min=max(LEAST, 0.05)), active, passive

    def eliciting(self, length: Tensor, rate: Tensor, activation: Tensor) -> Tensor:
        """Actions whose springs ask for an activation at lengths, m, and their rates, m/s (the inverse of `asked`)."""
        return self.springs(Stretch(length[..., None, :0], length / self.rest, rate / self.rest), activation)

    def springs(self, stretch: Stretch, activation: Tensor) -> Tensor:
        """The same for muscles as a pose has them."""
        _, active, passive = self.asked(stretch, activation)
        spring = activation * active + passive - self.gains.damping * stretch.rate
        return stretch.length - 1.0 - spring / self.gains.stiffness

    def reached(self, asked: Tensor, fatigue: Tensor) -> Tensor:
        """The activation that is left of what is asked: none below 0, none above the strength left (Eq. 36)."""
        left = 1.0 - fatigue.unflatten(-1, (PARTS, 3))[..., 1] @ self.part.T
        return torch.minimum(asked.clamp(min=0.0), left)

    def moments(self, state: ManState, stretch: Stretch, tension: Tensor) -> Tensor:
        """Moment of the muscles about the joint above each body (…, body, 3), Nm, for tensions in maximal forces."""
        pull = stretch.along * (tension * self.force @ self.owner.T)[..., None, :]
        on = -(pull @ self.weave).transpose(-1, -2).unflatten(-2, (self.skeleton.count, 4))
        force, axes = on[..., 3, :], state.turn.transpose(-1, -2)
        torque = torch.linalg.cross(axes, on[..., :3, :]).sum(-2)
        places, below = self.skeleton.places(state), self.skeleton.way.T
        whole = mixed(below, torque + torch.linalg.cross(places, force))
        return whole - torch.linalg.cross(places, mixed(below, force))

    def means(self, values: Tensor) -> Tensor:
        """Means over the five parts (…, part), weighted by maximal force (feng2023 B.4)."""
        return values @ self.share

    def fatigue(self, compartments: Tensor) -> Tensor:
        """The fatigue state (…, 15) of compartments MA, MR, MF of all muscles (…, muscle, 3)."""
        active, resting, fatigued = torch.einsum("...mc,mp->...pc", compartments, self.share).unbind(-1)
        return torch.stack([active, fatigued, resting], -1).flatten(-2)
