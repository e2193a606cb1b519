"""The second stage starts from an expert: its networks, its statistics, its torques."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from learning import tiny_settings, tiny_trainer, with_task

from lactic.errors import InputError
from lactic.learn import config
from lactic.learn.networks import mlp
from lactic.learn.normaliser import Normaliser
from lactic.learn.run import transfer


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
        if ".normaliser." not in name and ".network.0." not in name:  # these change together, see Normaliser.widen
            assert torch.equal(tired.weights()[name], tensor), name
    assert tired.iteration == 0
    # the expert was blind to MF: it starts without effect on what is done and expected
    seen = trainer.rollout.observation.flatten(0, 1)
    spent = torch.cat([seen[:, :-2], torch.rand(len(seen), 2)], dim=1)
    for net in ("actor", "critic"):
        before, after = (getattr(t.algorithm, net) for t in (trainer, tired))
        act = (lambda m, x: m.mean(x)) if net == "actor" else (lambda m, x: m(x))
        inside = ((seen - before.normaliser.mean) / before.normaliser.deviation).abs().amax(1) < before.normaliser.bound
        assert inside.float().mean() > 0.5
        torch.testing.assert_close(act(after, spent)[inside], act(before, seen)[inside], rtol=1e-4, atol=1e-5)
    tired.iterate()
    assert tired.report()["capacity"] < 1.0


def test_a_warm_start_begins_with_small_steps(expert):
    _, folder = expert
    settings = tiny_settings(mode="limits")
    assert tiny_trainer(settings).algorithm.rate.item() == pytest.approx(settings.learn.rate)
    warm = tiny_trainer(settings, start=folder).algorithm
    assert warm.rate.item() == pytest.approx(0.05 * settings.learn.rate)
    # the value function learns at its own rate: it must not lag behind a policy that is held back
    assert warm.optimiser.param_groups[1]["lr"].item() == pytest.approx(settings.learn.rate)


def test_torque_limits_of_the_body_or_of_the_expert(expert):
    trainer, folder = expert
    assert (trainer.peaks.highest > 0).all()
    body = tiny_trainer(tiny_settings(mode="limits"), start=folder).task.fresh_limit
    own = tiny_trainer(tiny_settings(mode="limits", torque="expert"), start=folder).task.fresh_limit
    typical = tiny_trainer(tiny_settings(mode="limits", torque="expert_typical"), start=folder).task.fresh_limit
    assert body.tolist() == [30.0, 30.0]
    torch.testing.assert_close(own, trainer.peaks.symmetric().clamp(min=1.0))
    torch.testing.assert_close(typical, trainer.peaks.symmetric(typical=True).clamp(min=1.0))
    assert own[0] == own[1]
    with pytest.raises(InputError, match="needs an expert"):
        tiny_trainer(tiny_settings(mode="limits", torque="expert"))


def test_a_command_the_expert_did_not_know_changes_nothing_at_first(expert):
    trainer, folder = expert
    asked = tiny_trainer(with_task(tiny_settings(), kind="pace", task_weight=1.0), start=folder)
    known, layout = trainer.algorithm.actor.normaliser, asked.task.observer.layout
    old = known.mean + known.deviation * torch.rand(5, trainer.task.observer.size)
    at = layout["command"].start
    new = torch.cat([old[:, :at], torch.randn(5, 2), old[:, at:]], dim=1)
    close = {"rtol": 1e-4, "atol": 1e-5}
    torch.testing.assert_close(asked.algorithm.actor.mean(new), trainer.algorithm.actor.mean(old), **close)
    torch.testing.assert_close(asked.algorithm.critic(new), trainer.algorithm.critic(old), **close)
    asked.iterate()


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
    from lactic.learn.ppo import PPO
    from lactic.learn.trainer import Trainer, make_world
    from lactic.task.registry import TASKS

    settings = config.read("ant")
    settings = replace(settings, worlds=16, device="cpu", learn=replace(settings.learn, policy=(16,), value=(16,)))
    reference = TASKS[settings.task.kind].reference_of(settings.task, Path("none"))
    trainer = Trainer(settings, reference, make_world(settings))
    assert type(trainer.algorithm) is PPO
    trainer.iterate()
    assert trainer.task.command.shape == (16, 2)
    assert math.isfinite(trainer.report()["reward"])


def test_a_fixed_deviation_is_that_of_the_settings(expert):
    _, folder = expert
    quiet = replace(tiny_settings(), learn=replace(tiny_settings().learn, log_deviation=-4.0))
    assert tiny_trainer(quiet, start=folder).algorithm.actor.log_deviation.tolist() == [-4.0] * 3


def test_statistics_widen_without_a_change_of_what_was_learnt():
    draw = torch.Generator().manual_seed(0)
    normaliser, network = Normaliser(5, bound=50.0), mlp(10, [8], 1)
    normaliser.update(torch.randn(1000, 5, generator=draw) * 2 + 1)

    def answer(pair: torch.Tensor) -> torch.Tensor:
        return network(torch.cat([normaliser(half) for half in pair.chunk(2, -1)], -1))

    pair = torch.randn(20, 10, generator=draw)
    before, mean = answer(pair), normaliser.mean.clone()
    normaliser.widen(torch.randn(400, 3, generator=draw) * 5 - 4, slice(3), network[0], 500.0)
    torch.testing.assert_close(answer(pair), before)
    torch.testing.assert_close(normaliser.mean[:3], (mean[:3] - 4) / 2, atol=0.3, rtol=0.0)
    assert torch.equal(normaliser.mean[3:], mean[3:]) and normaliser.seen == 500.0
    assert (normaliser.variance[:3] > (4 + 25) / 2).all()


def test_a_recipe_says_what_its_second_stage_changes():
    recipe = config.read("kick")
    tired = transfer(recipe)
    assert (recipe.task.fatigue.mode, tired.task.fatigue.mode) == ("off", "limits")
    assert set(tired.task.clips) > set(recipe.task.clips) and tired.task.episode > recipe.task.episode
    assert (recipe.task.strength, tired.task.strength) == ("cheema2023", "athlete")
    assert tired.task.fatigue.fitness == "human-100"
    with pytest.raises(InputError, match="no setting 'nonsense'"):
        transfer(replace(recipe, transfer={"nonsense": 1}))


def test_minibatches_that_do_not_divide_the_samples_are_a_plain_error(tiny: None):
    settings = tiny_settings()
    settings = replace(settings, learn=replace(settings.learn, minibatches=7))
    with pytest.raises(InputError, match=r"learn\.minibatches 7: must divide the 512 samples"):
        tiny_trainer(settings)
