"""Writing files whole or not at all, reading named arrays back, and packing motion so that it compresses well."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from lactic.errors import InputError


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its name only if the block succeeds."""
    path = Path(path)
    # the suffix stays last, since writers such as matplotlib choose the format by it
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp's files are private
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a text or bytes, all or nothing."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def read_yaml(path: str | Path) -> Any:
    """The values of a YAML file, or a line that says why it has none to read."""
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}, line {mark.line + 1}" if mark else path
        raise InputError(f"{place}: not YAML ({str(error).splitlines()[0]})") from error


def save_arrays(path: str | Path, arrays: dict[str, Any]) -> None:
    """Write named arrays (npz, compressed), or say plainly why they cannot be written there."""
    try:
        with whole_file(path) as temporary, temporary.open("wb") as stream:
            np.savez_compressed(stream, **arrays)
    except OSError as error:
        raise InputError(f"{path}: cannot write it ({error.strerror or error})") from error


def save_figure(path: str | Path, figure: Any, dpi: float = 110) -> None:
    """Write a figure of matplotlib as a picture of the kind that the suffix of `path` names."""
    try:
        with whole_file(path) as temporary:
            figure.savefig(temporary, dpi=dpi)
    except (OSError, ValueError) as error:  # a ValueError is matplotlib's word for a suffix it does not know
        raise InputError(f"{path}: cannot draw it ({getattr(error, 'strerror', None) or error})") from error


def check_target(out: str | Path, what: str) -> Path:
    """Refuse a file that cannot be written, before the work of making it."""
    out = Path(out)
    if out.suffix.lower() != ".npz":
        raise InputError(f"{out}: {what} an .npz file")
    if not out.parent.is_dir():
        raise InputError(f"{out}: its folder does not exist")
    return out


def load_arrays(path: str | Path, missing: str, damaged: str) -> dict[str, np.ndarray]:
    """Read what `save_arrays` wrote; `missing` and `damaged` are what people are told of a file that is not, or bad."""
    try:
        with np.load(path, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except FileNotFoundError as error:
        raise InputError(f"{path}: {missing}") from error
    except Exception as error:  # NumPy and zipfile let many kinds through on damaged archives
        raise InputError(f"{path}: {damaged} ({error})") from error


def packed(values: np.ndarray, kind: type[np.signedinteger]) -> np.ndarray:
    """Whole numbers (frame, column) that fit into `kind`, as bytes (byte, column, frame) for an npz to compress.

    Second differences over time, low bytes apart from high ones.
    """
    whole = np.round(values).astype(kind)
    for _ in range(2):
        whole = np.diff(whole, axis=0, prepend=kind(0))  # wraps round, and back again
    rows = np.ascontiguousarray(whole.T).astype(np.dtype(kind).newbyteorder("<"))
    return np.ascontiguousarray(np.moveaxis(rows.view(np.uint8).reshape(*rows.shape, rows.itemsize), -1, 0))


def unpacked(planes: np.ndarray, kind: type[np.signedinteger]) -> np.ndarray:
    """The numbers (frame, column) that `packed` made these bytes of, as floats."""
    if planes.dtype != np.uint8 or planes.ndim != 3 or len(planes) != np.dtype(kind).itemsize:
        raise ValueError("not packed numbers")
    rows = np.ascontiguousarray(np.moveaxis(planes, 0, -1)).view(np.dtype(kind).newbyteorder("<"))[..., 0]
    whole = rows.T.astype(kind)
    for _ in range(2):
        whole = np.cumsum(whole, axis=0, dtype=kind)
    return whole.astype(float)


def output_folder(path: str | Path, what: str = "out") -> Path:
    """Make the folder `path`, or say plainly why nothing can be written there."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise InputError(f"{what} {path}: cannot write there ({error.strerror or error})") from error
    return path


@contextlib.contextmanager
def fresh_folder(path: str | Path) -> Iterator[Path]:
    """Make the folder `path`; where the block fails, folders that were not there before and are empty go again."""
    path = Path(path)
    new = [p for p in (path, *path.parents) if not p.exists()]
    try:
        yield output_folder(path)
    except BaseException:
        for made in new:
            if made.is_dir() and not any(made.iterdir()):
                made.rmdir()
        raise


def cache_folder(name: str) -> Path:
    """Where things of that name are kept between runs: $XDG_CACHE_HOME/lactic/name, usually ~/.cache/lactic/name."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lactic" / name
