"""The pace picture: how fast a character goes while its legs tire, over pictures of it at each stage."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.picture.figure import Figure as Posable
from lactic.picture.pace import asked_speed, floor_speed, legs_left
from lactic.picture.painter import paint, paint_shadow
from lactic.picture.plots import BLACK, BLUE, POINTS
from lactic.picture.recording import Recording
from lactic.picture.stage import LEGEND, coloured, encoded, heading, tinted
from lactic.picture.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EVERY, FEWEST, MOST = 12.0, 3, 12  # seconds between the pictures, and how many there are at least and at most
DPI, WIDE = 130, 8.4  # of the whole picture, and inches that the row of small ones may take up
TALL = 330  # pixels of a small picture
MARGIN, FIGURE = 0.45, 0.62  # metres beside a figure in which its shadow fades, and the share left for the figure
SIDE = np.radians(-65)  # of the camera, from the way the character faces
LEGS = "#B5123B"  # the colour of strength in the films, dark enough for a line


def pace_figure(record: Recording, body: Body) -> "Figure":
    """Speed over the floor beside strength left in the legs, with the character every so many seconds below."""
    from matplotlib.figure import Figure

    if len(record) < 2 or body.model.nq < 7:
        raise InputError("a pace needs two frames of a character that can travel")
    frames = stages(record)
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    top, below = figure.subplots(2, 1, height_ratios=(1.1, 1), sharex=True)
    top.tick_params(labelbottom=True)
    _curves(top, record, body)
    _pictures(below, record, body, frames)
    gone = float(np.linalg.norm(record.qpos[-1, :2] - record.qpos[0, :2]))
    title = f"{record.brain}: {record.seconds:.0f} s, {gone:.0f} m from where it began"
    figure.suptitle(title, x=0.01, ha="left", fontsize=13)
    return figure


def stages(record: Recording, every: float = EVERY) -> np.ndarray:
    """Frames of which pictures are shown: in the middle of stretches of about `every` seconds."""
    seconds = len(record) / record.fps
    count = min(int(np.clip(round(seconds / every), FEWEST, MOST)), len(record))
    return ((np.arange(count) + 0.5) * len(record) / count).astype(int)


def _curves(axes: "Axes", record: Recording, body: Body) -> None:
    """Speed on the left axis; strength of the legs, where there are two, on the right."""
    thin = slice(None, None, -(-len(record) // POINTS))
    time, speed = record.time, floor_speed(record.qpos, record.fps, record.cuts)
    asked, legs = asked_speed(record), legs_left(record, body)
    highest = float(speed.max())
    if asked is not None:
        axes.plot(time[thin], asked[thin], color=BLACK, lw=0.9, ls=(0, (4, 3)), label="speed asked for")
        highest = max(highest, float(asked.max()))
    axes.plot(time[thin], speed[thin], color=BLUE, lw=2.2, label="speed over the floor")
    axes.set_ylim(0, 1.12 * max(highest, 0.5))
    axes.set_ylabel("m/s, mean of 1 s", color=BLUE)
    axes.tick_params(axis="y", colors=BLUE)
    handles, labels = axes.get_legend_handles_labels()
    for cut in record.cuts:
        axes.axvline(record.time[min(int(cut), len(record) - 1)], color="#999999", lw=0.8, ls=":")
    if legs is not None:
        other = axes.twinx()
        (line,) = other.plot(time[thin], 100 * legs[thin], color=LEGS, lw=2.2)
        other.set_ylim(0, 104)
        other.set_ylabel(f"legs: {LEGEND[0]}, %", color=LEGS)
        other.tick_params(axis="y", colors=LEGS)
        other.spines["top"].set_visible(False)
        handles, labels = [*handles, line], [*labels, f"{LEGEND[0]} in the weaker leg"]
    axes.spines["top"].set_visible(False)
    axes.grid(axis="y", color="#E6E6E6", lw=0.8)
    axes.set_axisbelow(True)
    above = {"bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
    axes.legend(handles, labels, loc="lower left", ncols=3, frameon=False, fontsize=9, **above)
    axes.set_xlim(time[0], time[-1] + 1 / record.fps)
    axes.set_xlabel("time (s)", labelpad=1)


def _pictures(axes: "Axes", record: Recording, body: Body, frames: np.ndarray) -> None:
    """The character at some frames, each under the moment it is of, with what the curves say there."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    speed, legs = floor_speed(record.qpos, record.fps, record.cuts), legs_left(record, body)
    drawn = drawn_poses(body, record.qpos[frames], record.tint(body)[frames], TALL)
    room = WIDE * DPI / len(frames)  # pixels that each may be wide
    zoom = 72 / DPI * min(1.0, room / max(picture.shape[1] * FIGURE for picture in drawn))
    for frame, picture in zip(frames, drawn, strict=True):
        at = record.time[frame]
        axes.add_artist(
            AnnotationBbox(OffsetImage(picture, zoom=zoom), (at, 0.06), frameon=False, pad=0, box_alignment=(0.5, 0.0))
        )
        left = "" if legs is None else f", {100 * legs[frame]:.0f} %"
        said = f"{at:.0f} s\n{speed[frame]:.1f} m/s{left}"
        axes.text(at, 0.02, said, ha="center", va="top", fontsize=8.5, color=BLACK)
    axes.set_ylim(0, 1)
    axes.set_axis_off()
    _scale(axes)


def _scale(axes: "Axes") -> None:
    """The legend of the tints, as in films and strips."""
    name, full, end = LEGEND
    ramp = encoded(tinted(np.linspace(0, 1, 128))[None])
    bar = axes.inset_axes((0.86, -0.27, 0.09, 0.05))
    bar.imshow(ramp, aspect="auto", extent=(0, 1, 0, 1))
    bar.set_axis_off()
    bar.text(-0.06, 0.5, f"{name}  {full}", ha="right", va="center", fontsize=8.5, color="#807C80")
    bar.text(1.06, 0.5, end, ha="left", va="center", fontsize=8.5, color="#807C80")


def drawn_poses(body: Body, qpos: np.ndarray, tint: np.ndarray, tall: int) -> list[np.ndarray]:
    """Pictures (H,W,4) of poses at one scale, each seen from its own side; the tallest is `tall` pixels."""
    figure = Posable(body.model)
    poses, views = [], []
    for row in qpos:
        pose = figure.posed(row)
        poses.append(pose.moved(-pose.centre.mean(0) * [1, 1, 0]))
        views.append(View(heading(row) + SIDE, np.radians(8), 1.0))
    extents = [view.extent(pose) for pose, view in zip(poses, views, strict=True)]
    low = np.min([extent[:, 0].min(0) for extent in extents], axis=0)
    high = np.max([extent[:, 1].max(0) for extent in extents], axis=0)
    scale = tall / max(high[1] - low[1] + 0.2, 1e-3)
    width = int(scale * 2 * (max(-low[0], high[0]) + MARGIN))
    edge = np.abs(np.arange(width) + 0.5 - width / 2) / scale - (width / 2 / scale - MARGIN)
    shown = np.clip(1 - edge / MARGIN, 0, 1)[:, None] ** 2  # or shadows would end at a line
    paper, pictures = np.ones((tall, width, 3), np.float32), []
    for pose, view, spent in zip(poses, views, tint, strict=True):
        view = replace(view, scale=scale, corner=(-width / 2, scale * (low[1] - 0.05)))
        canvas = paper.copy()
        paint_shadow(canvas, pose, view)
        canvas = 1 - shown * (1 - canvas)
        paint(canvas, pose, coloured(pose, spent), view)
        pictures.append(_without_paper(encoded(canvas) / np.float32(255)))
    return pictures


def _without_paper(picture: np.ndarray) -> np.ndarray:
    """A picture on white (H,W,3) as colours and opacity (H,W,4), so that one may lie over another's shadow."""
    cover = np.clip(4 * (1 - picture.min(-1, keepdims=True)), 0, 1)
    colour = np.where(cover > 0, 1 - (1 - picture) / np.maximum(cover, 1e-6), 1.0)
    return np.concatenate([np.clip(colour, 0, 1), cover], axis=-1)
