"""The small picture of each shipped character that the studio shows: `skill_pictures.py [NAME …]`."""

import sys

from same import motion

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.picture.film import draw_strip

SECONDS, FIGURES, HEIGHT = 2.5, 6, 110


def main(names: list[str]) -> None:
    """Play the first seconds of each and draw a few of its poses into `picture.png` of its folder."""
    for name in names or catalogue.names():
        folder, qpos = catalogue.find(name), motion(name, SECONDS)
        info, path = folder.load().info, folder.path / "picture.png"
        few = {"count": FIGURES, "labels": [""] * FIGURES, "height": HEIGHT}
        draw_strip(bodies.get(info.body), qpos, info.control_rate, path, **few)
        print(f"{name:18} {path.stat().st_size / 1024:5.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
