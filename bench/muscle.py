"""Exact muscle limits: time a sample for geometry, R and E, beside scipy's BVLS and HiGHS in the same run.

python bench/muscle.py MODEL.osim [--samples 20000]
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog, lsq_linear

from lactic.muscle.compact import compact
from lactic.muscle.exact import correction, effort
from lactic.muscle.osim import read_osim
from lactic.muscle.samples import JIANG2019, correction_samples

ORACLE = 300  # samples for the slow ones


def microseconds(act: Callable[[], object], count: int, rounds: int = 3) -> float:
    """The best of some rounds, for one of `count` samples."""
    act()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return min(times) / count * 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--samples", type=int, default=20000)
    given = parser.parse_args()
    limb, rng, count = compact(read_osim(given.model)), np.random.default_rng(0), given.samples
    q, qd = JIANG2019.states(count, rng)
    torque, cost = JIANG2019.torques(count, rng), limb.force
    pulls = limb.pull(q, qd)
    geometry = microseconds(lambda: limb.pull(q, qd), count)
    feasible = pulls.torque(rng.random((count, len(limb.muscles))))
    active, passive = pulls.active, pulls.passive

    def bvls() -> None:
        for i in range(ORACLE):
            lsq_linear(active[i], torque[i] - passive[i], (0, 1), method="bvls")

    def highs() -> None:
        for i in range(ORACLE):
            linprog(cost, A_eq=active[i], b_eq=feasible[i] - passive[i], bounds=(0, 1), method="highs")

    fast = [
        microseconds(act, count) for act in (lambda: correction(pulls, torque), lambda: effort(pulls, feasible, cost))
    ]
    slow = [microseconds(act, ORACLE, rounds=1) for act in (bvls, highs)]
    whole = microseconds(lambda: correction_samples(limb, count, near=0), count, rounds=1)
    print(f"{len(limb.muscles)} muscles, µs a sample")
    print(f"geometry and Hill curves   {geometry:8.1f}")
    print(f"correction R               {fast[0]:8.1f}   scipy BVLS  {slow[0]:8.1f}   {slow[0] / fast[0]:6.0f} times")
    print(f"effort E                   {fast[1]:8.1f}   HiGHS       {slow[1]:8.1f}   {slow[1] / fast[1]:6.0f} times")
    print(f"a labelled sample of R     {whole:8.1f}   a million in {whole:.0f} s")


if __name__ == "__main__":
    main()
