"""Planned motions that several items show, each made once and kept: a stopped item goes on where it was."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

import lactic
from lactic.errors import InputError
from lactic.files import fresh_folder
from lactic.lab.bench import Bench
from lactic.lab.report import Report
from lactic.play.progress import progress_bar

LIMITS = (("LR", "lr"), ("MTU", "mtu"), ("BOX", "box"))
"""The paper's names and ours."""
WITHIN = 600.0
"""Seconds after which a plan is given up."""
USUAL = {
    "jump-lr": 32,
    "jump-mtu": 30,
    "jump-box": 5,
    "swing-lr": 50,
    "swing-mtu": 110,
    "swing-box": 20,
    "reach-lr": 40,
    "reach-lrle": 100,
}
"""Seconds they took on one core of a machine that others used too, pictures and checks included: for the time left."""
EVERY = 15.0
"""Seconds between lines of progress."""
Wanted = Sequence[tuple[str, str] | tuple[str, str, str]]
"""Tasks, limits, and the scheme where it is not the default one."""


@dataclass(frozen=True)
class Kept:
    """A plan as it lies in its folder, which `lactic.plan.job.write` fills."""

    folder: Path
    summary: dict[str, Any]
    joints: tuple[str, ...]
    held: int
    """Frames of the first phase."""
    q: np.ndarray
    torque: np.ndarray

    def joint(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Angles and torques (frame,) of a joint, flight included."""
        at = self.joints.index(name)
        return self.q[:, at], self.torque[:, at - 3]  # x, y and the first joint have no torque


def planned(bench: Bench, report: Report, wanted: Wanted) -> Iterator[tuple[str, str, Kept]]:
    """Task, limits and plan, each as soon as it is there; the report says which could not be made and why."""
    try:
        import casadi  # noqa: F401
    except ImportError as error:
        report.skip(f"plans need CasADi ({error}); pip install 'lactic[plan]'")
        return
    home, found = bench.out / "plans", {"-".join(order): (order, _kept(bench.out / "plans", order)) for order in wanted}
    due = [name for name, (_, plan) in found.items() if plan is None]
    if len(due) < len(found):
        bench.say(f"{len(found) - len(due)} of {len(found)} plans are in {home}/ (remove them to make them anew)")
    if due:
        bench.say(
            f"{len(due)} to make: about {_clock(sum(map(_usual, due)))}, at most "
            f"{_clock(len(due) * WITHIN)} of searching"
        )
    for name, (order, plan) in found.items():
        if plan is None:
            try:
                plan = _make(bench, home, order, sum(map(_usual, due[due.index(name) + 1 :])))
            except InputError as error:
                report.skip(f"{', '.join(order)}: {error}")
                continue
        yield order[0], order[1], plan


def _usual(name: str) -> float:
    return USUAL[name.removesuffix("-euler")]


def _make(bench: Bench, home: Path, order: tuple[str, ...], later: float) -> Kept:
    from lactic.plan.drive import Drive
    from lactic.plan.job import write
    from lactic.plan.outcome import weigh
    from lactic.plan.search import best_plan

    name, title, begun, told, total = "-".join(order), ", ".join(order), time.perf_counter(), 0.0, 0
    task, limits, scheme = cast(Any, (*order, "trapezoid")[:3])
    usual = _usual(name)
    with progress_bar() as bar, fresh_folder(home / name) as folder:
        line = bar.add_task(title, total=usual + later)

        def say(count: int, objective: float, violation: float) -> None:
            nonlocal told, total
            spent, total = time.perf_counter() - begun, total + 1
            words = f"{title}: iteration {total}, violation {violation:.0e}"
            bar.update(line, description=words, completed=min(spent, usual))
            if spent > told + EVERY and bar.disable:
                told = spent
                left = _clock(max(usual - spent, 0) + later)
                bench.say(f"{words}; {spent:.0f} s so far, about {left} left, {WITHIN - spent:.0f} s at most for this")

        outcome = weigh(best_plan(task, Drive(limits), scheme=scheme, say=say, within=WITHIN))
        outcome.summary["made_of"] = made_of()
        write(outcome, folder)
    made = _kept(home, order)
    assert made is not None  # it has just been written
    bench.say(
        f"{title}: {outcome.summary['solving_seconds']:.1f} s of searching, "
        f"{time.perf_counter() - begun:.0f} s in all, kept in {folder}/"
    )
    return made


def _kept(home: Path, order: tuple[str, ...]) -> Kept | None:
    """What an earlier call left, if it was made of the same."""
    folder = home / "-".join(order)
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        if summary.get("made_of") != made_of():
            return None
        with np.load(folder / "motion.npz") as file:
            joints, held = tuple(map(str, file["joints"])), int(file["held"])
            return Kept(folder, summary, joints, held, file["q"], file["torque"])
    except (OSError, ValueError, KeyError):
        return None


def made_of() -> dict[str, str]:
    """What plans depend on: the package's version, and its leg and networks."""
    from lactic.plan.leg import SHIPPED

    whole = hashlib.sha256()
    for path in sorted(SHIPPED.glob("*.npz")):
        whole.update(path.read_bytes())
    return {"version": lactic.__version__, "leg_and_networks": whole.hexdigest()[:16]}


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"
