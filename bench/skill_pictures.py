"""The small picture of each shipped character that the studio shows: `skill_pictures.py [NAME …]`."""

import sys

import numpy as np

from lactic.brain import catalogue
from lactic.picture.film import draw_strip
from lactic.play.driver import Driver
from lactic.play.job import drive
from lactic.play.player import Player, follows
from lactic.play.tracked import Tracked
from lactic.studio.followed import endless, walk

SECONDS, FIGURES, HEIGHT, SEED = 2.5, 6, 110, 7


def main(names: list[str]) -> None:
    """Play the first seconds of each and draw a few of its poses into `picture.png` of its folder."""
    for name in names or catalogue.names():
        folder = catalogue.find(name)
        player = Player(folder.load())
        driver: Driver
        if player.info.tracking is not None:
            driver = Tracked(player, endless(walk(), player.body, player.info.control_rate))
        else:
            driver = drive(folder, player, SEED, script="eight" if follows(player.info) else None, tired="tireless")
        rows = []
        for _ in range(round(SECONDS * player.info.control_rate)):
            rows.append(player.world.qpos[0].copy())
            driver.step()
        path = folder.path / "picture.png"
        draw_strip(
            player.body,
            np.array(rows),
            player.info.control_rate,
            path,
            count=FIGURES,
            labels=[""] * FIGURES,
            height=HEIGHT,
        )
        print(f"{name:18} {path.stat().st_size / 1024:5.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
