"""Planned motions that several items show, each made once."""

from functools import cache
from typing import TYPE_CHECKING

from lactic.lab.bench import Bench
from lactic.lab.report import Report

if TYPE_CHECKING:
    from lactic.plan.outcome import Outcome

LIMITS = (("LR", "lr"), ("MTU", "mtu"), ("BOX", "box"))
"""The paper's names and ours."""


def planned(bench: Bench, report: Report, task: str, limits: str) -> "Outcome | None":
    """The best motion found; None, and a line in the report, where CasADi is missing."""
    try:
        import casadi  # noqa: F401
    except ImportError as error:
        report.skip(f"{task}, {limits}: needs CasADi ({error}); pip install 'lactic[plan]'")
        return None
    bench.say(f"planning: {task}, {limits}")
    return _plan(task, limits)


@cache
def _plan(task: str, limits: str) -> "Outcome":
    from lactic.plan.drive import Drive
    from lactic.plan.outcome import weigh
    from lactic.plan.search import best_plan

    return weigh(best_plan(task, Drive(limits)))  # type: ignore[arg-type]
