"""Motions of some kinds, each followed by one muscle man of a brain, and what its muscles did."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab.bench import Bench
from lactic.lab.feng2023.players import brains, ride
from lactic.lab.report import Report
from lactic.motion.man import ManLibrary
from lactic.muscle.man.musculature import musculature
from lactic.play.man import FollowingMan, MusclePlayer, library_of

KINDS = {
    "walk": "07_01",
    "run": "09_01",
    "turn": "16_17",
    "jump": "118_01",
    "hop": "83_40",
    "spin kick": "90_06",
}
"""What Fig. 5 shows, by clips of the lists that ship."""
LEG = ("gluteus_maximus", "rectus_femoris", "vastus", "biceps_femoris", "gastrocnemius", "soleus", "tibialis_anterior")
"""Main muscles of a leg, by the beginnings of their names."""


@dataclass(frozen=True)
class Traced:
    """What one character did, control step by control step."""

    fps: float
    qpos: np.ndarray
    state: np.ndarray
    """(frame, muscle, 3): MA, MR, MF."""
    error: np.ndarray
    """(frame,): how far its bodies are from the clip's, m."""
    well: int
    """Frames until it lost the clip."""


def followers(bench: Bench, report: Report) -> Iterator[tuple[BrainFolder, ManLibrary]]:
    """Brains that follow clips, each with its library; the report says what there is not."""
    for folder in brains(bench, report, "motion", "muscle-vae", "muscle-kick"):
        try:
            yield folder, library_of(folder, bench.clips)
        except InputError as error:
            report.skip(f"{folder.name}: {error}")


def chosen(library: ManLibrary, most: int = len(KINDS)) -> dict[str, np.ndarray]:
    """Poses of the clips of each kind that a library has; of one that has none of them, its first clips by name."""
    found = {kind: name for kind, name in KINDS.items() if name in library.names}
    names = found or {name: name for name in library.names}
    return {kind: library.poses(library.names.index(name)) for kind, name in list(names.items())[:most]}


def trace(
    bench: Bench, folder: BrainFolder, title: str, poses: np.ndarray, seconds: float, fitness: Fitness | None = None
) -> Traced:
    """Follow a clip once, or again and again for so long, until it is lost."""
    player = MusclePlayer(folder.load(), fitness, threads=bench.threads)
    driver = FollowingMan(player, poses)
    rows: list[tuple[np.ndarray, np.ndarray, float, bool]] = []

    def look(_: int) -> None:
        down = bool(driver.fallen()[0])
        rows.append((player.world.qpos[0].copy(), player.fatigue[0].copy(), float(driver.error()[0]), down))
        driver.frame[driver.finished] = driver.first[driver.finished]

    made = ride(bench, f"{folder.name}, {title}", driver, seconds, look=look)
    qpos, state, error, down = (np.array(column) for column in zip(*rows, strict=True))
    return Traced(made.fps, qpos, state, error, int(down.argmax()) if down.any() else len(down))


def muscles_of(beginning: str, side: str = "right") -> np.ndarray:
    """Numbers of the strands of a side whose names begin so."""
    return np.array([k for k, name in enumerate(musculature().names) if name.startswith(f"{side}_{beginning}")])


def by_force(values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Means over some muscles (…, muscle), weighed by their largest force."""
    return np.average(values[..., which], axis=-1, weights=musculature().strands.force[which])


def legs() -> np.ndarray:
    """Numbers of all leg muscles."""
    groups = musculature().groups
    return np.array([k for name, members in groups.items() if name.endswith("leg") for k in members])
