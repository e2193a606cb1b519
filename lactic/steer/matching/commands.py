"""What `lactic match build|inspect` do, as functions on paths that return plain data."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lactic.files import check_target, save_figure
from lactic.motion.body_clip import BodyClip
from lactic.motion.commands import body_clips, motion_files
from lactic.steer.matching import coverage
from lactic.steer.matching.build import FPS, TooShort, build, check_length, check_rate
from lactic.steer.matching.build import SHORTEST as LEAST_SECONDS
from lactic.steer.matching.database import Database


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
    out = check_target(out, "a database is")
    check_rate(fps)
    clips: list[BodyClip] = []
    short: TooShort | None = None
    for path in motion_files(sources):
        try:
            found = body_clips(path, body, fps, roles=roles)
            for clip in found:
                check_length(clip)
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


def inspect_file(path: str | Path, picture: str | Path | None = None) -> dict[str, Any]:
    """What is in a database; and, where asked for, the picture of what it covers."""
    database = Database.load(path)
    found = facts(database, Path(path))
    if picture is not None:
        save_figure(picture, coverage.figure(database))
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


def _share(flags: np.ndarray) -> float:
    return round(float(np.mean(flags)), 3)
