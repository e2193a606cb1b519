"""What `lactic play` does differently for the muscle man."""

from pathlib import Path

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.motion.man import ManLibrary
from lactic.play.driver import Asked, Driver
from lactic.play.fall import FallRule
from lactic.play.man.drivers import FollowingMan, Sampling, library_of
from lactic.play.man.player import MusclePlayer
from lactic.play.programme import Programme
from lactic.play.start import stored_states
from lactic.play.velocity import asking, takes_velocity

DISTURBANCE = 0.02  # rad/s and m/s; no two characters begin quite alike


def states(folder: BrainFolder, player: MusclePlayer, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """States (character, …) drawn from the folder's starts.npz, at the origin, or the rest pose; slightly disturbed."""
    count, stored, rng = player.world.count, stored_states(folder, player.body), np.random.default_rng(seed)
    noise = rng.normal(0.0, DISTURBANCE, (count, player.body.model.nv))
    if stored is None:
        return np.tile(player.body.rest, (count, 1)), noise
    chosen = rng.integers(len(stored[0]), size=count)
    qpos = stored[0][chosen]
    qpos[:, :2] = 0.0
    return qpos, stored[1][chosen] + noise


def named(library: ManLibrary, clip: str) -> np.ndarray:
    """Poses (frame, nq) of the clip of that name."""
    if clip not in library.names:
        near = [name for name in library.names if name.startswith(clip[:3])] or list(library.names)
        raise InputError(f"clip '{clip}': not in the library; it has: {', '.join(near[:10])} …")
    return library.poses(library.names.index(clip))


def drive_man(
    folder: BrainFolder,
    player: MusclePlayer,
    seed: int = 0,
    *,
    speed: float | None = None,
    script: str | None = None,
    clip: str | None = None,
    library: Path | None = None,
) -> Driver:
    """What drives the muscle man: a clip, a speed or a script's sticks; else its programme, or samples of its prior."""
    info = player.info
    if clip is not None:
        if speed is not None or script is not None:
            raise InputError(f"clip {clip}: speed and script are for characters that go where they are told; give one")
        return FollowingMan(player, named(library_of(folder, library), clip))
    if library is not None:
        raise InputError("library: name the clip of it to follow")
    start, rule = states(folder, player, seed), FallRule.of(folder, player.body)
    if info.asks == "motion":
        if speed is not None or script is not None:
            raise InputError(f"{folder.name}: follows clips, and cannot be told a speed; name a clip")
        return Sampling(player, start, rule, seed)
    if script is not None and not takes_velocity(info):
        raise InputError("script: this character cannot be steered")
    return Asked(player, asking(player, Programme.read(folder.params(), info), speed, script, seed), rule, start)
