"""A smaller policy learns what a larger one does."""

from dataclasses import replace
from pathlib import Path

import made_up
import numpy as np
import pytest
import torch
from learning import tiny_settings

from lactic.body import humanoid
from lactic.errors import InputError
from lactic.learn import checkpoint, config
from lactic.learn.distil import Teachers, distil
from lactic.learn.export import brain_of
from lactic.learn.networks import Actor
from lactic.learn.run import train
from lactic.task.action import ActionMap
from lactic.task.observe import Observer
from lactic.task.settings import FallSettings


@pytest.fixture
def run(tiny: None, tmp_path: Path) -> Path:
    (tmp_path / "clips").mkdir()
    made_up.swing().save(tmp_path / "clips" / "swing.npz")
    settings = tiny_settings()
    style = replace(settings.learn.style, replay=300)
    settings = replace(settings, name="swing", worlds=8, learn=replace(settings.learn, style=style))
    train(settings, tmp_path / "run", iterations=2, clips=tmp_path / "clips", say=lambda _: None)
    return tmp_path / "run"


def test_a_pupil_comes_close_to_its_teacher_and_can_be_exported(run: Path, tmp_path: Path):
    said: list[str] = []
    out = distil(run, tmp_path / "small", (12,), clips=tmp_path / "clips", rounds=60, worlds=16, say=said.append)
    assert config.read(out / "params.yaml").learn.policy == (12,)
    assert (out / "torques.yaml").is_file() and "60 of 60" in said[-1]
    teacher, pupil = (brain_of(folder)[0].policy for folder in (run, out))
    known = teacher.normaliser
    off = float(said[-1].split("off by ")[1].split()[0])
    untaught = teacher.mean(known.mean + known.deviation * torch.randn(500, len(known.mean))).std()
    assert off < 0.2 * untaught  # where they have been
    assert sum(p.numel() for p in pupil.network.parameters()) < sum(p.numel() for p in teacher.network.parameters())
    np.testing.assert_array_equal(pupil.normaliser.mean, known.mean)
    before, after = (checkpoint.read_manifest(folder / "checkpoint")["values"] for folder in (run, out))
    assert before["samples"] == after["samples"] and before["torque_limit"] == after["torque_limit"]


def test_mistakes_are_told_before_any_work(run: Path, tmp_path: Path):
    with pytest.raises(InputError, match="no whole checkpoint"):
        distil(tmp_path / "nothing", tmp_path / "small")
    with pytest.raises(InputError, match="another --out"):
        distil(run, run, clips=tmp_path / "clips")


def standing(folder: Path, start: Path | None = None, **fatigue) -> Path:
    """A run of the humanoid that has hardly begun, from the clip that needs no file."""
    settings = tiny_settings(**fatigue)
    task = replace(settings.task, body="humanoid", clips={"stand": 1.0}, fall=FallSettings(("pelvis",), 0.3))
    learn = replace(settings.learn, style=replace(settings.learn.style, replay=40, batch=16, keep=16), horizon=4)
    train(replace(settings, task=task, learn=learn, worlds=4), folder, iterations=1, start=start, say=lambda _: None)
    return folder


def test_a_pupil_of_two_does_as_the_one_that_rests_when_its_legs_are_spent(tmp_path: Path):
    acts, rests = standing(tmp_path / "acts"), standing(tmp_path / "rests", mode="limits", fresh=0.5)
    said: list[str] = []
    out = distil(acts, tmp_path / "both", (8,), rounds=2, worlds=4, rest=rests, say=said.append)
    made = config.read(out / "params.yaml")
    assert made.task.fatigue == config.read(rests / "params.yaml").task.fatigue and made.task.episode == 60
    values = [checkpoint.read_manifest(folder / "checkpoint")["values"] for folder in (acts, rests, out)]
    assert values[2]["samples"] + values[2]["before"]["samples"] == values[0]["samples"] + values[1]["samples"] > 0
    assert values[2]["torque_limit"] == values[1]["torque_limit"]
    begun = standing(tmp_path / "begun", acts, mode="limits", fresh=0.5)  # as the other teacher, which counts once
    pupil = distil(acts, tmp_path / "once", (8,), rounds=1, worlds=4, rest=begun, say=said.append)
    found = checkpoint.read_manifest(pupil / "checkpoint")["values"]
    assert found["samples"] + found["before"]["samples"] == 2 * values[0]["samples"]
    assert brain_of(out)[1].extra["rests_below"] == 0.75 and "rests_below" not in brain_of(acts)[1].extra
    with pytest.raises(InputError, match="between 0 and 1"):
        distil(acts, tmp_path / "not", rest=rests, least=1.5)
    assert not (tmp_path / "not" / "checkpoint").exists()


def test_two_teachers_are_told_apart_by_the_weaker_leg():
    body = humanoid()
    acts, rests = (Actor(Observer(body, command), ActionMap(body), (8,)) for command in ("direction", "none"))
    for actor in (acts, rests):
        torch.nn.init.normal_(actor.network[-1].weight)
    rests.normaliser.mean.fill_(0.5)
    teachers = Teachers(body, acts, rests, 0.7)
    seen = torch.randn(3, acts.observer.size)
    fatigued = seen[:, -len(body.joints) :]
    fatigued.zero_()
    for name in body.regions["right leg"]:
        fatigued[1, body.joints.index(name)] = 0.4
    for name in body.regions["left arm"]:
        fatigued[2, body.joints.index(name)] = 1.0
    told, untold = teachers.mean(seen), torch.cat([seen[:, :81], seen[:, 83:]], dim=1)
    assert torch.equal(told[[0, 2]], acts.mean(seen)[[0, 2]])
    assert torch.equal(told[1], rests.mean(untold)[1])
    seen[:, 7:9] = torch.tensor([[0.0, 0.4], [0.3, 0.4], [0.6, 0.8]])  # 0.4, 0.5 and 1 m/s
    torn = Teachers(body, acts, rests, 0.3, again=0.9, slow=0.7)
    fatigued[0, :], fatigued[2, :] = 0.2, 0.2
    told, untold = torn.mean(seen), torch.cat([seen[:, :81], seen[:, 83:]], dim=1)
    assert torch.equal(told[2], acts.mean(seen)[2]) and torch.equal(told[:2], rests.mean(untold)[:2])
    fatigued[0, :] = 0.05
    assert torch.equal(torn.mean(seen)[0], acts.mean(seen)[0])
    known = teachers.normaliser
    assert torch.allclose(known.mean[:81], torch.full((81,), 0.25)) and torch.equal(known.mean[81:83], torch.zeros(2))
    assert torch.allclose(known.variance[83:], torch.full((28,), 1.0 + 0.25**2))
    acts.normaliser.variance[83:] = 0.0  # an expert never saw fatigue
    fatigued[0], fatigued[2] = 0.0, 0.2
    blind, fresh = Teachers(body, acts, rests, 0.7), seen.clone()
    fresh[:, 83:] = 0.0
    assert torch.equal(blind.mean(seen)[[0, 2]], acts.mean(fresh)[[0, 2]])
    assert torch.allclose(blind.normaliser.mean[83:], torch.full((28,), 0.5))


def test_who_rests_must_have_the_same_body(run: Path, tmp_path: Path):
    with pytest.raises(InputError, match="the same body"):
        distil(standing(tmp_path / "acts"), tmp_path / "both", rest=run)


def test_a_pupil_has_the_torque_limits_that_its_teacher_took_from_an_expert(run: Path, tmp_path: Path):
    settings = tiny_settings(mode="limits", torque="expert")
    learn = replace(settings.learn, style=replace(settings.learn.style, replay=300))
    settings = replace(settings, worlds=8, learn=learn)
    quiet = {"clips": tmp_path / "clips", "say": lambda _: None}
    train(settings, tmp_path / "own", iterations=1, start=run, **quiet)
    out = distil(tmp_path / "own", tmp_path / "small", (4,), rounds=1, worlds=4, **quiet)
    values = [checkpoint.read_manifest(f / "checkpoint")["values"] for f in (run, tmp_path / "own", out)]
    limits = [v["torque_limit"] for v in values]
    assert limits[2] == limits[1] != limits[0]
    assert config.read(out / "params.yaml").task.fatigue.torque == "expert"
