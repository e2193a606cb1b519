"""The fatigue plot: what strength is left where, and what that does to the most tired joint."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lactic.body import Body

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lactic.picture.recording import Recording

# Okabe and Ito's palette, which colour-blind people can tell apart
BLACK, ORANGE, SKY, GREEN = "#222222", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PURPLE = "#C9B800", "#0072B2", "#D55E00", "#CC79A7"
GROUP_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, YELLOW)
POINTS = 1500  # drawn along the time axis at most
ACTIVE, RESTED, FATIGUED = RED, SKY, PURPLE


def fatigue_figure(record: "Recording", body: Body, joint: str | None = None) -> "Figure":
    """Strength left per joint group; compartments, load and torque of one joint (unless named, the most tired)."""
    from matplotlib.figure import Figure

    chosen = most_tired(record.fatigue) if joint is None else record.joints.index(joint)
    figure = Figure(figsize=(9, 8), layout="constrained")  # no pyplot: it keeps figures alive, may want a display
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1.1, 1, 1))
    _strength_left(top, record, body.groups)
    _compartments(middle, record, chosen)
    _torque(bottom, record, chosen, body.unit)
    bottom.set_xlabel("time (s)")
    if len(record.time) > 1:
        bottom.set_xlim(record.time[0], record.time[-1] + 1 / record.fps)
    figure.align_ylabels()
    figure.suptitle(
        f"{record.brain}: {spoken(record.body)} over {record.seconds:.3g} s", x=0.01, ha="left", fontsize=13
    )
    return figure


def most_tired(fatigue: np.ndarray) -> int:
    """The joint that was ever the most fatigued; without any fatigue, the one that worked hardest."""
    worst = fatigue[..., 2].max(0)
    return int(np.argmax(worst if worst.max() > 1e-6 else fatigue[..., 0].max(0)))


def binned(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, and the mean, least and greatest value in each of at most POINTS stretches of a long run."""
    width = -(-len(time) // POINTS)
    starts = np.arange(0, len(time), width)
    counts = np.diff(np.append(starts, len(time)))
    mean = np.add.reduceat(values, starts, axis=0) / counts.reshape(-1, *[1] * (values.ndim - 1))
    middle = np.add.reduceat(time, starts) / counts
    return middle, mean, np.minimum.reduceat(values, starts, axis=0), np.maximum.reduceat(values, starts, axis=0)


def _strength_left(axes: "Axes", record: "Recording", groups: Sequence[str]) -> None:
    """Residual capacity of the weakest joint of each group, as the film is tinted, and the mean of the whole body."""
    left = 100 * (1 - record.fatigue[..., 2])
    names = list(dict.fromkeys(groups))
    for k, name in enumerate(names):
        own = np.array([group == name for group in groups])
        time, mean, *_ = binned(record.time, left[:, own].min(1))
        _line(axes, time, mean, spoken(name), color=GROUP_COLOURS[k % len(GROUP_COLOURS)], lw=1.6)
    time, mean, *_ = binned(record.time, left.mean(1))
    _line(axes, time, mean, "body average", color=BLACK, lw=2.6)
    dress(axes, "Strength left in the weakest joint of each group, and the average", "% of fresh strength")
    axes.set_ylim(0, 104)


def _compartments(axes: "Axes", record: "Recording", joint: int) -> None:
    """MA, MR and MF of one joint under the load asked of it."""
    time, mean, *_ = binned(record.time, 100 * record.fatigue[:, joint])
    _, asked, least, most = binned(record.time, 100 * record.load[:, joint])
    if (most - least).max() > 1:
        axes.fill_between(time, least, most, color=BLACK, alpha=0.12, lw=0)
    _line(axes, time, asked, "load asked for", color=BLACK, lw=1.1, ls="--")
    for k, (name, colour) in enumerate((("active", ACTIVE), ("rested", RESTED), ("fatigued", FATIGUED))):
        _line(axes, time, mean[:, k], name, color=colour, lw=2)
    dress(axes, f"Muscle at the {spoken(record.joints[joint])}", "% of its muscle")
    axes.set_ylim(0, max(104.0, min(1.05 * float(most.max()), 300.0)))


def _torque(axes: "Axes", record: "Recording", joint: int, unit: str) -> None:
    """The torque of one joint inside what its tired muscle may give (cheema2023 Fig. 4, right), or a muscle's force."""
    what = "torque" if unit == "Nm" else "force"
    time, limit, *_ = binned(record.time, record.limit[:, joint])
    _, torque, least, most = binned(record.time, record.torque[:, joint])
    if len(time) == 1:
        time = time + np.array([-0.5, 0.5])
        limit, torque, least, most = (np.repeat(a, 2) for a in (limit, torque, least, most))
    full = max(float(record.limit[:, joint].max()), float(np.abs(record.torque[:, joint]).max()), 1e-9)
    axes.fill_between(time, -limit, limit, color=GREEN, alpha=0.14, lw=0, label="within its limit now")
    for sign in (-1, 1):
        axes.plot(time, sign * limit, color=GREEN, lw=1)
    if (most - least).max() > 0.01 * full:
        axes.fill_between(time, least, most, color=BLUE, alpha=0.25, lw=0)
    axes.plot(time, torque, color=BLUE, lw=1.6, label=what)
    axes.axhline(0, color="#BBBBBB", lw=0.8, zorder=0)
    dress(axes, f"{what.capitalize()} at the {spoken(record.joints[joint])}", f"{what} ({unit})")
    axes.set_ylim(-1.08 * full, 1.08 * full)


def _line(axes: "Axes", time: np.ndarray, values: np.ndarray, label: str, **style) -> None:
    """A line, or a dot where there is a single moment."""
    axes.plot(time, values, label=label, marker="o" if len(time) == 1 else None, **style)


def dress(axes: "Axes", title: str, unit: str, legend: bool = True) -> None:
    """A title, a unit, a quiet grid, and a legend where anything has a name."""
    axes.set_title(title, loc="left", fontsize=10.5)
    axes.set_ylabel(unit)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#E6E6E6", lw=0.8)
    axes.set_axisbelow(True)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)


def ready() -> None:
    """Load what plots need, letters as well, by drawing something small."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), layout="constrained")
    figure.subplots().set_title("0")
    figure.savefig(io.BytesIO(), format="png")


def spoken(name: str) -> str:
    """A joint's name for people: right_shoulder_x is the right shoulder, about x."""
    words = name.split("_")
    return " ".join(words[:-1]) + f" ({words[-1]} axis)" if words[-1] in ("x", "y", "z") else " ".join(words)
