"""`lactic plan TASK`: find a motion and write it, its torques, activations, pictures and numbers; all or nothing."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.files import fresh_folder, save_arrays, whole_file, write_whole
from lactic.plan.drive import TOLERANCE, Drive, Limits
from lactic.plan.figure import film
from lactic.plan.leg import SHIPPED
from lactic.plan.outcome import PlanOutcome, weigh
from lactic.plan.problem import Scheme
from lactic.plan.search import best_plan
from lactic.plan.solve import Say
from lactic.plan.tasks import PRODUCT, Task, chain_of


def run(
    task: Task,
    limits: Limits,
    out: Path,
    *,
    nodes: int | None = None,
    scheme: Scheme = "trapezoid",
    capacity: float = 1.0,
    product: float = PRODUCT,
    leg: Path | None = None,
    tolerance: float = TOLERANCE,
) -> dict[str, Any]:
    """Plan a motion and write everything into `out`; the summary."""
    if not (np.isfinite(product) and product > 0):
        raise InputError(f"product {product}: must be a positive number of m²/s²")
    drive = Drive(limits, capacity, tolerance, folder=SHIPPED if leg is None else leg)
    with fresh_folder(out) as folder, progress(f"{task}, {limits}") as say:
        found = weigh(best_plan(task, drive, nodes, scheme, say, product=product))
        write(found, folder)
    return found.summary


def write(found: PlanOutcome, folder: Path) -> None:
    """Motion, torques, activations, film strip and summary."""
    course, name = found.course, f"{found.plan.task}-{found.plan.drive.limits}"
    motion = film(chain_of(found.plan.task), course.time, course.q)
    motion.bvh(folder / "motion.bvh", name)
    motion.strip(folder / "strip.png")
    _table(folder / "torques.csv", course.time, course.joints[3:], course.torque)
    _table(folder / "activations.csv", course.time, course.muscles, course.activation)
    names = ("joints", "muscles", "held", "time", "q", "v", "com", "torque", "activation")
    save_arrays(folder / "motion.npz", {name: np.array(getattr(course, name)) for name in names})
    write_summary(folder, found.summary)


def write_summary(folder: Path, summary: dict[str, Any], name: str = "summary.json") -> None:
    """Write the numbers."""
    write_whole(folder / name, json.dumps(summary, indent=1) + "\n")


def _table(path: Path, time: np.ndarray, names: tuple[str, ...], values: np.ndarray) -> None:
    with whole_file(path) as temporary:
        rows = np.column_stack([time, values])
        np.savetxt(temporary, rows, "%.6g", ",", header=",".join(("time", *names)), comments="")


@contextmanager
def progress(title: str) -> Iterator[Say]:
    """A line that shows IPOPT's iterations, objective and largest violation."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bar:
        line = bar.add_task(title, total=None)

        def say(count: int, objective: float, violation: float) -> None:
            bar.update(
                line, description=f"{title}: iteration {count}, objective {objective:.4f}, violation {violation:.1e}"
            )

        yield say
