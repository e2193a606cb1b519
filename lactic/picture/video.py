"""The film: every frame by the same painter as the strip, so that only an encoder is needed.

MuJoCo's own renderers (OpenGL, Filament) are faster on a graphics card. Without one they draw through Mesa at about
the painter's speed, and need system libraries that a plain machine lacks.
"""

import contextlib
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from lactic.body import Body
from lactic.files import whole_file
from lactic.picture.filming import FilmFormat
from lactic.picture.muscles import MuscleLook
from lactic.picture.pace import floor_speed
from lactic.picture.painters import PainterGone, Painters, processors
from lactic.picture.shot import Shot, painted

INSTALL = "film.mp4 not written: it needs a video encoder; run `pip install 'lactic[film]'` or install ffmpeg"
LONGEST = 300.0  # seconds of film; what takes longer is shown faster
ALONE = 60  # frames that one process paints before others would have started


class _Unfinished(Exception):
    """Why a film was given up."""


def encoder() -> str | None:
    """The ffmpeg on the path, or that of the package imageio-ffmpeg; None where there is neither."""
    found = shutil.which("ffmpeg")
    if found is None and importlib.util.find_spec("imageio_ffmpeg"):
        import imageio_ffmpeg

        try:
            found = imageio_ffmpeg.get_ffmpeg_exe()
        except RuntimeError:  # the package came without a program for this platform
            return None
    return found


def film_video(
    body: Body,
    qpos: np.ndarray,
    fps: float,
    path: str | Path,
    *,
    tint: np.ndarray | None = None,
    legs: np.ndarray | None = None,
    cuts: Sequence[int] | np.ndarray = (),
    film: FilmFormat | None = None,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
    beside: np.ndarray | None = None,
    names: tuple[str, str] = ("", ""),
    notes: Sequence[str] | None = None,
    muscles: MuscleLook | None = None,
    painters: Painters | None = None,
) -> str | None:
    """FilmFormat the motion `qpos` (T,nq) as H.264 and return None, or one line that says why there is no film.

    `tint` is as for the strip; `legs` (T,) is the strength left in the legs, for the caption; `cuts` are the frames at
    which takes begin; `progress(done, total)` is called after each frame, and `stop()` says whether to give up, so that
    no part of a film is left. `beside` (T,nq) is a figure at the left of it, `names` what stands under both; `notes`
    (T,) are further words for the caption; `muscles` are as for the strip; `painters` are processes that
    are there already to paint it.
    """
    film, program = film or FilmFormat(), encoder()
    if program is None:
        return INSTALL
    frames, speed = film_frames(len(qpos), fps, film.rate)
    if not np.isfinite(qpos[frames]).all():
        return f"{Path(path).name} not written: the motion is not finite"
    said = captions(qpos, fps, frames, speed, legs, cuts, notes)
    tint, beside = (None if each is None else each[frames] for each in (tint, beside))
    muscles = None if muscles is None else muscles.of(frames)
    shot = Shot.of(body.model, qpos[frames], tint, said, film.size, film.rate, beside, names, muscles)
    given = "-f rawvideo -pix_fmt rgb24 -s {}x{} -r {} -i -".format(*film.size, film.rate)
    made = "-c:v libx264 -preset superfast -crf 21 -pix_fmt yuv420p -movflags +faststart"
    command = [program, "-loglevel", "error", "-y", *given.split(), *made.split()]
    try:
        with whole_file(path) as temporary, tempfile.TemporaryFile() as errors:
            running = subprocess.Popen(
                [*command, str(temporary)], stdin=subprocess.PIPE, stderr=errors, bufsize=0, start_new_session=True
            )
            assert running.stdin is not None
            try:
                pictures, refused = _pictures(shot, painters), contextlib.suppress(BrokenPipeError)
                with contextlib.closing(pictures), running.stdin, refused:  # an encoder that stops early says why
                    for done, picture in enumerate(pictures, 1):
                        _send(running.stdin, picture)
                        if progress:
                            progress(done, len(frames))
                        if stop is not None and stop():
                            raise _Unfinished("stopped")
            except BaseException:
                running.kill()
                raise
            finally:
                running.wait()
            if running.returncode:
                errors.seek(0)
                why = errors.read().decode(errors="replace").strip().splitlines() or ["no reason given"]
                raise OSError(why[0])
    except _Unfinished as reason:
        return f"{Path(path).name} not written: {reason}"
    except OSError as error:
        return f"{Path(path).name} not written: {program} failed ({error}); try `pip install 'lactic[film]'`"
    return None


def _send(pipe: IO[bytes], data: bytes) -> None:
    """Write all of `data` to an unbuffered pipe, which may take it in pieces."""
    rest = memoryview(data)
    while len(rest):
        rest = rest[pipe.write(rest) :]


def film_frames(count: int, fps: float, rate: float) -> tuple[np.ndarray, int]:
    """Which frames of a motion to show at `rate` a second, and how many times faster than life that is."""
    speed = max(1, int(np.ceil(count / fps / LONGEST)))
    shown = np.arange(0, count, speed * fps / rate)
    return np.minimum(np.round(shown).astype(int), count - 1), speed


def captions(
    qpos: np.ndarray,
    fps: float,
    frames: np.ndarray,
    speed: int,
    legs: np.ndarray | None = None,
    cuts: Sequence[int] | np.ndarray = (),
    notes: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """What is written in the corner of some frames: time, speed, strength left in the legs, take, and notes (T,)."""
    parts = [[f"{k / fps:.1f} s" for k in frames]]
    if qpos.shape[1] >= 7:
        parts.append([f"{value:.1f} m/s" for value in floor_speed(qpos, fps, cuts)[frames]])
    if legs is not None:
        parts.append([f"legs {100 * value:.0f} %" for value in legs[frames]])
    if len(cuts):
        parts.append([f"take {1 + sum(int(cut) <= k for cut in cuts)}" for k in frames])
    if notes is not None:
        parts.append([notes[k] for k in frames])
    if speed > 1:
        parts.append([f"{speed} times faster than life"] * len(frames))
    return tuple("    ".join(words) for words in zip(*parts, strict=True))


def _pictures(shot: Shot, painters: Painters | None) -> Generator[bytes, None, None]:
    """The frames as bytes, painted by as many processes as there are processors."""
    count = len(shot.qpos)
    needed = min(processors(), count // ALONE)
    if painters is None and needed < 2:
        yield from painted(shot, 0, 1)
        return
    with contextlib.nullcontext(painters) if painters is not None else Painters(needed) as hands:
        hands.grow(needed)
        running = [iter(hands.ask(k, painted, shot, k, len(hands))) for k in range(len(hands))]
        try:
            yield from (next(running[k % len(running)]) for k in range(count))
        except PainterGone:
            raise _Unfinished("a process that painted it has ended") from None
