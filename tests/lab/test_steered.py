"""The items of bergamin2020 on made-up locomotion."""

import json

import numpy as np
import pytest
from footsteps import steps_database

from lactic.lab import job
from lactic.lab.bergamin2020 import search
from lactic.lab.bergamin2020.led import first_within
from lactic.lab.bergamin2020.path import drawn_path
from lactic.play.steer import over_a_step


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("lab") / "steps.npz"
    steps_database().save(path)
    return path


def rows(folder, item):
    return {
        (row["condition"], row["metric"]): row["value"]
        for row in json.loads((folder / f"{item}.json").read_text())["rows"]
        if row["subject"] != "steer"
    }


@pytest.mark.parametrize("item", ["turn", "reversal"])
def test_items_measure_and_draw(file, tmp_path, item):
    job.run("bergamin2020", item, tmp_path, episodes=8, database=file, say=lambda _: None)
    found = rows(tmp_path, item)
    assert (tmp_path / f"{item}.png").is_file()
    if item == "turn":
        assert 0.2 < found["walk", "rise_time"] < 1.2
        assert found["walk", "within_10_degrees_after_1s"] == 1
    else:
        assert found["before", "velocity"] < -2.5 and found["after", "velocity"] > 2.5
        assert 0.1 < found["run", "seconds_to_stop"] < found["run", "seconds_to_reverse"] < 2


def test_continuity_is_measured(file, tmp_path):
    job.run("bergamin2020", "continuity", tmp_path, episodes=2, database=file, say=lambda _: None)
    found = rows(tmp_path, "continuity")
    assert found["transition to a random frame", "place_jump"] < 1e-6
    assert found["transition to a random frame", "speed_jump"] < 1e-3
    assert found["locked contacts", "slide"] < 5 < found["locked contacts, without locks", "slide"]
    assert found["contacts of the clips", "slide"] < found["contacts of the clips, without locks", "slide"]
    assert found["artificial user", "largest_pop"] < 0.05
    assert 0.5 < found["artificial user", "locked_share"] <= 1


def test_searches_agree_and_are_timed(file, tmp_path, monkeypatch):
    monkeypatch.setattr(search, "QUERIES", 60)
    job.run("bergamin2020", "search", tmp_path, database=file, say=lambda _: None)
    found = rows(tmp_path, "search")
    assert found["on-path, 60 queries", "disagreements"] == found["random, 60 queries", "disagreements"] == 0
    assert found["on-path", "over_k_d_tree"] > 0 and (tmp_path / "search.png").is_file()


def test_the_path_is_kept_to(file, tmp_path):
    job.run("bergamin2020", "path", tmp_path, episodes=2, database=file, say=lambda _: None)
    found = rows(tmp_path, "path")
    assert found["walk", "arrived"] == 1
    # of a database with hardly any turns; captured ones keep within 0.4 m
    assert found["walk", "mean_from_path"] < found["walk", "farthest_from_path"] < 0.8


def test_without_a_database_the_shipped_one_is_played(tmp_path):
    job.run("bergamin2020", "turn", tmp_path, episodes=2, say=lambda _: None)
    found = {
        (row["subject"], row["condition"], row["metric"]): row["value"]
        for row in json.loads((tmp_path / "turn.json").read_text())["rows"]
    }
    for subject in ("kinematic", "steer"):
        assert 0.3 < found[subject, "walk", "rise_time"] < 1.2
    assert found["steer", "walk", "falls"] <= 1  # at one phase of a stride it trips after the turn


def test_measures_by_hand():
    apart = np.array([[9.0, 9.0, 1.0], [2.0, 9.0, 1.0], [5.0, 9.0, 1.0], [1.0, 9.0, 1.0]])
    np.testing.assert_allclose(first_within(apart, 3, 2.0), [1.5, np.nan, 0.0])
    np.testing.assert_allclose(over_a_step(np.full((20, 2), 3.0), 10.0), 3.0)
    assert over_a_step(np.arange(30.0), 10.0)[15] == pytest.approx(15)
    assert np.abs(np.diff(drawn_path(), axis=0)).max() < 3.1
