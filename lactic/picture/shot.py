"""A film's frames, each of which can be painted alone: by this process, or by several at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from PIL import Image, ImageDraw

from lactic.picture.figure import Figure
from lactic.picture.floor import mark_floor
from lactic.picture.muscles import MuscleLook, seen
from lactic.picture.stage import INK, LEGEND, backdrop, draw_legend, encoded, font, heading
from lactic.picture.view import View

PAN = 0.3  # half-life in seconds with which the camera follows
FEET, HORIZON = 0.84, 0.55  # rows where the character stands and where the floor begins, as shares of the height
AZIMUTH, ELEVATION = np.radians(-50), np.radians(14)  # of the camera, from the heading at the start
ALOOF, FURTHEST = 0.25, 2.5  # metres between two figures side by side, and from one's middle to the other's at most

SMALL = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="capsule" size="0.1 0.3"/>
<body pos="0 0 -0.4"><geom type="box" size="0.1 0.2 0.1"/></body></body></worldbody></mujoco>"""


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
    beside: np.ndarray | None = None
    """Poses (T,nq) of another figure at the left of the first, which is never tired."""
    apart: float = 0.0
    """Metres from the one to the other."""
    names: tuple[str, str] = ("", "")
    """What stands under the figure at the left and the one at the right, where there are two."""
    muscles: MuscleLook | None = None
    """Of the first figure, in place of tints."""

    @classmethod
    def of(
        cls,
        model: mujoco.MjModel,
        qpos: np.ndarray,
        tint: np.ndarray | None,
        captions: tuple[str, ...],
        size: tuple[int, int],
        rate: float,
        beside: np.ndarray | None = None,
        names: tuple[str, str] = ("", ""),
        muscles: MuscleLook | None = None,
    ) -> "Shot":
        """A camera that follows the poses `qpos` (T,nq), shown at `rate` a second, and those of another figure."""
        figure = Figure(model)
        tracks = [qpos] if beside is None else [beside, qpos]
        at = np.stack([[figure.posed(row).centre for row in track] for track in tracks])  # (figure, T, shape, 3)
        centres = at.mean(2)
        reach, top = float(np.linalg.norm(at - centres[:, :, None], axis=-1).max()), float(at[..., 2].max())
        tall = max(top, 1.2 * reach) + 0.25  # metres the picture must show above the ground
        view = View(heading(qpos[0]) + AZIMUTH, ELEVATION, size[1] * 0.78 / tall)
        middle = centres.mean(0)
        across, apart = (at - middle[:, None]) @ view.frame[0], 0.0
        if beside is not None:
            apart = min(float(np.max(across[0].max(1) - across[1].min(1))) + ALOOF, FURTHEST)
        focus = followed(middle * [1, 1, 0], rate)
        return cls(model, qpos, tint, focus, captions, view, size, beside, apart, names, muscles)

    def paint(self, frames: Iterator[int] | range) -> Iterator[np.ndarray]:
        """Some of the frames as (H,W,3) bytes."""
        from lactic.picture.painter import paint, paint_shadow  # which compiles: who only asks for a shot need not

        width, height = self.size
        figure, empty = Figure(self.model), backdrop(height, width, height * 0.8)
        small = max(9, round(height / 40))
        for k in frames:
            x, y = self.view.pixels(self.focus[k])
            view = replace(self.view, corner=(x - width / 2, y - FEET * height))
            canvas = empty.copy()
            mark_floor(canvas, view, HORIZON * height)
            side = 0.5 * self.apart * view.frame[0]
            poses = [(seen(figure, self.qpos[k], k, self.tint, self.muscles), side)]
            if self.beside is not None:
                poses.append((seen(figure, self.beside[k], k, None), -side))
            drawn = [(pose.moved(by), colours) for (pose, colours), by in poses]
            for pose, _ in drawn:
                paint_shadow(canvas, pose, view)
            for pose, colours in drawn:
                paint(canvas, pose, colours, view)
            image = Image.fromarray(encoded(canvas))
            for name, pose in zip(self.names, [pose for pose, _ in reversed(drawn)], strict=False):
                spot = view.pixels(pose.centre.mean(0) * [1, 1, 0])[0], (FEET + 0.055) * height
                ImageDraw.Draw(image).text(spot, name, INK, font(small), anchor="mm")
            middle = height - round(1.5 * small)
            if self.tint is not None or self.muscles is not None:
                words = LEGEND if self.muscles is None else self.muscles.legend
                draw_legend(image, width - small, middle, small, words)
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


def painted(shot: Shot, first: int, step: int) -> Iterator[bytes]:
    """Every so manieth frame of a shot as bytes."""
    for picture in shot.paint(range(first, len(shot.qpos), step)):
        yield picture.tobytes()


def ready() -> None:
    """Load what painting needs, compiled code as well, by painting something small."""
    model = mujoco.MjModel.from_xml_string(SMALL)
    shot = Shot.of(model, model.qpos0[None], np.zeros((1, 2)), ("",), (32, 32), 1.0)
    for _ in painted(shot, 0, 1):
        pass
