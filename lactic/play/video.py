"""The film: every frame by the same painter as the strip, so that only an encoder is needed.

MuJoCo's own renderers (OpenGL, Filament) are faster on a graphics card. Without one they draw through Mesa at about
the painter's speed (measured through EGL at 640 x 360), and need system libraries that a plain machine lacks.
"""

import contextlib
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageDraw

from lactic.body import Body
from lactic.files import whole_file
from lactic.play.figure import Figure
from lactic.play.painter import paint, paint_shadow
from lactic.play.stage import INK, backdrop, coloured, draw_legend, encoded, font
from lactic.play.view import View

INSTALL = "film.mp4 not written: it needs a video encoder; run `pip install 'lactic[film]'` or install ffmpeg"
LONGEST = 20.0  # seconds of film; what takes longer is shown faster
PAN = 0.3  # half-life in seconds with which the camera follows


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
    body: Body, qpos: np.ndarray, fps: float, path: str | Path, *, tint: np.ndarray | None = None,
    size: tuple[int, int] = (640, 360), rate: float = 10.0, progress: Callable[[int, int], None] | None = None,
) -> str | None:  # fmt: skip
    """Film the motion `qpos` (T,nq) as H.264 and return None, or one line that says why there is no film.

    `tint` is as for the strip; `size` (even numbers of pixels) and `rate` (frames a second) are the film's;
    `progress(done, total)` is called after each frame.
    """
    program = encoder()
    if program is None:
        return INSTALL
    frames, speed = film_frames(len(qpos), fps, rate)
    if not np.isfinite(qpos[frames]).all():
        return f"{Path(path).name} not written: the motion is not finite"
    command = [
        program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
        "-r", str(rate), "-i", "-", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
    ]  # fmt: skip
    try:
        with whole_file(path) as temporary, tempfile.TemporaryFile() as said:
            running = subprocess.Popen([*command, str(temporary)], stdin=subprocess.PIPE, stderr=said, bufsize=0)
            assert running.stdin is not None
            try:
                with running.stdin, contextlib.suppress(BrokenPipeError):  # an encoder that stops early says why
                    for done, image in enumerate(_images(body, qpos, fps, frames, tint, size, speed, rate), 1):
                        _send(running.stdin, image.tobytes())
                        if progress:
                            progress(done, len(frames))
            except BaseException:
                running.kill()
                raise
            finally:
                running.wait()
            if running.returncode:
                said.seek(0)
                reason = said.read().decode(errors="replace").strip().splitlines() or ["no reason given"]
                raise OSError(reason[0])
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


def _images(body, qpos, fps, frames, tint, size, speed, rate) -> Iterator[np.ndarray]:
    """The frames as (H,W,3) bytes."""
    width, height = size
    figure = Figure(body.model)
    poses = [figure.posed(qpos[k]) for k in frames[:: max(1, len(frames) // 50)]]
    reach = max(float(np.linalg.norm(pose.centre - pose.centre.mean(0), axis=1).max()) for pose in poses)
    top = max(float(pose.centre[:, 2].max()) for pose in poses)
    tall = max(top, 1.2 * reach) + 0.25  # metres the picture must show above the ground
    scale = height * 0.80 / tall
    heading = 0.0
    if body.model.nq >= 7:
        w, x, y, z = qpos[0, 3:7]
        heading = float(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))
    view = View(heading - np.radians(45), np.radians(13), scale)
    focus = _followed(np.stack([figure.posed(qpos[k]).centre.mean(0) for k in frames]) * [1, 1, 0], rate)
    empty = backdrop(height, width, height * 0.8)
    for k, target in zip(frames, focus, strict=True):
        x, y = view.pixels(target)
        seen = replace(view, corner=(x - width / 2, y - 0.86 * height))
        canvas = empty.copy()
        _rule(canvas, seen)
        pose = figure.posed(qpos[k])
        paint_shadow(canvas, pose, seen)
        paint(canvas, pose, coloured(pose, None if tint is None else tint[k]), seen)
        image = Image.fromarray(encoded(canvas))
        if tint is not None:
            draw_legend(image, width - 14, height - 18, 13)
        clock = f"{k / fps:.1f} s" + (f", {speed} times faster than life" if speed > 1 else "")
        ImageDraw.Draw(image).text((14, height - 18), clock, INK, font(15), anchor="lm")
        yield np.asarray(image)


def _followed(path: np.ndarray, rate: float) -> np.ndarray:
    """A path (T,3) smoothed forward and backward, so that the camera neither shakes nor lags."""
    keep = 0.5 ** (1 / (PAN * rate))
    straight = path[0] + np.linspace(0, 1, len(path))[:, None] * (path[-1] - path[0])
    off = path - straight  # smoothed alone, or the camera would start late behind a runner
    for _ in range(2):
        for k in range(1, len(off)):
            off[k] = keep * off[k - 1] + (1 - keep) * off[k]
        off = off[::-1]
    return straight + off


def _rule(canvas: np.ndarray, view: View) -> None:
    """Draw faint lines each metre of ground on `canvas` (H,W,3): what shows that the character moves."""
    height, width = canvas.shape[:2]
    top = int(0.62 * height)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(top, height, dtype=np.float32))
    floor = view.floor(x, y)
    lines = np.zeros(x.shape)
    for axis in (0, 1):
        along = floor[..., axis]
        pixel = abs(along[1, 0] - along[0, 0]) + abs(along[0, 1] - along[0, 0])
        lines = np.maximum(lines, np.clip(1.2 - np.abs(along - np.round(along)) / pixel, 0, 1))
    canvas[top:] *= (1 - 0.10 * lines * np.clip((y - top) / (0.25 * height), 0, 1))[..., None]
