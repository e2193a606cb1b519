"""Whether shipped characters still move as they did: `same.py save FILE` before a change, `same.py compare FILE` after.

Each is played for ten seconds from a fixed seed. What differs by more than 1e-6 is named, and the exit code is 1.
"""

import sys

import numpy as np

from lactic.brain import catalogue
from lactic.play.player import Player
from lactic.play.programme import Programme
from lactic.play.start import start_states
from lactic.play.steer import pad_named
from lactic.play.steered import Steered, database_of, follows

SECONDS, SEED, CLOSE = 10.0, 7, 1e-6


def motion(name: str) -> np.ndarray:
    """The states (frame, nq) of a shipped character's first seconds."""
    folder = catalogue.find(name)
    player = Player(folder.load())
    if follows(player.info):
        frames = database_of(folder)
        steered = Steered(player, frames, pad_named("eight", frames, SEED))

        def step() -> None:
            steered.step()
    else:
        player.world.reset(None, *start_states(folder, player.body, 1, SEED))
        programme = Programme.read(folder.params(), player.info)

        def step() -> None:
            player.step(programme.at(player.second, player.fitness.time_scale))

    rows = []
    for _ in range(round(SECONDS * player.info.control_rate)):
        step()
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
