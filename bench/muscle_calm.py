"""Do muscle men stay calm under random targets at 20 Hz? Looks at every physics step.

python bench/muscle_calm.py [--minutes 10] [--count 64] [--gpu]

Targets are (1 + a) rest lengths, a normal around -0.1; its deviation goes from 0.1 for the first character to 1 for the
last. Every other character stands up again every ten seconds; the others go on for the whole time. Ctrl-C ends it early
with the figures so far.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from array_api_compat import array_namespace, to_device
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # runs from a checkout that is not installed

from lactic.fatigue import preset
from lactic.muscle.man.men import SUBSTEPS, MuscleMen, muscle_men

AGAIN, LIMIT = 200, 30.0  # control steps; rad/s


def speeds(men: MuscleMen) -> np.ndarray:
    """How fast each joint turns, (world, joint), rad/s."""
    model = men.world.body.model
    first = model.jnt_dofadr[1:]
    spin = np.array(to_device(men.qvel, "cpu"), float)
    return np.sqrt(np.add.reduceat(spin**2, first, axis=1))


def main() -> None:
    """Run, and print the largest speed and where it was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--fitness", default="feng2023")
    given = parser.parse_args()
    men = muscle_men(given.count, preset(given.fitness), "cuda" if given.gpu else None)
    men.substeps = 1  # to look at each
    xp, rng = array_namespace(men.qpos), np.random.default_rng(0)
    spread = np.linspace(0.1, 1.0, given.count)[:, None]
    fastest = np.zeros((given.count, len(men.world.body.model.jnt_dofadr) - 1))
    lost = done = 0
    try:
        for step in track(range(round(given.minutes * 60 * 20)), "control steps"):
            if step and step % AGAIN == 0:
                men.reset(xp.asarray(np.arange(given.count) % 2 == 1, device=men.qpos.device))
            action = -0.1 + spread * rng.standard_normal((given.count, len(men.muscles.names)))
            for _ in range(SUBSTEPS):
                men.step(xp.asarray(action, dtype=men.qpos.dtype, device=men.qpos.device))
                lost += int(men.faulted.sum())
                np.maximum(fastest, speeds(men), out=fastest)
            done = step + 1
    except KeyboardInterrupt:
        print("ended early")
    finite = all(bool(xp.isfinite(array).all()) for array in (men.qpos, men.qvel, men.fatigue, men.force))
    world, joint = np.unravel_index(fastest.argmax(), fastest.shape)
    name = men.world.body.model.joint(int(joint) + 1).name
    print(
        f"{given.count} characters, {done / 20:g} s each: {lost} lost, {'all finite' if finite else 'NOT ALL FINITE'}"
    )
    print(f"fastest joint {fastest.max():.1f} rad/s ({name}, deviation {spread[world, 0]:.2f}); limit {LIMIT:g}")
    print(f"fastest of each character: median {np.median(fastest.max(1)):.1f} rad/s")
    sys.exit(0 if finite and not lost and fastest.max() < LIMIT else 1)


if __name__ == "__main__":
    main()
