"""Wishes of joints: muscles that shorten pull, with the least activation for their torque; experts and pupils."""

import dataclasses

import mujoco
import numpy as np
import pytest
import scipy.optimize
import torch

from lactic.body import muscle_man
from lactic.errors import InputError
from lactic.learn.vae.expert import Expert, ExpertTrainer
from lactic.learn.vae.muscles import TorchMuscles
from lactic.learn.vae.pupil import PupilTrainer
from lactic.learn.vae.run import make, train
from lactic.learn.vae.settings import NetSettings, PaySettings, StudySettings, VaeSettings
from lactic.learn.vae.state import Skeleton
from lactic.learn.vae.wishes import ROOT, Wishes
from lactic.motion.man import ManLibrary

SMALL = VaeSettings(
    worlds=8,
    steps=8,
    kept=24,
    device="cpu",
    tires=False,
    control="wish",
    net=NetSettings(latent=8, experts=2, policy=(32,), gate=(8,), encoder=(32,), world=(64,)),
    study=StudySettings(updates=2, batch=16, window=4, world_window=3, world_rate=3e-3, rate=3e-3, warm=5),
    pay=PaySettings(value=(32,), expert=(32,), minibatches=2, epochs=2, model_updates=0, noise=0.2),
)


def states(count: int = 3):
    """Random poses in motion: MuJoCo's qpos and qvel, and states."""
    model, rng, skeleton = muscle_man().model, np.random.default_rng(4), Skeleton()
    qpos, qvel = np.tile(model.qpos0, (count, 1)), rng.normal(size=(count, model.nv))
    for row in qpos:
        mujoco.mj_integratePos(model, row, 0.3 * rng.normal(size=model.nv), 1.0)
    _, xquat = muscle_man().places(qpos)
    arrays = (torch.tensor(x, dtype=torch.float32) for x in (qpos, qvel, xquat))
    return qpos, qvel, skeleton.sensed(*arrays, torch.tensor([[0.0, 0.0, 1.0] * 5]).expand(count, -1))


@pytest.fixture(scope="module")
def wishes():
    skeleton = Skeleton()
    return Wishes(skeleton, TorchMuscles(skeleton))


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    """Two seconds of standing with a swinging arm, as a library."""
    model = muscle_man().model
    qpos = np.tile(model.qpos0, (41, 1))
    qpos[:, model.joint("right_elbow").qposadr[0]] = 0.5 + 0.4 * np.sin(2 * np.pi * np.arange(41) / 20)
    path = tmp_path_factory.mktemp("clips") / "man.npz"
    ManLibrary.of(20.0, {"swing": qpos}).save(path)
    return path


def test_activations_of_a_wish_are_the_least_for_their_torque(wishes):
    _, _, state = states(1)
    muscles, stretch = wishes.muscles, wishes.muscles.stretch(state)
    wish = 0.1 * torch.randn(1, wishes.count, generator=torch.Generator().manual_seed(0))
    action = wishes(state, wish)
    asked, active, _ = muscles.asked(stretch, action)
    given = asked.clamp(0.0, 1.0)[0].double().numpy()
    assert 0 < (given > 0.01).sum() < 200 and given.max() < 0.99  # the condition holds where none is at its most

    # torques about all degrees of freedom, a column for each muscle at full activation
    arms = torch.stack([wishes.shortening(state, row[None])[0] for row in torch.eye(wishes.count) / wishes.scale])
    matrix = (arms * muscles.force * active).double().numpy()
    torque = matrix @ given
    least = scipy.optimize.minimize(
        lambda a: (0.5 * a @ a, a),
        np.full(len(given), 0.1),
        jac=True,
        bounds=[(0, 1)] * len(given),
        constraints={"type": "eq", "fun": lambda a: matrix @ a - torque, "jac": lambda a: matrix},
        method="SLSQP",
        options={"maxiter": 200},
    )
    assert least.success and given @ given == pytest.approx(least.x @ least.x, rel=1e-3)
    np.testing.assert_allclose(given, least.x, atol=2e-3)


def test_a_wish_of_nothing_lets_all_muscles_go(wishes):
    _, _, state = states(1)
    stretch = wishes.muscles.stretch(state)
    asked, *_ = wishes.muscles.asked(stretch, wishes(state, torch.zeros(1, wishes.count), stretch))
    assert asked.abs().max() < 1e-4


def test_joints_are_seen_as_mujoco_has_them(wishes):
    qpos, qvel, state = states()
    np.testing.assert_allclose(wishes.speeds(state), qvel[:, ROOT:], atol=1e-4)
    model, gap = muscle_man().model, np.zeros(muscle_man().model.nv)
    goal = qpos.copy()
    rng = np.random.default_rng(5)
    for row in goal:
        mujoco.mj_integratePos(model, row, 0.02 * rng.normal(size=model.nv), 1.0)
    _, xquat = muscle_man().places(goal)
    arrays = (torch.tensor(x, dtype=torch.float32) for x in (goal, qvel, xquat))
    there = wishes.skeleton.sensed(*arrays, state.fatigue)
    apart = wishes.apart(state, wishes.skeleton.joints(there.turn))
    for k in range(len(qpos)):
        mujoco.mj_differentiatePos(model, gap, 1.0, qpos[k], goal[k])
        np.testing.assert_allclose(apart[k], gap[ROOT:], atol=1e-3)


def test_an_expert_learns_and_teaches_a_pupil(swing, tmp_path):
    settings = dataclasses.replace(SMALL, library=str(swing), by="expert")
    train(settings, tmp_path / "expert", iterations=2, say=lambda _: None)
    own = dataclasses.replace(SMALL, library=str(swing), by="pupil", teacher=str(tmp_path / "expert"))
    trainer = make(own)
    assert isinstance(trainer, PupilTrainer)
    trainer.iterate()
    first = trainer.report()["aim"]
    for _ in range(30):
        trainer.study.learn_controller()
    last = trainer.report()["aim"]
    assert last < 0.7 * first
    with pytest.raises(InputError, match="needs control wish"):
        make(dataclasses.replace(own, control="length"))


def test_an_expert_goes_on_where_it_was(swing, tmp_path):
    settings = dataclasses.replace(SMALL, library=str(swing), by="expert")
    train(settings, tmp_path / "run", iterations=1, say=lambda _: None)
    trainer = make(settings)
    assert isinstance(trainer, ExpertTrainer)
    trainer.resume(tmp_path / "run" / "checkpoint")
    again = make(dataclasses.replace(settings, begin=str(tmp_path / "run")))
    assert isinstance(again.actor, Expert)
    for name, value in trainer.actor.state_dict().items():
        assert torch.equal(again.actor.state_dict()[name], value), name
    assert trainer.iteration == 1
