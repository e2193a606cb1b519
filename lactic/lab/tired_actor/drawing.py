"""Pictures of tired_actor's items: lying bars with the paper's numbers and targets as marks, and strips."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from lactic.body import Body
from lactic.lab import pictures
from lactic.lab.report import Report, Row
from lactic.picture.film import draw_strip, save_palette

Place = Callable[[Row], tuple[str, str, str]]
"""Where a row is drawn: in which panel, on which line, and by which colour."""
BAR, EDGE = 0.24, 1.1
"""Inches of a bar, and of what is above and below all bars."""
LETTERS = 16
EVERY = 0.75
"""Seconds between the figures of a strip."""


def by_condition(row: Row) -> tuple[str, str, str]:
    """A line for each condition, a colour for each brain."""
    return "", row.condition, row.subject


def by_split(row: Row) -> tuple[str, str, str]:
    """A panel for each split, where conditions begin with it."""
    split, _, rest = row.condition.partition(", ")
    return split, rest, row.subject


def by_design(row: Row) -> tuple[str, str, str]:
    """A panel for each split, a line for each brain, a colour for each condition: “design; split, condition”."""
    what, _, rest = row.condition.partition("; ")
    split, _, condition = rest.partition(", ")
    return split, f"{row.subject}: {what}", condition


def draw(report: Report, metric: str | Sequence[str], title: str, unit: str, place: Place = by_condition) -> None:
    """Bars of a metric or several with their 95 % intervals, the paper's numbers and targets, as the item's figure."""
    metrics = (metric,) if isinstance(metric, str) else metric
    rows = [row for row in report.rows if row.metric in metrics and row.value is not None]
    if not rows:
        return
    panels, lines, colours = (list(dict.fromkeys(column)) for column in zip(*map(place, rows), strict=True))
    beside: dict[str, list[str]] = {line: [] for line in lines}
    for _, line, colour in map(place, rows):
        beside[line] += [colour] * (colour not in beside[line])
    most = max(map(len, beside.values()))
    wide = 0.8 / most
    height = BAR * len(lines) * max(1.0, 0.7 * most) + EDGE
    axes = pictures.panels(report, 1, len(panels), height=height, x=unit, sharey=True, sharex=True)[0]
    named: dict[str, Any] = {}  # what the legend shows, of all panels
    for row in rows:
        panel, line, colour = place(row)
        at, k, there = panels.index(panel), colours.index(colour), beside[line]
        axis, y = axes[at], lines.index(line) + (there.index(colour) - (len(there) - 1) / 2) * wide
        bar = axis.barh(y, row.value, 0.9 * wide, color=pictures.COLOURS[k % len(pictures.COLOURS)])
        if len(colours) > 1:
            named[colour] = bar
        if row.low is not None and row.high is not None:
            (named["95 %"],) = axis.plot([row.low, row.high], [y, y], color=pictures.BLACK, lw=1.2)
        if row.paper is not None:
            (named["the paper's"],) = axis.plot(row.paper, y, "D", color=pictures.BLACK, ms=4, ls="")
        for asked in (row.least, row.most):
            if asked is not None:
                (named["target"],) = axis.plot(asked, y, "|", color=pictures.BLACK, ms=11, mew=2, ls="")
    for axis, panel in zip(axes, panels, strict=True):
        axis.set_yticks(range(len(lines)), lines)
        axis.set_title(f"{title}: {panel}" if panel else title, loc="left", fontsize=10.5)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="x", color="#E6E6E6", lw=0.8)
        axis.set_axisbelow(True)
    axes[0].invert_yaxis()
    if len(panels) > 1:
        axes[0].figure.suptitle(title, x=0.01, ha="left", fontsize=10.5)
        for axis, panel in zip(axes, panels, strict=True):
            axis.set_title(panel, loc="left", fontsize=10)
    if named:
        shown = dict(sorted(named.items(), key=lambda pair: pair[0] not in colours))  # bars first
        axes[-1].legend(
            shown.values(), shown.keys(), loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9
        )


def strips(
    report: Report, name: str, body: Body, fps: float, shown: Sequence[tuple[str, np.ndarray, np.ndarray]]
) -> None:
    """Add a picture of strips, one above the other: a label, poses (frame, nq) and MF (frame, joint) each."""

    def paint(path: Path) -> None:
        images = []
        for label, qpos, spent in shown:
            stream = io.BytesIO()
            draw_strip(
                body, qpos, fps, stream, every=EVERY, end=True, tint=body.weakest(spent), travel=False, height=130
            )
            image = Image.open(stream).convert("RGB")
            headed = Image.new("RGB", (image.width, image.height + LETTERS + 8), "white")
            headed.paste(image, (0, LETTERS + 8))
            ImageDraw.Draw(headed).text((8, 4), label, fill="black", font=ImageFont.load_default(LETTERS))
            images.append(headed)
        whole = Image.new("RGB", (max(i.width for i in images), sum(i.height for i in images)), "white")
        top = 0
        for image in images:
            whole.paste(image, (0, top))
            top += image.height
        save_palette(whole, path, 96)

    if shown:
        report.pictures[name] = paint
