"""The second stage starts from an expert: its networks, its statistics, its torques."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from learning import tiny_settings, tiny_trainer, with_task

from lactic.errors import InputError


@pytest.fixture
def expert(tiny: None, tmp_path: Path):
    trainer = tiny_trainer()
    for _ in range(2):
        trainer.iterate()
    trainer.save(tmp_path / "expert", light=True)
    return trainer, tmp_path / "expert"


def test_a_transfer_starts_with_all_that_the_expert_learnt(expert):
    trainer, folder = expert
    tired = tiny_trainer(tiny_settings(mode="limits"), start=folder)
    for name, tensor in trainer.weights().items():
        if name.endswith(("normaliser.mean", "normaliser.variance", "network.0.weight")) and "disc" not in name:
            assert torch.equal(tired.weights()[name][..., :-2], tensor[..., :-2]), name  # all but MF of two joints
        else:
            assert torch.equal(tired.weights()[name], tensor), name
    assert tired.iteration == 0
    # the expert was blind to MF: it starts without effect on what is done and expected
    seen = trainer.rollout.observation.flatten(0, 1)
    spent = torch.cat([seen[:, :-2], torch.rand(len(seen), 2)], dim=1)
    for net in ("actor", "critic"):
        before, after = (getattr(t.algorithm, net) for t in (trainer, tired))
        act = (lambda m, x: m.mean(x)) if net == "actor" else (lambda m, x: m(x))
        torch.testing.assert_close(act(after, spent), act(before, seen))
    tired.iterate()
    assert tired.report()["capacity"] < 1.0


def test_torque_limits_of_the_body_or_of_the_expert(expert):
    trainer, folder = expert
    assert (trainer.peaks.highest > 0).all()
    body = tiny_trainer(tiny_settings(mode="limits"), start=folder).task.torque_limit
    own = tiny_trainer(tiny_settings(mode="limits", torque="expert"), start=folder).task.torque_limit
    typical = tiny_trainer(tiny_settings(mode="limits", torque="expert_typical"), start=folder).task.torque_limit
    assert body.tolist() == [30.0, 30.0]
    torch.testing.assert_close(own, trainer.peaks.symmetric().clamp(min=1.0))
    torch.testing.assert_close(typical, trainer.peaks.symmetric(typical=True).clamp(min=1.0))
    assert own[0] == own[1]
    with pytest.raises(InputError, match="--from"):
        tiny_trainer(tiny_settings(mode="limits", torque="expert"))


def test_a_command_the_expert_did_not_know_changes_nothing_at_first(expert):
    trainer, folder = expert
    heading = tiny_trainer(with_task(tiny_settings(), kind="heading", task_weight=1.0), start=folder)
    width, old = trainer.task.observer.features_size, torch.randn(5, trainer.task.observer.size)
    new = torch.cat([old[:, :width], torch.randn(5, 2), old[:, width:]], dim=1)
    torch.testing.assert_close(heading.algorithm.actor.mean(new), trainer.algorithm.actor.mean(old))
    torch.testing.assert_close(heading.algorithm.critic(new), trainer.algorithm.critic(old))
    heading.iterate()


@pytest.mark.parametrize("ablation", [{"beta": False}, {"observe": False}, {"mode": "reward"}])
def test_ablations_start_from_the_same_expert(expert, ablation: dict):
    _, folder = expert
    trainer = tiny_trainer(tiny_settings(**{"mode": "limits", **ablation}), start=folder)
    trainer.iterate()
    assert trainer.report()["style"] > 0


@pytest.mark.parametrize("agent", ["zero", "random"])
def test_agents_that_do_not_learn(agent: str, tiny: None):
    trainer = tiny_trainer(agent=agent)
    before = {k: v.clone() for k, v in trainer.weights().items() if "network" in k}
    trainer.iterate()
    assert all(torch.equal(trainer.weights()[k], v) for k, v in before.items())
    assert bool(trainer.rollout.action.any()) is (agent == "random")


def test_the_ant_learns_without_clips():
    from lactic.learn import config
    from lactic.learn.ppo import PPO
    from lactic.learn.trainer import Trainer, make_reference, make_world

    settings = config.read("ant")
    settings = replace(settings, worlds=16, device="cpu", learn=replace(settings.learn, policy=(16,), value=(16,)))
    trainer = Trainer(settings, make_reference(settings.task, Path("none")), make_world(settings))
    assert type(trainer.algorithm) is PPO
    trainer.iterate()
    assert trainer.task.command.shape == (16, 2)
    assert math.isfinite(trainer.report()["reward"])


def test_a_fixed_deviation_is_that_of_the_settings(expert):
    _, folder = expert
    quiet = replace(tiny_settings(), learn=replace(tiny_settings().learn, log_deviation=-4.0))
    assert tiny_trainer(quiet, start=folder).algorithm.actor.log_deviation.tolist() == [-4.0] * 3
