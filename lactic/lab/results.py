"""The results as last run, as a page to read: the numbers that matter, made from the JSON rows.

All rows are in the CSV beside it. What an item is and where it differs from the paper stands in `NOTE` of its module,
what holds for all items in `NOTE` of the paper's package. Where the package says `WIDE`, tables have a line for each
condition and a column for each metric.
"""

import importlib
import json
import os
from pathlib import Path
from typing import Any

from lactic.errors import InputError
from lactic.files import write_whole
from lactic.lab.metrics import METRICS
from lactic.lab.report import cells_of, columns_of, number, sentences, target

OF_EPISODES = ("cheema2023", "people")
"""Papers whose numbers come from episodes of characters."""
MATTER = """
    capacity_at_fall cost_of_transport effort episodes_with_helpful_rest falls_in_3_minutes falls_per_5_minutes
    height_change jitter kick_follows_capacity largest_pop mean_MF order_agreement over_brute_force plantarflexion
    repetitions_per_minute_change seconds_between_falls slide speed_change step_time_asymmetry turned_in_3s ankle_most
    ankle_plantarflexion cadence legs_capacity torque_beyond_capacity
"""
"""Metrics that a page shows of items without any number to be held against."""
MOST = 12
"""Rows of an item on a page."""
SUFFIXES = {"_first": ", first third", "_last": ", last third", "_change": ", last third over first − 1"}


def write_results(folder: Path, path: Path) -> None:
    """Write the page `path` about all items whose JSON is in `folder`."""
    items = [_read(file) for file in sorted(folder.glob("*.json"), key=_order)]
    items = [item for item in items if item.get("rows")]
    if not items:
        raise InputError(f"{folder}: no results to write about; make all items of a paper there first (`lactic lab`)")
    paper, settings = items[0]["paper"], items[0].get("settings", {})
    counts = {item.get("settings", {}).get("episodes") for item in items} - {None}
    many = f"{max(counts, default=0)} episodes" + (" unless column n says less" if len(counts) > 1 else "")
    episodes = ""
    if paper in OF_EPISODES:
        episodes = (
            f": deterministic policy, random start states, {many} (seed {settings.get('seed')}). "
            "Intervals are Wilson's for shares, else a bootstrap over episodes"
        )
    last = "the target, where there is one" if paper == "people" else "the number the paper prints, where it prints one"
    columns = f"The last column is {last}."
    if said(paper, "WIDE"):
        columns = "The number the paper prints stands in brackets after ours. 95 % intervals are in the CSV files."
    lines = [
        f"# {paper}, {'compared' if paper == 'people' else 'reproduced'}",
        "",
        f"Made by `lactic lab {paper} ITEM` on the CPU{episodes}. {columns}",
        "",
    ]
    if note := said(paper, "NOTE"):
        lines += [note, ""]
    for item in items:
        lines += _section(item, os.path.relpath(folder, path.parent))
    lines += ["## What the metrics mean", "", *_glossary(items), ""]
    write_whole(path, "\n".join(lines))


def _section(item: dict[str, Any], folder: str) -> list[str]:
    wide, pictures = said(item["paper"], "WIDE"), item.get("pictures", [])
    lines = [f"## {item['item']}: {item['title']}", ""]
    if note := said(f"{item['paper']}.{item['item']}", "NOTE"):
        lines += [note, ""]
    lines += [f"![{item['item']}]({Path(folder, name).as_posix()})\n" for name in (pictures if wide else pictures[:1])]
    rows = mattering(item)
    columns = columns_of(rows)
    if wide:
        lines += _wide(rows)
    elif rows:
        lines += ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
        lines += ["| " + " | ".join(cells_of(row, columns)) + " |" for row in rows]
    # where the paper prints a number, the table shows whether ours is another
    against = sentences([row for row in rows if row["paper"] is None])
    if against and not wide:
        lines += ["", "Against the paper:", "", *(f"- {sentence}" for sentence in against)]
    table = Path(folder, f"{item['item']}.csv").as_posix()
    lines += ["", f"All {len(item['rows'])} numbers: [{item['item']}.csv]({table})"]
    if wide:
        brains = ", ".join(dict.fromkeys(row["subject"] for row in item["rows"]))
        many = item.get("settings", {}).get("episodes")
        lines[-1] += f", by `lactic lab {item['paper']} {item['item']}` with {many} episodes of {brains}"
    lines += [f"\nSkipped: {line}" for line in item.get("skipped", [])]
    return [*lines, ""]


def _wide(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each subject and condition, a column for each metric; the paper's numbers in brackets."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    one = len({row["subject"] for row in rows}) == 1
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        paper = "" if row["paper"] is None else f" ({number(row['paper'])})"
        asked = f"; {target(row)}" if target(row) else ""
        line: tuple[str, ...] = (row["condition"],) if one else (row["subject"], row["condition"])
        cells.setdefault(line, {})[row["metric"]] = number(row["value"]) + paper + asked
    head = ["condition", *metrics] if one else ["brain", "condition", *metrics]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for words, found in cells.items():
        lines.append("| " + " | ".join([*words, *(found.get(metric, "") for metric in metrics)]) + " |")
    return lines


def said(module: str, name: str) -> Any:
    """What a module of the lab says under a name; nothing where it does not, or where there is none."""
    try:
        value = getattr(importlib.import_module(f"lactic.lab.{module}"), name, "")
    except ModuleNotFoundError:
        return ""
    return value.strip() if isinstance(value, str) else value


def mattering(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an item for a page: those held against the paper or a target, else those of metrics that matter."""
    unprinted = set(item.get("unprinted", []))
    rows = [row for k, row in enumerate(item["rows"]) if k not in unprinted]
    if said(item["paper"], "WIDE"):
        return rows
    held = [
        row for row in rows if any(row.get(name) is not None for name in ("paper", "paper_change", "least", "most"))
    ]
    found = held or [row for row in rows if row["metric"] in MATTER.split()] or rows
    order = list(dict.fromkeys(row["metric"] for row in found))
    return sorted(found, key=lambda row: order.index(row["metric"]))[:MOST]


def _glossary(items: list[dict[str, Any]]) -> list[str]:
    used = dict.fromkeys(row["metric"] for item in items for row in mattering(item))
    return [f"- `{metric}`: {meaning(metric)}" for metric in used]


def meaning(metric: str) -> str:
    """A metric in words."""
    if metric in METRICS:
        return METRICS[metric]
    for suffix, words in SUFFIXES.items():
        if metric.endswith(suffix):
            return METRICS.get(metric.removesuffix(suffix), metric.removesuffix(suffix)) + words
    if metric.endswith("_asymmetry"):
        return f"(left − right)/mean of the steps' {metric.removesuffix('_asymmetry').replace('_', ' ')}"
    return metric.replace("_", " ")


def _read(path: Path) -> dict[str, Any]:
    try:
        item = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not a result of `lactic lab` ({error})") from error
    return item if isinstance(item, dict) else {}


def _order(path: Path) -> tuple[bool, int, str]:
    """Tables first, then figures by number, others by name."""
    digits = "".join(c for c in path.stem if c.isdigit())
    return not path.stem.startswith("table"), int(digits or 0), path.stem
