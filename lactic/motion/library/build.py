"""Making a motion library of files: in parallel, and going on where an earlier run was stopped."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from lactic import body as bodies
from lactic.errors import InputError
from lactic.files import check_target, output_folder, read_yaml
from lactic.jobs import answers
from lactic.motion.body_clip import BodyClip
from lactic.motion.commands import body_clips, motion_files
from lactic.motion.library.library import ANGLE_STEP, Library, collect, concatenate
from lactic.motion.reading import check_option_fps, read_bytes


def build(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    body: str = "humanoid",
    fps: float = 30.0,
    split: str = "train",
    splits: str | Path | None = None,
    cluster: str | None = None,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> Library:
    """Write the library `out` of all motion files in folders, retargeted to `body`.

    `splits` is a YAML or JSON file with lists of clip names by split; the other clips go to `split`. `say` hears of
    each file that is left out, `tell` how many files are done. Finished clips wait in a folder beside `out`, where the
    same call finds them after it was stopped. `cluster` is a Ray cluster that does it, with these folders.
    """
    out = check_target(out, "a library is")
    check_option_fps(fps)
    bodies.get(body)  # refused before any work
    named = {} if splits is None else _read_splits(Path(splits))
    files = [path for path in dict.fromkeys(motion_files(sources)) if path.absolute() != out.absolute()]
    folder = output_folder(out.with_suffix(".parts"), "folder of finished clips")
    parts: dict[Path, Library] = {}
    given = [path.absolute() for path in files] if cluster else files  # nodes work in folders of their own
    jobs = [(path, folder.absolute(), body, fps) for path in given]
    with closing(answers(make_part, jobs, cluster)) as made:
        for done, (k, answer) in enumerate(made, 1):
            path = files[k]
            if isinstance(answer, Path):
                parts[path] = Library.load(answer)
            else:
                say(f"left out: {answer}")
            tell(done, len(files))
    if not parts:
        shutil.rmtree(folder)
        raise InputError(f"{out}: not written, since none of the {len(files)} files can be used")
    library = concatenate(_unlike({path: parts[path] for path in files if path in parts}, say))
    unknown = sorted(set(named) - set(library.names))
    if unknown:
        say(f"{splits}: {len(unknown)} names are no clips here, such as '{unknown[0]}'")
    library = replace(library, splits=tuple(named.get(name, split) for name in library.names))
    library.save(out)
    shutil.rmtree(folder)
    return library


def _read_splits(path: Path) -> dict[str, str]:
    """The split of each clip that the file names."""
    held = read_yaml(path)
    if not isinstance(held, dict) or not all(isinstance(names, list) for names in held.values()):
        raise InputError(f"{path}: must hold a list of clip names for each split, as in 'test: [walk, run]'")
    found: dict[str, str] = {}
    for split, names in held.items():
        for name in map(str, names):
            if found.setdefault(name, str(split)) != str(split):
                raise InputError(f"{path}: clip '{name}' is in the splits {found[name]} and {split}; a clip has one")
    return found


def _unlike(parts: dict[Path, Library], say: Callable[[str], None]) -> list[Library]:
    """The parts under their final names, without motions that were there before."""
    seen: dict[bytes, Path] = {}
    for path, part in parts.items():
        motion = np.round(part.qpos[:, 7:] / ANGLE_STEP).astype(np.int32)  # wherever it starts, whichever way
        first = seen.setdefault(hashlib.sha256(motion.tobytes()).digest(), path)
        if first is not path:
            say(f"left out: {path}: the same motion as {first}")
    stems, named = Counter(path.stem for path in seen.values()), []
    for path in seen.values():
        name, count = path.stem if stems[path.stem] == 1 else path.as_posix(), len(parts[path])
        names = (name,) if count == 1 else tuple(f"{name}_{k + 1}" for k in range(count))
        named.append(replace(parts[path], names=names, sources=(str(path),) * count))
    return named


def make_part(path: Path, folder: Path, body: str, fps: float) -> Path | str:
    """Write the clips of a file as a small library into the folder, unless it is there; or say what is wrong."""
    try:
        # readers look at the name too
        key = hashlib.sha256(f"{path.stem} {body} {fps} ".encode() + read_bytes(path)).hexdigest()[:32]
        part = folder / f"{key}.npz"
        if part.exists():
            return part
        clips = [_ready(clip, fps) for clip in body_clips(path, body, fps)]
    except InputError as error:
        return str(error) if str(path) in str(error) else f"{path}: {error}"
    except Exception as error:  # a file that no reader foresaw must not cost the others
        return f"{path}: {type(error).__name__}: {error}".splitlines()[0]
    clips = [replace(clip, name=f"{k}") for k, clip in enumerate(clips)]
    collect(clips, [""] * len(clips), [""] * len(clips)).save(part)
    return part


def _ready(clip: BodyClip, fps: float) -> BodyClip:
    """The clip at the library's rate, starting above the origin."""
    moved = clip if abs(clip.fps - fps) < 1e-6 else clip.resample(fps)
    if moved.frames < 2:
        raise InputError(f"clip '{clip.name}': a single pose, no motion")
    qpos = moved.qpos.copy()
    qpos[:, :2] -= qpos[0, :2]
    return replace(moved, qpos=qpos, fps=float(fps))
