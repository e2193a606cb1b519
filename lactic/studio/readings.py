"""What the page reads out: strength as bars, the most tired joints, and curves of the last seconds."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import viser
from viser import uplot

from lactic.picture.plots import ACTIVE, FATIGUED, RESTED
from lactic.picture.stage import LEGEND, encoded, tinted
from lactic.studio.skill import body_parts
from lactic.studio.tape import Tape

IDENTITY = ("#0072B2", "#E69F00", "#009E73")
"""Colours of the characters A, B, C (Okabe and Ito), none of them a colour of fatigue."""
POINTS = 240
"""Points of a curve at most."""
FAINT, LOST = "#8a8689", "#c0143c"
NAME = 24
"""Letters of a clip's name that are shown."""


def css(tint: float) -> str:
    """The colour of a fraction of lost strength."""
    r, g, b = encoded(tinted(np.array(tint)))
    return f"rgb({r},{g},{b})"


def bar(share: float, colour: str, height: int = 10) -> str:
    """A bar filled to `share`."""
    width = 100 * float(np.clip(share, 0, 1))
    return (
        f'<div style="background:rgba(128,124,128,.18);border-radius:{height}px;height:{height}px;overflow:hidden">'
        f'<div style="width:{width:.1f}%;height:100%;border-radius:{height}px;background:{colour}"></div></div>'
    )


def legend(words: tuple[str, str, str] = LEGEND) -> str:
    """The colour scale of the limbs, or of muscles: its name and its two ends."""
    name, full, end = words
    stops = ",".join(css(x) for x in np.linspace(0, 1, 9))
    return (
        f'<div style="display:flex;align-items:center;gap:8px;color:{FAINT};font-size:11px">{name} {full}'
        f'<div style="flex:1;height:8px;border-radius:8px;background:linear-gradient(90deg,{stops})"></div>'
        f"{end}</div>"
    )


def apart(left: str, right: str, style: str) -> str:
    """A line with something at either end."""
    row = "display:flex;justify-content:space-between;font-variant-numeric:tabular-nums"
    return f'<div style="{row};{style}"><span>{left}</span><span>{right}</span></div>'


def health(rows: Sequence[tuple[str, str, float]]) -> str:
    """Mean strength left of each character: (name, identity colour, fraction)."""
    parts = []
    for name, colour, left in rows:
        dot = f'<span style="color:{colour}">●</span> ' if colour else ""
        line = apart(dot + escape(name), f"<b data-strength>{100 * left:.0f} %</b>", "font-size:12px")
        parts.append(f'<div style="margin-bottom:7px">{line}{bar(left, css(1 - left))}</div>')
    return "".join(parts)


def going(tape: Tape, frame: int) -> str:
    """How fast a character is asked to go, and how fast it went in the last second."""
    at = tape.slots(frame - round(tape.player.info.control_rate) + 1, frame)
    asked = float(np.linalg.norm(tape.command[tape.slot(frame)]))
    goes = float(np.linalg.norm(tape.qvel[at, :2], axis=1).mean()) if len(at) else 0.0
    asks, does = f"asked for <b data-asked>{asked:.1f} m/s</b>", f"goes <b data-goes>{goes:.1f} m/s</b>"
    return apart(asks, does, "font-size:12px;margin-top:7px")


def following(tape: Tape, frame: int, name: str) -> str:
    """Which motion a character follows, how fast that runs, and whether it has lost it."""
    at = tape.slot(frame)
    clock = f"clock <b data-clock>{tape.clock[at]:.2f} ×</b>"
    times = int(tape.lost[at])
    lost = f"lost it {'once' if times == 1 else f'{times} times'} so far" if times else "has not lost it yet"
    said = f'<b style="color:{LOST}">lost it and is led back</b>' if tape.away[at] else lost
    shown = escape(name if len(name) <= NAME else name[: NAME - 1] + "…")
    return apart(f"follows {shown}", clock, "font-size:12px;margin-top:7px") + (
        f'<div data-followed style="font-size:12px">{said}</div>'
    )


def tired_table(tape: Tape, frame: int, count: int = 6) -> str:
    """The most tired joints or muscles with what is left of them and the load they carry."""
    at, parts = tape.slot(frame), body_parts(tape.player.body)
    left, load = 1.0 - parts.shares @ tape.fatigue[at, :, 2], parts.shares @ tape.load[at]
    rows = []
    for i in np.argsort(left, kind="stable")[:count]:
        short = load[i] > left[i] + 1e-3
        asked = f'<td style="text-align:right;color:{LOST if short else "inherit"}">{100 * load[i]:.0f} %</td>'
        rows.append(
            f"<tr><td>{escape(parts.names[i])}</td>"
            f'<td style="width:38%">{bar(float(left[i]), css(1 - float(left[i])), 8)}</td>'
            f'<td style="text-align:right" data-joint="{escape(parts.keys[i])}">{100 * left[i]:.0f} %</td>'
            f"{asked}</tr>"
        )
    head = f'<tr style="color:{FAINT}"><td>most tired</td><td></td><td style="text-align:right">left</td>'
    return (
        '<div style="padding:0 12px 0 2px"><table style="width:100%;font-size:12px;border-spacing:6px 3px;'
        'font-variant-numeric:tabular-nums">'
        f'{head}<td style="text-align:right">load</td></tr>{"".join(rows)}</table></div>'
    )


def window(tape: Tape, frame: int, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Slots of the last seconds up to `frame`, thinned, and their times on the stage's clock."""
    span = round(seconds * tape.player.info.control_rate)
    step = max(1, span // POINTS)
    last = min(max(frame, tape.first), tape.count - 1)
    first = max(tape.first, last - span)
    frames = np.arange(last, first - 1, -step)[::-1]
    return frames % tape.size, frames / tape.player.info.control_rate


class Curves:
    """A small live chart of the last seconds."""

    def __init__(
        self,
        gui: viser.GuiApi,
        title: str,
        lines: Sequence[tuple[str, str]],
        seconds: float,
        limits: tuple[float, float] | None,
        height: int = 132,
    ):
        series: list[Any] = [uplot.Series(label="s")]
        series += [
            uplot.Series(
                label=name,
                stroke=colour,
                width=2 if colour != FAINT else 1,
                points=uplot.Series_Points(show=False),
                dash=(4, 4) if colour == FAINT else (),
            )
            for name, colour in lines
        ]
        grid = uplot.Axis_Grid(stroke="rgba(128,124,128,.18)", width=1)
        small = "10px system-ui"
        scales: dict[str, Any] = {"x": uplot.Scale(time=False)}  # as far as the data, which move: axes stay drawn
        if limits:
            scales["y"] = uplot.Scale(range=limits)
        empty = np.array([0.0, seconds])
        self.handle = gui.add_uplot(
            (empty, *(np.full(2, np.nan) for _ in lines)),
            tuple(series),
            title=title,
            scales=scales,
            axes=(uplot.Axis(font=small, size=26, grid=grid, space=50), uplot.Axis(font=small, size=44, grid=grid)),
            legend=uplot.Legend(show=True, live=False),
            cursor=uplot.Cursor(show=False),
            height=height,
            padding=(6, 8, 0, 0),
        )

    def call(self, title: str) -> None:
        """Give it another title."""
        if self.handle.title != title:
            self.handle.title = title

    def show(self, x: np.ndarray, *lines: np.ndarray) -> None:
        """Draw the lines over the times `x`."""
        if len(x) < 2:  # a clock that has just begun
            x, lines = np.array([0.0, 1.0]), tuple(np.full(2, np.nan) for _ in lines)
        self.handle.data = (x.astype(float), *(line.astype(float) for line in lines))


COMPARTMENTS = (("active", ACTIVE), ("rested", RESTED), ("fatigued", FATIGUED))


def plain(text: str) -> str:
    """Text as Markdown that shows it and does nothing else, whatever is in it."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+-.!|~" else escape(c) for c in text)
