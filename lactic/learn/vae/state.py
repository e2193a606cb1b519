"""The state of muscle men in maximal coordinates, and kinematics that gradients pass through.

Rotations are matrices of all bodies, in the world. Places and velocities of all bodies follow from them and from the
root, since bodies hang together by joints (feng2023 B.1): a sum of arms along the way from the root, which is one
product with a constant matrix.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.body import muscle_man

STEP = 1 / 20
"""Seconds of a control step."""


class ManState(NamedTuple):
    """Muscle men, (…, …) each."""

    root: Tensor  # (…, 3): place of the pelvis, m
    turn: Tensor  # (…, body, 3, 3): rotation of each body
    speed: Tensor  # (…, 3): velocity of the pelvis, m/s
    spin: Tensor  # (…, body, 3): angular velocity of each body, in the world, rad/s
    fatigue: Tensor  # (…, 15): MA, MF, MR of five parts of the body, part by part

    def at(self, index: Tensor | int | slice | tuple) -> "ManState":
        """Some of them."""
        return ManState(*(part[index] for part in self))


class Skeleton(nn.Module):
    """How the bodies of the muscle man hang together."""

    arm: Tensor
    way: Tensor
    rates: Tensor
    parent: Tensor

    def __init__(self) -> None:
        super().__init__()
        model = muscle_man().model
        self.count = model.nbody - 1
        parents = [int(p) - 1 for p in model.body_parentid[1:]]
        way, rates = np.eye(self.count), np.zeros((self.count, 3, model.nv))
        for body, above in enumerate(parents):
            if above >= 0:
                way[body] += way[above]
            joint = model.joint(int(model.body_jntadr[body + 1]))
            first = int(joint.dofadr[0])
            if above < 0:
                rates[body, :, first + 3 : first + 6] = np.eye(3)
            elif joint.range[0] == 0.0 and len(joint.dofadr) and len(joint.qpos0) == 4:
                rates[body, :, first : first + 3] = np.eye(3)
            else:
                rates[body, :, first] = joint.axis
        arms = model.body_pos[1:].copy()
        arms[0] = 0.0
        for name, value in {"arm": arms, "way": way, "rates": rates}.items():
            self.register_buffer(name, torch.tensor(value, dtype=torch.float32), persistent=False)
        self.register_buffer("parent", torch.tensor([max(p, 0) for p in parents]), persistent=False)

    def arms(self, state: ManState) -> Tensor:
        """From the joint above each body's parent to its own, in the world (…, body, 3)."""
        return (state.turn[..., self.parent, :, :] @ self.arm[..., None])[..., 0]

    def places(self, state: ManState) -> Tensor:
        """Where all bodies are, seen from the root but not turned, (…, body, 3)."""
        return mixed(self.way, self.arms(state))

    def motions(self, state: ManState) -> Tensor:
        """Velocities of all bodies (…, body, 3), m/s."""
        turning = torch.linalg.cross(state.spin[..., self.parent, :], self.arms(state))
        return state.speed[..., None, :] + mixed(self.way, turning)

    def joints(self, turn: Tensor) -> Tensor:
        """Rotations of bodies (…, body, 3, 3) as their parents see them."""
        return turn[..., self.parent, :, :].transpose(-1, -2) @ turn

    def sensed(self, qpos: Tensor, qvel: Tensor, xquat: Tensor, fatigue: Tensor) -> ManState:
        """The state of simulated bodies."""
        turn = rotation.to_matrix(xquat)
        local = torch.einsum("bkv,...v->...bk", self.rates, qvel)
        spin = mixed(self.way, (turn @ local[..., None])[..., 0])
        return ManState(qpos[..., :3], turn, qvel[..., :3], spin, fatigue)


def mixed(weights: Tensor, rows: Tensor) -> Tensor:
    """`weights` (n, m) times rows (…, m, 3), as one large product rather than many small ones."""
    return (rows.transpose(-1, -2) @ weights.T).transpose(-1, -2)


class ManView(NamedTuple):
    """A skeleton as its own root sees it: what networks are told and what losses compare."""

    place: Tensor  # (…, body, 3), m
    axes: Tensor  # (…, body, 6): x and y axis of each body
    motion: Tensor  # (…, body, 3), m/s
    spin: Tensor  # (…, body, 3), rad/s
    height: Tensor  # (…, body): above the floor, m
    up: Tensor  # (…, 3): the world's up

    def flat(self) -> Tensor:
        """All of it in a row."""
        return torch.cat([part.flatten(self.up.dim() - 1) for part in self], -1)


def seen(skeleton: Skeleton, state: ManState) -> ManView:
    """The skeleton of a state in the frame of its root."""
    own = state.turn[..., 0, :, :]
    places = skeleton.places(state)
    axes = own.transpose(-1, -2)[..., None, :, :] @ state.turn
    return ManView(
        places @ own,
        axes[..., :2].transpose(-1, -2).flatten(-2),
        skeleton.motions(state) @ own,
        state.spin @ own,
        places[..., 2] + state.root[..., None, 2],
        own[..., 2, :],
    )


def turned_by(turn: Tensor, step: Tensor) -> Tensor:
    """Rotations (…, 3, 3) after a further turn by rotation vectors (…, 3) in the world (Rodrigues)."""
    square = (step * step).sum(-1, keepdim=True)[..., None]
    small = square < 1e-6
    angle = torch.where(small, torch.ones_like(square), square).sqrt()
    first = torch.where(small, 1.0 - square / 6.0, torch.sin(angle) / angle)
    second = torch.where(small, 0.5 - square / 24.0, (1.0 - torch.cos(angle)) / (angle * angle))
    x, y, z = step.unbind(-1)
    zero = torch.zeros_like(x)
    cross = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], -1).unflatten(-1, (3, 3))
    moved = cross @ turn
    return turn + first * moved + second * (cross @ moved)
