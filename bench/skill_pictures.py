"""The small picture of each shipped character that the studio shows: `skill_pictures.py [NAME …]`."""

import sys

import numpy as np
from same import motion

from lactic import body as bodies
from lactic import fatigue
from lactic.brain import catalogue
from lactic.muscle.man.muscled import muscled
from lactic.picture.film import draw_strip
from lactic.picture.muscles import MuscleLook

SECONDS, FIGURES, HEIGHT = 2.5, 6, 110


def main(names: list[str]) -> None:
    """Play the first seconds of each and draw a few of its poses into `picture.png` of its folder."""
    for name in names or catalogue.names():
        folder, qpos = catalogue.find(name), motion(name, SECONDS)
        info, path = folder.load().info, folder.path / "picture.png"
        few = {"count": FIGURES, "labels": [""] * FIGURES, "height": HEIGHT}
        if info.moves_muscles:
            fresh = np.tile(fatigue.fresh((len(info.joints),)), (len(qpos), 1, 1))
            draw_strip(muscled(), qpos, info.control_rate, path, muscles=MuscleLook(fresh), **few)
        else:
            draw_strip(bodies.get(info.body), qpos, info.control_rate, path, **few)
        print(f"{name:18} {path.stat().st_size / 1024:5.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
