"""Arithmetic on a GPU: large products of networks may round to 10 bits (TF32), kinematics and muscles may not.

A muscle's piece is a small difference of large numbers, and rotations are multiplied again and again: with TF32 lengths
would be off by about a per cent.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def swift() -> Iterator[None]:
    """Inside, products on a GPU may be TF32."""
    held = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = held
