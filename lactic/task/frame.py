"""How a root is turned, in few operations: in a brain on one core, every operation of ONNX costs about as much.

`rotation` says the same for any shape and library; here it is (world, …) in torch, and elementwise, which is exact on a
GPU too, where products of matrices are rounded.
"""

from functools import cache
from itertools import product

import numpy as np
import torch
from torch import Tensor

from lactic import rotation


def _squares() -> Tensor:
    """What each product of a unit quaternion's numbers, row by row, adds to those of its rotation matrix, (16, 9)."""
    one, table = np.eye(4), np.zeros((4, 4, 9))
    for a, b in product(range(4), repeat=2):
        apart, mixed = rotation.to_matrix(one[[a, b]]).mean(0), rotation.to_matrix(rotation.normalize(one[a] + one[b]))
        table[a, b] = (mixed if a == b else mixed - apart).ravel()
    return torch.tensor(table.reshape(16, 9), dtype=torch.float32)


# made at once: made while an export traces, it would be a tensor without numbers for the rest of the process
SQUARES = _squares()


@cache
def _squares_on(device: torch.device) -> Tensor:
    """The same on another device, copied once."""
    return SQUARES.to(device)


def matrix(turn: Tensor) -> Tensor:
    """Rotation matrices (world, 3, 3) of unit quaternions (world, 4)."""
    products = (turn[:, :, None] * turn[:, None, :]).flatten(1)
    squares = SQUARES if turn.device.type == "cpu" else _squares_on(turn.device)
    return (products[:, :, None] * squares).sum(1).reshape(-1, 3, 3)


def facing(turned: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and sine (world, 1) of the heading of rotation matrices: where the x axis points, seen from above."""
    ahead = turned[:, :2, 0]
    ahead = ahead / torch.linalg.vector_norm(ahead, dim=1, keepdim=True).clamp(min=1e-9)
    return ahead[:, :1], ahead[:, 1:]


def from_heading(cosine: Tensor, sine: Tensor, vectors: Tensor) -> Tensor:
    """Vectors (world, 3, n), one a column, seen from the heading frame, (world, n, 3)."""
    x, y, z = vectors.transpose(1, 2).split(1, dim=2)
    cosine, sine = cosine[:, None], sine[:, None]
    return torch.cat([cosine * x + sine * y, cosine * y - sine * x, z], dim=2)
