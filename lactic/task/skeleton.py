"""Places and rotations of bodies, for batches of poses of one body."""

import torch
from torch import Tensor

from lactic import rotation
from lactic.body import Body
from lactic.steer.tree import tree_of


class BodySkeleton:
    """The tree of a body as tensors."""

    def __init__(self, body: Body):
        tree = tree_of(body)
        self.parents = tree.parents.tolist()
        carried = [range(f, f + m) for f, m in zip(tree.first.tolist(), tree.many.tolist(), strict=True)]
        self.hinges = [list(joints) for joints in carried]
        self.axes = torch.eye(3)[torch.tensor(tree.axes)]
        self.offsets = torch.tensor(tree.offsets, dtype=torch.float32)

    def place(self, qpos: Tensor) -> tuple[Tensor, Tensor]:
        """Positions (world, body, 3) and rotations (world, body, 4) of the bodies in a pose."""
        at, turned = [qpos[:, :3]], [rotation.normalize(qpos[:, 3:7])]
        for k in range(1, len(self.parents)):
            p = self.parents[k]
            q = turned[p]
            at.append(at[p] + rotation.rotate(q, self.offsets[k].expand(len(qpos), 3)))
            for j in self.hinges[k]:
                q = rotation.multiply(q, _about(self.axes[j], qpos[:, 7 + j]))
            turned.append(q)
        return torch.stack(at, 1), torch.stack(turned, 1)


def _about(axis: Tensor, turn: Tensor) -> Tensor:
    """Quaternions of turns (…) about unit axes (…, 3)."""
    half = 0.5 * turn[..., None]
    return torch.cat([torch.cos(half), torch.sin(half) * axis], dim=-1)
