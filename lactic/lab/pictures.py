"""Pictures of results: figures without a display, bands over episodes, shaded repetitions, strips of one episode."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lactic.lab.events import Phases
from lactic.lab.report import Report
from lactic.lab.statistics import Estimate
from lactic.lab.trial import Trial
from lactic.picture.film import draw_strip
from lactic.picture.plots import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (BLUE, RED, ORANGE, GREEN, PURPLE, SKY, BLACK)
FRESH = BLUE


def panels(
    report: Report, rows: int, columns: int = 1, width: float = 9.0, height: float = 2.6, x: str = "", **more: Any
) -> Any:
    """Axes (rows, columns) of a figure for the report, `x` below the lowest; `height` is that of a row.

    No rows or no columns: no figure.
    """
    if not rows * columns:
        return np.empty((rows, columns), object)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height * rows + 0.4), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **more)
    for axis in axes[-1]:
        axis.set_xlabel(x)
    report.figure = figure
    return axes


def panel(report: Report, **more: Any) -> Any:
    """The axes of a figure of one panel, as `panels` makes it."""
    return panels(report, 1, **more)[0, 0]


def standing(axes: "Axes", name: str, trials: Sequence[tuple[str, Trial]]) -> None:
    """How many of each condition still stand, over time."""
    for (condition, trial), colour in zip(trials, COLOURS, strict=False):
        up = [(trial.fell_at > k).mean() for k in range(trial.frames)]
        axes.plot(np.arange(trial.frames) / trial.fps, up, label=condition, color=colour, lw=2)
    axes.set_ylim(-0.04, 1.04)
    dress(axes, name, "still standing")


def band(axes: "Axes", trial: Trial, values: np.ndarray, label: str, colour: str) -> None:
    """Mean and middle half of `values` (frame, episode) over the episodes still standing."""
    shown = np.where(trial.alive, values, np.nan)
    some = trial.alive.sum(1) > 0
    shown, time = shown[some], np.arange(len(values))[some] / trial.fps
    low, high = np.nanpercentile(shown, (25, 75), axis=1)
    axes.fill_between(time, low, high, color=colour, alpha=0.15, lw=0)
    axes.plot(time, np.nanmean(shown, axis=1), color=colour, lw=1.8, label=label)


def beside_asked(report: Report, asked: Sequence[float], shown: Sequence[tuple[str, Sequence[Estimate]]]) -> None:
    """A panel for each name: the speeds found with their intervals, over the speeds asked for."""
    axes = panels(report, len(shown), width=6, height=3.4, x="asked for (m/s)")
    for axis, (name, found) in zip(axes[:, 0], shown, strict=True):
        axis.plot(asked, asked, color="#888888", lw=1, ls="--", label="as asked")
        axis.plot(asked, [e.value for e in found], "o-", color=BLUE, label="mean and 95 %")
        axis.vlines(asked, [e.low for e in found], [e.high for e in found], color=BLUE, lw=2)
        dress(axis, f"{name}: speed along the command", "m/s")


def shade(axes: "Axes", found: Phases, episode: int, fps: float) -> None:
    """Grey where an episode's repetitions are."""
    for a, b in zip(found.start[found.episode == episode], found.end[found.episode == episode], strict=True):
        axes.axvspan(a / fps, b / fps, color="#000000", alpha=0.1, lw=0)


def bars(
    axes: "Axes", report: Report, subjects: Sequence[str], conditions: Sequence[tuple[str, str, str]], metric: str
) -> None:
    """Bars by subject, one for each (condition, label, colour), with intervals and the paper's number as a line."""
    wide = 0.8 / max(len(conditions), 1)
    named = set()
    for row in report.rows:
        if row.metric != metric or row.subject not in subjects or row.value is None:
            continue
        for k, (condition, label, colour) in enumerate(conditions):
            if row.condition != condition:
                continue
            x = list(subjects).index(row.subject) + (k - (len(conditions) - 1) / 2) * wide
            axes.bar(x, row.value, 0.9 * wide, color=colour, label=label if label not in named else None)
            named.add(label)
            if row.low is not None and row.high is not None:
                axes.plot([x, x], [row.low, row.high], color=BLACK, lw=1.2)
            if row.paper is not None:
                mark = "the paper's" if "the paper's" not in named else None
                axes.plot([x - 0.45 * wide, x + 0.45 * wide], [row.paper] * 2, color=BLACK, lw=2, ls=":", label=mark)
                named.add("the paper's")
    axes.set_xticks(range(len(subjects)), list(subjects))


def strip(trial: Trial, episode: int, count: int | None = None, travel: bool | None = None) -> Callable[[Path], None]:
    """What draws an episode as a film strip, tinted by lost strength; `travel` as in play.film."""
    last = max(1, min(int(trial.fell_at[episode]) + round(trial.fps), len(trial)))
    qpos = trial.qpos[:last, episode].astype(float)
    tint = trial.body.weakest(trial.spent[:last, episode])
    return lambda path: draw_strip(trial.body, qpos, trial.fps, path, count=count, tint=tint, travel=travel, height=200)
