"""What can be taken home from the tape: the marked span of one character, as files for other programs."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.bvh_write import write_recording
from lactic.play.film import draw_strip
from lactic.play.recording import Recording
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
    "bvh": ("BVH motion", _bvh), "glb": ("glTF motion and shape", _glb), "csv": ("CSV of fatigue", _csv),
    "png": ("PNG film strip", _png),
}  # fmt: skip


def take(engine: Engine, who: int) -> Recording:
    """The marked span of character number `who`."""
    with engine.lock:
        if not 0 <= who < len(engine.cast) or not engine.frame:
            raise InputError("nothing has been recorded yet")
        return engine.cast[who].tape.recording(*engine.span())


def export(engine: Engine, who: int, kind: str) -> tuple[str, bytes]:
    """A name and the contents of the marked span as a file of that kind."""
    if kind not in KINDS:
        raise InputError(f"no export '{kind}'; there are {', '.join(KINDS)}")
    record, body = take(engine, who), engine.body
    letter = f"-{'abc'[who]}" if len(engine.cast) > 1 else ""
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in engine.skill.name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{safe}{letter}.{kind}"
        KINDS[kind][1](path, body, record)
        return path.name, path.read_bytes()
