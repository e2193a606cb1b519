"""Training that starts from a shipped brain: its weights are those of the file, and its policy waits for a critic."""

import shutil
from dataclasses import replace
from pathlib import Path

import made_up
import numpy as np
import pytest
import torch
from learning import tiny_settings, tiny_trainer, with_task
from made_up import random_clip

from lactic import body as bodies
from lactic.body.variants import alike
from lactic.brain import catalogue
from lactic.brain.catalogue import BrainFolder
from lactic.brain.export import example_inputs, export
from lactic.brain.file import INPUTS, BrainFile, BrainInfo
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.learn import config
from lactic.learn.checkpoint import below
from lactic.learn.config import LearnSettings, RunSettings, StyleSettings
from lactic.learn.export import export_run, shrink
from lactic.learn.networks import Actor
from lactic.learn.run import origin_of, train
from lactic.learn.shipped import hidden_of, weights_of
from lactic.learn.trainer import TASKS, Trainer
from lactic.task.action import ActionMap
from lactic.task.observe import Observer
from lactic.task.reference import from_clips
from lactic.task.settings import ImitateTaskSettings
from lactic.world import CpuWorld

HUMAN = bodies.get("humanoid")


def asked(brain: Brain, command: int) -> dict[str, np.ndarray]:
    """Inputs all of whose parts matter."""
    draw = torch.Generator().manual_seed(0)
    feed = dict(zip(INPUTS, example_inputs(brain, command, worlds=64), strict=True))
    feed["qpos"][:, 7:] += 0.3 * torch.randn(64, len(brain.body.joints), generator=draw)
    for name in ("qvel", "xpos", "command"):
        feed[name] = torch.randn(feed[name].shape, generator=draw)
    feed["fatigue"][..., 2] = torch.rand(feed["fatigue"].shape[:2], generator=draw)
    return {name: x.numpy() for name, x in feed.items()}


def same_as_file(actor: Actor, folder: BrainFolder) -> None:
    """Fill an actor with a brain's weights and compare what both do."""
    weights, _ = weights_of(folder)
    weights["actor.log_deviation"] = actor.log_deviation.detach()
    actor.load_state_dict(below(weights, "actor"))
    file, body = folder.load(), bodies.get(folder.load().info.body)
    brain = Brain(body, actor.eval(), load=file.info.load)
    feed = asked(brain, file.info.command)
    with torch.no_grad():
        own = brain(**{name: torch.tensor(x) for name, x in feed.items()})
    given = file(**feed)
    for name in ("targets", "stiffness"):
        scale = np.abs(given[name]).max()
        np.testing.assert_allclose(getattr(own, name).numpy() / scale, given[name] / scale, atol=3e-6, rtol=0)
    assert np.std(given["targets"], axis=0).max() > 0.01


def test_weights_of_a_brain_give_its_policy_whatever_the_bits(tmp_path: Path):
    torch.manual_seed(0)
    actor = Actor(Observer(HUMAN), ActionMap(HUMAN), (96, 64), sight=1.5)
    with torch.no_grad():
        actor.network[-1].weight.mul_(30.0)  # as large as after training
        for layer in actor.network[::2]:
            layer.bias.uniform_(-0.1, 0.1)
        actor.normaliser.mean.uniform_(-0.5, 0.5)
        actor.normaliser.variance.uniform_(0.01, 2.0)
    info = BrainInfo(
        "mine",
        "humanoid",
        HUMAN.joints,
        30.0,
        120.0,
        tuple(HUMAN.stiffness),
        tuple(HUMAN.damping),
        tuple(HUMAN.torque_limit),
        "off",
        ((0.0, 0.0, 0.0, 10.0, 0.0),) * 28,
    )
    export(Brain(HUMAN, actor), info, tmp_path / "brain.onnx")
    for bits in (32, 16, 8):
        folder = BrainFolder(tmp_path / str(bits))
        folder.path.mkdir()
        shutil.copy(tmp_path / "brain.onnx", folder.path)
        if bits < 32:
            shrink(folder.path / "brain.onnx", bits)
        weights, spent = weights_of(folder)
        limits = [round(limit, 6) for limit in spent.pop("torque_limit")]
        assert hidden_of(weights) == (96, 64) and spent == {"samples": 0, "seconds": 0}
        assert limits == HUMAN.torque_limit.tolist()
        same_as_file(Actor(Observer(HUMAN), ActionMap(HUMAN), (96, 64), sight=1.5), folder)
    with pytest.raises(AssertionError):  # what lies further off is cut off in the file, too
        same_as_file(Actor(Observer(HUMAN), ActionMap(HUMAN), (96, 64)), folder)


@pytest.mark.parametrize("name", ["pace", "kick", "run-expert", "ant", "actor", "steer"])
def test_weights_of_shipped_brains(name: str):
    folder = catalogue.find(name)
    settings = config.read(folder.path / "params.yaml")
    kind, (weights, spent) = TASKS[settings.task.kind], weights_of(folder)
    parts = kind.parts(kind.own_body(settings.task), settings.task)
    learn = settings.learn
    same_as_file(Actor(*parts, hidden_of(weights), activation=learn.activation, sight=learn.sight), folder)
    assert spent["samples"] > 1e6 and weights["actor.normaliser.seen"] > 1e6


def test_what_is_not_one_network_is_a_plain_error(tmp_path: Path):
    with pytest.raises(InputError, match="not one network"):
        weights_of(catalogue.find("hold-arms"))
    (tmp_path / "brain.onnx").write_text("hello")
    with pytest.raises(InputError, match="not a Lactic brain"):
        weights_of(BrainFolder(tmp_path))


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a brain that hardly learnt anything."""
    folder = tmp_path_factory.mktemp("learnt")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bodies.BUILDERS, made_up.NAME, made_up.tiny)
        trainer = tiny_trainer()
        for _ in range(2):
            trainer.iterate()
        trainer.save(folder / "run" / "checkpoint", light=True)
        export_run(folder / "run", folder / "brain")
    return folder / "brain"


@pytest.fixture
def brain(learnt: Path, tiny: None) -> Path:
    """That folder, while its body is known."""
    return learnt


def waiting(mirror: float = 0.0, wait: int = 2) -> RunSettings:
    settings = tiny_settings(mode="limits")
    return replace(settings, learn=replace(settings.learn, wait=wait, mirror=mirror))


def parts_of(trainer: Trainer, name: str) -> dict[str, torch.Tensor]:
    return {key: value.clone() for key, value in below(trainer.weights(), name).items()}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(a[key], b[key]) for key in a)


@pytest.mark.parametrize("mirror", [0.0, 1.0])
def test_the_policy_of_a_brain_waits_while_the_others_learn(brain: Path, mirror: float):
    trainer = tiny_trainer(waiting(mirror), start=brain)
    assert trainer.line == [[1024, 0]] or trainer.line[0][0] == 1024  # what was spent before counts on
    policy, others = parts_of(trainer, "actor"), [parts_of(trainer, name) for name in ("critic", "discriminator")]
    for _ in range(2):
        trainer.iterate()
        assert same(parts_of(trainer, "actor"), policy)
    for name, before in zip(("critic", "discriminator"), others, strict=True):
        assert not same(parts_of(trainer, name), before)
    assert trainer.algorithm.rate.item() == pytest.approx(trainer.settings.learn.rate)
    trainer.iterate()
    assert not same(parts_of(trainer, "actor"), policy)
    assert trainer.algorithm.rate.item() <= 1.2 * 0.05 * trainer.settings.learn.rate + 1e-9  # small steps at first


@pytest.mark.parametrize("light", [False, True])
def test_a_resumed_run_waits_on(brain: Path, tmp_path: Path, light: bool):
    trainer = tiny_trainer(waiting(), start=brain)
    trainer.iterate()
    trainer.save(tmp_path / "held", light=light)
    again = tiny_trainer(waiting())
    again.resume(tmp_path / "held")
    policy = parts_of(trainer, "actor")
    again.iterate()
    assert same(parts_of(again, "actor"), policy)
    again.iterate()
    assert not same(parts_of(again, "actor"), policy)


def test_without_a_wait_it_moves_at_once(brain: Path):
    trainer = tiny_trainer(waiting(wait=0), start=brain)
    policy = parts_of(trainer, "actor")
    trainer.iterate()
    assert not same(parts_of(trainer, "actor"), policy)


def test_a_run_from_a_brain_has_the_brains_layers(brain: Path, tmp_path: Path):
    (tmp_path / "clips").mkdir()
    made_up.swing().save(tmp_path / "clips" / "swing.npz")
    settings = replace(tiny_settings(mode="limits"), learn=replace(tiny_settings().learn, policy=(8,)))
    train(settings, tmp_path / "next", iterations=1, start=brain, clips=tmp_path / "clips", say=lambda _: None)
    assert config.read(tmp_path / "next" / "params.yaml").learn.policy == (32, 16)
    assert BrainFile(export_run(tmp_path / "next", tmp_path / "grown")).info.samples == 1024 + 512
    assert origin_of("pace") == catalogue.find("pace").path
    assert origin_of(tmp_path / "next") == tmp_path / "next" / "checkpoint"
    with pytest.raises(InputError, match="unknown brain 'nobody'"):
        origin_of("nobody")
    with pytest.raises(InputError, match="start from a run"):
        tiny_trainer(tiny_settings(mode="limits", torque="expert"), start=brain)


def test_a_command_the_brain_did_not_know_changes_nothing_at_first(brain: Path):
    weights, _ = weights_of(BrainFolder(brain))
    trainer = tiny_trainer(with_task(waiting(), kind="pace", task_weight=1.0), start=brain)
    actor = trainer.algorithm.actor
    seen = torch.randn(5, trainer.task.observer.size).clamp(-1, 1)
    at = trainer.task.observer.features_size
    told = seen.clone()
    told[:, at : at + 2] = 3.0
    torch.testing.assert_close(actor.mean(told), actor.mean(seen))
    assert len(weights["actor.normaliser.mean"]) == trainer.task.observer.size - 2


def test_a_brain_that_was_blind_to_fatigue_starts_blind(brain: Path):
    # its file tells a deviation of 0.01, not 0: such a transfer once began with random weights on MF
    weights, _ = weights_of(BrainFolder(brain))
    trainer = tiny_trainer(waiting(), start=brain)
    actor, fatigue = trainer.algorithm.actor, trainer.task.observer.layout["fatigue"]
    assert weights["actor.normaliser.variance"][fatigue].all()
    fresh = torch.randn(5, trainer.task.observer.size).clamp(-1, 1)
    fresh[:, fatigue] = 0.0
    tired = fresh.clone()
    tired[:, fatigue] = 0.7
    torch.testing.assert_close(actor.mean(tired), actor.mean(fresh))
    assert not actor.network[0].weight[:, fatigue].any()


def test_the_discriminator_sees_every_body_in_the_clips_lengths():
    kinds = tuple(map(alike, ("humanoid", "person-1.90-102")))
    style = StyleSettings(batch=8, replay=64, keep=8)
    learn = LearnSettings(horizon=3, policy=(8,), value=(8,), discriminator=(8,), minibatches=2, style=style)
    settings = RunSettings(worlds=4, device="cpu", task=ImitateTaskSettings(clips={"made_up": 1.0}), learn=learn)
    reference = from_clips({random_clip(): 1.0}, Observer(HUMAN), 30.0, 4)
    trainer = Trainer(settings, reference, CpuWorld(HUMAN, 4, threads=1, variants=kinds))
    trainer.rollout.begin()
    task, algorithm = trainer.task, trainer.algorithm
    # whatever the body, a start frame looks to the discriminator as the clip's own
    shown = task.features / task.metres
    exact = "donot_use_mm_for_euclid_dist"
    assert torch.cdist(shown, reference.features, compute_mode=exact).min(1).values.max() < 1e-4
    assert torch.cdist(task.features[1::2], reference.features, compute_mode=exact).min() > 1e-2
    trainer.rollout.collect()
    algorithm.pair()
    seen, reached = (getattr(trainer.rollout, name)[..., :81] for name in ("observation", "reached"))
    size = kinds[1].rest[2] / HUMAN.rest[2]
    lengths = [0, *range(69, 81)]  # the root's height, and where hands and feet are
    others = [k for k in range(81) if k not in lengths]
    for got, own in ((algorithm.pairs[..., :81], seen), (algorithm.pairs[..., 81:], reached)):
        torch.testing.assert_close(got[:, ::2], own[:, ::2])
        torch.testing.assert_close(got[:, 1::2][..., lengths], own[:, 1::2][..., lengths] / size)
        torch.testing.assert_close(got[:, 1::2][..., others], own[:, 1::2][..., others])
