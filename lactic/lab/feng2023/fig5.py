"""Fig. 5: a walk, a run, a turn, a jump, a hop and a kick in a full turn, followed by muscles."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lactic.body import muscle_man
from lactic.lab.bench import Bench
from lactic.lab.feng2023.motions import Traced, chosen, followers, trace
from lactic.lab.report import Report
from lactic.picture.film import draw_strip
from lactic.picture.muscles import MuscleLook

TITLE = "motions followed by muscles"
SECONDS, SHOWN = 6.0, 7
"""Most of a clip that is followed, and figures in its strip."""


def make(bench: Bench, report: Report) -> None:
    """A strip of each motion, coloured by activation, and how well it was followed."""
    for folder, library in followers(bench, report):
        for kind, poses in chosen(library).items():
            long = min(SECONDS, (len(poses) - 1) / library.fps)
            found = trace(bench, folder, kind, poses, long)
            report.add(folder.name, kind, "followed_s", found.well / found.fps)
            report.add(folder.name, kind, "share_followed", found.well / len(found.error))
            if found.well:
                report.add(folder.name, kind, "body_error_m", float(found.error[: found.well].mean()))
            report.pictures[f"{folder.name}-{kind.replace(' ', '-')}"] = _strip(found)


def _strip(found: Traced) -> Callable[[Path], None]:
    frames = np.linspace(0, max(found.well - 1, 0), SHOWN).round().astype(int)

    def draw(path: Path) -> None:
        look = MuscleLook(found.state[frames], colour="activation", width="activation")
        draw_strip(muscle_man(), found.qpos[frames], found.fps, path, count=SHOWN, muscles=look)

    return draw
