"""What 284 muscles in every physics step cost on a GPU, measured in turns in one run.

python bench/muscle_gpu.py [--worlds 8192] [--seconds 40] [--kernels] [--device cuda]

Control steps of six physics steps of 120 Hz with random targets; all stand up again every five seconds.

- muscles and physics: `MuscleMen.step`
- physics, same states: the states and the last pushes of those, without the law; what muscles cost is this ratio
- physics, limp: a world that was never pushed, and lies on the floor most of the time
- law alone: six times its kernels in a graph

At least 0.7 of physics alone is promised. --kernels then prints where the time goes, kernel by kernel.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

import torch
import warp as wp

from lactic.body import muscle_man
from lactic.fatigue import preset
from lactic.muscle.man.men import SUBSTEPS, MuscleMen
from lactic.world.gpu import WarpWorld

EPISODE, ACTIONS = 100, 16


def law_alone(men: MuscleMen, device: str) -> Callable[[], None]:
    """Six times the law, as a graph where there are graphs."""

    def work() -> None:
        for _ in range(SUBSTEPS):
            men.forces.apply()

    if not device.startswith("cuda"):
        return work
    with wp.ScopedDevice(device), wp.ScopedCapture() as capture:
        work()
    return lambda: wp.capture_launch(capture.graph)


def main() -> None:
    """Read the options, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=40.0, help="how long to measure")
    parser.add_argument("--device", default="cuda", help="Warp device; cpu to look at the code where there is no GPU")
    parser.add_argument("--kernels", action="store_true", help="also time each kernel of a physics step")
    given = parser.parse_args()
    begin = time.perf_counter()
    body, n = muscle_man(), given.worlds
    limp, same = (WarpWorld(body, n, given.device, substeps=SUBSTEPS) for _ in range(2))
    men = MuscleMen(WarpWorld(body, n, given.device, substeps=SUBSTEPS), preset("feng2023"))
    where = men.qpos.device
    wait: Callable[[], object] = torch.cuda.synchronize if where.type == "cuda" else lambda: None
    actions = torch.randn((ACTIONS, n, len(men.muscles.names)), device=where) * 0.3 - 0.1
    law = law_alone(men, given.device)
    taken: dict[str, list[float]] = {name: [] for name in ("limp", "same", "law", "whole")}
    fastest = torch.zeros((), device=where)

    def timed(name: str, work: Callable[..., object], *given: object) -> None:
        wait()
        start = time.perf_counter()
        work(*given)
        wait()
        taken[name].append(time.perf_counter() - start)

    def turns(seconds: float) -> None:
        end, at = time.perf_counter() + seconds, 0
        while time.perf_counter() < end or not taken["whole"]:
            if at % EPISODE == 0:
                limp.reset()
                men.reset()
            same.qpos.copy_(men.qpos)  # not timed
            same.qvel.copy_(men.qvel)
            same.push.copy_(men.world.push)
            timed("same", same.step, SUBSTEPS)
            timed("whole", men.step, actions[at % ACTIONS])
            timed("limp", limp.step, SUBSTEPS)
            torch.maximum(fastest, men.qvel[:, 6:].abs().amax(), out=fastest)
            own = men.world.push, men.fatigue, men.lengths, men.rates_of_length
            kept = [array.clone() for array in own]
            timed("law", law)
            for array, before in zip(own, kept, strict=True):
                array.copy_(before)
            at += 1

    turns(0.0)  # graphs are captured
    for times in taken.values():
        times.clear()
    print(f"ready after {time.perf_counter() - begin:.0f} s (kernels are compiled the first time)", flush=True)
    turns(given.seconds)
    mean = {name: statistics.fmean(times) for name, times in taken.items()}
    print(f"{n} worlds on {given.device}, {len(taken['whole'])} control steps of six physics steps each")
    rows = {
        "whole": "muscles and physics",
        "same": "physics, same states",
        "limp": "physics, limp",
        "law": "law alone",
    }
    for name, text in rows.items():
        print(f"{text:22} {1e3 * mean[name]:9.3f} ms {n / mean[name]:12,.0f} control steps/s")
    for name in ("same", "limp"):
        print(f"muscles and physics run at {mean[name] / mean['whole']:.3f} of the speed of {rows[name]}")
    beyond = men.world.check() + same.check() + limp.check()
    finite = bool(men.qpos.isfinite().all() and men.fatigue.isfinite().all())
    print(f"faults {beyond}, {'all finite' if finite else 'NOT FINITE'}, no speed above {float(fastest):.1f} rad/s")
    if given.kernels and where.type == "cuda":
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for action in actions[:3]:
                men.step(action)
            wait()
        print(profile.key_averages().table(sort_by="self_device_time_total", row_limit=30, max_name_column_width=60))


if __name__ == "__main__":
    main()
