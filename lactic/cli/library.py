"""Motion libraries."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from lactic.cli.terminal import AsJson, Flat, table

if TYPE_CHECKING:
    from lactic.motion.clip import Clip

app = tyro.extras.SubcommandApp()
EVERY = 10.0  # seconds between lines of progress where nobody watches


@dataclass(frozen=True)
class BuildOptions:
    """How a library is made."""

    body: str = "humanoid"
    """whose motion it is; clips are retargeted to it."""
    fps: float = 30.0
    """frames a second of the library."""
    split: str = "train"
    """of all clips that --splits does not name."""
    splits: Path | None = None
    """a YAML or JSON file with a list of clip names for each split."""
    cluster: str | None = None
    """address of a Ray cluster to do it, such as auto or HOST:6379 (needs lactic[scale]); by default this machine
    does."""


@app.command
def build(
    folders: tyro.conf.Positional[tuple[str, ...]],
    out: Path,
    options: Annotated[BuildOptions, Flat],
    as_json: AsJson = False,
) -> None:
    """Make a motion library of all motion files in folders; stopped, the same command goes on where it was.

    Args:
        folders: with BVH, AMASS npz, DeepMimic txt, poselib npy, npz clips that Lactic saved, or what `lactic play`
            left (falls are cut out); also single files.
        out: the library to write, an .npz file.
    """
    from lactic.motion.library import rows
    from lactic.motion.library.build import build as make

    progress = _Progress()
    table(rows(make(folders, out, **vars(options), say=progress.say, tell=progress.tell)), as_json)


@app.command
def inspect(
    file: tyro.conf.Positional[Path],
    picture: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Say what a motion library holds, by split, and draw it.

    Args:
        file: the library.
        picture: to draw, such as a PNG: lengths of clips, and minutes at each speed, turn rate and height.
    """
    from lactic.motion.library import Library, rows

    library = Library.load(file)
    if picture is not None:
        from lactic.files import save_figure
        from lactic.picture.library_plot import library_figure

        save_figure(picture, library_figure(library))
    if not as_json:
        size = file.stat().st_size / 1e6
        print(f"{file}: {size:.1f} MB, {len(library.qpos)} frames of {library.body_name} at {library.fps:g} fps")
    table(rows(library), as_json)


@app.command
def man(
    folders: tyro.conf.Positional[tuple[str, ...]],
    out: Path,
    clips: str | None = None,
    fps: float = 20.0,
    mirror: bool = True,
    as_json: AsJson = False,
) -> None:
    """Make a library of the muscle man's clips, for `lactic train muscle-vae`.

    Args:
        folders: with BVH or other motion files; also single files.
        out: the library to write, an .npz file.
        clips: which files, whole or by their best cycle: a YAML file, or a list that ships (locomotion, spin-kick).
        fps: frames a second; MuscleVAE has 20.
        mirror: whether each clip for training comes with its mirror image.
    """
    from lactic.files import check_target
    from lactic.motion.commands import motion_files
    from lactic.motion.man.build import build as make
    from lactic.motion.man.build import read_list
    from lactic.motion.read import read

    out, wanted = check_target(out, "a library is"), read_list(clips)
    files = [path for path in motion_files(folders) if not wanted.names or path.stem in wanted.names]
    missing = sorted(set(wanted.names) - {path.stem for path in files})
    if missing:
        print(f"not there: {', '.join(missing[:8])}{' …' if len(missing) > 8 else ''}", file=sys.stderr)
    progress = _Progress()

    def each() -> "Iterator[Clip]":
        for done, path in enumerate(files, 1):
            yield replace(read(path, fps=wanted.fps.get(path.stem)), name=path.stem)
            progress.tell(done, len(files))

    made = make(each(), wanted, fps, mirror, progress.say)
    made.save(out)
    seconds = [len(made.poses(i)) / fps for i in range(len(made))]
    rows_ = [
        {
            "split": split,
            "clips": made.splits.count(split),
            "minutes": round(sum(s for s, k in zip(seconds, made.splits, strict=True) if k == split) / 60, 2),
        }
        for split in sorted(set(made.splits))
    ]
    table(rows_, as_json)


class _Progress:
    """How many files are done and how long the others will take, on stderr."""

    def __init__(self) -> None:
        self.start = self.said = time.perf_counter()
        self.watched = sys.stderr.isatty()

    def say(self, line: str) -> None:
        """A line that stays."""
        print(f"\033[K{line}" if self.watched else line, file=sys.stderr)

    def tell(self, done: int, total: int) -> None:
        """A line that the next one replaces, or one now and then in a log."""
        now = time.perf_counter()
        if not self.watched and now - self.said < EVERY and done < total:
            return
        self.said = now
        left = (now - self.start) / done * (total - done)
        line = f"{done} of {total} files, {left // 60:.0f} min {left % 60:.0f} s left"
        end = "\n" if done == total or not self.watched else "\r"
        print(f"\033[K{line}" if self.watched else line, end=end, flush=True, file=sys.stderr)
