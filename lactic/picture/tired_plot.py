"""The curves of a clip that was tired: strength left, how fast the motion ran, and how fast the body went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lactic.body import Body
from lactic.picture.pace import floor_speed
from lactic.picture.plots import BLACK, BLUE, GROUP_COLOURS, ORANGE, binned, dress
from lactic.picture.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOST = "#E8B4B4"


def tired_figure(
    record: Recording,
    body: Body,
    clip: np.ndarray,
    clock: np.ndarray,
    lost: Sequence[tuple[float, float]],
    title: str,
) -> "Figure":
    """The curves of a recording whose body follows the poses `clip` (T,nq), run at `clock` (T,) of their pace.

    `lost` are stretches, in seconds, in which it did not follow.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.6), layout="constrained")  # no pyplot: it keeps figures alive, may want a display
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1.5, 0.7, 1))
    left = 100 * record.capacity
    for k, (region, joints) in enumerate(body.regions.items()):
        own = [record.joints.index(joint) for joint in joints]
        time, mean, *_ = binned(record.time, left[:, own].min(1))
        top.plot(time, mean, color=GROUP_COLOURS[k % len(GROUP_COLOURS)], lw=1.6, label=region)
    time, mean, *_ = binned(record.time, left.mean(1))
    top.plot(time, mean, color=BLACK, lw=2.4, label="mean of all joints")
    top.set_ylim(0, 104)
    time, mean, *_ = binned(record.time, clock)
    middle.plot(time, mean, color=ORANGE, lw=2)
    middle.set_ylim(0, 1.3)
    speeds = [floor_speed(track, record.fps) for track in (clip, record.qpos)]
    for speed, colour, label in zip(speeds, (BLACK, BLUE), ("the clip", "the tired body"), strict=True):
        time, mean, *_ = binned(record.time, speed)
        bottom.plot(time, mean, color=colour, lw=1.2 if colour == BLACK else 2.2, label=label)
    bottom.set_ylim(0, 1.12 * max(0.5, *(float(speed.max()) for speed in speeds)))
    bottom.set_xlabel("time (s)")
    if len(record) > 1:
        bottom.set_xlim(record.time[0], record.time[-1] + 1 / record.fps)
    heads = ("Strength left in the weakest joint", "Clock of the motion", "Speed over the floor, mean of 1 s")
    for axes, head, unit in zip((top, middle, bottom), heads, ("%", "of its own pace", "m/s"), strict=True):
        for number, (begin, end) in enumerate(lost):
            axes.axvspan(begin, end, color=LOST, lw=0, label=None if number or axes is middle else "motion lost")
        dress(axes, head, unit)
    figure.align_ylabels()
    figure.suptitle(title, x=0.01, ha="left", fontsize=13)
    return figure
