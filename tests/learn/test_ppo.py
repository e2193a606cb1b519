"""PPO against values worked out by hand."""

import math
from pathlib import Path

import pytest
import torch
from learning import tiny_settings, tiny_trainer

from lactic.learn.config import changed
from lactic.learn.normaliser import Normaliser
from lactic.learn.ppo import advantages, log_probability, surrogate


def column(*values: float) -> torch.Tensor:
    return torch.tensor(values)[:, None]


def test_advantages_worked_out_by_hand():
    # γ = 0.5, λ = 0.5; δ = r + γ·V' − V
    reward, value, after = column(1, 2, 3), column(4, 6, 8), column(6, 8, 10)
    none = torch.zeros(3, 1)
    # δ2 = 3 + 5 − 8 = 0;  δ1 = 2 + 4 − 6 = 0;  δ0 = 1 + 3 − 4 = 0
    assert advantages(reward, value, after, none, none, 0.5, 0.5).flatten().tolist() == [0, 0, 0]
    # with r2 = 7: A2 = 4, A1 = 0 + 0.25·4 = 1, A0 = 0 + 0.25·1 = 0.25
    assert advantages(column(1, 2, 7), value, after, none, none, 0.5, 0.5).flatten().tolist() == [0.25, 1, 4]


def test_a_fall_has_no_future_and_a_time_limit_has_one():
    reward, value, after = column(1, 1), column(0, 0), column(10, 10)
    over = column(1, 0)
    fallen = advantages(reward, value, after, over, over, 0.5, 1.0).flatten().tolist()
    timed = advantages(reward, value, after, torch.zeros(2, 1), over, 0.5, 1.0).flatten().tolist()
    assert fallen == [1, 6]  # r alone; what follows is another episode
    assert timed == [6, 6]  # r + γ·V' of the state reached, and no more


def test_each_world_may_discount_by_a_gamma_of_its_own():
    reward, value, after = torch.ones(2, 2), torch.zeros(2, 2), torch.full((2, 2), 10.0)
    none, gamma = torch.zeros(2, 2), torch.tensor([0.5, 0.0])
    # γ 0.5: δ = 1 + 5, A0 = 6 + 0.5·6 = 9;  γ 0: δ = 1, A0 = 1
    assert advantages(reward, value, after, none, none, gamma, 1.0).tolist() == [[9, 1], [6, 1]]


def test_log_probability_is_the_normals_up_to_its_constant():
    mean, action, deviation = torch.randn(5, 3), torch.randn(5, 3), torch.tensor([-2.9, 0.1, 0.5])
    exact = torch.distributions.Normal(mean, deviation.exp()).log_prob(action).sum(1)
    torch.testing.assert_close(log_probability(action, mean, deviation) - 1.5 * math.log(2 * math.pi), exact)


def test_surrogate_stops_paying_beyond_the_clip():
    ratio = torch.tensor([1.5, 0.5, 1.5, 0.5])
    advantage = torch.tensor([1.0, 1.0, -1.0, -1.0])
    # min(1.5, 1.2) = 1.2; min(.5, .8) = .5; min(−1.5, −1.2) = −1.5; min(−.5, −.8) = −.8
    assert surrogate(ratio, advantage, 0.2).item() == pytest.approx(-(1.2 + 0.5 - 1.5 - 0.8) / 4)


def test_normaliser_in_parts_equals_all_at_once():
    data = torch.randn(1000, 4, generator=torch.Generator().manual_seed(0)) * torch.tensor([1.0, 5.0, 0.1, 0.0]) + 3.0
    normaliser = Normaliser(4)
    for part in data.split([1, 99, 300, 600]):
        normaliser.update(part)
    torch.testing.assert_close(normaliser.mean, data.mean(0), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(normaliser.variance, data.var(0, correction=0), atol=1e-4, rtol=1e-4)
    shown = normaliser(data)
    assert shown[:, :2].std(0) == pytest.approx(torch.ones(2), abs=0.01)
    assert shown[:, 3].abs().max() < 0.01  # what does not vary stays small
    torch.testing.assert_close(normaliser.undo(shown), data, atol=1e-4, rtol=1e-4)


def test_a_new_normaliser_changes_nothing():
    x = torch.randn(3, 2)
    torch.testing.assert_close(Normaliser(2)(x), x)


def test_the_policy_that_is_kept_may_be_a_running_mean(tiny: None, tmp_path: Path) -> None:
    """After two updates the mean has gone the share of one rollout towards the second; a resumed run knows both."""
    settings = tiny_settings()
    samples = settings.worlds * settings.learn.horizon
    made = tiny_trainer(changed(settings, {"learn.averaged": 4.0 * samples}))
    made.iterate()
    name, seen = "actor.network.2.weight", []
    assert torch.equal(made.weights()[name], made.algorithm.actor.network[2].weight)  # begins as what learns
    seen.append(made.weights()[name].clone())
    made.iterate()
    learnt = made.algorithm.actor.network[2].weight.detach()
    torch.testing.assert_close(made.weights()[name], seen[0] + 0.25 * (learnt - seen[0]))
    assert not torch.equal(made.weights()[name], learnt)
    made.save(tmp_path / "run", light=True)
    again = tiny_trainer(changed(settings, {"learn.averaged": 4.0 * samples}))
    again.resume(tmp_path / "run")
    torch.testing.assert_close(again.weights()[name], made.weights()[name])
    torch.testing.assert_close(again.algorithm.actor.network[2].weight, made.algorithm.actor.network[2].weight)
