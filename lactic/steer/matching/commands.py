"""What `lactic match build|inspect` do, as functions on paths that return plain data."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.commands import load, locate
from lactic.motion.recorded import SHORTEST, is_recording, pieces, read_recording
from lactic.motion.retarget import retarget
from lactic.steer.matching import coverage
from lactic.steer.matching.build import FPS, TooShort, build, check_length, check_rate
from lactic.steer.matching.build import SHORTEST as LEAST_SECONDS
from lactic.steer.matching.database import Database

RECORDING = "recording.npz"
SUFFIXES = (".bvh", ".npz", ".npy", ".txt")


def build_file(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    body: str = "humanoid",
    fps: float = FPS,
    mirror: bool = True,
    roles: dict[str, str | None] | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Make a database file of clips (files, fetched clips, folders of files), retargeted if need be; what it holds."""
    out = check_target(out)
    check_rate(fps)
    clips: list[BodyClip] = []
    short: TooShort | None = None
    for path in _files(sources):
        try:
            found = _clips(path, body, fps, roles)
        except TooShort as error:
            short = error
            say(f"{path}: left out, shorter than {LEAST_SECONDS:g} s")
            continue
        clips += found
        say(f"{path}: {sum(clip.seconds for clip in found):.1f} s")
    if short is not None and not clips:
        raise short
    database = build(clips, fps=fps, mirror=mirror)
    database.save(out)
    return facts(database, out)


def check_target(out: str | Path, what: str = "a database is") -> Path:
    """Refuse a file that cannot be written, before the work of making it."""
    out = Path(out)
    if out.suffix.lower() != ".npz":
        raise InputError(f"{out}: {what} an .npz file")
    if not out.parent.is_dir():
        raise InputError(f"{out}: its folder does not exist")
    return out


def inspect_file(path: str | Path, picture: str | Path | None = None) -> dict[str, Any]:
    """What is in a database; and, where asked for, the picture of what it covers."""
    database = Database.load(path)
    found = facts(database, Path(path))
    if picture is not None:
        try:
            coverage.picture(database, picture)
        except OSError as error:
            raise InputError(f"{picture}: cannot write it ({error.strerror or error})") from error
        except ValueError as error:  # matplotlib's word for a suffix it does not know
            raise InputError(f"{picture}: {error}") from error
        found["picture"] = str(picture)
    return found


def facts(database: Database, path: Path) -> dict[str, Any]:
    """The contents of a database in numbers."""
    own = int((database.mirror_of < 0).sum())
    found: dict[str, Any] = {
        "file": str(path),
        "megabytes": round(path.stat().st_size / 1e6, 2),
        "body": database.body_name,
        "fps": database.fps,
        "clips": own,
        "mirrored": len(database.clip_names) - own,
        "frames": database.frames,
        "minutes": round(database.seconds / 60, 2),
        "searchable": _share(database.searchable),
        "feet_standing": dict(zip(("left", "right"), map(_share, database.contacts.T), strict=True)),
    }
    for tag, row in coverage.seconds_of(database).items():
        found[f"{tag}_seconds"] = row
        found[f"{tag}_cells_filled"] = round(coverage.filled(database, tag), 3)
    return found


def _files(sources: Sequence[str | Path]) -> list[Path]:
    found: list[Path] = []
    for source in sources:
        folder = Path(source)
        if folder.is_dir():
            held = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
            # what `lactic play` left holds the same motion twice: the recording is exact, and knows of falls
            played = {path.parent for path in held if path.name == RECORDING}
            held = [path for path in held if path.parent not in played or path.name == RECORDING]
            if not held:
                raise InputError(f"{folder}: no motion files ({', '.join(SUFFIXES)}) below it")
            found += held
        else:
            found.append(locate(source))
    return found


def _clips(path: Path, body: str, fps: float, roles: dict[str, str | None] | None) -> list[BodyClip]:
    """The clips of a file on the body, named after it: one, or of a recording what lies between its falls."""
    if not is_recording(path):
        return [_clip(path, body, fps, roles)]
    whole, cuts = read_recording(path)
    _check_body(path, whole, body)
    if path.name == RECORDING:  # as all of them are called
        whole = replace(whole, name=path.resolve().parent.name)
    found = pieces(whole, cuts)
    if not found:
        raise InputError(
            f"{path}: {whole.seconds:.1f} s with {len(cuts)} falls put right: nothing between them lasts {SHORTEST:g} s"
        )
    return found


def _clip(path: Path, body: str, fps: float, roles: dict[str, str | None] | None) -> BodyClip:
    """A clip on the body, named after its file."""
    clip = replace(load(path, roles=roles), name=path.stem)
    check_length(clip)  # before the work of retargeting
    if isinstance(clip, BodyClip):
        _check_body(path, clip, body)
        return clip
    moved = retarget(clip, bodies.get(body), fps=fps)[0]
    check_length(moved)  # another rate may cost a frame
    return moved


def _check_body(path: Path, clip: BodyClip, body: str) -> None:
    if clip.body_name != body:
        raise InputError(f"{path}: a clip of the body '{clip.body_name}', not of '{body}'")


def _share(flags: np.ndarray) -> float:
    return round(float(np.mean(flags)), 3)
