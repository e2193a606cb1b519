"""The film strip: a character every few seconds, each segment tinted by how tired its joint is."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageDraw

from lactic.body import Body
from lactic.errors import InputError
from lactic.files import whole_file
from lactic.picture.figure import Figure, Shapes
from lactic.picture.floor import mark_floor
from lactic.picture.muscles import MuscleLook, seen
from lactic.picture.stage import INK, LEGEND, backdrop, clock, draw_legend, encoded, font, heading, tinted
from lactic.picture.view import View

FIGURES, MOST, ROW = 8, 60, 10  # figures drawn unless told otherwise, at most, and in a row
# seconds between figures that read well
STEPS = (0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 600, 900, 1800, 3600)
WIDEST = 3200  # pixels
LEGEND_COLOURS = 48  # of a palette that are kept for the legend
ELEVATION = np.radians(11)
THREE_QUARTER, ALONGSIDE = np.radians(-40), np.radians(-78)  # the camera, from the heading or direction of travel


def chosen_frames(
    frames: int, fps: float, every: float | None = None, count: int | None = None, end: bool = False
) -> np.ndarray:
    """Frames to draw: one each `every` seconds, or `count` spread evenly; else a round number of seconds apart.

    The last frame is among them where `end` asks for it.
    """
    last = (frames - 1) / fps
    if every is None and count is None and last > 0:
        every = next((step for step in STEPS if step * (FIGURES - 0.5) >= last), last / FIGURES)
    if every is not None:
        if not (np.isfinite(every) and every > 0):
            raise InputError(f"every: {every} s between figures; give a positive number")
        # a run of 60 s has its last frame just before the minute
        picked = np.minimum(np.round(np.arange(0, last + 1.01 / fps, every) * fps).astype(int), frames - 1)
    else:
        if count is not None and count < 1:
            raise InputError(f"count: {count} figures; give at least 1")
        picked = np.round(np.linspace(0, frames - 1, min(count or 1, frames))).astype(int)
    picked = np.unique([*picked, frames - 1] if end else picked)
    if len(picked) > MOST:
        raise InputError(f"{len(picked)} figures do not fit a strip; ask for at most {MOST}")
    return picked


def draw_strip(
    body: Body,
    qpos: np.ndarray,
    fps: float,
    path: str | Path | IO[bytes],
    *,
    every: float | None = None,
    count: int | None = None,
    end: bool = False,
    tint: np.ndarray | None = None,
    labels: Sequence[str] | None = None,
    travel: bool | None = None,
    height: int = 420,
    beside: np.ndarray | None = None,
    muscles: MuscleLook | None = None,
    camera: float = THREE_QUARTER,
) -> None:
    """Draw the character of `qpos` (T,nq) every few seconds into the picture `path`, and at its `end` if asked to.

    `path` may be a stream. `tint` (T, bodies) is the fraction of strength each body's parent joint has lost. Figures
    stand side by side or, where they cover ground (or `travel` says so), where they really were. `height` is that of a
    figure in pixels. `beside` (T,nq) is a figure that is never tired: at each moment it stands at the left of the
    other. `muscles` of each frame are drawn over bones and take the place of `tint`. The `camera` stands at that angle
    from the heading, in radians, where figures stand side by side.
    """
    qpos = np.atleast_2d(qpos)
    if not np.isfinite(qpos).all():
        name = path if isinstance(path, str | Path) else "strip"
        raise InputError(f"{name}: frame {int(np.argmin(np.isfinite(qpos).all(1)))} of the motion is not finite")
    picked = chosen_frames(len(qpos), fps, every, count, end)
    figure = Figure(body.model)
    own = [seen(figure, qpos[k], k, tint, muscles) for k in picked]
    labels = clock(picked / fps, 1 / fps) if labels is None else labels
    if beside is not None:
        others = [seen(figure, beside[k], k, None) for k in picked]
        own = [one for pair in zip(others, own, strict=True) for one in pair]
        labels, travel = [word for label in labels for word in (f"{label}: clip", "tired")], False
    poses, colours = [pose for pose, _ in own], [colour for _, colour in own]
    roots = np.stack([pose.centre.mean(0) for pose in poses]) * [1, 1, 0]

    travels = _travels(roots) if travel is None else travel and len(picked) > 1
    if travels:
        way = roots[-1] - roots[0]
        rows = [(poses, View(np.arctan2(way[1], way[0]) + ALONGSIDE, ELEVATION, 1.0))]
    else:
        view = View(heading(qpos[0]) + camera, ELEVATION, 1.0)
        rows = _side_by_side(poses, roots, view)
    pictures, done = [], 0
    scale = min(_scale(row, view, height) for row, view in rows)
    for row, view in rows:
        part = slice(done, done + len(row))
        pictures.append(_picture(row, colours[part], labels[part], replace(view, scale=scale), travels))
        done += len(row)
    legend = muscles.legend if muscles is not None else LEGEND if tint is not None else None
    image = _stacked(pictures, letter_size(scale) - 2, legend)
    # without its own colours the legend's red end would turn grey where no figure is tired
    kept = None if legend is None else encoded(tinted(np.linspace(0, 1, LEGEND_COLOURS)))
    with whole_file(path) if isinstance(path, str | Path) else contextlib.nullcontext(path) as target:
        save_palette(image, target, kept=kept)


def save_palette(
    image: Image.Image, path: Path | IO[bytes], colours: int = 256, kept: np.ndarray | None = None
) -> None:
    """As a PNG with a palette, a third of the size: shades and curves need no more colours.

    Colours `kept` (n,3) are always among them.
    """
    fixed = [] if kept is None else kept.ravel().tolist()
    free = colours - len(fixed) // 3
    own = image.quantize(free, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    if fixed:
        palette = Image.new("P", (1, 1))
        palette.putpalette([*(own.getpalette() or [])[: 3 * free], *fixed])
        own = image.quantize(palette=palette, dither=Image.Dither.NONE)
    own.save(path, format="PNG", optimize=True)


def _travels(roots: np.ndarray) -> bool:
    """Whether figures cover enough ground, and straight enough, to be drawn where they were."""
    steps = np.linalg.norm(np.diff(roots, axis=0), axis=1)
    if len(steps) == 0:
        return False
    straight = np.linalg.norm(roots[-1] - roots[0]) > 0.8 * steps.sum()
    return bool(straight and steps.min() > 0.3 and 0.5 < steps.mean() < 2.5)


def _side_by_side(poses: list[Shapes], roots: np.ndarray, view: View) -> list[tuple[list[Shapes], View]]:
    """Rows of figures, spread along the picture so that none touches its neighbour."""
    poses = [pose.moved(-root) for pose, root in zip(poses, roots, strict=True)]
    spans = np.stack([view.extent(pose)[..., 0] for pose in poses])
    spacing = np.ptp(spans) * 1.08
    count = -(-len(poses) // -(-len(poses) // ROW))  # rows of nearly equal length
    poses = [pose.moved((k % count) * spacing * view.frame[0]) for k, pose in enumerate(poses)]
    return [(poses[k : k + count], view) for k in range(0, len(poses), count)]


def _bounds(poses: list[Shapes], view: View) -> np.ndarray:
    """[[left, top], [right, bottom]] of all figures and of the ground under them, in pixels."""
    parts = np.concatenate([view.extent(pose) for pose in poses])
    under = np.concatenate([view.pixels(pose.centre * [1, 1, 0]) for pose in poses])
    low, high = parts[:, 0].min(0), parts[:, 1].max(0)
    return np.array([low, [high[0], max(high[1], np.percentile(under[:, 1], 90))]])


def _scale(poses: list[Shapes], view: View, height: int) -> float:
    """Pixels per metre that make figures about `height` pixels tall and the row no wider than a picture may be."""
    (left, top), (right, bottom) = _bounds(poses, view)
    tallest = max(np.ptp(view.extent(pose)[..., 1]) for pose in poses)
    broadest = max(np.ptp(view.extent(pose)[..., 0]) for pose in poses)
    fits = height / max(tallest, broadest / 1.5, 0.4 * (bottom - top))
    return float(min(fits, (WIDEST - 0.4 * height) / (right - left)))


def _picture(
    poses: list[Shapes], colours: list[np.ndarray], labels: Sequence[str], view: View, marks: bool
) -> Image.Image:
    """One row of figures with their labels; where they really were, with marks on the floor."""
    from lactic.picture.painter import paint, paint_shadow  # which compiles: who only asks for a strip need not

    (left, top), (right, bottom) = _bounds(poses, view)
    margin, size = round(0.14 * view.scale) + 8, letter_size(view.scale)
    width, height = int(right - left) + 2 * margin, int(bottom - top) + margin + 4 * size
    view = replace(view, corner=(left - margin, top - margin))
    feet = [view.pixels(pose.centre.mean(0) * [1, 1, 0]) for pose in poses]
    canvas = backdrop(height, width, float(np.mean([y for _, y in feet])))
    if marks:
        mark_floor(canvas, view, float(min(y for _, y in feet)) - 0.3 * view.scale)
    for pose in poses:
        paint_shadow(canvas, pose, view)
    for k in np.argsort([pose.centre.mean(0) @ view.frame[2] for pose in poses]):  # far to near
        paint(canvas, poses[k], colours[k], view)
    image = Image.fromarray(encoded(canvas))
    draw = ImageDraw.Draw(image)
    free = -np.inf
    for (x, _), label in zip(feet, labels, strict=True):
        reach = draw.textlength(label, font(size)) / 2
        if x - reach > free:  # figures that cover no ground share their label
            draw.text((x, height - 1.6 * size), label, INK, font(size), anchor="mm")
            free = x + reach + size / 2
    return image


def letter_size(scale: float) -> int:
    """Height of letters in pixels beside figures drawn at a scale."""
    return int(np.clip(0.085 * scale, 12, 28))


def _stacked(pictures: list[Image.Image], size: int, legend: tuple[str, str, str] | None) -> Image.Image:
    """Rows one under the other, with a legend in letters of that size below, if any."""
    size = 0 if legend is None else size
    width = max(*(picture.width for picture in pictures), 24 * size)
    footer = 2 * size
    height = sum(picture.height for picture in pictures) + footer
    last = pictures[-1].getpixel((0, pictures[-1].height - 1))
    image = Image.new("RGB", (width, height), last)
    y = 0
    for picture in pictures:
        edge = picture.crop((picture.width - 1, 0, picture.width, picture.height))  # continue the backdrop
        image.paste(edge.resize((width, picture.height)), (0, y))
        image.paste(picture, (0, y))
        y += picture.height
    if legend:
        draw_legend(image, width - size, height - footer, size, legend)
    return image
