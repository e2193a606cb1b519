"""The shipped muscle man that holds its arms: its player moves as the lab's simulation of the same muscles."""

import json

import numpy as np

from lactic import fatigue
from lactic.brain import catalogue
from lactic.lab.feng2023.hold import RATE, hold_arms
from lactic.muscle.man.musculature import musculature
from lactic.play.driver import Asked
from lactic.play.job import PlayOptions, play
from lactic.play.man import MusclePlayer


def test_it_moves_as_the_lab_has_it():
    quick = fatigue.preset("feng2023-arms").altered(time_scale=30.0)
    meant = hold_arms(quick, held=1.5, rested=1.0, again=0.0)
    player = MusclePlayer(catalogue.find("muscle-arms").load(), quick)
    start = player.body.rest[None], np.zeros((1, player.body.model.nv))
    driver = Asked(player, lambda: np.array([float(player.second < 1.5 - 1e-9)]), start=start)
    for k in range(len(meant.qpos)):
        driver.step()
        assert np.abs(player.world.qpos[0] - meant.qpos[k]).max() < 1e-4, k
    assert np.allclose(player.fatigue[0], meant.state[-1], atol=1e-4) and k == round(2.5 * RATE) - 1
    assert meant.state[-1, :, 2].max() > 0.3 and meant.drop[-1] > 0.1 > abs(meant.drop[5])  # something to compare
    assert not driver.fallen()[0]


def test_it_is_played_as_any_other(tmp_path):
    said = play("muscle-arms", tmp_path, PlayOptions(seconds=1.0, time_scale=60.0, film=False))
    assert said == json.loads((tmp_path / "summary.json").read_text()) and said["frames"] == 20
    (most,) = musculature().find(said["most_tired"][0]["joint"])
    assert most not in musculature().find("legs") and said["capacity_min"] < 0.7
    assert {path.name for path in tmp_path.iterdir()} >= {"motion.bvh", "film.png", "fatigue.csv", "recording.npz"}
