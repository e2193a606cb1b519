"""How a root is turned, in few operations: in a brain on one core, every operation of ONNX costs about as much.

`rotation` says the same for any shape and library; here it is (world, …) in torch, and vectors are rows.
"""

from functools import cache
from itertools import product

import numpy as np
import torch
from torch import Tensor

from lactic import rotation


def _squares() -> Tensor:
    """What each product of a unit quaternion's numbers, row by row, adds to those of its axes, (16, 9)."""
    one, table = np.eye(4), np.zeros((4, 4, 3, 3))
    for a, b in product(range(4), repeat=2):
        apart, mixed = rotation.to_matrix(one[[a, b]]).mean(0), rotation.to_matrix(rotation.normalize(one[a] + one[b]))
        table[a, b] = (mixed if a == b else mixed - apart).T
    return torch.tensor(table.reshape(16, 9), dtype=torch.float32)


# made at once: made while an export traces, they would be tensors without numbers for the rest of the process
SQUARES = _squares()
TURN = torch.tensor([[1.0, 0, 0, 0, 1, 0, 0, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0]])
UP = torch.tensor([0.0, 0, 0, 0, 0, 0, 0, 0, 1])
"""What cosine and sine of a heading add to the matrix that turns rows into its frame, (2, 9), and its constant part."""
PLANE = torch.tensor([[1.0, 0], [0, 1], [0, -1], [1, 0]])
"""What each product of cosine and sine with a vector over the floor adds to that vector seen from the heading."""


@cache
def _copy(table: Tensor, device: torch.device) -> Tensor:
    """A table on another device, copied once."""
    return table.to(device)


def _beside(table: Tensor, other: Tensor) -> Tensor:
    """A table where another tensor is, and of its type."""
    return (table if other.device.type == "cpu" else _copy(table, other.device)).to(other.dtype)


def times(rows: Tensor, matrix: Tensor) -> Tensor:
    """Rows (…, a) times a matrix (…, a, b); elementwise on a GPU, where products of matrices are rounded."""
    if rows.device.type == "cpu":
        return rows @ matrix
    return (rows[..., None] * matrix[..., None, :, :]).sum(-2)


def _products(a: Tensor, b: Tensor) -> Tensor:
    """Each number of a row of `a` times each of `b`, in a row, (world, size of a · size of b)."""
    return (a[:, :, None] * b[:, None]).flatten(1)


def axes(turn: Tensor) -> Tensor:
    """Axes x, y and z (world, 3, 3), one a row, of frames turned by unit quaternions (world, 4)."""
    return times(_products(turn, turn), _beside(SQUARES, turn)).unflatten(1, (3, 3))


def facing(axes: Tensor) -> Tensor:
    """Cosine and sine (world, 2) of the heading of a frame: where its x axis points, seen from above."""
    ahead = axes[:, 0, :2]
    return ahead / torch.linalg.vector_norm(ahead, dim=1, keepdim=True).clamp(min=1e-9)


def from_heading(ahead: Tensor, vectors: Tensor) -> Tensor:
    """Vectors (world, n, 3) seen from a heading."""
    turn = times(ahead, _beside(TURN, ahead)) + _beside(UP, ahead)
    return times(vectors, turn.unflatten(1, (3, 3)))


def over_floor(ahead: Tensor, vector: Tensor) -> Tensor:
    """A vector over the floor (world, 2) seen from a heading."""
    return times(_products(ahead, vector), _beside(PLANE, ahead))
