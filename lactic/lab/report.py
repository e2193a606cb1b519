"""Results as tidy rows, printed and written, and what they say against the paper and their targets."""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lactic.files import whole_file, write_whole
from lactic.lab.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ANY = ""
"""Stands for every condition."""


@dataclass
class Row:
    """One number: of what, under what, which, with its 95 % interval, and what it is held against."""

    subject: str
    condition: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    paper: float | None = None
    """The number the paper prints."""
    paper_change: str | None = None
    """How the paper says it changes with fatigue: lower or higher."""
    least: float | None = None
    """The target: at least this."""
    most: float | None = None
    """The target: at most this."""


@dataclass
class Report:
    """What an item found: rows, what had to be skipped and why, and its pictures."""

    paper: str
    item: str
    title: str
    settings: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    figure: "Figure | None" = None
    pictures: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    """More pictures: what to add to the item's name, and what draws it into a file."""
    quiet: set[int] = field(default_factory=set)
    """Rows that are written but not printed."""
    targets: dict[tuple[str, str], tuple[float | None, float | None]] = field(default_factory=dict)
    """The least and the most wanted of a condition (ANY: all of them) and metric."""

    def add(
        self,
        subject: str,
        condition: str,
        metric: str,
        value: Estimate | float,
        paper: float | None = None,
        quiet: bool = False,
        paper_change: str | None = None,
    ) -> None:
        """Add a number."""
        if quiet:
            self.quiet.add(len(self.rows))
        anyhow = self.targets.get((ANY, metric), (None, None))
        least, most = self.targets.get((condition, metric), anyhow)
        low = high = n = None
        if isinstance(value, Estimate):
            low, high, n = _finite(value.low), _finite(value.high), value.n
            value = value.value
        self.rows.append(
            Row(subject, condition, metric, _finite(value), low, high, n, paper, paper_change, least, most)
        )

    def skip(self, message: str) -> None:
        """Say what could not be done."""
        self.skipped.append(message)

    def value(self, subject: str, condition: str, metric: str) -> float | None:
        """A number added before."""
        for row in self.rows:
            if (row.subject, row.condition, row.metric) == (subject, condition, metric):
                return row.value
        return None

    def lines(self) -> list[str]:
        """The rows as a table for people, and what they contradict."""
        shown = [asdict(row) for k, row in enumerate(self.rows) if k not in self.quiet]
        columns = columns_of(shown)
        cells = [list(columns)] + [cells_of(row, columns) for row in shown]
        widths = [max(len(line[k]) for line in cells) for k in range(len(columns))]
        lines = ("  ".join(map(str.ljust, line, widths)) for line in cells)
        return [*(line.rstrip() for line in lines), *sentences(shown)]

    def write(self, folder: Path) -> list[Path]:
        """Write pictures and CSV, and last the JSON: where that is, all is there."""
        written = []
        if self.figure is not None:
            with whole_file(folder / f"{self.item}.png") as temporary:
                _save_figure(self.figure, temporary)
            written.append(folder / f"{self.item}.png")
        for name, draw in self.pictures.items():
            path = folder / f"{self.item}-{name}.png"
            draw(path)
            written.append(path)
        rows = [{name: _short(value) for name, value in asdict(row).items()} for row in self.rows]
        with whole_file(folder / f"{self.item}.csv") as temporary, temporary.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(Row.__dataclass_fields__), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        about = {
            "paper": self.paper,
            "item": self.item,
            "title": self.title,
            "settings": self.settings,
            "skipped": self.skipped,
            "pictures": [path.name for path in written],
            "unprinted": sorted(self.quiet),
        }
        write_whole(folder / f"{self.item}.json", _lines(about, rows))
        return [*written, folder / f"{self.item}.csv", folder / f"{self.item}.json"]


def _short(value: Any) -> Any:
    """Six digits of a number: no trial is more exact."""
    return float(f"{value:.6g}") if isinstance(value, float) and math.isfinite(value) else value


def _lines(about: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """JSON with a line for each row."""
    head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
    table = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n "rows": [\n{table}\n ]\n}}\n'


def _finite(value: float) -> float | None:
    value = float(value)
    return value if math.isfinite(value) else None


COLUMNS = ("subject", "condition", "metric", "value", "95 %", "n", "paper", "target")


def columns_of(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The columns that these rows fill."""
    filled = {name for row in rows for name, cell in zip(COLUMNS, cells_of(row), strict=True) if cell}
    return tuple(name for name in COLUMNS if name in filled)


def cells_of(row: dict[str, Any], columns: Sequence[str] = COLUMNS) -> list[str]:
    """A row of JSON as words for these columns."""
    words = {
        "value": number(row["value"]),
        "95 %": interval(row),
        "n": "" if row["n"] is None else str(row["n"]),
        "paper": "" if row["paper"] is None else number(row["paper"]),
        "target": target(row),
    }
    return [words[name] if name in words else str(row[name]) for name in columns]


def _save_figure(figure: "Figure", path: Path) -> None:
    """As a PNG with a palette of few colours, those of all lines among them: no two lines may become one."""
    from matplotlib.colors import to_rgb
    from PIL import Image

    from lactic.picture.film import save_palette

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=130, format="png")
    lines = sorted({to_rgb(line.get_color()) for axis in figure.axes for line in axis.get_lines()})
    kept = np.round(255 * np.array(lines)).astype(int) if lines else None
    save_palette(Image.open(drawn).convert("RGB"), path, 32 + len(lines), kept)


def number(value: float | None) -> str:
    """A number in three digits; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def interval(row: dict[str, Any]) -> str:
    """A row's 95 % interval; empty where it has none."""
    low, high = row.get("low"), row.get("high")
    return "" if low is None or high is None else f"{number(low)} … {number(high)}"


def met(row: dict[str, Any]) -> bool | None:
    """Whether a row meets its target; None where it has no target, False where nothing could be measured."""
    least, most = row.get("least"), row.get("most")
    if least is None and most is None:
        return None
    value = row.get("value")
    if value is None:
        return False
    return (least is None or value >= least) and (most is None or value <= most)


def target(row: dict[str, Any]) -> str:
    """A row's target in words, and whether it is met; empty where it has none."""
    reached = met(row)
    if reached is None:
        return ""
    words = [f"≥ {number(row['least'])}"] if row.get("least") is not None else []
    words += [f"≤ {number(row['most'])}"] if row.get("most") is not None else []
    return f"{' and '.join(words)}: {'met' if reached else 'not met'}"


def contradiction(row: dict[str, Any]) -> str | None:
    """The sentence for a row whose interval excludes the paper's number, or whose change goes another way."""
    value, low, high = row.get("value"), row.get("low"), row.get("high")
    if value is None or low is None or high is None:
        return None
    what = f"{row['subject']}, {row['condition']}: {row['metric']} is {number(value)} ({interval(row)})"
    paper, way = row.get("paper"), row.get("paper_change")
    if paper is not None and not low <= paper <= high:
        return f"{what}, {'above' if low > paper else 'below'} the paper's {number(paper)}."
    if (way == "lower" and high >= 0) or (way == "higher" and low <= 0):
        opposite = low > 0 if way == "lower" else high < 0
        seen = "this contradicts it" if opposite else "that is not seen here"
        return f"{what}; the paper finds it {way} when tired, and {seen}."
    return None


def sentences(rows: list[dict[str, Any]]) -> list[str]:
    """All contradictions of a report's rows to its paper."""
    return [said for row in rows if (said := contradiction(row)) is not None]
