"""Checkpoints: tensors as safetensors in files of at most 16 MiB, and a manifest written last.

A checkpoint is the manifest and the files it names, each with its SHA-256. Files carry the checkpoint's number in their
names, so the old manifest stays true until the new one takes its place, and a checkpoint cut short is never loaded.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load as from_bytes
from safetensors.torch import save as to_bytes
from torch import Tensor

from lactic.errors import InputError
from lactic.files import write_whole

FOLDER, MANIFEST = "checkpoint", "manifest.json"
LARGEST_FILE = 16 * 2**20 - 2**16
"""Bytes of tensors in a file; the header needs some room below 16 MiB."""
_SPLIT = "@"
"""Joins a tensor's name and the number of its piece."""


def save(folder: str | Path, number: int, parts: Mapping[str, Mapping[str, Tensor]], values: Mapping[str, Any]) -> None:
    """Write `parts` (such as weights, optimiser, world), each a set of named tensors, and plain `values`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    listed: dict[str, list[dict[str, Any]]] = {}
    for part, tensors in parts.items():
        listed[part] = []
        for index, group in enumerate(_groups(tensors)):
            data = to_bytes(group)
            path = folder / f"{part}-{number}-{index}.safetensors"
            write_whole(path, data)
            listed[part].append({"file": path.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_whole(folder / MANIFEST, json.dumps({"number": number, "parts": listed, "values": dict(values)}, indent=1))
    named = {entry["file"] for entries in listed.values() for entry in entries}
    for path in folder.glob("*.safetensors"):
        if path.name not in named:
            path.unlink(missing_ok=True)


def load(
    folder: str | Path, parts: Collection[str] | None = None, device: torch.device | str = "cpu"
) -> tuple[dict[str, dict[str, Tensor]], dict[str, Any]]:
    """Read the named `parts` (all if None) of a whole checkpoint, and its values."""
    folder = Path(folder)
    manifest = read_manifest(folder)
    read: dict[str, dict[str, Tensor]] = {}
    for part in manifest["parts"] if parts is None else parts:
        if part not in manifest["parts"]:
            raise InputError(f"{folder}: the checkpoint has no {part}; it was saved without")
        pieces: dict[str, Tensor] = {}
        for entry in manifest["parts"][part]:
            pieces |= from_bytes(_whole(folder / entry["file"], entry))
        read[part] = {name: tensor.to(device) for name, tensor in _joined(pieces).items()}
    return read, manifest["values"]


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """The manifest of a checkpoint, or why there is none to read."""
    path = Path(folder) / MANIFEST
    try:
        manifest = json.loads(path.read_text())
        if not isinstance(manifest["parts"], dict) or not isinstance(manifest["values"], dict):
            raise ValueError("no parts")
        return manifest
    except FileNotFoundError as error:
        raise InputError(f"{folder}: no whole checkpoint there (no {MANIFEST})") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def exists(folder: str | Path) -> bool:
    """Whether a whole checkpoint was written there."""
    return (Path(folder) / MANIFEST).is_file()


def of_run(folder: Path, resume: bool) -> Path:
    """Where the checkpoint of a run's folder is, which must be there to resume and must not be to begin."""
    held = folder / FOLDER
    if resume and not exists(held):
        raise InputError(f"resume: no whole checkpoint in {held}; train without it first")
    if not resume and exists(held):
        raise InputError(f"{folder}: holds a checkpoint already; resume it, or give another folder")
    return held


def find(run: str | Path) -> Path:
    """The checkpoint of a run's folder, or the folder itself if it is one."""
    return Path(run) if exists(run) else Path(run) / FOLDER


def below(tensors: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    """The entries of `name.…`, without that prefix."""
    return {k.removeprefix(name + "."): v for k, v in tensors.items() if k.startswith(name + ".")}


def fill(held: Mapping[str, Tensor], saved: Mapping[str, Tensor], source: str) -> None:
    """Copy saved tensors into those that are held under the same names."""
    for name, into in held.items():
        if into.shape != saved[name].shape:
            was, need = tuple(saved[name].shape), tuple(into.shape)
            raise InputError(f"{source}: {name}: shape {was}, but these settings need {need}")
        into.copy_(saved[name])


def optimiser_state(optimisers: Mapping[str, torch.optim.Optimizer]) -> dict[str, Tensor]:
    """What optimisers remember of each parameter, by name."""
    state: dict[str, Tensor] = {}
    for name, optimiser in optimisers.items():
        for index, entry in optimiser.state_dict()["state"].items():
            state |= {f"{name}.{index}.{key}": value for key, value in entry.items()}
    return state


def load_optimisers(optimisers: Mapping[str, torch.optim.Optimizer], state: Mapping[str, Tensor]) -> None:
    """Bring back what `optimiser_state` gave."""
    for name, optimiser in optimisers.items():
        entries: dict[int, dict[str, Any]] = {}
        for key, value in below(state, name).items():
            index, field = key.split(".")
            entries.setdefault(int(index), {})[field] = value
        optimiser.load_state_dict({"state": entries, "param_groups": optimiser.state_dict()["param_groups"]})


def _whole(path: Path, entry: Mapping[str, Any]) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: the manifest names it, but it cannot be read ({error.strerror})") from error
    if len(data) != entry["bytes"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise InputError(f"{path}: cut short or changed since the checkpoint was written; use an earlier one")
    return data


def _groups(tensors: Mapping[str, Tensor]) -> list[dict[str, Tensor]]:
    """The tensors in sets that fit into a file; larger ones cut along their first axis."""
    groups: list[dict[str, Tensor]] = [{}]
    room = LARGEST_FILE
    for name, tensor in tensors.items():
        tensor = tensor.detach().cpu().contiguous()
        size = tensor.numel() * tensor.element_size()
        pieces = [(name, tensor)]
        if size > LARGEST_FILE:
            rows = max(1, LARGEST_FILE * len(tensor) // size)
            pieces = [(f"{name}{_SPLIT}{i}", piece) for i, piece in enumerate(tensor.split(rows))]
        for key, piece in pieces:
            need = piece.numel() * piece.element_size()
            if need > room and groups[-1]:
                groups.append({})
                room = LARGEST_FILE
            groups[-1][key] = piece.clone()  # safetensors refuses tensors that share memory
            room -= need
    return groups


def _joined(pieces: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Cut tensors made whole again."""
    joined: dict[str, Tensor] = {}
    cut: dict[str, dict[int, Tensor]] = {}
    for key, tensor in pieces.items():
        name, mark, index = key.rpartition(_SPLIT)
        if mark:
            cut.setdefault(name, {})[int(index)] = tensor
        else:
            joined[key] = tensor
    for name, parts in cut.items():
        joined[name] = torch.cat([parts[i] for i in range(len(parts))])
    return joined


def line_of(values: dict[str, Any]) -> list[list[float]]:
    """Samples and seconds of a run and of each it began from, the oldest first; of an older file, those as one."""
    before = values.get("before", {})
    older = [[before["samples"], before["seconds"]]] if before.get("samples") else []
    return [*values.get("line", older), [values["samples"], values["seconds"]]]


def spent(line: list[list[float]]) -> dict[str, float]:
    """Samples and seconds of such runs together."""
    return {name: sum(run[k] for run in line) for k, name in enumerate(("samples", "seconds"))}
