"""Reading any motion file: the reader is chosen by suffix and, for text, by what the file begins with."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lactic.errors import InputError
from lactic.motion.amass import read_amass
from lactic.motion.bvh import read_bvh
from lactic.motion.clip import Clip
from lactic.motion.deepmimic import read_deepmimic
from lactic.motion.poselib import read_poselib
from lactic.motion.reading import complain, read_bytes

OPTIONS: dict[str, tuple[Callable[..., Clip], set[str]]] = {
    "bvh": (read_bvh, {"unit", "fps", "up", "rest_frame", "roles"}),
    "deepmimic": (read_deepmimic, {"fps"}),
    "amass": (read_amass, {"fps"}),
    "poselib": (read_poselib, {"fps"}),
}


def read(path: str | Path, *, roles: dict[str, str | None] | None = None, **options: object) -> Clip:
    """Read a BVH, DeepMimic, AMASS or poselib file; options: a map, fps, and for BVH unit, up and rest_frame."""
    path = Path(path)
    kind = kind_of(path)
    reader, known = OPTIONS[kind]
    unknown = {name for name, value in options.items() if value is not None} - known
    if unknown:
        raise InputError(f"{path}: {sorted(unknown)[0]} means nothing for {kind} files")
    if "roles" in known:
        options["roles"] = roles
    clip = reader(path, **{name: value for name, value in options.items() if value is not None})
    return replace(clip, roles=roles or {})


def kind_of(path: Path) -> str:
    """Which format the file is in: bvh, deepmimic, amass or poselib."""
    start = read_bytes(path)[:200]
    if start.startswith(b"\x93NUMPY"):
        return "poselib"
    if start.startswith(b"PK"):
        return "amass"
    text = start.decode("latin-1").lstrip("\xef\xbb\xbf \t\r\n")
    if text.upper().startswith("HIERARCHY"):
        return "bvh"
    if text.startswith("{"):
        return "deepmimic"
    by_suffix = {".bvh": "bvh", ".txt": "deepmimic", ".json": "deepmimic", ".npz": "amass", ".npy": "poselib"}
    if path.suffix.lower() not in by_suffix:
        complain(path, "not a motion file Lactic reads (BVH, DeepMimic text, AMASS npz, poselib npy)")
    return by_suffix[path.suffix.lower()]  # its reader says what is wrong with it
