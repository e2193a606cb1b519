"""One run in several processes, started by torchrun: each has its share of the worlds, and all learn the same.

Gradients and statistics are means over all processes, so two of 128 worlds learn what one of 256 learns.
"""

import os
from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import Tensor

from lactic.errors import InputError


def join() -> None:
    """Meet the other processes that torchrun started, if any."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized():
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))


def leave() -> None:
    """Part from them, once all have done what they had to: torchrun ends the others when one ends badly."""
    if dist.is_available() and dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()


def count() -> int:
    """How many processes there are."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """Number of this process; 0 speaks and writes."""
    return dist.get_rank() if count() > 1 else 0


def share(worlds: int) -> int:
    """Worlds of each process."""
    if worlds % count():
        raise InputError(f"worlds {worlds}: must be a multiple of the {count()} processes")
    return worlds // count()


def device(name: str) -> str:
    """The device of this process, cpu, warp-cpu or a GPU that is there: of several GPUs of a machine, its own."""
    there = torch.cuda.is_available()
    if name in ("auto", "cuda") and count() > 1 and there:
        return f"cuda:{torch.cuda.current_device()}"
    if name == "auto":
        return "cuda" if there else "cpu"
    if name.startswith("cuda") and not there:
        raise InputError("device cuda: torch sees no GPU here; use cpu or warp-cpu")
    if not name.startswith("cuda") and name not in ("cpu", "warp-cpu"):
        raise InputError(f"device {name}: must be auto, cuda, cpu or warp-cpu")
    return name


@torch.no_grad()
def average(tensors: Sequence[Tensor]) -> None:
    """Replace tensors by their means over all processes, in one message."""
    if count() == 1 or not tensors:
        return
    flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
    dist.all_reduce(flat)
    flat /= count()
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view_as(tensor))


@torch.no_grad()
def moments(variance: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
    """Variance and mean of all processes' samples, of those of as many samples each."""
    if count() == 1:
        return variance, mean
    middle = mean.clone()
    average([middle])
    spread = variance + (mean - middle).square()
    average([spread])
    return spread, middle


@torch.no_grad()
def std_mean(values: Tensor) -> tuple[Tensor, Tensor]:
    """`torch.std_mean` of all processes' values, as many each."""
    if count() == 1:
        return torch.std_mean(values)
    variance, mean = moments(*torch.var_mean(values, correction=0))
    samples = values.numel() * count()
    return (variance * samples / (samples - 1)).sqrt(), mean


@torch.no_grad()
def largest(tensor: Tensor) -> Tensor:
    """Replace a tensor by its largest values over all processes, and return it."""
    if count() > 1:
        dist.all_reduce(tensor, dist.ReduceOp.MAX)
    return tensor


@torch.no_grad()
def total(tensor: Tensor) -> Tensor:
    """Replace a tensor by its sum over all processes, and return it."""
    if count() > 1:
        dist.all_reduce(tensor)
    return tensor
