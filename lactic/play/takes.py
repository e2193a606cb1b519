"""Motion files of a recording, one for each take: a character that is put back onto its feet jumps between them."""

from collections.abc import Sequence
from pathlib import Path

from lactic.body import Body
from lactic.motion.bvh_write import write_recording
from lactic.picture.recording import Recording
from lactic.play.gltf import write_glb


def take_name(number: int, kind: str) -> str:
    """motion.bvh, then motion-2.bvh, motion-3.bvh …"""
    return f"motion.{kind}" if number == 1 else f"motion-{number}.{kind}"


def write_takes(out: Path, record: Recording, body: Body, kinds: Sequence[str]) -> None:
    """Write every take of a recording into `out`, as bvh or glb; takes of an earlier run do not stay behind."""
    for kind in ("bvh", "glb"):
        for old in out.glob(f"motion-*.{kind}"):
            if old.stem.removeprefix("motion-").isdecimal():
                old.unlink()
    for number, take in enumerate(record.takes(), 1):
        for kind in kinds:
            path = out / take_name(number, kind)
            if kind == "bvh":
                write_recording(path, body.name, take.qpos, take.fps)
            else:
                write_glb(path, body, take.qpos, take.fps, take.tint(body), name=record.brain)
