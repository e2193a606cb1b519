"""Optimal motion of a body with muscles."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from lactic.cli.terminal import Flat, Model, Side
from lactic.errors import needs

# for a BLAS that is loaded from here on: its threads only wait for each other (see `lactic.plan.solve`)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
app = tyro.extras.SubcommandApp()


@dataclass(frozen=True)
class PlanOptions:
    """What jump, swing and reach take."""

    limits: Literal["box", "lr", "lrle", "mtu"] = "lr"
    """box (±200 Nm), lr (learned muscle limits), lrle (and learned effort), mtu (43 muscles)."""
    out: Path | None = None
    """folder for the results; by default out/plan/TASK-LIMITS."""
    nodes: int | None = None
    """in time; the paper's number by default."""
    scheme: Literal["trapezoid", "euler"] = "trapezoid"
    """of integration: trapezoid, or the paper's backward euler, which jumps higher than physics allows."""
    capacity: float = 1.0
    """residual capacity of the muscles, above 0 and up to 1: a tired leg."""
    leg: Path | None = None
    """folder of `lactic plan learn`; by default gait2392's, which comes with the package."""
    tolerance: float = 3.0
    """Nm that lr and lrle may ask of a joint beyond what its muscles give; the paper's is 3."""


@dataclass(frozen=True)
class ReachOptions(PlanOptions):
    """What reach takes."""

    limits: Literal["box", "lr", "lrle", "mtu"] = "lrle"
    """box and lr spend torque, lrle and mtu muscle effort."""
    product: float = 4.0
    """forward times upward speed at release, m²/s²."""


def _folder(out: Path | None, task: str, limits: str) -> Path:
    needs("casadi", "plan")
    return out if out is not None else Path("out/plan") / f"{task}-{limits}"


def _run(task: Any, options: PlanOptions) -> None:
    settings = asdict(options)
    limits, folder = settings.pop("limits"), _folder(settings.pop("out"), task, options.limits)
    from lactic.plan import job

    found = job.run(task, limits, folder, **settings)
    feat = (
        f"{found['height_m']:.3f} m"
        if task == "jump"
        else f"release at {found['release_x_m_s']:.2f} m/s forward, {found['release_y_m_s']:.2f} m/s up"
    )
    print(
        f"{feat}; {found['scheme']}, {found['nodes']} nodes, {found['iterations']} iterations in "
        f"{found['solving_seconds']:.1f} s, {found['status']}"
    )
    if isinstance(found["replay"], dict):
        smooth = found["replay"]["smooth"]
        print(
            f"muscles cannot give at most {smooth['largest_beyond_Nm']:.1f} Nm of it; "
            f"least effort {smooth['effort_N_s']:.0f} N·s a leg"
        )
    print(f"everything is in {folder}/")


@app.command
def jump(options: Annotated[PlanOptions, Flat]) -> None:
    """Jump as high as the limits allow, from a crouch (jiang2019, Sec. 4.1.1)."""
    _run("jump", options)


@app.command
def swing(options: Annotated[PlanOptions, Flat]) -> None:
    """Swing on a bar and let go to fly as far as the limits allow (jiang2019, Sec. 4.1.2)."""
    _run("swing", options)


@app.command
def reach(options: Annotated[ReachOptions, Flat]) -> None:
    """Swing and let go for a given distance with the least effort (jiang2019, Sec. 4.1.2)."""
    _run("reach", options)


@app.command
def heights(
    capacity: tuple[float, ...] = (1.0, 0.8, 0.6, 0.5),
    limits: Literal["box", "lr", "mtu"] = "lr",
    out: Path | None = None,
    nodes: int = 60,
) -> None:
    """Jump with tired legs: height against residual capacity.

    Args:
        capacity: residual capacities of the muscles, above 0 and up to 1.
        limits: box (±200 Nm), lr (learned muscle limits), mtu (43 muscles).
        out: folder for heights.json and heights.png; by default out/plan/heights-LIMITS.
        nodes: in time.
    """
    folder = _folder(out, "heights", limits)
    from lactic.plan import jumps

    for row in jumps.heights(limits, capacity, folder, nodes):
        height = row["height_m"]
        found = f"{height:.3f} m" if height is not None else f"no jump from this crouch ({row['status']})"
        print(f"{row['capacity']:.0%}: {found}")
    print(f"everything is in {folder}/")


@app.command
def repeat(
    limits: Literal["box", "lr", "mtu"] = "lr",
    jumps: int = 5,
    rest: float = 5.0,
    fitness: str = "human",
    time_scale: float = 20.0,
    out: Path | None = None,
    nodes: int = 60,
) -> None:
    """Jump again and again, with fatigue between the jumps.

    Args:
        limits: box (±200 Nm), lr (learned muscle limits; the leg tires as one), mtu (each muscle tires by itself).
        jumps: how many.
        rest: seconds between them.
        fitness: a preset of `lactic fitness`.
        time_scale: how many times faster than the preset's fatigue runs.
        out: folder for repeat.json and repeat.png; by default out/plan/repeat-LIMITS.
        nodes: in time.
    """
    folder = _folder(out, "repeat", limits)
    from lactic.plan.jumps import repeated

    for k, row in enumerate(repeated(limits, folder, jumps, rest, fitness, time_scale, nodes)):
        print(f"jump {k + 1}: {row['height_m']:.3f} m with {row['capacity_mean']:.0%} of its strength")
    print(f"everything is in {folder}/")


@app.command
def learn(model: Model, out: Path, side: Side = "r", samples: int = 800_000, passes: int = 30, seed: int = 0) -> None:
    """Make the smooth leg of an OpenSim model and its networks, for --leg (needs lactic[plan,train,muscle]; an hour).

    Args:
        out: folder for leg.npz, limits.npz and effort.npz.
        samples: to learn from.
        passes: over the samples.
        seed: of samples and networks.
    """
    for module in ("casadi", "torch"):
        needs(module, "plan,train,muscle")
    from lactic.plan import prepare

    for line in prepare.make(model, out, side, samples, passes, seed):
        print(line, flush=True)
