"""What can be taken home from the tape: the marked span of one character or of all, as files for other programs."""

import io
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.bvh_write import write_recording
from lactic.picture.film import draw_strip
from lactic.picture.recording import Recording
from lactic.studio.engine import Engine


def _bvh(path: Path, body: Body, take: Recording) -> None:
    write_recording(path, body.name, take.qpos, take.fps)


def _glb(path: Path, body: Body, take: Recording) -> None:
    from lactic.play.gltf import write_glb

    write_glb(path, body, take.qpos, take.fps, tint=take.tint(body))


def _csv(path: Path, body: Body, take: Recording) -> None:
    take.write_csv(path)


def _png(path: Path, body: Body, take: Recording) -> None:
    draw_strip(body, take.qpos, take.fps, path, tint=take.tint(body))


KINDS: dict[str, tuple[str, Callable[[Path, Body, Recording], None]]] = {
    "bvh": ("BVH motion", _bvh),
    "glb": ("glTF motion and shape", _glb),
    "csv": ("CSV of fatigue", _csv),
    "png": ("PNG film strip", _png),
}


SPLIT = ("bvh", "glb")
"""Kinds that hold one take each: a program that reads motion would otherwise show a character that jumps."""


def take(engine: Engine, who: int) -> Recording:
    """The marked span of character number `who`."""
    with engine.lock:
        if not 0 <= who < len(engine.cast) or not engine.frame:
            raise InputError("nothing has been recorded yet")
        return engine.cast[who].tape.between(*engine.span())


def export(engine: Engine, who: int | None, kind: str) -> tuple[str, bytes]:
    """A name and the contents of the marked span as a file of that kind.

    Several files come as one zip: of everybody (None), or of the takes before and after a character was put back.
    """
    if kind not in KINDS:
        raise InputError(f"no export '{kind}'; there are {', '.join(KINDS)}")
    with engine.lock:  # all of the same moments
        numbers = range(len(engine.cast)) if who is None else (who,)
        takes = [take(engine, k) for k in numbers]
        body, several = engine.body, len(engine.cast) > 1
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in engine.skill.name)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for k, record in zip(numbers, takes, strict=True):
            letter = f"-{'abc'[k]}" if several else ""
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
