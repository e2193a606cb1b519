"""What the studio says in words is what the law computes."""

import numpy as np
import pytest

from lactic import fatigue
from lactic.body import humanoid
from lactic.picture.plots import spoken
from lactic.studio.labels import duration, fitness_name, meaning, name_of, preset_entry
from lactic.studio.limbs import limbs
from lactic.studio.readings import health, plain


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.84, "0.8 s"),
        (9.97, "10 s"),
        (58.2, "58 s"),
        (130, "2 min 10 s"),
        (180, "3 min"),
        (7300, "2.0 h"),
        (float("inf"), "for ever"),
    ],
)
def test_durations_as_people_say_them(seconds: float, said: str):
    assert duration(seconds) == said


def test_meaning_is_endurance_time_and_limit():
    assert meaning(fatigue.preset("frey-law-shoulder")).startswith("Holds half its strength for 58 s; 8 % for ever.")
    shoulder = fatigue.preset("frey-law-shoulder")
    assert round(float(fatigue.endurance_time(shoulder.F, shoulder.R, 0.5, shoulder.L))) == 58
    assert meaning(shoulder.altered(R=0.0035)).split(";")[1].startswith(" 16 % for ever")
    assert meaning(fatigue.preset("off")) == "Never tires."
    assert "never comes back" in meaning(shoulder.altered(R=0.0))


def test_a_body_of_many_rates_has_a_range():
    said = meaning(fatigue.preset("human").altered(time_scale=20))
    assert said.startswith("Holds half its strength for 2.9 to 8.9 s; 6 to 9 % for ever, joint by joint.")


def test_names_people_read():
    assert spoken("left_shoulder_x") == "left shoulder (x axis)" and spoken("right_knee") == "right knee"
    assert fitness_name(fatigue.preset("human").altered(time_scale=20)) == "human ×20"
    assert fitness_name(fatigue.preset("human-30")) == "human-30"
    assert fitness_name(fatigue.preset("human"), tires=False) == "does not tire"


def test_nothing_of_a_name_becomes_markup():
    assert "<img" not in health([("<img src=x onerror=alert(1)>", "", 0.5)])
    assert plain("<b>[x](javascript:y)") == "&lt;b&gt;\\[x\\]\\(javascript:y\\)"


def test_limbs_are_closed_surfaces_around_the_bodies_shapes():
    body = humanoid()
    for name, limb in zip(body.bodies, limbs(body), strict=True):
        edges = np.concatenate([limb.faces[:, [0, 1]], limb.faces[:, [1, 2]], limb.faces[:, [2, 0]]])
        forth, back = (set(map(tuple, e)) for e in (edges, edges[:, ::-1]))
        assert len(forth) == len(edges) and forth == back, name  # each edge once in either direction
        a, b, c = (limb.vertices[limb.faces[:, k]].astype(float) for k in range(3))
        volume = np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6
        assert 2e-4 < volume < 0.04, name  # m³, and facing outwards
    foot = limbs(body)[body.bodies.index("left_foot")]
    assert foot.vertices[:, 2].min() == pytest.approx(-0.068, abs=0.005)  # the sole


def test_every_preset_is_listed_with_what_it_is_and_its_rule():
    for name, fitness in fatigue.PRESETS.items():
        entry = preset_entry(name)
        assert name_of(entry) == name and fitness.about in entry and len(fitness.about) > 5
        assert (fatigue.RULE_SAYS[fitness.rule] in entry) == (fitness.r not in (0, 1))
