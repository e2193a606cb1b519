"""How time and memory grow: with worlds, clips, joints, muscles, characters on one core, and visitors of the page.

    python bench/growth.py [--quick] [--device cuda] [--only gpu] [--out out/growth]

One command measures all curves and writes growth.csv and growth.png. Every size is a process of its own, so that its
memory is its own; sizes take turns, and the fastest of the rounds counts, since other programs only make it slower.
Visitors are counted in bytes of web/dist (`make site`).

`--device cuda` measures worlds on a GPU too, all sizes in one process. Warp compiles its kernels the first time, which
takes a minute or two more. With `--only gpu` nothing else is measured, and torch, mujoco_warp and NumPy are enough.
"""

import argparse
import csv
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

from lactic import body as bodies
from lactic.files import whole_file
from lactic.world import CpuWorld

ROOT = Path(__file__).resolve().parents[1]
SIZES = {
    "worlds": (1, 4, 16, 64, 256, 1024),
    "clips": (16, 64, 256, 1024),
    "joints": (8, 16, 32, 64, 128),
    "muscles": (1, 2, 4, 8),
    "characters": (1, 2, 4, 8, 16, 32, 64),
}
UNIT = {
    "worlds": "control steps, 2 threads",
    "gpu": "control steps of worlds on a GPU",
    "clips": "to load 10 s clips",
    "joints": "control steps of a chain, 1 thread",
    "muscles": "control steps of muscle men with 284 muscles each, 2 threads",
    "characters": "control steps of pace, 1 thread",
}
GPU_SIZES = (1, 64, 256, 512, 1024, 2048, 4096, 8192, 16384)
STRETCH = 60  # control steps that are timed, from a start that is the same for every size


def resident() -> float:
    """Megabytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def timed(act: Callable[[], object], seconds: float) -> float:
    """Seconds of one call: the least over many."""
    act()
    best, end = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end or best == np.inf:
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
    return float(best)


def worlds(count: int) -> Callable[[], object]:
    """Humanoids about their rest pose."""
    world = CpuWorld(bodies.get("humanoid"), count, threads=2)
    return lambda: world.step(4)


def gpu_worlds(sizes: Sequence[int], device: str, seconds: float) -> dict[int, dict[str, float]]:
    """Seconds of a control step and megabytes of the GPU by number of worlds.

    Humanoids in disturbed poses fall and lie: the same stretch of steps for every size, as often as `seconds` allow.
    """
    import torch
    import warp as wp

    from lactic.world.gpu import WarpWorld

    human, rng = bodies.get("humanoid"), np.random.default_rng(0)
    cuda = device.startswith("cuda")
    wait = torch.cuda.synchronize if cuda else lambda: None

    def held() -> float:  # megabytes that Warp and torch hold on the GPU
        return (wp.get_mempool_used_mem_current(device) + torch.cuda.memory_allocated()) / 1e6 if cuda else resident()

    found = {}
    WarpWorld(human, 1, device).step(4)  # kernels are loaded, and count for no size
    for size in sizes:
        gc.collect()
        wait()
        before = held()
        world = WarpWorld(human, size, device)
        pose = np.tile(human.rest, (size, 1))
        pose[:, 7:] += rng.normal(0, 0.1, pose[:, 7:].shape)
        start = torch.as_tensor(pose, dtype=torch.float32, device=world.qpos.device)

        def stretch(world=world, start=start) -> float:
            world.reset(qpos=start)
            wait()
            began = time.perf_counter()
            for _ in range(STRETCH):
                world.step(4)
            wait()
            return time.perf_counter() - began

        stretch()
        memory = held() - before
        end, took = time.perf_counter() + seconds, [stretch()]
        while time.perf_counter() < end:
            took.append(stretch())
        found[size] = {"seconds": min(took) / STRETCH, "megabytes": memory}
        del world
        print(f"{size} worlds measured", end="\r", file=sys.stderr, flush=True)
    return found


def why_not_linear(found: dict[int, dict[str, float]]) -> str:
    """What a step costs however few the worlds are, what each adds, and from which number on cost is linear to 10 %."""
    sizes = sorted(found)
    seconds = np.array([found[size]["seconds"] for size in sizes])
    fixed = float(seconds[0])
    each = float((seconds[-1] - seconds[-2]) / (sizes[-1] - sizes[-2]))
    linear = [n for n, t in zip(sizes, seconds, strict=True) if abs(t / n / (seconds[-1] / sizes[-1]) - 1) <= 0.1]
    return (
        f"{1e3 * fixed:.2f} ms for {sizes[0]} world: what the kernels cost that wait for each other; "
        f"{1e6 * each:.3f} µs for each world between the two largest sizes; "
        f"so the first {fixed / each:.0f} worlds come for the price of one. "
        f"Within 10 % of the largest size's cost for each: {', '.join(map(str, linear))}"
    )


def clips(count: int) -> Callable[[], object]:
    """A library of so many clips of ten seconds."""
    from lactic.motion.body_clip import BodyClip
    from lactic.motion.library import Library, collect

    human, rng = bodies.get("humanoid"), np.random.default_rng(0)
    t = np.arange(301)[:, None] / 30
    made = []
    for k in range(count):
        qpos = np.tile(human.rest, (301, 1))
        qpos[:, 7:] += 0.2 * np.sin(t * rng.uniform(1, 6, len(human.joints)))
        made.append(BodyClip("humanoid", 30.0, qpos, f"clip{k}"))
    path = Path(tempfile.mkdtemp()) / "library.npz"
    collect(made, ["train"] * count, [""] * count).save(path)
    return lambda: Library.load(path)


def joints(count: int) -> Callable[[], object]:
    """A chain of so many hinges, four control steps at a time."""
    inner = "".join(
        f'<body pos="0 0 -0.1"><joint axis="{k % 2} {1 - k % 2} 0" damping="1" armature="0.01"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -0.1" size="0.02" contype="0" conaffinity="0"/>'
        for k in range(count)
    )
    text = f'<mujoco><option timestep="0.008" integrator="implicitfast"/><worldbody>{inner}{"</body>" * count}'
    model = mujoco.MjModel.from_xml_string(f"{text}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    return lambda: mujoco.mj_step(model, data, 4)


def muscles(count: int) -> Callable[[], object]:
    """So many muscle men."""
    from lactic.fatigue import preset
    from lactic.muscle.man.men import muscle_men

    men = muscle_men(count, preset("feng2023"))
    rest = np.zeros_like(men.lengths)
    return lambda: men.step(rest)


def characters(count: int) -> Callable[[], object]:
    """So many of `pace`, brains and bodies, on one core."""
    from lactic.brain import catalogue
    from lactic.play.player import Player

    player = Player(catalogue.find("pace").load(), count=count, threads=1)
    command = np.tile([1.4, 0.0], (count, 1))
    return lambda: player.step(command)


MAKE: dict[str, Callable[[int], Callable[[], object]]] = {
    "worlds": worlds,
    "clips": clips,
    "joints": joints,
    "muscles": muscles,
    "characters": characters,
}


def one(what: str, size: int, seconds: float) -> dict[str, float]:
    """Seconds and megabytes of one size, in this process."""
    bodies.muscle_man()
    before = resident()
    taken = timed(MAKE[what](size), seconds)
    return {"seconds": taken, "megabytes": resident() - before}


def page() -> dict[str, float]:
    """Bytes that a visitor of the page fetches, as a server sends them: all of it, and what each character adds."""
    folder = ROOT / "web" / "dist"
    sizes = {path.name: path.stat().st_size for path in folder.glob("*")} if folder.is_dir() else {}
    own = {name: size for name, size in sizes.items() if name.endswith((".onnx.gz", ".xml"))}
    return {"all": sum(sizes.values()), "engines and page": sum(sizes.values()) - sum(own.values()), **own}


def draw(rows: list[dict[str, object]], path: Path) -> None:
    """Time for one and memory, against size, one column a curve."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(str(row["what"]) for row in rows))
    figure, axes = pyplot.subplots(2, len(names), figsize=(3.2 * len(names), 5.6), squeeze=False)
    for k, name in enumerate(names):
        own = [row for row in rows if row["what"] == name]
        size = np.array([float(str(row["size"])) for row in own])
        for axis, key, label in ((axes[0, k], "each_us", "µs for each"), (axes[1, k], "megabytes", "MB")):
            axis.loglog(size, [max(float(str(row[key])), 1e-2) for row in own], "o-", base=2)
            axis.set_xlabel(name)
            axis.set_ylabel(label)
            axis.grid(alpha=0.3)
    figure.tight_layout()
    with whole_file(path) as draft:
        figure.savefig(draft, dpi=110)


def all_in_turns(sizes: dict[str, tuple[int, ...]], quick: bool) -> dict[tuple[str, int], dict[str, float]]:
    """Seconds and megabytes of every size, each in a process of its own, in turns."""
    plan = [(what, size) for _ in range(1 if quick else 3) for what, row in sizes.items() for size in row]
    found: dict[tuple[str, int], dict[str, float]] = {}
    began = time.perf_counter()
    for k, (what, size) in enumerate(plan):
        words = [sys.executable, __file__, "--one", what, str(size), *(["--quick"] * quick)]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        now, best = json.loads(said.splitlines()[-1]), found.get((what, size))
        found[what, size] = now if best is None or now["seconds"] < best["seconds"] else best
        left = (time.perf_counter() - began) * (len(plan) / (k + 1) - 1)
        print(f"{k + 1} of {len(plan)} measured, {left:.0f} s left", end="\r", file=sys.stderr, flush=True)
    return found


def table(found: dict[tuple[str, int], dict[str, float]]) -> list[dict[str, object]]:
    """Print all curves, and give their rows."""
    rows: list[dict[str, object]] = []
    for what in dict.fromkeys(name for name, _ in found):
        own = {size: got for (name, size), got in found.items() if name == what}
        print(f"\n{what} ({UNIT[what]})\n{'size':>8} {'ms in all':>10} {'µs for each':>12} {'× linear':>9} {'MB':>8}")
        largest = max(own)
        for size, got in own.items():
            each = got["seconds"] / size
            linear = each * largest / own[largest]["seconds"]
            rows.append({"what": what, "size": size, "each_us": round(1e6 * each, 3)} | got | {"linear": linear})
            print(f"{size:8} {1e3 * got['seconds']:10.3f} {1e6 * each:12.2f} {linear:9.2f} {got['megabytes']:8.1f}")
        if what == "gpu" and len(own) == len(GPU_SIZES):
            print(why_not_linear(own))
    return rows


def main() -> None:
    """Measure all curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, less time")
    parser.add_argument("--device", default="cpu", help="cuda measures worlds on a GPU too")
    parser.add_argument("--only", nargs="+", choices=("gpu", *SIZES), help="these curves and no others")
    parser.add_argument("--out", type=Path, default=Path("out/growth"))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    seconds = 0.3 if asked.quick else 1.0
    if asked.one:
        print(json.dumps(one(asked.one[0], int(asked.one[1]), seconds)))
        return
    wanted = asked.only or [*SIZES, *(["gpu"] if asked.device.startswith("cuda") else [])]
    sizes = {what: row[::2] if asked.quick else row for what, row in SIZES.items() if what in wanted}
    found = all_in_turns(sizes, asked.quick)
    if "gpu" in wanted:
        cuda = asked.device.startswith("cuda")  # Warp's CPU device shows that it runs, no more
        on_gpu = gpu_worlds(GPU_SIZES if cuda else (1, 2, 4), asked.device, seconds)
        found |= {("gpu", size): got for size, got in on_gpu.items()}
    rows = table(found)
    asked.out.mkdir(parents=True, exist_ok=True)
    with whole_file(asked.out / "growth.csv") as draft, draft.open("w", newline="") as stream:
        written = csv.DictWriter(stream, list(rows[0]))
        written.writeheader()
        written.writerows(rows)
    if not asked.only:
        print("\nbytes of the page: " + ", ".join(f"{name} {size:,}" for name, size in page().items()))
        draw(rows, asked.out / "growth.png")
    print(f"results are in {asked.out}; × linear is the time for each beside that at the largest size")


if __name__ == "__main__":
    main()
