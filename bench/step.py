"""One character's whole control step in `play` against its bare physics: ratios measured in one run.

python bench/step.py [--rounds 40]
"""

import argparse
import time

import mujoco
import numpy as np

from lactic.brain import catalogue
from lactic.play.player import Player

BATCH = 50


def seconds(act, times: int) -> float:
    """Mean seconds of one call."""
    start = time.perf_counter()
    for _ in range(times):
        act()
    return (time.perf_counter() - start) / times


def main() -> None:
    """Interleave the two loops, so that a noisy machine disturbs both alike, and print medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    print(f"{'brain':12} {'control step':>13} {'4 mj_step':>11} {'ratio':>6}   (at most 2.5 is asked)")
    for name in catalogue.names():
        brain = catalogue.find(name).load()
        if brain.info.moves_muscles:  # see muscle_man.py
            continue
        player = Player(brain)
        model = player.world.body.model
        data = mujoco.MjData(model)
        command = np.ones(player.info.command)
        for _ in range(150):
            player.step(command)

        def bare(model=model, data=data) -> None:
            for _ in range(4):
                mujoco.mj_step(model, data)

        whole, physics = [], []
        for _ in range(rounds):
            data.qpos[:], data.qvel[:] = player.world.qpos[0], player.world.qvel[0]
            data.ctrl[:] = player.outputs["targets"][0]
            physics.append(seconds(bare, BATCH))
            whole.append(seconds(lambda player=player, command=command: player.step(command), BATCH))
        a, b = np.median(whole) * 1e6, np.median(physics) * 1e6
        print(f"{name:12} {a:10.1f} µs {b:8.1f} µs {np.median(np.array(whole) / np.array(physics)):6.2f}")


if __name__ == "__main__":
    main()
