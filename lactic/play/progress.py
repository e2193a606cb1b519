"""How far long work has come, shown to the person at the terminal."""

import sys
from typing import Any


def progress_bar() -> Any:
    """A bar with the time left, gone when it is full; silent where nobody watches."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        transient=True,
        disable=not sys.stdout.isatty(),
    )
