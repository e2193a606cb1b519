"""One kinematic character's step against a bare physics step: processor time and their ratio, measured in one run.

    python bench/steer.py DATABASE [--rounds 40] [--seconds 2]

The artificial user holds the gamepad; a search falls on every tenth step or so and is part of the mean.
"""

import argparse
import time

import mujoco
import numpy as np

from lactic.steer.gamepad import ArtificialUser
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.matching import Database

MANY = 50


def main() -> None:
    """Interleave characters and physics, so that a noisy machine disturbs both alike, and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    database = Database.load(options.database)
    model = database.body.model
    data = mujoco.MjData(model)
    steps = round(options.seconds * database.fps)
    print(f"{database.seconds / 60:.1f} minutes of motion; bergamin2020 (Table 5.2): 40 µs kinematic, 200 µs physics")
    print(f"{'characters':>10} {'step of one':>12} {'searches':>9} {'mj_step':>9} {'ratio':>6}")
    for count in (1, MANY):
        character = KinematicCharacters(database, count)
        user = ArtificialUser(count, seed=1)
        for _ in range(60):
            character.step(user.step())
        own, bare, searches = [], [], character.searches.sum()
        for _ in range(options.rounds):
            pads = [user.step().copy() for _ in range(steps)]
            began = time.process_time()
            for pad in pads:
                character.step(pad)
            own.append((time.process_time() - began) / steps / count)
            data.qpos[:], data.qvel[:] = character.state.qpos[0], 0
            began = time.process_time()
            for _ in range(steps):
                mujoco.mj_step(model, data)
            bare.append((time.process_time() - began) / steps)
        share = (character.searches.sum() - searches) / (options.rounds * steps * count)
        a, b, ratio = np.median(own) * 1e6, np.median(bare) * 1e6, np.median(np.array(own) / np.array(bare))
        print(f"{count:10} {a:9.1f} µs {share:8.1%} {b:6.1f} µs {ratio:6.2f}")


if __name__ == "__main__":
    main()
