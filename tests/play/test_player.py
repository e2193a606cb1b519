"""Playing a brain: in its own body and in others."""

import numpy as np
import pytest

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.play.player import Player

LARGE = "person-1.90-102"


@pytest.mark.parametrize("name", ["pace", "kick"])
def test_a_larger_body_has_gains_and_limits_as_much_larger(name):
    brain = catalogue.find(name).load()
    own, large = Player(brain), Player(brain, body=LARGE)
    scale = 102 * 1.9 / (73 * 1.741)
    assert own.scale == 1.0 and large.scale == pytest.approx(scale, rel=1e-3)
    assert own.body.torque_limit == pytest.approx(np.array(brain.info.torque_limit))
    assert large.body.torque_limit == pytest.approx(large.scale * np.array(brain.info.torque_limit))
    # the same state, so that the policy does the same in both
    large.world.reset(None, own.world.qpos, own.world.qvel)
    for player in (own, large):
        player.seen[:] = [(held, seen) for held, seen in player.seen if held is not player.feed["xpos"]]
        player.feed["xpos"][:] = own.world.xpos
    first, second = (player.think(np.zeros(brain.info.command)) for player in (own, large))
    assert second["targets"] == pytest.approx(first["targets"], abs=1e-5)
    for part in ("stiffness", "damping", "limits"):
        assert second[part] == pytest.approx(large.scale * first[part], rel=1e-4)


def test_a_larger_body_tires_as_the_own_one_where_its_torques_are_as_much_larger():
    brain = catalogue.find("pace").load()
    assert brain.info.load == "applied"
    loads = []
    for body in (None, LARGE):
        player = Player(brain, body=body)
        player.world.torque[:] = 0.25 * player.scale * np.array(brain.info.torque_limit)
        loads.append(player.think(np.zeros(2))["load"].copy())
    assert loads[0] == pytest.approx(0.25, rel=1e-5) and loads[1] == pytest.approx(0.25, rel=1e-5)


def test_stronger_joints_bear_less_load_and_have_higher_limits_but_the_same_gains():
    brain = catalogue.find("pace").load()
    strong = np.linspace(1.0, 3.0, len(brain.info.joints))
    own, other = Player(brain), Player(brain, strong=strong)
    for player in (own, other):
        player.world.torque[:] = 0.25 * np.array(brain.info.torque_limit)
    first, second = ({k: v.copy() for k, v in player.think(np.zeros(2)).items()} for player in (own, other))
    assert second["load"][0] == pytest.approx(first["load"][0] / strong, rel=1e-4)
    assert second["limits"][0] / (1.0 - second["fatigue_next"][0, :, 2]) == pytest.approx(
        strong * np.array(brain.info.torque_limit), rel=1e-4
    )
    assert second["stiffness"] == pytest.approx(first["stiffness"], rel=1e-4)
    assert other.body.torque_limit == pytest.approx(strong * own.body.torque_limit, rel=1e-6)


def test_the_load_is_the_torque_of_the_control_step_before():
    brain = catalogue.find("pace").load()
    player = Player(brain)
    assert not player.step(np.array([2.0, 0.0]))["load"].any()  # nothing was given yet
    for _ in range(5):
        given = np.abs(player.world.torque) / np.array(brain.info.torque_limit)
        load = player.step(np.array([2.0, 0.0]))["load"]
        assert load == pytest.approx(np.where(given < 1e-3, 0.0, given), abs=1e-5)
    assert load.max() > 0.05


def test_muscles_in_a_larger_body_know_its_fresh_strength():
    brain = catalogue.find("pace").load()
    player = Player(brain, body=LARGE, strength="judge")
    assert player.muscles.fresh == pytest.approx(player.body.torque_limit)
    assert bodies.get(LARGE).scale == player.scale
