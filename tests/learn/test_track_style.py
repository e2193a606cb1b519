"""Style as a half of the pay for following motions (tired_actor Sec. 3.1)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lactic import body as bodies
from lactic.learn import checkpoint
from lactic.learn.amp import AMP
from lactic.learn.config import LearnSettings, RunSettings, StyleSettings
from lactic.learn.run import train
from lactic.learn.trainer import Trainer, make_world
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import collect
from lactic.motion.standing import standing
from lactic.task.observe import features
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.settings import TrackTaskSettings

BODY = bodies.get("humanoid")


def clips() -> list[BodyClip]:
    """Standing, and the same carried over the floor."""
    still = standing(BODY, 1.5, 30.0)
    gliding = still.qpos.copy()
    gliding[:, 0] += np.arange(still.frames) / 30.0
    return [still, replace(still, qpos=gliding, name="gliding")]


def settings(style: float) -> RunSettings:
    task = TrackTaskSettings(
        task_weight=1.0 - style, style_weight=style, fatigue=FatigueSettings(mode="limits", fresh=0.5)
    )
    judge = StyleSettings(batch=16, replay=64, keep=16)
    learn = LearnSettings(horizon=4, epochs=1, minibatches=2, policy=(8,), value=(8,), discriminator=(8,), style=judge)
    return RunSettings(name="tiny", worlds=4, device="cpu", task=task, learn=learn)


def test_a_discriminator_sees_frames_and_those_after_them_of_the_same_motion() -> None:
    table = motions(clips(), BODY, 30.0, style=True)
    frames = clips()[0].frames
    rows = torch.tensor([0, 10, frames - 1, frames, 2 * frames - 1])
    key = torch.tensor([BODY.bodies.index(name) for name in BODY.key_bodies])
    seen = features(table.qpos, table.qvel, table.xpos, key)
    first = torch.tensor([0, 10, frames - 2, frames, 2 * frames - 2])
    torch.testing.assert_close(table.shown(rows), torch.cat([seen[first], seen[first + 1]], dim=1))
    assert not len(motions(clips(), BODY, 30.0).features)  # memory for nothing, where style is not paid


def test_both_halves_are_paid() -> None:
    made = settings(0.5)
    trainer = Trainer(made, motions(clips(), BODY, 30.0, style=True), make_world(made))
    trainer.begin()
    trainer.rollout.collect()
    algorithm, task = trainer.algorithm, trainer.task
    assert isinstance(algorithm, AMP)
    paid = algorithm.rewards()
    pair = torch.cat(
        [x[..., task.observer.features_part] for x in (trainer.rollout.observation, trainer.rollout.reached)], -1
    )
    style = 2.0 * torch.log1p(torch.exp(algorithm.discriminator(pair)))  # scale·(−log(1 − D))
    torch.testing.assert_close(paid - trainer.rollout.reward * trainer.rollout.ease, 0.5 * style)
    assert trainer.rollout.reward.max() <= 0.5


@pytest.mark.parametrize("style", [0.0, 0.5])
def test_a_run_goes_on_bit_for_bit_with_and_without_style(style: float, tmp_path: Path) -> None:
    collect(clips(), ["train", "train"], ["made", "made"]).save(tmp_path / "library.npz")
    made, quiet = settings(style), {"clips": tmp_path, "say": lambda _: None}
    train(made, tmp_path / "whole", iterations=3, **quiet)
    train(made, tmp_path / "parts", iterations=2, **quiet)
    train(made, tmp_path / "parts", iterations=3, resume=True, **quiet)
    whole, parts = (checkpoint.load(tmp_path / name / "checkpoint")[0]["weights"] for name in ("whole", "parts"))
    assert any(name.startswith("discriminator.") for name in whole) == bool(style)
    for name, weight in whole.items():
        assert torch.equal(weight, parts[name]), name
