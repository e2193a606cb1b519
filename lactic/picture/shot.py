"""A film's frames, each of which can be painted alone: by this process, or by several at once."""

import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from PIL import Image, ImageDraw

from lactic.picture.figure import Figure
from lactic.picture.floor import mark_floor
from lactic.picture.painter import paint, paint_shadow
from lactic.picture.stage import INK, backdrop, coloured, draw_legend, encoded, font, heading
from lactic.picture.view import View

PAN = 0.3  # half-life in seconds with which the camera follows
FEET, HORIZON = 0.84, 0.55  # rows where the character stands and where the floor begins, as shares of the height
AZIMUTH, ELEVATION = np.radians(-50), np.radians(14)  # of the camera, from the heading at the start


@dataclass(frozen=True)
class Shot:
    """What is seen in each frame: poses, tints (None: all fresh), the spot looked at, and the caption."""

    model: mujoco.MjModel
    qpos: np.ndarray
    tint: np.ndarray | None
    focus: np.ndarray
    captions: tuple[str, ...]
    view: View
    size: tuple[int, int]
    """Width and height in pixels."""

    @classmethod
    def of(
        cls,
        model: mujoco.MjModel,
        qpos: np.ndarray,
        tint: np.ndarray | None,
        captions: tuple[str, ...],
        size: tuple[int, int],
        rate: float,
    ) -> "Shot":
        """A camera that follows the poses `qpos` (T,nq), shown at `rate` a second."""
        figure = Figure(model)
        centres = np.empty((len(qpos), 3))
        reach = top = 0.0
        for k, row in enumerate(qpos):
            pose = figure.posed(row)
            centres[k] = pose.centre.mean(0)
            reach = max(reach, float(np.linalg.norm(pose.centre - centres[k], axis=1).max()))
            top = max(top, float(pose.centre[:, 2].max()))
        tall = max(top, 1.2 * reach) + 0.25  # metres the picture must show above the ground
        view = View(heading(qpos[0]) + AZIMUTH, ELEVATION, size[1] * 0.78 / tall)
        return cls(model, qpos, tint, followed(centres * [1, 1, 0], rate), captions, view, size)

    def paint(self, frames: Iterator[int] | range) -> Iterator[np.ndarray]:
        """Some of the frames as (H,W,3) bytes."""
        width, height = self.size
        figure, empty = Figure(self.model), backdrop(height, width, height * 0.8)
        small = max(9, round(height / 40))
        for k in frames:
            x, y = self.view.pixels(self.focus[k])
            view = replace(self.view, corner=(x - width / 2, y - FEET * height))
            canvas = empty.copy()
            mark_floor(canvas, view, HORIZON * height)
            pose = figure.posed(self.qpos[k])
            paint_shadow(canvas, pose, view)
            paint(canvas, pose, coloured(pose, None if self.tint is None else self.tint[k]), view)
            image = Image.fromarray(encoded(canvas))
            middle = height - round(1.5 * small)
            if self.tint is not None:
                draw_legend(image, width - small, middle, small)
            ImageDraw.Draw(image).text((small, middle), self.captions[k], INK, font(small), anchor="lm")
            yield np.asarray(image)


def followed(path: np.ndarray, rate: float) -> np.ndarray:
    """A path (T,3) smoothed forward and backward, so that the camera neither shakes nor lags."""
    keep = 0.5 ** (1 / (PAN * rate))
    straight = path[0] + np.linspace(0, 1, len(path))[:, None] * (path[-1] - path[0])
    off = path - straight  # smoothed alone, or the camera would start late behind a runner
    for _ in range(2):
        for k in range(1, len(off)):
            off[k] = keep * off[k - 1] + (1 - keep) * off[k]
        off = off[::-1]
    return straight + off


def serve() -> None:
    """Paint every so manieth frame of a shot: a process that `video` starts, and reads."""
    first, step = int(sys.argv[1]), int(sys.argv[2])
    shot: Shot = pickle.load(sys.stdin.buffer)
    for picture in shot.paint(range(first, len(shot.qpos), step)):
        sys.stdout.buffer.write(picture.tobytes())
        sys.stdout.buffer.flush()
