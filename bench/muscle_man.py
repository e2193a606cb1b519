"""A control step of one muscle man, six physics steps with its 284 muscles, beside the same without muscles.

python bench/muscle_man.py [--steps 400] [--count 64]

With --count so many at once, in all cores: a CpuWorld with muscles beside one that is given their states and pushes.
"""

import argparse
import time

import mujoco
import numpy as np

from lactic.body import muscle_man
from lactic.fatigue import preset
from lactic.muscle.man.drive import MuscleDrive
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
    if given.count > 1:
        many(given.count, given.steps)
        return
    model, rng = muscle_man().model, np.random.default_rng(0)
    data, bare = mujoco.MjData(model), mujoco.MjData(model)
    drive = MuscleDrive(model, preset("feng2023"))
    drive.reset(data)
    drive.step(data, np.zeros(len(drive.muscles.names)))  # compiles
    taken = []
    for _ in range(given.steps):
        action = rng.normal(-0.1, 0.3, len(drive.muscles.names))
        mujoco.mj_copyState(model, data, bare, mujoco.mjtState.mjSTATE_INTEGRATION)
        start = time.perf_counter()
        mujoco.mj_step(model, bare, SUBSTEPS)  # the last forces stay
        middle = time.perf_counter()
        drive.step(data, action, SUBSTEPS)
        taken.append((middle - start, time.perf_counter() - middle))
    without, muscled = 1e3 * np.median(taken, axis=0)
    print(
        f"without muscles {without:.2f} ms, with {muscled:.2f} ms a control step, {muscled / without:.2f} times as long"
    )
    print(f"95 % within {1e3 * np.quantile([b for _, b in taken], 0.95):.2f} ms; real time is {REAL_TIME:g} ms")


def many(count: int, steps: int) -> None:
    """The same for many characters at once."""
    men, rng = muscle_men(count, preset("feng2023")), np.random.default_rng(0)
    bare = CpuWorld(muscle_man(), count, substeps=SUBSTEPS)
    taken = []
    for _ in range(steps):
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
    print(f"{1e3 * count / muscled:,.0f} control steps a second")


if __name__ == "__main__":
    main()
