"""What muscles as strength cost: solves, one character on the CPU (exact), many on any device (learned), in one run.

    python bench/strength.py [--device cpu|cuda] [--worlds 8192] [--rounds 200] [--model gait2392.osim]

Solves: R and E of 10,000 uniform samples, all else known; at most 30 and 15 µs a sample are asked on 2 cores. With a
model also the labelling of samples, lengths and moment arms included; at most 3 minutes a million are asked.
One character: the run brain plays, and every projection of its legs is timed where it happens; at most 40 µs are asked.
Many: control steps of 4 physics steps with and without the projection, in turns; at most 10 % of the step are asked on
a GPU. The projection alone is timed too, plainly and as a CUDA graph where there is one.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

from lactic.body import humanoid
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.learn.graph import Captured
from lactic.muscle.batch import BatchLimit
from lactic.muscle.learned import network
from lactic.play.player import Player
from lactic.play.start import start_states
from lactic.world import CpuWorld

SUBSTEPS = 4
SOLVES = 10_000


def median(times: list[float]) -> float:
    """In microseconds."""
    return statistics.median(times) * 1e6


def quiet(times: list[float]) -> float:
    """The fastest tenth, in microseconds: what it costs when nobody else uses the machine."""
    return float(np.percentile(times, 10)) * 1e6


def timed(act: Callable[[], Any], wait: Callable[[], None] = lambda: None) -> float:
    """Seconds of one call."""
    wait()
    start = time.perf_counter()
    act()
    wait()
    return time.perf_counter() - start


class Watched:
    """Muscles that time their own calls, where they are made: before every physics step."""

    def __init__(self, muscles: Any) -> None:
        self.muscles, self.drive, self.times = muscles, muscles.drive, []

    def __call__(self, world: Any) -> None:
        self.times.append(timed(lambda: self.muscles(world)))


def solves(model: Path | None) -> None:
    """Exact R and E in batches."""
    from lactic.muscle.exact import correction, effort
    from lactic.muscle.leg import shipped_leg
    from lactic.muscle.samples import JIANG2019

    leg, rng = shipped_leg(), np.random.default_rng(0)
    q, qd = JIANG2019.states(SOLVES, rng)
    torque, pulls = JIANG2019.torques(SOLVES, rng), leg.pull(q, qd)
    fixed, force = torque - correction(pulls, torque).torque, leg.force
    effort(pulls, fixed, force)  # compiles
    print(f"exact answers of {SOLVES} states, µs each       median   fastest")
    for label, act in (
        ("R (at most 30 is asked)", lambda: correction(pulls, torque)),
        ("E at the boundary (at most 15 is asked)", lambda: effort(pulls, fixed, force)),
    ):
        times = [timed(act) / SOLVES for _ in range(9)]
        print(f"  {label:42} {median(times):8.1f} {min(times) * 1e6:9.1f}")
    if model is not None:
        from lactic.muscle.compact import compact
        from lactic.muscle.osim import read_osim
        from lactic.muscle.samples import correction_samples

        limb = compact(read_osim(model))
        spent = timed(lambda: correction_samples(limb, 10 * SOLVES))
        print(f"  a million samples of R with their labels: {10 * spent:.0f} s (at most 180 is asked)")


def one(rounds: int) -> None:
    """One character, its two legs, as it runs."""
    folder = catalogue.find("run-expert")
    players = [Player(folder.load(), strength="judge"), Player(folder.load(), strength="judge"), Player(folder.load())]
    steps: list[list[float]] = [[], [], []]
    for player, effort in zip(players[:2], (False, True), strict=True):
        player.muscles.effort = effort
        player.muscles = Watched(player.muscles)
    for player in players:
        player.world.reset(None, *start_states(folder, player.body, 1, 0))
    command = np.zeros(players[0].info.command)
    for _ in range(max(1, rounds // 20)):  # in turns, so that whatever else the machine does hits all alike
        for player, times in zip(players, steps, strict=True):
            times += [timed(lambda player=player: player.step(command)) for _ in range(20)]
    x, learned = np.random.default_rng(0).normal(size=(2, 15)).astype(np.float32), network("R")
    print(f"one character, both legs, in {len(steps[0])} steps of the brain 'run-expert', µs    median   fastest tenth")
    rows = {
        "exact projection (at most 40 is asked)": players[0].muscles.times,
        "exact projection and effort E": players[1].muscles.times,
        "network R alone, NumPy": [timed(lambda: learned(x)) for _ in range(rounds)],
        "control step: box": steps[2],
        f"control step: muscles, {SUBSTEPS} projections": steps[0],
        f"control step: muscles, {SUBSTEPS} projections with effort": steps[1],
    }
    for label, times in rows.items():
        print(f"  {label:58} {median(times[len(times) // 10 :]):8.1f} {quiet(times):15.1f}")


def many(device: str, worlds: int, rounds: int) -> None:
    """Many characters in the device's own world."""
    body, rng = humanoid(), np.random.default_rng(0)
    world: Any
    if device == "cpu":
        world, wait = CpuWorld(body, worlds), lambda: None
    else:
        from lactic.world.gpu import WarpWorld

        world, wait = WarpWorld(body, worlds, device=device), torch.cuda.synchronize
    low, high = body.range.T
    rows = [low + (high - low) * (0.3 + 0.4 * rng.random((worlds, len(body.joints))))]
    rows += [np.tile(gain, (worlds, 1)) for gain in (body.stiffness, body.damping, body.torque_limit)]
    law = [row if device == "cpu" else torch.tensor(row, dtype=torch.float32, device=device) for row in rows]
    torch.set_float32_matmul_precision("high")  # as training does
    limit = BatchLimit(body, worlds, device)
    limit.drive(*law)
    graphed = Captured(lambda: limit(world), "projection", enabled=device != "cpu")

    def step(before: Callable[[Any], None] | None) -> None:
        world.drive(*law)
        world.step(SUBSTEPS, before)

    def muscular() -> None:
        limit.drive(*law)
        step(lambda _: graphed())

    world.reset()
    acts = {
        "projection": lambda: limit(world),
        "graph": graphed,
        "box, one graph": lambda: step(None),
        "box, a graph a substep": lambda: step(lambda _: None),
        "muscles": muscular,
    }
    times: dict[str, list[float]] = {name: [] for name in acts}
    for k in range(rounds + 5):
        if k % 30 == 0:
            world.reset()
        for name, act in acts.items():
            seconds = timed(act, wait)
            if k >= 5:
                times[name].append(seconds)
    found = {name: median(values) for name, values in times.items()}
    name = torch.cuda.get_device_name() if device != "cpu" else f"CPU, {torch.get_num_threads()} threads"
    print(f"{worlds} characters, learned, {name}, µs (medians of {rounds})")
    print(f"  projection of both legs          {found['projection']:8.0f}   as a graph {found['graph']:.0f}")
    for label in ("box, one graph", "box, a graph a substep", "muscles"):
        print(f"  control step, {label:22} {found[label]:8.0f}")
    whole = found["muscles"]
    share, more = SUBSTEPS * found["graph"] / whole, 1 - found["box, one graph"] / whole
    print(
        f"  share of the control step: {SUBSTEPS} projections {share:.1%}, all that muscles "
        f"add {more:.1%}   (at most 10 % is asked on a GPU)"
    )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--worlds", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--model", type=Path, default=None)
    given = parser.parse_args()
    if given.device == "cpu":
        torch.set_num_threads(1)  # more of them stand in the way of the world's own
    try:
        solves(given.model)
        one(given.rounds)
    except (ImportError, InputError) as error:
        print(f"exact answers: skipped ({error})")
    many(given.device, given.worlds or (64 if given.device == "cpu" else 8192), given.rounds)


if __name__ == "__main__":
    main()
