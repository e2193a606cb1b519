"""Muscles by name: groups, muscles of one side or both, strands; those exhausted by name."""

import numpy as np
import pytest

from lactic import fatigue
from lactic.errors import InputError
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
    man = muscle_men(1, fatigue.preset("feng2023"))
    state = man.fatigue[0]
    man.exhaust(["right soleus", "left arm"], 0.75)
    chosen = sorted({*MUSCLES.find("right soleus"), *MUSCLES.groups["left arm"]})
    others = np.delete(np.arange(len(MUSCLES.names)), chosen)
    assert np.array_equal(state[chosen], np.tile([0.0, 0.25, 0.75], (len(chosen), 1)))
    assert np.array_equal(state[others], np.tile([0.0, 1.0, 0.0], (len(others), 1)))
    man.exhaust(["left arm"], 1.0)
    man.step(np.full((1, len(MUSCLES.names)), -0.5))  # everything is asked for all it has
    arm = list(MUSCLES.groups["left arm"])
    assert (state[arm, 0] < 0.05).all() and (state[others, 0] > 0.1).all()
    man.exhaust(["left arm"], 0.0)
    assert np.array_equal(state[arm], np.tile([0.0, 1.0, 0.0], (len(arm), 1)))


def test_all_characters_of_a_world_are_exhausted():
    men = muscle_men(2, fatigue.preset("feng2023"))
    men.reset()
    men.exhaust(["trunk"], 0.5)
    assert np.allclose(men.fatigue[:, list(MUSCLES.groups["trunk"])], [0.0, 0.5, 0.5])
    assert np.allclose(men.fatigue[:, list(MUSCLES.find("legs"))], [0.0, 1.0, 0.0])
