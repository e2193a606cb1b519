"""The verbs of `lactic plan`."""

import os
from pathlib import Path
from typing import Any, Literal

import tyro

from lactic.errors import InputError


def _job() -> Any:
    try:
        from lactic.plan import job
    except ImportError as error:
        raise InputError(f"lactic plan needs CasADi ({error}); pip install 'lactic[plan]'") from error
    return job


def _tired() -> Any:
    _job()
    from lactic.plan import tired

    return tired


def _run(task: str, out: Path | None, limits: str, **settings: Any) -> None:
    folder = out if out is not None else Path("out/plan") / f"{task}-{limits}"
    found = _job().run(task, limits, folder, **settings)
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


def jump(
    limits: Literal["box", "lr", "lrle", "mtu"] = "lr",
    out: Path | None = None,
    nodes: int | None = None,
    scheme: Literal["trapezoid", "euler"] = "trapezoid",
    capacity: float = 1.0,
    leg: Path | None = None,
    tolerance: float = 3.0,
) -> None:
    """Jump as high as the limits allow, from a crouch (jiang2019, Sec. 4.1.1).

    Args:
        limits: box (±200 Nm), lr (learned muscle limits), lrle (and learned effort), mtu (43 muscles).
        out: folder for the results; by default out/plan/TASK-LIMITS.
        nodes: in time; the paper's number by default.
        scheme: of integration: trapezoid, or the paper's backward euler, which jumps higher than physics allows.
        capacity: residual capacity of the muscles, above 0 and up to 1: a tired leg.
        leg: folder of `lactic plan learn`; by default gait2392's, which comes with the package.
        tolerance: Nm that lr and lrle may ask of a joint beyond what its muscles give; the paper's is 3.
    """
    _run("jump", out, limits, nodes=nodes, scheme=scheme, capacity=capacity, leg=leg, tolerance=tolerance)


def swing(
    limits: Literal["box", "lr", "lrle", "mtu"] = "lr",
    out: Path | None = None,
    nodes: int | None = None,
    scheme: Literal["trapezoid", "euler"] = "trapezoid",
    capacity: float = 1.0,
    leg: Path | None = None,
    tolerance: float = 3.0,
) -> None:
    """Swing on a bar and let go to fly as far as the limits allow (jiang2019, Sec. 4.1.2).

    Args:
        limits: box (±200 Nm), lr (learned muscle limits), lrle (and learned effort), mtu (43 muscles).
        out: folder for the results; by default out/plan/TASK-LIMITS.
        nodes: in time; the paper's number by default.
        scheme: of integration: trapezoid, or the paper's backward euler.
        capacity: residual capacity of the muscles, above 0 and up to 1: a tired leg.
        leg: folder of `lactic plan learn`; by default gait2392's, which comes with the package.
        tolerance: Nm that lr and lrle may ask of a joint beyond what its muscles give; the paper's is 3.
    """
    _run("swing", out, limits, nodes=nodes, scheme=scheme, capacity=capacity, leg=leg, tolerance=tolerance)


def reach(
    limits: Literal["box", "lr", "lrle", "mtu"] = "lrle",
    out: Path | None = None,
    nodes: int | None = None,
    scheme: Literal["trapezoid", "euler"] = "trapezoid",
    capacity: float = 1.0,
    product: float = 4.0,
    leg: Path | None = None,
    tolerance: float = 3.0,
) -> None:
    """Swing and let go for a given distance with the least effort (jiang2019, Sec. 4.1.2).

    Args:
        limits: box and lr spend torque, lrle and mtu muscle effort.
        out: folder for the results; by default out/plan/TASK-LIMITS.
        nodes: in time; the paper's number by default.
        scheme: of integration: trapezoid, or the paper's backward euler.
        capacity: residual capacity of the muscles, above 0 and up to 1: a tired leg.
        leg: folder of `lactic plan learn`; by default gait2392's, which comes with the package.
        tolerance: Nm that lr and lrle may ask of a joint beyond what its muscles give; the paper's is 3.
        product: forward times upward speed at release, m²/s².
    """
    _run(
        "reach",
        out,
        limits,
        nodes=nodes,
        scheme=scheme,
        capacity=capacity,
        product=product,
        leg=leg,
        tolerance=tolerance,
    )


def tired(
    capacity: tuple[float, ...] = (1.0, 0.8, 0.6, 0.5),
    limits: Literal["box", "lr", "mtu"] = "lr",
    out: Path | None = None,
    nodes: int = 60,
) -> None:
    """Jump with tired legs: height against residual capacity.

    Args:
        capacity: residual capacities of the muscles, above 0 and up to 1.
        limits: box (±200 Nm), lr (learned muscle limits), mtu (43 muscles).
        out: folder for heights.json and heights.png; by default out/plan/tired-LIMITS.
        nodes: in time.
    """
    job, folder = _tired(), out if out is not None else Path("out/plan") / f"tired-{limits}"
    for row in job.heights(limits, capacity, folder, nodes):
        height = row["height_m"]
        found = f"{height:.3f} m" if height is not None else f"no jump from this crouch ({row['status']})"
        print(f"{row['capacity']:.0%}: {found}")
    print(f"everything is in {folder}/")


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
    job, folder = _tired(), out if out is not None else Path("out/plan") / f"repeat-{limits}"
    for k, row in enumerate(job.repeated(limits, folder, jumps, rest, fitness, time_scale, nodes)):
        print(f"jump {k + 1}: {row['height_m']:.3f} m with {row['capacity_mean']:.0%} of its strength")
    print(f"everything is in {folder}/")


def learn(
    model: tyro.conf.Positional[Path],
    out: Path,
    side: Literal["r", "l"] = "r",
    samples: int = 800_000,
    passes: int = 30,
    seed: int = 0,
) -> None:
    """Make the smooth leg of an OpenSim model and its networks, for --leg (needs lactic[plan,train,muscle]; an hour).

    Args:
        model: an .osim file such as gait2392.
        out: folder for leg.npz, limits.npz and effort.npz.
        side: which leg.
        samples: to learn from.
        passes: over the samples.
        seed: of samples and networks.
    """
    try:
        from lactic.plan import prepare
    except ImportError as error:
        raise InputError(f"lactic plan learn needs more ({error}); pip install 'lactic[plan,train,muscle]'") from error
    for line in prepare.make(model, out, side, samples, passes, seed):
        print(line, flush=True)


def run(words: list[str]) -> None:
    """Run a verb."""
    # for a BLAS that is loaded from here on: its threads only wait for each other (see `plan.solve`)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    tyro.extras.subcommand_cli_from_dict(
        {"jump": jump, "swing": swing, "reach": reach, "tired": tired, "repeat": repeat, "learn": learn},
        args=words or ["--help"],
        prog="lactic plan",
        description="Optimal motion of a body with muscles.",
    )
