"""Writing files whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

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


def output_folder(path: str | Path, option: str = "--out") -> Path:
    """Make the folder `path`, or say plainly why nothing can be written there."""
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise InputError(f"{option} {path}: cannot write there ({error.strerror or error})") from error
    return path
