"""A shipped brain as the start of a run: the policy's weights and statistics, read from its ONNX file."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.learn import checkpoint

POLICY = "policy."
SEEN = 4_000_000
"""Samples that a shipped brain's statistics count as; it does not say how many they were."""


def policy_of(path: str | Path) -> tuple[dict[str, Tensor], BrainInfo]:
    """Everything below `policy` in a brain.onnx by name, in full precision, and what the brain says of itself."""
    import onnx
    from onnx import numpy_helper

    try:
        model = onnx.load(str(path))
        about = {entry.key: entry.value for entry in model.metadata_props}["lactic"]
    except Exception as error:  # protobuf has many ways to say that a file is none of its own
        raise InputError(f"{path}: not a Lactic brain ({error})") from error
    known = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    for node in model.graph.node:  # weights stored small are cast, and scaled row by row (learn.export.shrink)
        if node.op_type == "Cast" and node.input[0] in known:
            known[node.output[0]] = known[node.input[0]].astype(np.float32)
        elif node.op_type == "Mul" and all(name in known for name in node.input):
            known[node.output[0]] = known[node.input[0]] * known[node.input[1]]
    parts = ("_small", "_whole", "_scale")
    weights = {
        name.removeprefix(POLICY): value
        for name, value in known.items()
        if name.startswith(POLICY) and not name.endswith(parts)
    }
    centred = {node.output[0] for node in model.graph.node if f"{POLICY}normaliser.mean" in node.input}
    for node in model.graph.node:  # what is left of the mean is divided by the deviation, whose name is the exporter's
        if node.op_type == "Div" and node.input[0] in centred and node.input[1] in known:
            weights["normaliser.variance"] = known[node.input[1]] ** 2
    if "normaliser.mean" in weights and "normaliser.variance" not in weights:
        raise InputError(f"{path}: its policy's statistics cannot be found")
    read = {name: torch.tensor(np.array(value)) for name, value in weights.items()}
    return read, BrainInfo.from_json(about, str(path))


def weights_of(folder: BrainFolder) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights of a brain's actor, named as in a checkpoint, what was spent on them, and its torque limits."""
    policy, info = policy_of(folder.path / "brain.onnx")
    if not any(name.startswith("network.") for name in policy):
        raise InputError(f"{folder.path}: its policy is not one network, so no training can start from it")
    kept = {f"actor.{name}": value for name, value in policy.items() if name.startswith(("network.", "normaliser."))}
    kept["actor.normaliser.seen"] = torch.tensor(float(SEEN), dtype=torch.float64)
    return kept, {"samples": info.samples, "seconds": info.seconds, "torque_limit": list(info.torque_limit)}


def learnt(origin: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights of a run's checkpoint or of a brain's folder, named as in a checkpoint, and its values."""
    if not (origin / "brain.onnx").is_file():
        parts, values = checkpoint.load(origin, ("weights",))
        return parts["weights"], values
    folder = BrainFolder(origin)
    weights, told = weights_of(folder)
    return weights, {"iteration": 0, "settings": folder.params(), **told}


def hidden_of(weights: dict[str, Tensor]) -> tuple[int, ...]:
    """Sizes of the hidden layers of an actor with such weights."""
    biases = {int(name.split(".")[2]): len(value) for name, value in weights.items() if name.endswith(".bias")}
    return tuple(biases[layer] for layer in sorted(biases)[:-1])
