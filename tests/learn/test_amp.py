"""AMP: the discriminator's parts by hand, and a character that learns a swing from it."""

import math

import pytest
import torch
from learning import tiny_trainer

from lactic.learn.amp import Replay, discriminator_loss, style_reward
from lactic.learn.networks import Discriminator


def test_style_reward_is_minus_log_of_one_minus_d():
    logit = torch.tensor([-3.0, 0.0, 2.0])
    torch.testing.assert_close(style_reward(logit), -torch.log(1 - torch.sigmoid(logit)))
    assert style_reward(torch.tensor([1e9])).item() == pytest.approx(9.0, abs=1e-3)


def test_discriminator_loss_worked_out_by_hand():
    judge = Discriminator(1, ())  # logit = w·x + b
    with torch.no_grad():
        judge.network[0].weight.copy_(torch.tensor([[2.0, -1.0]]))
    agent, clip = torch.tensor([[1.0, 1.0]]), torch.tensor([[0.5, 2.0]])
    loss, agent_logit, clip_logit = discriminator_loss(judge, agent, clip, 0.1, 0.01, 0.001)
    assert (agent_logit.item(), clip_logit.item()) == (1.0, -1.0)
    entropy = 0.5 * (math.log(1 + math.e) + math.log(1 + math.e))
    slope = 2.0**2 + 1.0**2
    assert loss.item() == pytest.approx(entropy + 0.1 * slope + 0.01 * slope + 0.001 * slope, rel=1e-5)


def test_replay_fills_up_and_then_overwrites_at_random():
    draw = torch.Generator().manual_seed(0)
    replay = Replay(10, 1, torch.device("cpu"))
    replay.store(torch.full((6, 1), 1.0), draw)
    assert int(replay.filled) == 6
    replay.store(torch.full((6, 1), 2.0), draw)
    assert int(replay.filled) == 10 and (replay.pairs > 0).all()
    for _ in range(50):
        replay.store(torch.full((6, 1), 3.0), draw)
    assert (replay.pairs == 3.0).all()


def test_the_discriminators_normaliser_sees_agent_and_clip_together(tiny: None):
    trainer = tiny_trainer()
    trainer.begin()
    width = trainer.task.observer.features_size
    agent = trainer.rollout.reached[..., :width].reshape(-1, width)
    clip = trainer.task.reference.features
    seen = trainer.algorithm.modules()["discriminator"].normaliser
    both = (agent.mean(0) + clip.mean(0)) / 2
    torch.testing.assert_close(seen.mean, both, atol=0.05, rtol=0)


def test_the_discriminator_separates_and_then_the_agent_catches_up(tiny: None):
    trainer = tiny_trainer()
    style, gap, speed = [], [], []
    for _ in range(130):
        trainer.iterate()
        speed.append(trainer.rollout.observation[..., 15:17].abs().mean().item())
        means = trainer.report()
        style.append(means["style"])
        gap.append(means["d_clip"] - means["d_agent"])
    late_style, late_gap = sum(style[-10:]) / 10, sum(gap[-10:]) / 10
    assert gap[0] < 0.1 and max(gap) > 0.2  # it cannot tell them apart at first, then it can
    assert late_gap < 0.6 * max(gap) and late_style > 1.15 * min(style)  # and then hardly any more
    # the arms, which hardly moved and then thrice too fast, are within a factor of two of the clip's speed at last:
    # a tenth of 2π/1.2 s, two thirds of it on average
    off = [max(value / 0.33, 0.33 / value) for value in (sum(speed[k : k + 10]) / 10 for k in range(0, 130, 10))]
    assert off[0] > 3 and max(off) > 3 and max(off[-2:]) < 2
