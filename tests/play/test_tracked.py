"""The host of a brain that follows motions: it tells what training told, and lets the motion run as the brain says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lactic import body as bodies
from lactic.brain.catalogue import BrainFolder
from lactic.brain.export import export
from lactic.brain.file import BrainFile, BrainInfo
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.fatigue import preset, rates
from lactic.lab.tired_actor.following import follow
from lactic.learn.networks import Actor
from lactic.motion.standing import standing
from lactic.play.player import Player
from lactic.play.tracked import Tracked
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings
from lactic.task.tracking.task import Track
from lactic.world.cpu import CpuWorld

BODY = bodies.get("humanoid")
CLIP = standing(BODY, 3.0, 30.0, sway=3.0)
SETTINGS = TrackTaskSettings(
    fatigue=FatigueSettings(mode="limits", fresh=1.0), track=TrackSettings(waits=True, leash=0.1)
)


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Actor, Path]:
    """An untrained follower, as a policy and as a file; its clock runs at 0.7."""
    observer, action = Track.parts(BODY, SETTINGS)
    torch.manual_seed(0)
    actor = Actor(observer, action, (16,))
    with torch.no_grad():
        actor.network[-1].bias[action.layout["clock"]] = -0.75  # type: ignore[index]
    fitness = preset("human-30")
    info = BrainInfo(
        "follower",
        BODY.name,
        BODY.joints,
        30.0,
        120.0,
        tuple(BODY.stiffness),
        tuple(BODY.damping),
        tuple(BODY.torque_limit),
        fitness.name,
        tuple(map(tuple, rates(fitness, BODY.groups).tolist())),
        command=observer.command_size,
        asks="motion",
        **observer.about,
    )
    path = tmp_path_factory.mktemp("tracked") / "brain.onnx"
    export(Brain(BODY, actor.eval()), info, path)
    return actor, path


def test_a_host_does_what_training_does(brain: tuple[Actor, Path]) -> None:
    actor, path = brain
    driver = Tracked(Player(BrainFile(path)), CLIP)
    task = Track(CpuWorld(BODY, 1, threads=1), motions([CLIP], BODY, 30.0), SETTINGS)
    task.begin(torch.zeros(1, task.chance))
    task.arena.reset(torch.ones(1, dtype=torch.bool), task.start_qpos, task.start_qvel)
    with torch.no_grad():
        for _ in range(20):
            task.decide(actor.mean(task.observation()))
            task.arena.step(4)
            task.look()
            driver.step()
    assert driver.time[0] == pytest.approx(20 * 0.7 / 30, rel=0.05)
    assert driver.time[0] == pytest.approx((task.frame[0].item() + task.part[0].item()) / 30.0, abs=1e-5)
    np.testing.assert_allclose(driver.place, task.place.numpy(), atol=1e-4)
    np.testing.assert_allclose(driver.player.world.qpos, task.arena.qpos.numpy(), atol=2e-3)
    assert driver.error()[0] == pytest.approx(task.error[0].item(), abs=1e-3)


def test_a_motion_that_is_lost_is_found_again_where_the_body_lies(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1]), count=2), CLIP)
    for _ in range(10):
        driver.step()
    before = driver.time.copy()
    lying = driver.player.world.qpos.copy()
    lying[0, :3] = 5.0, 5.0, 0.1
    driver.player.world.reset(None, lying, np.zeros_like(driver.player.world.qvel))
    assert driver.fallen().tolist() == [True, False]
    assert driver.stand_up().tolist() == [True, False]
    assert not driver.fallen().any()
    np.testing.assert_array_equal(driver.time, before)
    np.testing.assert_allclose(driver.player.world.qpos[0, :2], 5.0, atol=1e-4)


def test_it_ends_with_the_motion(brain: tuple[Actor, Path]) -> None:
    driver = Tracked(Player(BrainFile(brain[1])), CLIP.cut(0.0, 0.5))
    for _ in range(25):
        driver.step()
        driver.stand_up()
    assert driver.finished.all()
    assert driver.time[0] <= 0.55


def test_other_brains_do_not_follow_motions() -> None:
    from lactic.brain import catalogue

    with pytest.raises(InputError, match="does not follow motions"):
        Tracked(Player(catalogue.find("pace").load()), CLIP)


def test_motions_are_followed_side_by_side_and_judged(brain: tuple[Actor, Path]) -> None:
    still, short = standing(BODY, 1.0, 30.0, sway=0.0), CLIP.cut(0.0, 0.4)
    found = follow(BrainFolder(brain[1].parent), [still, short], preset("off"))
    assert found.success.tolist() == [True, True]
    assert (found.errors > 0).all() and (found.errors[:, 0] < 100).all()
    fast = still.qpos.copy()
    fast[:, 0] += 3.0 * np.arange(still.frames) / 30.0  # nobody stands and glides at 3 m/s
    lost = follow(BrainFolder(brain[1].parent), [replace(still, qpos=fast)], preset("off"))
    assert lost.success.tolist() == [False]


def test_a_host_and_training_wait_alike_for_a_body_on_the_floor(brain: tuple[Actor, Path]) -> None:
    actor, path = brain
    settings = replace(SETTINGS, track=replace(SETTINGS.track, fallen=1.0))
    task = Track(CpuWorld(BODY, 1, threads=1), motions([CLIP], BODY, 30.0), settings)
    task.begin(torch.zeros(1, task.chance))
    driver = Tracked(Player(BrainFile(path)), CLIP)
    driver.lie(task.arena.qpos.numpy().astype(float))
    with torch.no_grad():
        for k in range(70):
            if k == 60:  # both are put onto the reference, and the motion goes on
                up = task.moment().qpos.clone()
                task.arena.reset(torch.ones(1, dtype=torch.bool), up, torch.zeros(1, BODY.model.nv))
                driver.player.world.reset(None, up.numpy().astype(float), np.zeros((1, BODY.model.nv)))
            task.decide(actor.mean(task.observation()))
            task.arena.step(4)
            task.look()
            driver.step()
            assert bool(driver.down[0]) == bool(task.down[0]) == (k < 60)
            if k == 59:
                assert driver.time[0] == 0.0
                np.testing.assert_allclose(driver.place, task.place.numpy(), atol=0.02)
                np.testing.assert_allclose(driver.lain, task.lain.numpy(), atol=1e-4)
    assert driver.time[0] > 0.1
    assert driver.time[0] == pytest.approx((task.frame[0].item() + task.part[0].item()) / 30.0, abs=1e-3)
