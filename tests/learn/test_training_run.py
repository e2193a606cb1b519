"""A run as a person starts it: settings, folders, mistakes, and the brain that comes out."""

import signal
from dataclasses import replace
from pathlib import Path

import made_up
import numpy as np
import pytest
import torch
import yaml
from learning import tiny_settings

from lactic.brain import catalogue
from lactic.brain.export import example_inputs
from lactic.brain.file import INPUTS, BrainFile
from lactic.errors import InputError
from lactic.learn import checkpoint, config
from lactic.learn.__main__ import main
from lactic.learn.config import changed
from lactic.learn.export import brain_of, export_run, shrink
from lactic.learn.journal import progress_line, time_needed
from lactic.learn.run import train, transfer
from lactic.play.programme import Programme
from lactic.task.kinds import KINDS
from lactic.task.registry import TASKS
from lactic.task.stride_settings import StrideTaskSettings


@pytest.fixture
def clips(tiny: None, tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    folder.mkdir()
    made_up.swing().save(folder / "swing.npz")
    return folder


def quick(name: str = "swing"):
    settings = tiny_settings()
    style = replace(settings.learn.style, replay=300)
    return replace(settings, name=name, worlds=8, learn=replace(settings.learn, style=style))


def test_a_run_leaves_settings_log_torques_and_a_checkpoint(clips: Path, tmp_path: Path):
    said: list[str] = []
    out = tmp_path / "run"
    means = train(quick(), out, iterations=3, clips=clips, say=said.append, profile=True)
    assert {"params.yaml", "log.jsonl", "torques.yaml", "checkpoint"} <= {p.name for p in out.iterdir()}
    assert config.read(out / "params.yaml") == quick()
    assert checkpoint.read_manifest(out / "checkpoint")["values"]["iteration"] == 3
    assert np.isfinite(means["style"])
    assert any("physics" in line and "%" in line for line in said)
    assert set(yaml.safe_load((out / "torques.yaml").read_text())["highest"]) == {"right_shoulder", "left_shoulder"}
    with pytest.raises(InputError, match="resume it"):
        train(quick(), out, iterations=4, clips=clips, say=said.append)
    train(quick(), out, iterations=4, resume=True, clips=clips, say=said.append)
    assert checkpoint.read_manifest(out / "checkpoint")["values"]["iteration"] == 4
    # one that starts from it has its layers, whatever the recipe says
    larger = replace(quick(), learn=replace(quick().learn, policy=(64, 32), value=(48,), discriminator=(8,)))
    train(larger, tmp_path / "next", iterations=1, start=out, clips=clips, say=said.append)
    learnt = config.read(tmp_path / "next" / "params.yaml").learn
    assert (learnt.policy, learnt.value, learnt.discriminator) == ((32, 16),) * 3


def test_ctrl_c_leaves_a_whole_checkpoint(clips: Path, tmp_path: Path):
    def interrupt(line: str) -> None:
        if "ready" in line:
            signal.setitimer(signal.ITIMER_REAL, 0.5)

    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    train(quick(), tmp_path / "run", clips=clips, say=interrupt)  # would never end by itself
    assert checkpoint.load(tmp_path / "run" / "checkpoint")[1]["iteration"] >= 1


def test_the_time_limit_ends_a_run(clips: Path, tmp_path: Path):
    train(quick(), tmp_path / "run", minutes=0.005, clips=clips, say=lambda line: None)
    assert checkpoint.exists(tmp_path / "run" / "checkpoint")


def test_the_brain_of_a_checkpoint_does_what_the_actor_did(clips: Path, tmp_path: Path):
    train(transfer(quick()), tmp_path / "run", iterations=2, clips=clips, say=lambda line: None)
    brain, info = brain_of(tmp_path / "run")
    assert (info.body, info.fitness, info.command) == ("tiny", "human-30", 0)
    path = export_run(tmp_path / "run", tmp_path / "brain")
    with np.load(tmp_path / "brain" / "starts.npz") as starts:  # states of its own motion, not of a clip
        assert starts["qpos"].shape == (64, 9) and starts["qvel"].shape == (64, 8)
        assert np.isfinite(starts["qpos"]).all() and np.unique(starts["qpos"][:, 7:], axis=0).shape[0] > 8
    assert config.read(tmp_path / "brain" / "params.yaml").name == "swing"
    inputs = list(example_inputs(brain, 0, worlds=5))
    draw = torch.Generator().manual_seed(0)
    inputs[1] = torch.randn(inputs[1].shape, generator=draw)
    inputs[2] = torch.randn(inputs[2].shape, generator=draw)
    inputs[3] = 20.0 * torch.rand(inputs[3].shape, generator=draw)
    inputs[6][:] = torch.tensor([1.0, 0.01, 1.0, 10.0, 1.0])
    wanted = brain(*inputs)
    file = BrainFile(path)
    given = file(**{name: x.numpy() for name, x in zip(INPUTS, inputs, strict=True)})
    for got, want in zip(given.values(), wanted[: len(given)], strict=True):
        np.testing.assert_allclose(got, want.detach().numpy(), atol=1e-5)


def test_a_full_brain_in_half_precision_is_small_and_agrees(tmp_path: Path):
    from lactic import body as bodies
    from lactic.brain.export import export
    from lactic.brain.file import BrainInfo
    from lactic.brain.module import Brain
    from lactic.learn.networks import Actor
    from lactic.task.action import ActionMap
    from lactic.task.observe import Observer

    human = bodies.get("humanoid")
    torch.manual_seed(0)
    actor = Actor(Observer(human), ActionMap(human), (1024, 512))
    with torch.no_grad():
        actor.network[-1].weight.mul_(30.0)  # as large as after training
    brain = Brain(human, actor)
    info = BrainInfo(
        "full",
        "humanoid",
        human.joints,
        30.0,
        120.0,
        tuple(human.stiffness.tolist()),
        tuple(human.damping.tolist()),
        tuple(human.torque_limit.tolist()),
        "off",
        ((0.0, 0.0, 0.0, 10.0, 0.0),) * 28,
    )
    path = tmp_path / "brain.onnx"
    export(brain, info, path)
    shrink(path, 16)
    assert path.stat().st_size < 1.4e6
    inputs = list(example_inputs(brain, 0, worlds=64))
    draw = torch.Generator().manual_seed(0)
    inputs[0][:, 7:] += 0.3 * torch.randn(64, 28, generator=draw)
    inputs[1] = torch.randn(inputs[1].shape, generator=draw)
    inputs[2] = 0.5 * torch.randn(inputs[2].shape, generator=draw)
    given = BrainFile(path)(**{name: x.numpy() for name, x in zip(INPUTS, inputs, strict=True)})
    np.testing.assert_allclose(given["targets"], brain(*inputs).targets.detach().numpy(), atol=1e-3)


def test_settings_round_trip_and_every_recipe_reads(tmp_path: Path):
    assert {"run", "walk", "hop", "cartwheel", "backflip", "kick", "pace", "ant", "steer"} <= set(config.recipes())
    for name in config.recipes():
        settings = config.read(name)
        config.write(settings, tmp_path / "params.yaml")
        assert config.read(tmp_path / "params.yaml") == settings


def test_a_file_holds_what_its_task_uses(tmp_path: Path):
    pace, steer = config.read("pace"), config.read("steer")
    held = config.to_dict(pace)["task"]
    assert "command_change" in held and not {"track", "stride", "pay"} & set(held)
    assert "track" in config.to_dict(steer)["task"] and "command_change" not in config.to_dict(steer)["task"]
    strode = changed(pace, {"task.kind": "stride", "task.stride.limits": "box"})
    assert isinstance(strode.task, StrideTaskSettings) and strode.task.episode == pace.task.episode
    with pytest.raises(InputError, match=r"no setting 'task\.stride\.limits'"):
        changed(pace, {"task.stride.limits": "box"})
    # older files hold the settings of all tasks
    values = config.to_dict(pace)
    values["task"] |= {"steer": {"rate": 60.0}, "stride": config.to_dict(strode.task.stride)}
    (tmp_path / "older.yaml").write_text(yaml.safe_dump(values))
    assert config.read(tmp_path / "older.yaml") == pace
    assert TASKS.keys() == KINDS.keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task: {clip: {run: 1}}", "unknown setting 'task.clip'"),
        ("worlds: many", "worlds must be a whole number"),
        ("task: {fatigue: {mode: tired}}", "must be one of off, limits, reward"),
        ("- run", "must be a mapping"),
        ("a: [", "not YAML"),
    ],
)
def test_wrong_settings_are_named(text: str, message: str, tmp_path: Path):
    path = tmp_path / "params.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        config.read(path)


def test_single_settings_can_be_changed_from_the_command_line():
    wanted = {"task.episode": 1000, "task": {"fatigue": {"mode": "off"}}, "learn.rate": 3e-4}
    settings = changed(config.read("run"), wanted)
    assert (settings.task.episode, settings.task.fatigue.mode, settings.learn.rate) == (1000, "off", 3e-4)
    with pytest.raises(InputError, match=r"no setting 'task\.nothing\.more'"):
        changed(settings, {"task.nothing.more": 1})


def test_the_command_line_reports_mistakes_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture):
    assert main(["nonsense"]) == 2
    assert "no recipe 'nonsense'" in capsys.readouterr().err
    assert main(["run", "--clips", str(tmp_path), "--out", str(tmp_path / "out"), "--device", "cpu"]) == 2
    assert "no such clip" in capsys.readouterr().err
    assert main(["run", "--stage", "transfer", "--out", str(tmp_path / "out")]) == 2
    assert "needs an expert to start from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run"], "no such clip"),
        (["actor"], "no such motion library"),
        (["actor", "--task.library", "bad"], "bad.npz"),
        (["steer"], "no such motion library"),
        (["hop", "--from", "nobody"], "unknown brain 'nobody'"),
        (["hop", "--task.clips", "{bad: 1}"], "bad.npz"),
        (["ant", "--device", "tpu"], "device tpu"),
        (["muscle-vae"], "no such library"),
    ],
)
def test_a_run_that_is_refused_leaves_no_folder(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture
):
    clips, out = tmp_path / "clips", tmp_path / "runs" / "mine"
    clips.mkdir()
    (clips / "bad.npz").write_bytes(b"PK, but no more")
    assert main([*words, "--clips", str(clips), "--out", str(out), "--worlds", "4"]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["clips"]


def test_a_start_that_does_not_fit_leaves_everything_as_it_was(clips: Path, tmp_path: Path):
    out, quiet = tmp_path / "run", {"clips": clips, "say": lambda line: None}
    with pytest.raises(InputError, match="does not fit"):
        train(quick(), tmp_path / "next", iterations=1, start="hop", **quiet)
    assert not (tmp_path / "next").exists()
    train(quick(), out, iterations=1, **quiet)
    larger = replace(quick(), learn=replace(quick().learn, policy=(64, 32)))
    with pytest.raises(InputError, match="does not fit"):
        train(larger, out, iterations=2, resume=True, **quiet)
    assert config.read(out / "params.yaml") == quick()


def test_the_progress_line_says_what_matters():
    means = {
        "reward": 1.5,
        "d_agent": 0.4,
        "d_clip": 0.6,
        "episode": 250.0,
        "fell": 0.0012,
        "speed": 2.9,
        "capacity": 0.5,
    }
    line = progress_line(26_200_000, 512_345.0, means, 65.0)
    for part in ("26.20 M", "512.3 k/s", "D agent 0.40 clip 0.60", "length 250.0", "0.12%", "2.90 m/s", "50%", "1:05"):
        assert part in line
    assert "\n" not in line


def test_a_slow_machine_is_told_how_long_a_recipe_takes():
    assert time_needed("hop", 1000.0) == (
        "hop, which ships, took 216 M control steps: 2.5 days at the speed of this machine"
    )
    assert "days" in (time_needed("pace", 1000.0) or "") and "run-expert" in (time_needed("run", 1000.0) or "")
    assert time_needed("mine", 1000.0) is None


def test_a_recipe_may_say_what_play_asks_of_its_character(tmp_path: Path):
    settings = config.read("pace")
    assert settings.programme[1] == (60.0, 0.0, 0.0)
    config.write(settings, tmp_path / "params.yaml")
    assert config.read(tmp_path / "params.yaml") == settings
    asked = Programme.of(catalogue.find("pace").params()["programme"], 2)
    assert asked.at(2.0).tolist() == [3.5, 0.0] and asked.at(70.0) == pytest.approx([0.0, 0.0])
