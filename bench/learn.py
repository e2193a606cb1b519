"""AMP end to end against the physics inside it, measured in one run, and where the time goes.

python bench/learn.py [--worlds 8192] [--iterations 40] [--clips FOLDER]
"""

import argparse
import dataclasses
import time

from lactic.learn import config
from lactic.learn.run import clips_folder
from lactic.learn.trainer import Trainer, make_world
from lactic.task.registry import TASKS


def main() -> None:
    """Train the run recipe for a while; physics is timed on the device, step by step, within the same training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=8192)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--clips")
    given = parser.parse_args()
    settings = dataclasses.replace(config.read("run"), worlds=given.worlds)
    reference = TASKS[settings.task.kind].reference_of(settings.task, clips_folder(given.clips))
    trainer = Trainer(settings, reference, make_world(settings))
    for _ in range(5):
        trainer.iterate()
    trainer.watch.seconds.clear()
    start = time.perf_counter()
    for _ in range(given.iterations):
        trainer.iterate()
    wall = time.perf_counter() - start
    steps = given.iterations * settings.learn.horizon * settings.worlds
    physics = trainer.watch.seconds["physics"]
    print(f"{given.worlds} worlds on {trainer.device}, {settings.task.substeps} substeps a control step")
    print(f"AMP end to end  {steps / wall / 1e3:9.1f} k control steps/s   (450 are asked on one H200)")
    print(f"physics alone   {steps / physics / 1e3:9.1f} k control steps/s")
    print(f"ratio           {physics / wall:9.2f}                     (0.45 is asked)")
    for phase, share in sorted(trainer.watch.shares().items(), key=lambda x: -x[1]):
        print(f"  {phase:12} {share:6.1%}")


if __name__ == "__main__":
    main()
