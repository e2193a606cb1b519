"""One character's whole control step in `play` against its bare physics: ratios measured in one run.

Both go the same way, step by step (`apart` is how far they end from each other). `ratio` is the median over blocks of 50
control steps, `quiet` that of the tenth percentiles: a shared machine slows the brain, which reads more memory, most.

python bench/step.py [--rounds 40]
"""

import argparse
import copy
import time

import mujoco
import numpy as np

from lactic.brain import catalogue
from lactic.play.player import Player

BATCH = 50


def physics(model: mujoco.MjModel, data: mujoco.MjData, asked: list[dict[str, np.ndarray]]) -> float:
    """Mean seconds of four bare mj_step calls on the way that a character went: the same targets, gains and limits."""
    spent = 0.0
    for outputs in asked:
        data.ctrl[:] = outputs["targets"][0]
        model.actuator_gainprm[:, 0] = outputs["stiffness"][0]
        model.actuator_biasprm[:, 1], model.actuator_biasprm[:, 2] = -outputs["stiffness"][0], -outputs["damping"][0]
        model.actuator_forcerange[:] = outputs["limits"][0][:, None] * (-1.0, 1.0)
        start = time.perf_counter()
        for _ in range(4):
            mujoco.mj_step(model, data)
        spent += time.perf_counter() - start
    return spent / len(asked)


def main() -> None:
    """Interleave the two loops, so that a noisy machine disturbs both alike, and print medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--brain", nargs="*", default=catalogue.names(), help="names or folders")
    given = parser.parse_args()
    print(
        f"{'brain':12} {'control step':>13} {'4 mj_step':>11} {'ratio':>6} {'quiet':>6}   apart (at most 2.5 is asked)"
    )
    for name in given.brain:
        brain = catalogue.find(name).load()
        if brain.info.moves_muscles:  # see muscle_man.py
            continue
        player = Player(brain)
        model = copy.copy(player.world.body.model)
        data = mujoco.MjData(model)
        command = np.ones(player.info.command)
        for _ in range(150):
            player.step(command)
        whole, bare = [], []
        apart = 0.0
        for _ in range(given.rounds):
            data.qpos[:], data.qvel[:] = player.world.qpos[0], player.world.qvel[0]
            world, fatigue = player.world.remember(), player.fatigue.copy()
            asked = [{key: value.copy() for key, value in player.step(command).items()} for _ in range(BATCH)]
            player.world.recall(world)
            player.fatigue[:] = fatigue
            start = time.perf_counter()
            for _ in range(BATCH):
                player.step(command)
            whole.append((time.perf_counter() - start) / BATCH)
            bare.append(physics(model, data, asked))
            apart = max(apart, float(np.abs(data.qpos - player.world.qpos[0]).max()))
        a, b = np.median(whole) * 1e6, np.median(bare) * 1e6
        quiet = np.percentile(whole, 10) / np.percentile(bare, 10)  # others on the machine take caches, too
        ratio = np.median(np.array(whole) / np.array(bare))
        print(f"{name:12} {a:10.1f} µs {b:8.1f} µs {ratio:6.2f} {quiet:6.2f}   {apart:.0e}")


if __name__ == "__main__":
    main()
