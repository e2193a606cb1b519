"""A control step of muscle men, six physics steps with their 284 muscles, beside the same without muscles.

python bench/muscle_man.py [--steps 400] [--count 64]

So many at once, in all cores: a CpuWorld with muscles beside one that is given their states and pushes.
"""

import argparse
import time

import numpy as np

from lactic.body import muscle_man
from lactic.fatigue import preset
from lactic.muscle.man.men import muscle_men
from lactic.world import CpuWorld

SUBSTEPS = 6
REAL_TIME = 50.0  # ms a control step at 20 Hz


def main() -> None:
    """Take turns in one trajectory: the same state is stepped with muscles and without."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--count", type=int, default=1)
    given = parser.parse_args()
    count = given.count
    men, rng = muscle_men(count, preset("feng2023")), np.random.default_rng(0)
    bare = CpuWorld(muscle_man(), count, substeps=SUBSTEPS)
    taken = []
    for _ in range(given.steps):
        action = rng.normal(-0.1, 0.3, men.lengths.shape)
        bare.reset(None, men.qpos, men.qvel)
        bare.push[:] = men.world.push
        start = time.perf_counter()
        bare.step(SUBSTEPS)
        middle = time.perf_counter()
        men.step(action)
        taken.append((middle - start, time.perf_counter() - middle))
    without, muscled = 1e3 * np.median(taken[1:], axis=0)
    print(f"{count}: {without:.2f} ms without muscles, {muscled:.2f} ms with, {muscled / without:.2f} times as much")
    print(f"{1e3 * count / muscled:,.0f} control steps a second; real time is {REAL_TIME:g} ms a step")


if __name__ == "__main__":
    main()
