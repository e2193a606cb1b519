"""Bodies' velocities from joint velocities, for batches of one body: what an engine knows and a clip does not say."""

from typing import NamedTuple

import torch
from torch import Tensor

from lactic import rotation
from lactic.body import Body
from lactic.steer.tree import tree_of


class Moving(NamedTuple):
    """A pose and its velocity, body by body, all in the world."""

    at: Tensor
    """Positions of the bodies' frames, (world, body, 3)."""
    turned: Tensor
    """(world, body, 4)."""
    speed: Tensor
    """Velocities of the frames' origins."""
    spin: Tensor
    """Angular velocities."""
    centre: Tensor
    """Centre of mass of the whole, (world, 3)."""
    drift: Tensor
    """Its velocity."""

    def to(self, device: torch.device) -> "Moving":
        """The same on a device."""
        return Moving(*(table.to(device) for table in self))


class BodySkeleton:
    """The tree of a body as tensors."""

    def __init__(self, body: Body, device: torch.device | str = "cpu"):
        tree, model = tree_of(body), body.model
        self.body = body
        self.parents = tree.parents.tolist()
        carried = [range(f, f + m) for f, m in zip(tree.first.tolist(), tree.many.tolist(), strict=True)]
        self.hinges = [list(joints) for joints in carried]
        self.axes = torch.eye(3)[torch.tensor(tree.axes)].to(device)
        self.offsets = torch.tensor(tree.offsets, dtype=torch.float32, device=device)
        parts, joints = len(self.parents), len(body.joints)
        self.slots = max(map(len, self.hinges))
        moved = [k for k in range(parts) if self.hinges[k]]
        holder = torch.zeros(joints, dtype=torch.long)
        under = torch.zeros(parts, joints)
        for k in range(parts):
            for j in self.hinges[k]:
                holder[j] = k
        for k in range(parts):
            at = k
            while at >= 0:
                under[k, self.hinges[at]] = 1.0
                at = self.parents[at]
        self.holder, self.under = holder.to(device), under.to(device)
        self.parent_of_moved = torch.tensor([self.parents[k] for k in moved], device=device)
        # hinge s of each moved body; a body with fewer repeats its first, and what comes of that is never taken
        slot = [
            [self.hinges[k][s] if s < len(self.hinges[k]) else self.hinges[k][0] for k in moved]
            for s in range(self.slots)
        ]
        self.slot = [torch.tensor(row, device=device) for row in slot]
        where = torch.zeros(joints, dtype=torch.long)
        for i, k in enumerate(moved):
            for s, j in enumerate(self.hinges[k]):
                where[j] = s * len(moved) + i
        self.where = where.to(device)
        mass = torch.tensor(model.body_mass[1:], dtype=torch.float32, device=device)
        self.share = mass / mass.sum()
        self.inside = torch.tensor(model.body_ipos[1:], dtype=torch.float32, device=device)

    def place(self, qpos: Tensor) -> tuple[Tensor, Tensor]:
        """Positions (world, body, 3) and rotations (world, body, 4) of the bodies in a pose."""
        at, turned = [qpos[:, :3]], [rotation.normalize(qpos[:, 3:7])]
        for k in range(1, len(self.parents)):
            p = self.parents[k]
            q = turned[p]
            at.append(at[p] + turn(q, self.offsets[k].expand(len(qpos), 3)))
            for j in self.hinges[k]:
                q = rotation.multiply(q, _about(self.axes[j], qpos[:, 7 + j]))
            turned.append(q)
        return torch.stack(at, 1), torch.stack(turned, 1)

    def at(self, qpos: Tensor, qvel: Tensor) -> Moving:
        """Bodies of a state."""
        return self.move(qpos, qvel, *self.place(qpos))

    def move(self, qpos: Tensor, qvel: Tensor, at: Tensor, turned: Tensor) -> Moving:
        """Velocities of bodies that stand at `at`, `turned`; `qvel` is MuJoCo's."""
        q = turned.index_select(1, self.parent_of_moved)
        found = []
        for joints in self.slot:
            unit = self.axes.index_select(0, joints).expand(len(qpos), -1, -1)
            found.append(turn(q, unit))
            q = rotation.multiply(q, _about(unit, qpos[:, 7:].index_select(1, joints)))
        axes = torch.cat(found, 1).index_select(1, self.where)
        turns = axes * qvel[:, 6:, None]
        root = turn(qpos[:, 3:7], qvel[:, 3:6])[:, None]
        arm = at - at[:, :1]  # from the root, where float32 still counts micrometres
        moments = torch.linalg.cross(turns, arm.index_select(1, self.holder))
        # sums over the hinges above each body; elementwise, since a product of matrices may round to ten bits on a GPU
        spin = root + (self.under[..., None] * turns[:, None]).sum(2)
        held = (self.under[..., None] * moments[:, None]).sum(2)
        speed = qvel[:, None, :3] + torch.linalg.cross(spin, arm) - held
        lever = turn(turned, self.inside.expand_as(at))
        centre = qpos[:, :3] + (self.share[:, None] * (arm + lever)).sum(1)
        drift = (self.share[:, None] * (speed + torch.linalg.cross(spin, lever))).sum(1)
        return Moving(at, turned, speed, spin, centre, drift)


def turn(q: Tensor, v: Tensor) -> Tensor:
    """`rotation.rotate` in a fifth of its kernels: on a GPU each costs more than its arithmetic."""
    twice = 2.0 * torch.linalg.cross(q[..., 1:], v)
    return v + q[..., :1] * twice + torch.linalg.cross(q[..., 1:], twice)


def turn_back(q: Tensor, v: Tensor) -> Tensor:
    """`turn` by the inverse."""
    twice = 2.0 * torch.linalg.cross(v, q[..., 1:])
    return v + q[..., :1] * twice + torch.linalg.cross(twice, q[..., 1:])


def _about(axis: Tensor, turn: Tensor) -> Tensor:
    """Quaternions of turns (…) about unit axes (…, 3)."""
    half = 0.5 * turn[..., None]
    return torch.cat([torch.cos(half), torch.sin(half) * axis], dim=-1)
