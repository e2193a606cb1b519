"""The muscle man in real Chromium, by a person's actions; skipped where Chromium or selenium is absent."""

import numpy as np
import pytest
from browser import Page, wait

from lactic.muscle.man.musculature import musculature
from lactic.studio.server import Studio


@pytest.fixture(scope="module")
def studio():
    studio = Studio("hold-arms", port=0)
    studio.start()
    yield studio
    studio.close()


def test_a_muscle_is_exhausted_named_and_drawn(studio: Studio, window: Page):
    engine, deltoid = studio.engine, list(musculature().find("left deltoid"))
    window.choose("Skill", "muscle-arms")
    wait(lambda: engine.skill.name == "muscle-arms" and engine.frame > 3, "the muscle man")
    wait(lambda: "supraspinatus" in window.driver.page_source, "a muscle's name in the list of the most tired")
    window.choose("Region", "left deltoid")
    wait(lambda: studio.panels.body.region.value == "left deltoid", "the region")
    window.press("Exhaust")
    wait(lambda: engine.cast[0].player.fatigue[0, deltoid, 2].min() > 0.8, "the exhaustion")
    wait(lambda: window.read("[data-joint='left deltoid']") in map("{} %".format, range(8, 20)), "its number")
    tubes = studio.stage.views[0].muscles.tubes
    wait(lambda: (tubes.batched_colors[:, 1] < 60).any(), "the red")
    window.choose("Colour by", "activation")
    wait(lambda: studio.stage.look == ("activation", "activation"), "the switch")
    wait(lambda: "activation 0 %" in " ".join(window.read("body").split()), "the legend")
    window.type("F", "0.3")
    wait(lambda: engine.cast[0].player.men.rates[0, 0] == np.float64(0.3), "the muscles' own rate")
