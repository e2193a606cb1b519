"""Compiling with numba where it is installed (`pip install 'lactic[muscle]'`), and keeping what was compiled.

numba keeps compiled code until the file of the function changes, and does not see changes in the files it calls. Here
the folder that keeps it is named after all sources of the function's room: compiled functions call and use only what
lies in their own room. Where no such folder can be written, nothing is kept, and each process compiles anew.
"""

import contextlib
import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from lactic.files import cache_folder

numba: Any
try:
    import numba
except ImportError:
    numba = None

COMPILED = numba is not None and not numba.config.DISABLE_JIT
_PACKAGE = Path(__file__).parent
_UNUSED = 30 * 86400  # seconds after which compiled code of other sources is removed


def njit(**options: Any) -> Callable[[Any], Any]:
    """numba's `njit`, with a cache that knows its sources; without numba functions stay as they are."""
    if numba is None:
        return lambda function: function

    def compiled(function: Any) -> Any:
        folder = kept_in(Path(function.__code__.co_filename)) if options.get("cache") else None
        if folder is None:
            return numba.njit(**options | {"cache": False})(function)
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)  # read while the function is wrapped, and only then
        try:
            return numba.njit(**options)(function)
        except RuntimeError:  # numba found no folder that it can write to
            return numba.njit(**options | {"cache": False})(function)
        finally:
            numba.config.CACHE_DIR = before

    return compiled


def bound(function: Any, *arguments: Any) -> Any:
    """A compiled function for arguments of just these types, which it does not look at again.

    Finding out the types of sixty arrays takes longer than a character's step. Arguments of other types would be
    misread, so this is for callers that own what they pass.
    """
    return function.compile(tuple(map(numba.typeof, arguments))) if hasattr(function, "compile") else function


def kept_in(source: Path) -> Path | None:
    """The folder for what is compiled of a source file; None where none can be written."""
    inside = source.is_relative_to(_PACKAGE) and len(source.relative_to(_PACKAGE).parts) > 1
    return _folder(_PACKAGE / source.relative_to(_PACKAGE).parts[0] if inside else source.parent)


@cache
def _folder(room: Path) -> Path | None:
    """$NUMBA_CACHE_DIR or the cache folder, with the name of the room and the digest of its sources."""
    try:
        base = Path(numba.config.CACHE_DIR or cache_folder("compiled"))
        folder = base / f"{room.name}-{digest(room)}"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        folder.touch()
    except (OSError, RuntimeError):  # Path.home() fails with the latter where there is none
        return None
    for other in base.glob(f"{room.name}-*"):
        with contextlib.suppress(OSError):
            if time.time() - other.stat().st_mtime > _UNUSED:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def digest(room: Path) -> str:
    """A short digest of all Python sources in a folder."""
    sources = sorted(room.rglob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
