"""Learning to follow: the reward rises, nothing asks the host, strength can run out, and a brain comes out of it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from footsteps import steps_database
from test_no_host import asks_nothing

from lactic import body
from lactic.brain.file import BrainFile
from lactic.brain.module import Senses
from lactic.cli import main
from lactic.errors import InputError
from lactic.learn import config
from lactic.learn.config import LearnSettings, RunSettings
from lactic.learn.export import Pair, brain_of, export_run
from lactic.learn.run import start, transfer
from lactic.learn.trainer import Trainer
from lactic.steer.stream import record
from lactic.task.settings import FatigueSettings
from lactic.task.steering.settings import SteerSettings, SteerTaskSettings
from lactic.task.steering.streams import following
from lactic.task.steering.task import Steer
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")
RECIPE = "steer-follower"


@pytest.fixture(scope="module")
def stream():
    return record(steps_database(), 0.5, streams=2, seed=3)


def small(**changes) -> RunSettings:
    recipe = config.read(RECIPE)
    learn = replace(recipe.learn, policy=(32,), value=(32,), minibatches=4, rate=1e-3)
    return replace(recipe, worlds=32, device="cpu", seed=1, learn=learn, task=replace(recipe.task, **changes))


def test_the_reward_rises(stream):
    """A body that stands on PD alone sags; a minute of learning to hold it up shows."""
    held = {name: np.repeat(getattr(stream, name)[:1], 600, axis=0) for name in ("qpos", "goal", "capacity")}
    still = replace(stream, starts=np.array([0, 600]), qvel=np.zeros((600, 34)), **held)
    settings = small(episode=60, steer=SteerSettings())
    learn = replace(settings.learn, log_deviation=-2.0, rate=3e-3, kl=0.05, gamma=0.9, activation="tanh")
    world = CpuWorld(HUMAN.of_strength("cheema2023"), settings.worlds, threads=1)
    run = Trainer(replace(settings, learn=learn), following([still], HUMAN), world)
    rewards = []
    for _ in range(4):
        for _ in range(6):
            run.iterate()
        means = run.report()
        rewards.append(means["reward"])
    assert 0 < means["r_vel"] < means["r_local"] < means["r_fall"] < 1
    assert rewards[-1] > rewards[0] + 0.005, rewards


@pytest.mark.parametrize(("fatigue", "impact"), [("off", 0.0), ("limits", 40.0)])
def test_captured_work_never_asks_the_host(stream, fatigue, impact):
    from lactic.world.gpu import WarpWorld

    task = replace(
        config.read(RECIPE).task,
        fatigue=FatigueSettings(mode=fatigue, beta=False),
        steer=SteerSettings(impact=impact),
    )
    learn = LearnSettings(horizon=4, policy=(16,), value=(16,), activation="tanh")
    settings = RunSettings(worlds=4, task=task, learn=learn)
    run = Trainer(settings, following([stream], HUMAN), WarpWorld(HUMAN, 4, "cpu"))
    asks_nothing(run)
    held = {name: t.data_ptr() for name, t in vars(run.task).items() if isinstance(t, torch.Tensor)}
    run.iterate()
    assert held == {name: t.data_ptr() for name, t in vars(run.task).items() if isinstance(t, torch.Tensor)}


def test_from_recipe_to_transfer_to_brain(stream, tmp_path):
    stream.save(tmp_path / "steer.npz")
    options = {"clips": tmp_path, "iterations": 2}
    changes = {"learn.policy": [16], "learn.value": [16], "worlds": 4, "device": "cpu"}
    stream.save(tmp_path / "steer_tired.npz")
    numb = {**changes, "task.steer.feels": False}
    start(RECIPE, out=tmp_path / "numb", light=True, changes=numb, **options)
    start(RECIPE, out=tmp_path / "expert", light=True, changes=changes, expert=tmp_path / "numb", **options)
    start(RECIPE, out=tmp_path / "expert", resume=True, **{**options, "iterations": 3})
    start(
        RECIPE,
        out=tmp_path / "tired",
        stage="transfer",
        expert=tmp_path / "expert",
        changes=changes,
        **options,
    )
    made = BrainFile(export_run(tmp_path / "tired", tmp_path / "brain"))
    assert set(made.inputs) == {"qpos", "qvel", "command", "fatigue", "fitness"}
    assert made.info.command == 28 + 26 + 85 + 1 and made.info.following.weight(60.0) == 0.2
    assert made.info.tires == "limits" and made.info.substeps == 4
    assert not (tmp_path / "brain" / "starts.npz").exists()
    both_of(tmp_path)
    expert, tired, two = (str(tmp_path / name) for name in ("expert", "tired", "two"))
    assert main(["export", expert, "--second", tired, "--out", two]) == 0
    assert BrainFile(tmp_path / "two" / "brain.onnx").info.tires == "limits"
    with pytest.raises(InputError, match="must follow a kinematic character"):
        brain_of(tmp_path / "expert", tmp_path / "numb")


def both_of(tmp_path):
    """The brain of two is one of them while its weaker leg is strong, the other when it is not, and both in between."""
    alone = [brain_of(tmp_path / name)[0] for name in ("expert", "tired")]
    both, info = brain_of(tmp_path / "expert", tmp_path / "tired")
    assert info.fitness == "off" and info.tires == "limits"
    assert info.samples == brain_of(tmp_path / "tired")[1].samples  # which began as the other
    for actor in (alone[0].policy, alone[1].policy):
        torch.nn.init.normal_(actor.network[-1].weight, generator=torch.Generator().manual_seed(0))
        actor.normaliser.variance.clamp_(min=0.5)  # after so few steps, all would be out of bounds
    policy, n, chance = Pair(both.body, *(brain.policy for brain in alone)), 16, torch.Generator().manual_seed(1)
    qpos, qvel, command = (0.1 * torch.randn(n, wide, generator=chance) for wide in (35, 34, info.command))
    qpos[:, 3] = 1.0

    def targets(of, spent: float, side: str = "right leg"):
        fatigue = torch.zeros(n, 28, 3)
        for name in both.body.regions[side]:
            fatigue[:, both.body.joints.index(name), 2] = spent
        return of(Senses(qpos, qvel, torch.zeros(n, 15, 3), command, fatigue))[0]

    for spent, who in ((0.0, 0), (0.04, 0), (0.16, 1), (0.9, 1)):
        torch.testing.assert_close(targets(policy, spent), targets(alone[who].policy, spent), atol=2e-4, rtol=0)
    middle = (targets(alone[0].policy, 0.1, "left leg") + targets(alone[1].policy, 0.1, "left leg")) / 2
    torch.testing.assert_close(targets(policy, 0.1, "left leg"), middle, atol=2e-4, rtol=0)


def test_who_learns_to_feel_its_body_does_as_before_at_first(stream, tmp_path):
    settings = RunSettings(worlds=4, task=config.read(RECIPE).task, learn=LearnSettings(policy=(16,), value=(16,)))
    numb = replace(settings, task=replace(settings.task, steer=replace(settings.task.steer, feels=False)))
    world = lambda: CpuWorld(Steer.own_body(settings.task), 4, threads=1)  # noqa: E731
    before = Trainer(numb, following([stream], HUMAN), world())
    before.save(tmp_path, light=True)
    after = Trainer(settings, following([stream], HUMAN), world(), start=tmp_path)
    seen = torch.randn(5, after.task.observer.size)
    layout = after.task.observer.layout
    known = torch.cat([seen[:, layout[name]] for name in before.task.observer.layout], dim=1)
    torch.testing.assert_close(after.algorithm.actor.mean(seen), before.algorithm.actor.mean(known))


def test_the_recipe_is_the_thesis_but_for_its_network_stiffer_joints_and_what_they_feel():
    settings = config.read(RECIPE)
    assert isinstance(settings.task, SteerTaskSettings) and settings.task.episode / settings.task.control_rate == 20
    steer = settings.task.steer
    assert (
        steer.smoothing == pytest.approx(0.0518, abs=1e-4)
        and steer.state == "errors"
        and not steer.all_joints
        and steer.feels
    )
    assert Steer.own_body(settings.task).stiffness == pytest.approx(8 * HUMAN.stiffness)
    assert settings.learn.policy == settings.learn.value == (512, 256)
    assert transfer(settings).task.fatigue.mode == "limits"
