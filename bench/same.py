"""Whether shipped characters still move as they did: `same.py save FILE` before a change, `same.py compare FILE` after.

Each is played for ten seconds from a fixed seed. What differs by more than 1e-6 is named, and the exit code is 1.
"""

import sys

import numpy as np

from lactic.brain import catalogue
from lactic.fatigue import preset
from lactic.play.driver import Driver
from lactic.play.job import drive, player_of
from lactic.play.man import MusclePlayer
from lactic.play.man.job import drive_man
from lactic.play.steered import steerable
from lactic.play.tracked import Tracked
from lactic.studio.followed import endless, walk

SECONDS, SEED, CLOSE = 10.0, 7, 1e-6


def motion(name: str, seconds: float = SECONDS) -> np.ndarray:
    """The states (frame, nq) of a shipped character's first seconds; one that follows motions and cannot be
    steered follows a walk."""
    folder = catalogue.find(name)
    brain = folder.load()
    player = player_of(brain, preset(brain.info.fitness))
    if isinstance(player, MusclePlayer):
        driver: Driver = drive_man(folder, player, SEED)
    elif steerable(folder, player.info):
        driver = drive(folder, player, SEED, script="eight", pacing="tireless")
    elif player.info.tracking is not None:
        driver = Tracked(player, endless(walk(), player.body, player.info.control_rate))
    else:
        driver = drive(folder, player, SEED)
    rows = []
    for _ in range(round(seconds * player.info.control_rate)):
        driver.step()
        rows.append(player.world.qpos[0].copy())
    return np.array(rows)


def main(what: str, path: str) -> int:
    """Save the motions, or compare them with those saved."""
    motions = {name: motion(name) for name in catalogue.names()}
    if what == "save":
        np.savez_compressed(path, **motions)
        print(f"{path}: {len(motions)} characters")
        return 0
    changed = 0
    with np.load(path) as before:
        for name in sorted({*before.files, *motions}):
            if name not in before.files or name not in motions:
                print(f"{name:18} {'new' if name in motions else 'gone'}")
                continue
            apart = float(np.abs(before[name] - motions[name]).max())
            changed += apart > CLOSE
            print(f"{name:18} {'the same' if apart == 0 else f'{apart:.1e} apart'}")
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
