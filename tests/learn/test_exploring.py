"""The noise that training explores by: parts with one of their own, and what it does to a body's load."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from learning import tiny_settings, tiny_trainer

from lactic import body as bodies
from lactic.errors import InputError
from lactic.learn.config import LearnSettings, RunSettings
from lactic.learn.trainer import Trainer, make_world
from lactic.motion.standing import standing
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings

BODY = bodies.get("humanoid")
STILL = standing(BODY, 3.0, 30.0, sway=0.0)


def trainer(worlds: int = 4, noiseless: float = 0.0, **learn: float) -> Trainer:
    """Of a follower that stands still."""
    task = TrackTaskSettings(
        fatigue=FatigueSettings(mode="limits", fresh=1.0, noiseless=noiseless), track=TrackSettings(waits=True, ask=0.5)
    )
    small = LearnSettings(horizon=30, minibatches=2, policy=(8,), value=(8,), **learn)  # type: ignore[arg-type]
    made = RunSettings(name="tiny", worlds=worlds, device="cpu", task=task, learn=small)
    return Trainer(made, motions([STILL], BODY, 30.0), make_world(made))


def test_the_clock_may_have_a_noise_of_its_own(tiny: None) -> None:
    made = trainer(log_deviation=-2.3, clock_noise=0.4)
    noise, parts = made.algorithm.actor.log_deviation.exp(), made.task.action.layout
    assert noise[parts["clock"]].item() == pytest.approx(0.4)
    torch.testing.assert_close(noise[parts["joints"]], torch.full((28,), float(np.exp(-2.3))))
    with pytest.raises(InputError, match=r"learn\.clock_noise: a task of kind 'imitate' has no clock"):
        settings = tiny_settings()
        tiny_trainer(replace(settings, learn=replace(settings.learn, clock_noise=0.4)))


def test_what_noise_asks_of_the_joints_is_known_to_the_task() -> None:
    task = trainer(noiseless=1.0, log_deviation=-2.0).task
    knee = BODY.joints.index("left_knee")
    asks = np.exp(-2.0) * max(
        0.5, 0.5 * BODY.stiffness[knee] / BODY.torque_limit[knee]
    )  # 0.5 rad, or half its strength
    assert task.noise[knee].item() == pytest.approx(asks)
    assert not trainer(log_deviation=-2.0).task.noise.any()


def test_a_body_that_is_shaken_by_noise_tires_as_one_that_is_not() -> None:
    """Standing still, what noise adds is more than all that standing costs."""
    loads = {}
    for noiseless, deviation in ((0.0, -9.0), (0.0, -2.3), (1.0, -2.3)):
        made = trainer(32, noiseless, log_deviation=deviation)
        made.begin()
        made.rollout.collect()
        loads[noiseless, deviation] = (made.task.given() / made.task.torque_limit).mean().item()
    calm, shaken, counted = loads.values()
    assert shaken > 2.0 * calm
    assert abs(counted - calm) < 0.5 * (shaken - calm)


def test_one_part_of_the_action_may_learn_alone() -> None:
    made = trainer(8, 1.0, only="clock", clock_noise=0.3, rate=1e-2)
    actor, rollout, parts = made.algorithm.actor, made.rollout, made.task.action.layout
    made.begin()
    seen = rollout.observation.flatten(0, 1).clone()
    before = actor.mean(seen).detach()
    for _ in range(3):
        made.iterate()
        noise = (rollout.action.flatten(0, 1) - actor.mean(rollout.observation.flatten(0, 1)).detach()).abs()
        assert noise[:, parts["clock"]].mean() > 0.1
        assert noise[:, parts["joints"]].max() < 1e-5
    after = actor.mean(seen).detach()
    torch.testing.assert_close(after[:, parts["joints"]], before[:, parts["joints"]])
    torch.testing.assert_close(after[:, parts["beta"]], before[:, parts["beta"]])
    assert (after - before)[:, parts["clock"]].abs().mean() > 1e-4
    assert not made.task.noise.any()  # nothing shakes the body
    with pytest.raises(InputError, match=r"learn\.only: the action has no part 'legs'; there are: joints, beta, clock"):
        trainer(only="legs")
