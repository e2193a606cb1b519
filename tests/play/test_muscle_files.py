"""The files of a run of the muscle man: they agree with each other and with what was simulated."""

import json

import numpy as np
import pytest

from lactic import fatigue
from lactic.files import output_folder
from lactic.muscle.man.muscled import muscled
from lactic.muscle.man.musculature import musculature
from lactic.picture.recording import Recording
from lactic.play.job import write
from lactic.play.summary import tired_muscles


def test_files_name_the_muscles_that_tired(tmp_path):
    muscles, fitness = musculature(), fatigue.preset("feng2023")
    state = np.tile(fatigue.fresh((len(muscles.names),)), (3, 1, 1))
    first, second = muscles.whole["left soleus"]
    state[-1, first] = 0.1, 0.0, 0.9
    state[-1, list(muscles.find("right psoas minor"))] = 0.0, 0.6, 0.4
    body, pulled = muscled(), np.full((3, len(muscles.names)), 2.0)
    about = "made up", body.name, body.joints, 20.0
    qpos = np.stack([body.model.qpos0] * 3)
    record = Recording(*about, np.arange(3) / 20, qpos, state, state[..., 0], pulled, 7 * pulled)
    write(record, body, fitness, output_folder(tmp_path / "out"), {"told": "so"})
    facts = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert facts["told"] == "so" and facts["failures"] == []
    force = muscles.strands.force
    soleus = 0.9 * force[first] / (force[first] + force[second])  # strands count by their force
    found = {row["muscle"]: row["MF"] for row in facts["most_tired_muscles"][:3]}
    assert found.pop("left soleus") == pytest.approx(soleus) and found.pop("right psoas minor") == pytest.approx(0.4)
    assert list(found.values()) == [0.0] and facts["capacity_min"] == pytest.approx(0.1)
    assert all(row["MF"] == 0.0 for row in tired_muscles(record, frame=0))
    back = Recording.load_file(tmp_path / "out" / "recording.npz")
    rows = np.loadtxt(tmp_path / "out" / "fatigue.csv", delimiter=",", skiprows=1)
    row = np.concatenate([back.fatigue, back.load[..., None], np.full((3, len(muscles.names), 2), (2.0, 14.0))], 2)
    assert back.joints == muscles.names and np.allclose(rows[:, 1:], row.reshape(3, -1))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "recording.npz",
        "fatigue.csv",
        "summary.json",
        "film.png",
        "fatigue.png",
        "motion.bvh",
    }
