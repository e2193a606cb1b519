"""The host of a character that is steered: its leader runs ahead, and the character is told what training told."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from footsteps import steps_database, walk_along

from lactic import body as bodies
from lactic import fatigue
from lactic.brain.catalogue import find
from lactic.errors import InputError
from lactic.learn import checkpoint, config
from lactic.learn.networks import Actor
from lactic.motion.body_clip import BodyClip
from lactic.play.player import Player
from lactic.play.steered import LEASH, Steered, crowd_of, steerable
from lactic.steer.kinematic import KinematicCharacters
from lactic.steer.matching import Database, build
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.task import Track
from lactic.world import CpuWorld

HUMAN = bodies.get("humanoid")


def pad(second: float, roots: np.ndarray) -> np.ndarray:
    """Walk on, a little to the left."""
    return np.tile([1.0, 0.2, 0, 0, 0, 0], (len(roots), 1))


@pytest.fixture(scope="module")
def database() -> Database:
    return steps_database()


def led(database: Database, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """qpos and qvel of a leader that stands, and after each control step."""
    crowd = KinematicCharacters(database, 1)
    states = [(crowd.pose.qpos[0].copy(), crowd.pose.qvel[0].copy())]
    for k in range(2 * steps):
        pose = crowd.step(pad(k / 60, np.zeros((1, 7))))
        if k % 2:
            states.append((pose.qpos[0].copy(), pose.qvel[0].copy()))
    qpos, qvel = zip(*states, strict=True)
    return np.array(qpos), np.array(qvel)


def test_a_leader_runs_as_far_ahead_as_its_follower_looks(follower: Path, database: Database):
    crowd, (poses, _) = crowd_of(find(follower), database, pad, 2), led(database, 12)
    about = crowd.player.info.tracking
    assert about is not None and about.later == (3,) and crowd.updates == 2
    for k in range(1, 13):
        crowd.step()
        np.testing.assert_allclose(crowd.kinematic.pose.qpos[0, 2:], poses[k, 2:], atol=1e-6)
        for ahead in range(3):  # the next step tells of one more
            np.testing.assert_allclose(crowd.moment(ahead).qpos[0, 2:], poses[max(k - 2 + ahead, 0), 2:], atol=1e-6)
    told = crowd.player.command.copy()
    crowd.step()
    assert not np.allclose(told[:, -35:], crowd.player.command[:, -35:])


def test_a_steered_character_does_what_it_does_in_training(follower: Path, database: Database):
    settings, (qpos, qvel) = config.read(follower / "params.yaml"), led(database, 40)
    # a leader that sets out now is met three steps later
    qpos, qvel = (np.concatenate([np.repeat(table[:1], 2, axis=0), table]) for table in (qpos, qvel))
    reference = motions([BodyClip("humanoid", 30.0, qpos, "led")], HUMAN, 30.0)
    reference = replace(reference, qvel=torch.tensor(qvel, dtype=torch.float32))
    tiring = FatigueSettings(mode="limits", fitness="human-30", fresh=1.0)
    task = Track(CpuWorld(HUMAN, 1, threads=1), reference, replace(settings.task, fatigue=tiring))
    nothing = torch.zeros(1, task.chance)
    task.begin(nothing)
    task.frame.zero_()
    task.age.zero_()
    parts, _ = checkpoint.load(checkpoint.find(follower.parent / "run"), ("weights",))
    actor = Actor(task.observer, task.action, settings.learn.policy, sight=settings.learn.sight)
    actor.load_state_dict(checkpoint.below(parts["weights"], "actor"))
    crowd = Steered(Player(find(follower).load(), fatigue.preset("human-30")), database, pad)
    world = crowd.player.world
    start = (torch.tensor(np.array(table), dtype=torch.float32) for table in (world.qpos, world.qvel))
    task.arena.reset(torch.ones(1, dtype=torch.bool), *start)
    for _ in range(10):
        with torch.no_grad():
            task.decide(actor.mean(task.observation()))
        task.arena.step(task.settings.substeps)
        assert not task.judge(nothing).done.any()
        crowd.step()
        np.testing.assert_allclose(world.qpos[0], task.arena.qpos[0], atol=1e-3)
        np.testing.assert_allclose(crowd.player.fatigue[0], task.fatigue[0], atol=1e-4)
    assert np.abs(np.array(world.qpos[0, 7:]) - HUMAN.rest[7:]).max() > 0.1


def test_only_a_body_that_was_carried_off_takes_its_leader_along(follower: Path, database: Database):
    crowd = crowd_of(find(follower), database, pad, 2)
    for _ in range(3):
        crowd.step()
    gap = np.array(crowd.player.world.qpos[:, :2]) - crowd.moment().qpos[:, :2]
    assert (np.linalg.norm(gap, axis=1) < LEASH).all()
    leader = crowd.kinematic.pose.qpos.copy()
    crowd.player.world.qpos[1, :2] += [5.0, -5.0]
    crowd.step()
    gap = np.array(crowd.player.world.qpos[:, :2]) - crowd.moment().qpos[:, :2]
    assert np.linalg.norm(gap[1]) == pytest.approx(LEASH, abs=1e-4)
    moved = crowd.kinematic.pose.qpos - leader
    assert np.abs(moved[0, :2]).max() < 0.2 and moved[1, 0] > 4 and moved[1, 1] < -4
    np.testing.assert_allclose(moved[0, 2:], moved[1, 2:], atol=1e-6)


def test_one_that_fell_is_put_onto_its_leaders_motion_where_it_lies(follower: Path, database: Database):
    crowd = crowd_of(find(follower), database, pad, 2)
    for _ in range(20):
        crowd.step()
    crowd.player.fatigue[:, :, 2], frame = 0.5, crowd.frame
    lies = np.array(crowd.player.world.qpos)
    lies[:, 2] = 0.1
    crowd.player.world.reset(np.array([False, True]), lies, np.zeros((2, 34)))
    place = np.array(crowd.player.world.qpos[1, :2])
    assert crowd.fallen().tolist()[1]
    other = np.array(crowd.player.world.qpos[0])
    crowd.reset(np.array([False, True]))
    now, world = crowd.moment(), crowd.player.world
    np.testing.assert_allclose(world.qpos[1, :2], place, atol=1e-6)
    np.testing.assert_allclose(world.qpos[1], now.qpos[1], atol=1e-6)
    np.testing.assert_allclose(world.qvel[1], now.qvel[1], atol=1e-6)
    np.testing.assert_allclose(world.qpos[0], other)
    assert crowd.frame == frame and (crowd.player.fatigue[:, :, 2] == 0.5).all()
    assert not crowd.fallen()[1] and crowd.error()[1] < 1e-5


def test_one_takes_after_another_and_goes_on_as_it_would(follower: Path, database: Database):
    first, second = (crowd_of(find(follower), database, pad, 1) for _ in range(2))
    for _ in range(7):
        first.step()
    second.take_after(first)
    second.player.fatigue[:] = first.player.fatigue
    for _ in range(4):
        first.step()
        second.step()
    np.testing.assert_allclose(second.player.world.qpos, first.player.world.qpos, atol=1e-5)
    np.testing.assert_allclose(second.shown()[0], first.shown()[0], atol=1e-6)


def test_tired_legs_are_asked_for_less(follower: Path, database: Database):
    player = Player(find(follower).load(), fatigue.preset("human-30"), 2)
    crowd = Steered(player, database, pad, "with a reserve")
    player.fatigue[0] = (0.0, 0.5, 0.5)
    crowd.step()
    pacing = crowd.kinematic.state.pacing[:, 0]
    walks = crowd.kinematic.steering.walk / crowd.kinematic.steering.run
    assert pacing[0] == pytest.approx(walks, abs=0.02) and pacing[1] == pytest.approx(1, abs=0.01)


def test_a_brain_is_steered_that_follows_whole_poses_and_has_a_database(follower: Path, tmp_path: Path):
    own = find(shutil.copytree(follower, tmp_path / "own"))
    info = own.load().info
    assert not steerable(own, info) and steerable(own, info, "steps.npz")
    steps_database().save(own.path / "database.npz")
    assert steerable(own, info)
    assert info.tracking is not None
    places = replace(info, tracking=replace(info.tracking, targets=("pelvis",)))
    assert not steerable(own, places) and not steerable(find("pace"), find("pace").load().info, "steps.npz")
    with pytest.raises(InputError, match="does not follow whole poses"):
        crowd_of(find("pace"), steps_database(), pad, 1)
    with pytest.raises(InputError, match="at 50 Hz"):
        clips = [walk_along(np.full(200, 1.2), np.zeros(200)), walk_along(np.zeros(200), np.zeros(200))]
        crowd_of(own, build(clips, fps=50), pad, 1)
