"""What can be taken home from the tape: the marked span of one actor or of all, as files for other programs."""

import io
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.bvh_write import write_recording
from lactic.picture.film import draw_strip
from lactic.picture.muscles import MuscleLook, has_muscles
from lactic.picture.recording import Recording
from lactic.play.gltf import write_glb
from lactic.studio.engine import Engine


def look(body: Body, take: Recording) -> dict[str, Any]:
    """How pictures of a take are coloured: by muscles where there are any, by limbs where not."""
    return {"muscles": MuscleLook(take.fatigue)} if has_muscles(body) else {"tint": take.tint(body)}


Writer = Callable[[Path, Body, Recording], None]
KINDS: dict[str, tuple[str, Writer]] = {
    "bvh": ("BVH motion", lambda path, body, take: write_recording(path, body, take.qpos, take.fps)),
    "glb": (
        "glTF motion and shape",
        lambda path, body, take: write_glb(path, body, take.qpos, take.fps, tint=take.tint(body)),
    ),
    "csv": ("CSV of fatigue", lambda path, body, take: take.write_csv(path)),
    "png": (
        "PNG film strip",
        lambda path, body, take: draw_strip(body, take.qpos, take.fps, path, **look(body, take)),
    ),
}
HINGELESS = ("bvh", "csv", "png")
SPLIT = ("bvh", "glb")
"""Kinds that hold one take each: a program that reads motion would otherwise show a character that jumps."""


def kinds(body: Body) -> tuple[str, ...]:
    """What a body can be taken home as; glTF needs joints that are hinges."""
    return tuple(kind for kind in KINDS if kind in HINGELESS or not has_muscles(body))


def export(engine: Engine, index: int | None, kind: str) -> tuple[str, bytes]:
    """A name and the contents of the marked span as a file of that kind.

    Several files come as one zip: of everybody (None), or of the takes before and after an actor was put back.
    """
    there = kinds(engine.body)
    if kind not in there:
        raise InputError(f"no export '{kind}' of {engine.body.name}; there are {', '.join(there)}")
    with engine.lock:  # all of the same moments
        if not engine.frame:
            raise InputError("nothing has been recorded yet")
        cast = dict(enumerate(engine.cast))
        records = {k: cast[k].tape.recording(*engine.span()) for k in (cast if index is None else (index,))}
        body, safe = engine.body, "".join(c if c.isalnum() or c in "-_" else "-" for c in engine.skill.name)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for k, record in records.items():
            letter = f"-{'abc'[k]}" if len(cast) > 1 else ""
            pieces = record.takes() if kind in SPLIT else [record]
            for n, piece in enumerate(pieces, 1):
                number = f"-{n}" if len(pieces) > 1 else ""
                paths.append(Path(folder) / f"{safe}{letter}{number}.{kind}")
                KINDS[kind][1](paths[-1], body, piece)
        if len(paths) == 1:
            return paths[0].name, paths[0].read_bytes()
        together = io.BytesIO()
        with zipfile.ZipFile(together, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                archive.write(path, path.name)
        return f"{safe}-{kind}.zip", together.getvalue()
