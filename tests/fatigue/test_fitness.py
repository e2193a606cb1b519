"""Fitness: presets with their sources, whole bodies, time scale, bad values."""

import dataclasses
import json

import numpy as np
import pytest

from lactic.errors import InputError
from lactic.fatigue import DEFAULT, PRESETS, QUICK, Fitness, fitness_rows, preset, rates, track

GROUPS = ("abdomen", "neck", "shoulder", "elbow", "hip", "knee", "ankle")


@pytest.mark.parametrize(
    "name, F, R, r, L",
    [
        ("frey-law-ankle", 0.00589, 0.00058, 15, 10),
        ("frey-law-knee", 0.015, 0.00149, 15, 10),
        ("frey-law-trunk", 0.00755, 0.00075, 1, 10),
        ("frey-law-shoulder", 0.0182, 0.00168, 15, 10),
        ("frey-law-elbow", 0.00912, 0.00094, 15, 10),
        ("frey-law-grip", 0.0098, 0.00064, 30, 10),
        ("frey-law-general", 0.0097, 0.00091, 15, 10),
        ("off", 0, 0, 0, 10),
        ("cheema2023", 1, 0.01, 1, 10),
        ("cheema2023-kick", 2, 0.05, 1, 10),
        ("cheema2023-cartwheel", 3, 0.02, 1, 10),
        ("cheema2023-backflip-moderate", 1, 0.06, 1, 10),
        ("cheema2023-backflip-high", 2, 0.07, 1, 10),
        ("feng2023", 0.01, 0.002, 2, 50),
        ("feng2023-arms", 0.1, 0.005, 2, 50),
        ("tired-actor", 2, 0.05, 1, 10),
        ("myosuite-2.4", 0.00912, 0.000094, 150, 10),
        ("user-in-the-box", 0.0146, 0.0022, 7.5, 10),
    ],
)
def test_published_values(name, F, R, r, L):
    found = rates(preset(name), ["shoulder", "knee"])
    assert found[:, :4] == pytest.approx(np.array([[F, R, r, L]] * 2))
    # the r of people was fitted to work with pauses; the animation papers let it count while the load is met
    assert np.all(found[:, 4] == (1.0 if name.startswith("frey-law") else 0.0))


def test_a_person_thirty_and_a_hundred_times_as_fast():
    assert next(iter(PRESETS)) == DEFAULT.name == "human-30" and QUICK.name == "human-100"
    human = rates(preset("human"), GROUPS)
    for name, times in (("human-30", 30.0), ("human-100", 100.0)):
        assert rates(preset(name), GROUPS) == pytest.approx(human * [times, times, 1.0, times, 1.0])
    assert np.all(human[:, 4] == 1.0)
    with pytest.raises(InputError, match="rule 'never' must be held or rest"):
        Fitness("mine", 1.0, 0.1, rule="never")


def test_every_preset_says_where_it_comes_from():
    for name, fitness in PRESETS.items():
        assert name == fitness.name == name.lower() and " " not in name and "_" not in name
        assert len(fitness.source) > 10


def test_a_human_tires_joint_by_joint():
    rows = dict(zip(GROUPS, rates(preset("human"), GROUPS), strict=True))
    for group, row in [("abdomen", "trunk"), ("neck", "trunk"), ("shoulder", "shoulder"), ("elbow", "elbow")]:
        assert np.array_equal(rows[group], rates(preset(f"frey-law-{row}"), ["any"])[0])
    for group, row in [("hip", "general"), ("knee", "knee"), ("ankle", "ankle"), ("tail", "general")]:
        assert np.array_equal(rates(preset("human"), [group]), rates(preset(f"frey-law-{row}"), ["any"]))
    assert rates(preset("human"), []).shape == (0, 5)


def test_time_scale_plays_the_same_curve_faster():
    human = preset("human")
    loads = np.random.default_rng(0).uniform(0, 1, (300, len(GROUPS)))
    slow = track(loads, rates(human, GROUPS), 2.0)
    fast = track(loads, rates(human.altered(time_scale=20.0), GROUPS), 0.1)
    assert fast == pytest.approx(slow, abs=1e-12)
    assert slow[-1, :, 2].max() > 0.3


def test_altered_values_reach_every_joint():
    altered = preset("human").altered(F=0.5, R=None, time_scale=2.0)
    table = rates(altered, GROUPS)
    assert np.all(table[:, 0] == 1.0)
    assert np.array_equal(table[:, 1], 2 * rates(preset("human"), GROUPS)[:, 1])
    assert altered.source == f"{preset('human').source}; with F = 0.5, time_scale = 2"
    again = altered.altered(F=0.25).altered(r=3.0)
    assert again.source == f"{preset('human').source}; with F = 0.25, time_scale = 2, r = 3"
    assert preset("human").altered(F=None) is preset("human")
    with pytest.raises(InputError, match="R is -1"):
        preset("human").altered(R=-1.0)


@pytest.mark.parametrize("option", ["F", "R", "r", "L", "time_scale"])
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), -float("inf")])
def test_bad_values_name_the_option(option, value):
    with pytest.raises(InputError, match=f"fitness mine: {option} is"):
        dataclasses.replace(Fitness("mine", 1.0, 0.1), **{option: value})


def test_values_that_would_stop_or_overflow_the_law():
    for option in ("L", "time_scale"):
        with pytest.raises(InputError, match=f"{option} is 0.*above 0"):
            dataclasses.replace(Fitness("mine", 1.0, 0.1), **{option: 0.0})
    for option in ("L", "time_scale"):  # which would be 0 in float32
        with pytest.raises(InputError, match="L times time_scale is too small"):
            dataclasses.replace(Fitness("mine", 1.0, 0.1), **{option: 1e-60})
    with pytest.raises(InputError, match="F times time_scale"):
        Fitness("mine", 1e300, 0.1, time_scale=1e300)


def test_unknown_preset_suggests_one():
    with pytest.raises(InputError, match=r"'cheema23' is unknown: did you mean cheema2023\?"):
        preset("cheema23")
    with pytest.raises(InputError, match="choose one of human-30, human-100, human, frey-law-ankle"):
        preset("xyzzy")


def test_listing_is_plain_json():
    rows = {row["name"]: row for row in json.loads(json.dumps(fitness_rows(), allow_nan=False))}
    assert list(rows) == list(PRESETS)
    shoulder = rows["frey-law-shoulder"]
    assert {key: shoulder[key] for key in ("F", "R", "r", "L")} == {"F": 0.0182, "R": 0.00168, "r": 15, "L": 10}
    assert shoulder["source"].startswith("F, R: Frey-Law")
    assert [shoulder[f"endurance_{percent}"] for percent in (20, 50, 80)] == pytest.approx([275, 57.9, 14.0], rel=3e-3)
    assert rows["off"]["endurance_50"] is None
    assert rows["human"]["joints"]["knee"] == "frey-law-knee" and shoulder["joints"] is None
