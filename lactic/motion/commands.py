"""What `lactic clips inspect|convert|map|fetch` do, as functions on paths that return plain data."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.files import write_whole
from lactic.motion import ground
from lactic.motion.body_clip import BodyClip
from lactic.motion.bvh_write import write_bvh
from lactic.motion.clip import Clip
from lactic.motion.fetch import cache_folder
from lactic.motion.fetch import fetch as fetch_source
from lactic.motion.read import kind_of, read
from lactic.motion.reading import check_option_fps
from lactic.motion.recorded import SHORTEST, arrays_in, is_recording, pieces, read_recording
from lactic.motion.retarget import retarget
from lactic.motion.roles import NEEDED, known_roles, write_map

FORMATS = (".bvh", ".npz")
RECORDING = "recording.npz"
SUFFIXES = (".bvh", ".npz", ".npy", ".txt")


def locate(name: str | Path, cache: str | Path | None = None) -> Path:
    """The file of that path, or the fetched clip of that name ('run' is humanoid3d_run)."""
    path = Path(name)
    if path.exists():
        return path
    folder = Path(cache) if cache is not None else cache_folder()
    held = sorted(folder.glob("*/*.*"))
    found = [p for p in held if p.stem in (str(name), f"humanoid3d_{name}")]
    if found:
        return found[0]
    names = ", ".join(p.stem.removeprefix("humanoid3d_") for p in held[:20])
    raise InputError(f"{name}: no such file" + (f", nor a fetched clip (there are: {names})" if names else ""))


def load(name: str | Path, **options: Any) -> Clip | BodyClip:
    """Any motion file, or a clip or recording saved by Lactic."""
    path = locate(name)
    if not _is_saved(path):
        return read(path, **options)
    return read_recording(path)[0] if is_recording(path) else BodyClip.load(path)


def inspect(name: str | Path, body: str | None = None, **options: Any) -> dict[str, Any]:
    """What is in a motion file, and with `body` how well it fits that body."""
    path = locate(name)
    clip = load(path, **options)
    facts: dict[str, Any] = {
        "name": clip.name,
        "file": str(path),
        "format": "lactic" if _is_saved(path) else kind_of(path),
    }
    facts |= {"frames": clip.frames, "fps": clip.fps, "seconds": round(clip.seconds, 4), "cyclic": clip.cyclic}
    if isinstance(clip, BodyClip):
        root, names, low = clip.qpos[:, :3], clip.body.joints, float(ground.clearance(clip.body, clip.qpos).min())
    else:
        root, names, low = clip.root_pos, clip.joints, float(clip.globals()[0][..., 2].min())
    speed = np.linalg.norm(np.diff(root[:, :2], axis=0), axis=1) * clip.fps
    facts |= {
        "joints": list(names),
        "speed": {"mean": _round(speed.mean() if len(speed) else 0.0), "max": _round(np.max(speed, initial=0.0))},
        "distance": _round(float(np.linalg.norm(root[-1, :2] - root[0, :2]))),
        "root_height": {"min": _round(root[:, 2].min()), "max": _round(root[:, 2].max())},
        "lowest_point": _round(low),
    }
    if body is not None and isinstance(clip, Clip):
        moved, residual = retarget(clip, bodies.get(body))
        clearance = ground.clearance(moved.body, moved.qpos)
        feet = clearance[:, [moved.body.bodies.index(foot) for foot in moved.body.feet]]
        facts["body"] = body
        facts["ground_clearance"] = {"feet_min": _round(feet.min()), "body_min": _round(clearance.min())}
        facts["residual"] = {k: _round(v) if isinstance(v, float) else v for k, v in asdict(residual).items()}
    return facts


def convert(
    source: str | Path,
    target: str | Path,
    *,
    body: str | None = None,
    fps: float | None = None,
    mirror: bool = False,
    loop: int = 1,
    start: float | None = None,
    end: float | None = None,
    unit: str | float = "m",
    **options: Any,
) -> dict[str, Any]:
    """Read a motion, cut, retarget to `body` if given, resample, mirror, loop; write .bvh, or .npz (a body clip)."""
    target = Path(target)
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"{target}: can write {' or '.join(FORMATS)} files")
    if loop < 1:
        raise InputError(f"loop {loop}: must be at least 1")
    check_option_fps(fps)
    clip = load(source, **options)
    facts: dict[str, Any] = {}
    if start is not None or end is not None:
        first, last = start or 0.0, clip.seconds if end is None else end
        if not 0 <= first < last or first >= clip.seconds:
            raise InputError(f"start {first:g}, end {last:g}: not a part of the clip's {clip.seconds:.2f} s")
        clip = clip.cut(first, last)
    if isinstance(clip, Clip) and (body is not None or target.suffix.lower() == ".npz"):
        # a seam that is not closed would jump at every repetition
        clip, residual = retarget(clip, bodies.get(body or "humanoid"), fps=fps, close=loop > 1 and clip.cyclic)
        facts["residual"] = asdict(residual)
    elif fps is not None:
        clip = clip.resample(fps)
    if mirror:
        clip = clip.mirror()
    clip = clip.loop(loop)
    clip = replace(clip, name=target.stem)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(clip, BodyClip) and target.suffix.lower() == ".npz":
            clip.save(target)
        else:
            write_bvh(target, clip, unit)
    except OSError as error:
        raise InputError(f"{target}: cannot write it ({error.strerror or error})") from error
    return {"file": str(target), "frames": clip.frames, "fps": clip.fps, "seconds": round(clip.seconds, 4), **facts}


def propose_map(name: str | Path, out: str | Path | None = None) -> dict[str, Any]:
    """Write which joint plays which part in a motion file, as far as it is known, for a person to edit."""
    clip = load(name)
    if isinstance(clip, BodyClip):
        raise InputError(f"{name}: its motion is of Lactic's own body '{clip.body_name}' and needs no map")
    target = Path(out if out is not None else f"{clip.name}.map.yaml")
    if target.exists():
        raise InputError(f"{target}: is there already; name another file")
    try:
        write_whole(target, write_map(clip))
    except OSError as error:
        raise InputError(f"{target}: cannot write it ({error.strerror or error})") from error
    known = known_roles(clip)
    return {"file": str(target), "found": len(known), "missing": [role for role in NEEDED if role not in known]}


def fetch(
    source: str, cache: str | Path | None = None, say: Callable[[str], None] = lambda line: None
) -> list[dict[str, Any]]:
    """Fetch public clips into the cache and say what came."""
    rows = []
    for path in fetch_source(source, cache, say):
        clip = read(path)
        name = path.stem.removeprefix("humanoid3d_")
        rows.append({"name": name, "file": str(path), "seconds": round(clip.seconds, 3)})
    return rows


def motion_files(sources: Sequence[str | Path]) -> list[Path]:
    """The motion files of files, fetched clips and folders of files."""
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


def body_clips(path: Path, body: str, fps: float, **options: Any) -> list[BodyClip]:
    """The clips of a file on the body, named after it: one, or of a recording what lies between its falls."""
    if not is_recording(path):
        return [_clip(path, body, fps, **options)]
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


def _clip(path: Path, body: str, fps: float, **options: Any) -> BodyClip:
    """A clip on the body, named after its file."""
    clip = replace(load(path, **options), name=path.stem)
    if isinstance(clip, Clip):
        return retarget(clip, bodies.get(body), fps=fps)[0]
    _check_body(path, clip, body)
    return clip


def _check_body(path: Path, clip: BodyClip, body: str) -> None:
    if clip.body_name != body:
        raise InputError(f"{path}: a clip of the body '{clip.body_name}', not of '{body}'")


def _is_saved(path: Path) -> bool:
    return path.suffix.lower() == ".npz" and "qpos" in arrays_in(path)


def _round(value: float) -> float:
    return round(float(value), 4)
