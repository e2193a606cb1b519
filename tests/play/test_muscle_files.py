"""The files of a run of the muscle man: they agree with each other and with what was simulated."""

import json

import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.muscle.man.musculature import musculature
from lactic.picture.recording import Recording
from lactic.play.muscle_files import write_muscles
from lactic.play.summary import tired_muscles


def test_files_name_the_muscles_that_tired(tmp_path):
    muscles, fitness = musculature(), fatigue.preset("feng2023")
    state = np.tile(fatigue.fresh((len(muscles.names),)), (3, 1, 1))
    first, second = muscles.whole["left soleus"]
    state[-1, first] = 0.1, 0.0, 0.9
    state[-1, list(muscles.find("right psoas minor"))] = 0.0, 0.6, 0.4
    record = Recording.of_muscles("made up", 20.0, np.stack([muscle_man().model.qpos0] * 3), state)
    write_muscles(record, fitness, tmp_path / "out")
    facts = json.loads((tmp_path / "out" / "summary.json").read_text())
    force = muscles.strands.force
    soleus = 0.9 * force[first] / (force[first] + force[second])  # strands count by their force
    found = {row["muscle"]: row["MF"] for row in facts["most_tired_muscles"][:3]}
    assert found.pop("left soleus") == pytest.approx(soleus) and found.pop("right psoas minor") == pytest.approx(0.4)
    assert list(found.values()) == [0.0] and facts["capacity_min"] == pytest.approx(0.1)
    assert all(row["MF"] == 0.0 for row in tired_muscles(record, frame=0))
    back = Recording.load_file(tmp_path / "out" / "recording.npz")
    rows = np.loadtxt(tmp_path / "out" / "fatigue.csv", delimiter=",", skiprows=1)
    assert np.allclose(rows[:, 1:], back.muscle_fatigue.reshape(3, -1))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "recording.npz",
        "fatigue.csv",
        "summary.json",
        "film.png",
    }
