"""Where brains live: a folder with brain.onnx, params.yaml and card.md, shipped with the package or the user's own."""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import lactic
from lactic.brain.file import BrainFile
from lactic.errors import InputError
from lactic.files import read_yaml

SHIPPED = Path(lactic.__file__).parent / "brains"
READ = ("name", "description", "body", "fitness", "programme", "seconds", "task", "library", "poses", "pinned")
"""What Lactic reads of a params.yaml later; its other lines say how a character was trained."""


@dataclass(frozen=True)
class BrainFolder:
    """A brain on disk: its file, how it was made, and what to ask of it by default."""

    path: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    def params(self) -> dict[str, Any]:
        """The contents of params.yaml."""
        path = self.path / "params.yaml"
        params = read_yaml(path)
        if not isinstance(params, dict):
            raise InputError(f"{path}: expected 'name: value' lines")
        for key in params.keys() - set(READ):
            meant = get_close_matches(str(key), READ, 1, 0.8)
            if meant:
                raise InputError(f"{path}: '{key}' is not known; is '{meant[0]}' meant?")
        return params

    def load(self, threads: int = 1) -> BrainFile:
        """The brain, ready to run."""
        return BrainFile(self.path / "brain.onnx", threads)


def names() -> tuple[str, ...]:
    """Names of the shipped brains."""
    return tuple(sorted(p.parent.name for p in SHIPPED.glob("*/brain.onnx")))


def find(name: str | Path) -> BrainFolder:
    """A shipped brain by name, or any folder that holds a brain.onnx."""
    for path in (SHIPPED / name, Path(name)):
        if (path / "brain.onnx").is_file():
            return BrainFolder(path.resolve())
    shipped = ", ".join(names()) or "none"
    raise InputError(f"unknown brain '{name}'; shipped: {shipped} (or give a folder with a brain.onnx)")
