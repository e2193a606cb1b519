"""Muscles by name: groups, muscles of one side or both, strands; those exhausted by name."""

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.errors import InputError
from lactic.muscle.man.drive import MuscleDrive
from lactic.muscle.man.men import muscle_men
from lactic.muscle.man.musculature import musculature

MUSCLES = musculature()


def named(name: str) -> set[str]:
    return {MUSCLES.names[k] for k in MUSCLES.find(name)}


def test_names_mean_groups_muscles_and_strands():
    assert MUSCLES.find("right arm") == MUSCLES.groups["right arm"] == MUSCLES.find("right_arm")
    assert set(MUSCLES.find("legs")) == {*MUSCLES.groups["right leg"], *MUSCLES.groups["left leg"]}
    assert named("right soleus") == {"right_soleus_1", "right_soleus_2"}
    assert named("Soleus") == named("right soleus") | named("left_soleus")
    assert named("right_soleus_2") == {"right_soleus_2"}
    assert named("left vastus") == {n for n in MUSCLES.names if n.startswith("left_vastus_")}
    # toes have an extensor digitorum longus, which is another muscle
    assert named("extensor digitorum") == {"right_extensor_digitorum", "left_extensor_digitorum"}


def test_every_strand_is_of_one_muscle():
    strands = [k for held in MUSCLES.whole.values() for k in held]
    assert sorted(strands) == list(range(len(MUSCLES.names)))
    assert len(MUSCLES.whole["left gluteus maximus"]) == 5 and not any(name[-1].isdigit() for name in MUSCLES.whole)


def test_an_unknown_name_says_what_was_meant():
    with pytest.raises(InputError, match=r"no muscle or group 'solius'; did you mean .*soleus"):
        MUSCLES.find("solius")
    with pytest.raises(InputError, match="trunk, right arm"):
        MUSCLES.find("qqq")
    with pytest.raises(InputError, match="from 0 to 1"):
        MUSCLES.spent(["soleus"], 1.5)


def test_exhausted_muscles_are_those_named_and_recover_by_the_law():
    model = muscle_man().model
    data, drive = mujoco.MjData(model), MuscleDrive(model, fatigue.preset("feng2023"))
    drive.reset(data)
    drive.exhaust(["right soleus", "left arm"], 0.75)
    chosen = sorted({*MUSCLES.find("right soleus"), *MUSCLES.groups["left arm"]})
    others = np.delete(np.arange(len(MUSCLES.names)), chosen)
    assert np.array_equal(drive.state[chosen], np.tile([0.0, 0.25, 0.75], (len(chosen), 1)))
    assert np.array_equal(drive.state[others], np.tile([0.0, 1.0, 0.0], (len(others), 1)))
    drive.exhaust(["left arm"], 1.0)
    drive.step(data, np.full(len(MUSCLES.names), -0.5), 1)  # everything is asked for all it has
    arm = list(MUSCLES.groups["left arm"])
    assert (drive.state[arm, 0] == 0.0).all() and (drive.state[others, 0] > 0.1).all()
    drive.exhaust(["left arm"], 0.0)
    assert np.array_equal(drive.state[arm], np.tile([0.0, 1.0, 0.0], (len(arm), 1)))


def test_all_characters_of_a_world_are_exhausted():
    men = muscle_men(2, fatigue.preset("feng2023"))
    men.reset()
    men.exhaust(["trunk"], 0.5)
    assert np.allclose(men.fatigue[:, list(MUSCLES.groups["trunk"])], [0.0, 0.5, 0.5])
    assert np.allclose(men.fatigue[:, list(MUSCLES.find("legs"))], [0.0, 1.0, 0.0])
