"""What all verbs share: kinds of arguments, and rows and facts as people read them in a terminal, or as JSON."""

import io
import json
import shutil
import sys
from contextlib import redirect_stderr
from itertools import count, takewhile
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from lactic.errors import InputError

KEPT = "recording.npz"
"""What every folder holds that a character was played into."""

Name = tyro.conf.Positional[str]
AsJson = Annotated[bool, tyro.conf.FlagCreatePairsOff, tyro.conf.arg(name="json", help="print JSON.")]
Brain = Annotated[str, tyro.conf.arg(help="a shipped brain (see `lactic brains`) or a folder with a brain.onnx.")]
Model = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(help="an .osim file such as gait2392.")]
Map = Annotated[
    Path | None,
    tyro.conf.arg(name="map", help="YAML file that says which joint plays which part (see `lactic clips map`)."),
]
Flat = tyro.conf.arg(name="")
"""Marks options whose fields are flags without a name before them."""
Side = Annotated[Literal["r", "l"], tyro.conf.arg(help="which leg.")]


def parsed(kind: type[Any], words: list[str], prog: str) -> Any:
    """The options of a verb, as `kind` holds them; what is wrong with them in one line, not in a box."""
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return tyro.cli(kind, args=words, prog=prog)
    except SystemExit as stop:
        if not stop.code:
            raise
        lines = [line.strip("│ ") for line in said.getvalue().splitlines()[1:]]
        problem = " ".join(takewhile(lambda line: line and not line.startswith(("─", "╰")), lines))
        raise InputError(f"{problem or said.getvalue().strip()} (see `{prog} --help`)") from None


def say(line: str) -> None:
    """Print a line of progress, apart from the results."""
    print(line, file=sys.stderr)


def table(rows: list[dict[str, Any]], as_json: bool = False) -> None:
    """Print rows for people, or as JSON for programs."""
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    if not rows:
        return
    head = [column.replace("_", " ") for column in rows[0]]
    cells = [[cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    for line in (head, *cells):
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        print(text[: shutil.get_terminal_size().columns] if sys.stdout.isatty() else text)


def cell(value: Any) -> str:
    """A value in few characters."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def facts_of(facts: dict[str, Any], as_json: bool = False) -> None:
    """One fact a line for people, or JSON."""
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    for name, value in facts.items():
        if isinstance(value, dict):
            value = [f"{key.replace('_', ' ')} {cell(v)}" for key, v in value.items() if v]
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else cell(value)
        print(f"{name.replace('_', ' '):>18}  {text}")


def free_folder(folder: Path) -> Path:
    """The folder, or the first numbered one like it that was not played into yet."""
    numbered = (folder.with_name(f"{folder.name}-{k}") for k in count(2))
    return folder if not (folder / KEPT).exists() else next(f for f in numbered if not (f / KEPT).exists())
