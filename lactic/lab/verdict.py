"""What a number says against the paper's, or against its target, in one plain sentence."""

from typing import Any

Row = dict[str, Any]
"""A row of a report as it is in its JSON."""


def number(value: float | None) -> str:
    """A number in three digits; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def interval(row: Row) -> str:
    """A row's 95 % interval; empty where it has none."""
    low, high = row.get("low"), row.get("high")
    return "" if low is None or high is None else f"{number(low)} … {number(high)}"


def met(row: Row) -> bool | None:
    """Whether a row meets its target; None where it has no target, False where nothing could be measured."""
    least, most = row.get("least"), row.get("most")
    if least is None and most is None:
        return None
    value = row.get("value")
    if value is None:
        return False
    return (least is None or value >= least) and (most is None or value <= most)


def target(row: Row) -> str:
    """A row's target in words, and whether it is met; empty where it has none."""
    reached = met(row)
    if reached is None:
        return ""
    words = [f"≥ {number(row['least'])}"] if row.get("least") is not None else []
    words += [f"≤ {number(row['most'])}"] if row.get("most") is not None else []
    return f"{' and '.join(words)}: {'met' if reached else 'not met'}"


def contradiction(row: Row) -> str | None:
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


def sentences(rows: list[Row]) -> list[str]:
    """All contradictions of a report's rows to its paper."""
    return [said for row in rows if (said := contradiction(row)) is not None]
