"""Jumps of a tired leg: height against residual capacity, and jumps one after another with fatigue between them.

While a leg jumps its muscles tire by 3CC (`lactic.fatigue`), loaded by their activations, and recover until the next
jump. Muscles as controls (mtu) tire one by one, by the rates of the joint they turn most; under other limits the whole
leg tires as one, loaded by the share of its force at work, Σ fₒ·a / Σ fₒ.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.fatigue import Fitness, fresh, preset, rates, residual_capacity, step, track
from lactic.files import fresh_folder, save_figure
from lactic.plan.chain import LEG
from lactic.plan.drive import Drive, Limits
from lactic.plan.job import progress, write_summary
from lactic.plan.leg import SmoothLeg
from lactic.plan.outcome import Trajectory, weigh
from lactic.plan.problem import Scheme
from lactic.plan.search import best_plan
from lactic.plan.solve import Say

NODES = 60
LEAST = 0.05  # capacity below which no jump is tried
WITHIN = 60.0  # s of searching, after which a leg is taken to be too weak for any jump


def heights(
    limits: Limits, capacities: Sequence[float], out: Path, nodes: int = NODES, scheme: Scheme = "trapezoid"
) -> list[dict[str, Any]]:
    """Jump heights at residual capacities; writes heights.json and heights.png.

    A leg that is too weak to rise from its crouch has no height (None) and says why in `status`.
    """
    if not capacities:
        raise InputError("capacity: give at least one residual capacity")
    drives = [Drive(limits, capacity) for capacity in capacities]  # says at once which are wrong
    with fresh_folder(out) as folder, progress(f"jump, {limits}") as say:
        rows = []
        for drive in drives:
            try:
                row = _row(weigh(best_plan("jump", drive, nodes, scheme, say, fly=False, within=WITHIN)).summary)
            except InputError as error:
                row = {"height_m": None, "status": str(error).split(";")[0]}
            rows.append({"capacity": float(drive.capacity)} | row)
        if all(row["height_m"] is None for row in rows):
            raise InputError(f"capacity: no leg with so little strength jumps; {rows[-1]['status']}")
        write_summary(folder, {"limits": limits, "nodes": nodes, "scheme": scheme, "jumps": rows}, "heights.json")
        _picture(
            folder / "heights.png",
            [r["capacity"] for r in rows],
            [np.nan if r["height_m"] is None else r["height_m"] for r in rows],
            "residual capacity",
            limits,
        )
    return rows


def repeated(
    limits: Limits,
    out: Path,
    jumps: int = 5,
    rest: float = 5.0,
    fitness: str = "human",
    time_scale: float = 20.0,
    nodes: int = NODES,
    scheme: Scheme = "trapezoid",
) -> list[dict[str, Any]]:
    """Jumps with `rest` seconds between them; writes repeat.json and repeat.png."""
    if jumps < 1 or not (np.isfinite(rest) and rest >= 0):
        raise InputError(f"jumps {jumps}, rest {rest}: needs at least one jump and no negative rest")
    body = preset(fitness).altered(time_scale=time_scale)
    with fresh_folder(out) as folder, progress(f"jumps, {limits}") as say:
        rows = _series(limits, jumps, rest, body, nodes, scheme, say)
        about = {
            "limits": limits,
            "rest_s": rest,
            "fitness": fitness,
            "time_scale": time_scale,
            "nodes": nodes,
            "scheme": scheme,
            "jumps": rows,
        }
        write_summary(folder, about, "repeat.json")
        _picture(folder / "repeat.png", range(1, len(rows) + 1), [r["height_m"] for r in rows], "jump", limits)
    return rows


def _series(
    limits: Limits, jumps: int, rest: float, body: Fitness, nodes: int, scheme: Scheme, say: Say
) -> list[dict[str, Any]]:
    whole = Drive(limits)
    each = limits == "mtu"
    table = rates(body, groups(whole.leg) if each else ["leg"])
    state = fresh((len(table),))
    rows: list[dict[str, Any]] = []
    for _ in range(jumps):
        capacity = residual_capacity(state)
        if capacity.min() < LEAST:
            raise InputError(f"after {len(rows)} jumps {capacity.min():.0%} of a muscle is left; rest longer")
        drive = Drive(limits, capacity if each else float(capacity[0]))
        found = weigh(best_plan("jump", drive, nodes, scheme, say, fly=False))
        left = {"capacity_mean": float(capacity.mean()), "capacity_least": float(capacity.min())}
        rows.append(left | _row(found.summary))
        state = _recovered(_loaded(state, found.course, whole.leg, table, each), table, rest)
    return rows


def _loaded(state: np.ndarray, course: Trajectory, leg: SmoothLeg, table: np.ndarray, each: bool) -> np.ndarray:
    activation = course.activation[: course.held]
    if not activation.size:
        raise InputError("fatigue needs activations; pip install 'lactic[muscle]'")
    loads = activation if each else activation @ leg.force[:, None] / leg.force.sum()
    dt = float(course.time[course.held - 1] / (course.held - 1))
    return np.asarray(track(loads[1:], table, dt, state)[-1])


def _recovered(state: np.ndarray, table: np.ndarray, seconds: float, dt: float = 0.05) -> np.ndarray:
    for _ in range(round(seconds / dt)):
        state = np.asarray(step(state, np.zeros(len(table)), table, dt))
    return state


def groups(leg: SmoothLeg) -> list[str]:
    """The joint each muscle turns most, over the leg's poses."""
    poses = np.random.default_rng(0).uniform(leg.low, leg.high, (200, 3))
    return [LEG[i] for i in np.abs(leg.arms(poses)).mean(0).argmax(0)]


def _row(found: dict[str, Any]) -> dict[str, Any]:
    keys = ("height_m", "take_off_speed_m_s", "status", "constraint_violation", "iterations", "solving_seconds")
    return {key: found[key] for key in keys}


def _picture(path: Path, x: Any, y: Sequence[float], label: str, limits: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(list(x), y, "o-", label=limits)
    axes.set(xlabel=label, ylabel="height of the mass centre, m")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    save_figure(path, figure, 130)
