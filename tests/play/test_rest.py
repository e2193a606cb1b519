"""Who is tired and stands, held by springs: it carries next to nothing, whatever its policy does; a blow wakes it."""

import numpy as np
import pytest
import torch
from footsteps import steps_database

from lactic import fatigue
from lactic.brain.export import export
from lactic.brain.file import BrainFile, BrainInfo
from lactic.brain.module import Brain
from lactic.learn.networks import Actor
from lactic.play.player import Player
from lactic.play.steered_follower import SteeredFollower
from lactic.task.settings import FatigueSettings
from lactic.task.steering.settings import SteerSettings, SteerTaskSettings
from lactic.task.steering.task import Steer

SETTINGS = SteerTaskSettings(
    strength="cheema2023",
    fatigue=FatigueSettings(mode="limits", beta=False),
    steer=SteerSettings(stiffness=8.0),
)
RESTLESS = 0.005
"""Radians that its policy shifts every joint by, whatever it sees."""


@pytest.fixture(scope="module")
def brain(tmp_path_factory) -> BrainFile:
    body, path = Steer.own_body(SETTINGS), tmp_path_factory.mktemp("rest") / "brain.onnx"
    observer, action = Steer.parts(body, SETTINGS)
    actor = Actor(observer, action, (8,))
    with torch.no_grad():
        actor.network[-1].weight.zero_()
        actor.network[-1].bias.fill_(RESTLESS)
    info = BrainInfo(
        "steer",
        "humanoid",
        body.joints,
        30.0,
        120.0,
        tuple(body.stiffness),
        tuple(body.damping),
        tuple(body.torque_limit),
        "cheema2023",
        ((1.0, 0.01, 1.0, 10.0, 0.0),) * 28,
        "intended",
        command=observer.command_size,
        asks="reference",
        **observer.about,
    )
    export(Brain(body, actor.eval(), load="intended"), info, path)
    return BrainFile(path)


def tired(brain: BrainFile, spent: float = 0.5, fitness: str = "cheema2023") -> SteeredFollower:
    """Two characters that are asked for nothing, put onto their kinematic ones once those stand quietly."""
    player = Player(brain, fatigue.preset(fitness), 2)
    player.exhaust(player.info.joints, spent)
    crowd = SteeredFollower(player, steps_database(), lambda second, roots: np.zeros((2, 6)), "with a reserve")
    for _ in range(60):
        crowd.go_on()
    crowd.reset(np.ones(2, bool))
    return crowd


def carried(crowd: SteeredFollower) -> float:
    """Largest activation of a joint, as a share of its strength."""
    return float(crowd.player.fatigue[..., 0].max())


def test_who_rests_carries_next_to_nothing_and_recovers(brain):
    crowd = tired(brain)
    assert crowd.kinematic.quiet.all() and (crowd.rest.share == 1).all()
    for _ in range(30 * 10):
        crowd.step()
    assert not crowd.fallen().any() and (crowd.rest.share == 1).all()
    assert carried(crowd) < 0.002
    assert crowd.player.fatigue[..., 2].max() < 0.5 * np.exp(-0.07)  # R is 0.01 a second, less what is carried
    np.testing.assert_allclose(crowd.player.outputs["targets"], crowd.rest.goal, atol=1e-5)


def test_it_comes_to_rest_when_it_is_calm_not_before(brain):
    crowd = tired(brain)
    crowd.rest.wake(np.array([True, False]))
    shares = []
    for _ in range(60):
        crowd.step()
        shares.append(crowd.rest.share.copy())
    mine, other = np.array(shares).T
    assert (mine[:8] == 0).all() and mine[-1] == 1 and (np.diff(mine) >= 0).all() and np.diff(mine).max() < 0.05
    assert (other == 1).all() and not crowd.fallen().any()


def test_a_blow_wakes_it_and_the_policy_acts_again(brain):
    crowd = tired(brain)
    crowd.step()
    assert crowd.command[:, -1].tolist() == [1, 1]
    crowd.player.world.push[0, 0, :3] = (3000.0, 0, 0)
    crowd.step()
    crowd.player.world.push[:] = 0.0
    crowd.step()
    assert crowd.rest.share.tolist() == [0, 1] and crowd.command[:, -1].tolist() == [0, 1]
    assert np.abs(crowd.offsets[0, crowd.places]).min() > 0.1 * RESTLESS and np.abs(crowd.offsets[1]).max() < 1e-5


def test_who_is_put_upright_where_its_kinematic_character_looks(brain):
    crowd = tired(brain, spent=0.99)
    world = crowd.player.world
    lying = np.array(world.qpos)
    lying[:, 2] = 0.2
    world.reset(np.ones(2, bool), lying, np.array(world.qvel))
    assert crowd.player.fatigue[..., 2].min() > 0.98
    crowd.reset(np.array([True, False]))
    np.testing.assert_allclose(world.qpos[0, 2:], crowd.rest.stances.ideal[2:], atol=1e-6)
    assert world.qpos[1, 2] == pytest.approx(0.2) and crowd.rest.share.tolist() == [1, 1]
    for _ in range(90):
        crowd.step()
    assert not crowd.fallen()[0]  # one percent of its strength is enough to stand as it does


def stand_wide(crowd: SteeredFollower) -> np.ndarray:
    """Let the first character stand too wide, and begin to move its feet; the pose it stands in."""
    wide, world = crowd.rest.stances.ideal.copy(), crowd.player.world
    for side, by in (("left", 0.1), ("right", -0.1)):
        for joint, sign in (("hip_x", 1), ("ankle_x", -1)):
            wide[7 + crowd.player.info.joints.index(f"{side}_{joint}")] += sign * by
    wide[2] -= 0.9 * (1 - np.cos(0.1))
    both = np.array(world.qpos)
    both[0, 2:] = wide[2:]
    world.reset(np.array([True, False]), both, 0 * np.array(world.qvel))
    crowd.rest.wake(np.array([True, True]))
    crowd.rest.calm[:] = 1.0
    crowd.rest.step(crowd.kinematic.quiet, crowd.asked)
    return wide


def test_who_stands_too_wide_moves_its_feet_first(brain):
    crowd = tired(brain)
    wide = stand_wide(crowd)
    assert np.abs(crowd.rest.stances.least(wide) / crowd.player.info.torque_limit).max() > 0.015
    assert crowd.rest.shuffling[0] > 0.7 and crowd.rest.shuffling[1] == 0
    assert (crowd.rest.share > 0).tolist() == [False, True]
    crowd.go_on()
    asked = np.linalg.norm(crowd.kinematic.state.goal[:, :2], axis=1)
    assert 0.3 < asked[0] < 0.6 and asked[1] == 0 and crowd.kinematic.quiet.tolist() == [False, True]
    for _ in range(2):  # if that does not help, it rests as it stands
        crowd.rest.calm[0] = 1.0
        crowd.rest.step(np.ones(2, bool), crowd.asked)
    assert crowd.rest.share[0] > 0


def test_a_person_who_steers_it_is_obeyed_while_it_moves_its_feet(brain):
    crowd = tired(brain)
    stand_wide(crowd)
    crowd.pad = lambda second, roots: np.tile([-1.0, 0, 0, 0, 0, 0], (2, 1))
    crowd.go_on()
    assert (crowd.kinematic.state.goal[:, 0] < 0).all()  # both are led back, not the first one onwards
    crowd.rest.step(crowd.kinematic.quiet, crowd.asked)
    assert not crowd.rest.shuffling.any() and not crowd.rest.tries.any()  # when it stops it may try as often again


def test_who_is_put_back_onto_its_feet_starts_as_new(brain):
    crowd = tired(brain)
    stand_wide(crowd)
    crowd.reset(np.ones(2, bool))
    crowd.go_on()
    assert not crowd.kinematic.state.goal[:, :2].any() and not crowd.rest.tries.any()


def test_who_never_tires_never_rests(brain):
    crowd = tired(brain, fitness="off")
    for _ in range(30):
        crowd.step()
    assert not crowd.rest.share.any() and not crowd.command[:, -1].any()
