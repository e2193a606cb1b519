"""A smaller policy learns what a larger one does."""

from dataclasses import replace
from pathlib import Path

import made_up
import numpy as np
import pytest
import torch
from learning import tiny_settings

from lactic.errors import InputError
from lactic.learn import checkpoint, config
from lactic.learn.distil import Lesson, distil
from lactic.learn.export import brain_of
from lactic.learn.run import train
from lactic.task.mirror import mirror_of_action


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
    assert (out / "torques.yaml").is_file() and "60 rounds, 100%" in said[-1]
    teacher, pupil = (brain_of(folder)[0].policy for folder in (run, out))
    known = teacher.normaliser
    off = float(said[-1].split("off by ")[1].split()[0])
    untaught = teacher.mean(known.mean + known.deviation * torch.randn(500, len(known.mean))).std()
    assert off < 0.2 * untaught  # where they have been
    assert sum(p.numel() for p in pupil.network.parameters()) < sum(p.numel() for p in teacher.network.parameters())
    np.testing.assert_array_equal(pupil.normaliser.mean, known.mean)
    before, after = (checkpoint.read_manifest(folder / "checkpoint")["values"] for folder in (run, out))
    assert before["samples"] == after["samples"] and before["torque_limit"] == after["torque_limit"]


def test_an_even_pupil_does_left_what_it_does_right(run: Path, tmp_path: Path):
    out = distil(run, tmp_path / "even", (64,), clips=tmp_path / "clips", rounds=40, worlds=16, even=True, say=str)
    teacher, pupil = (brain_of(folder)[0] for folder in (run, out))
    seen, done = pupil.policy.observer.image(pupil.body), mirror_of_action(pupil.body, pupil.policy.action.layout)
    known = teacher.policy.normaliser
    noise = torch.randn(5000, len(known.mean), generator=torch.Generator().manual_seed(0))
    observation = known.mean + 0.3 * known.deviation * noise
    with torch.no_grad():
        before, after = (
            (brain.policy.mean(observation) - done(brain.policy.mean(seen(observation)))).std()
            for brain in (teacher, pupil)
        )
    assert after < 0.5 * before


def test_mistakes_are_told_before_any_work(run: Path, tmp_path: Path):
    with pytest.raises(InputError, match="unknown brain"):
        distil(tmp_path / "nothing", tmp_path / "small")
    with pytest.raises(InputError, match="another folder"):
        distil(run, run, clips=tmp_path / "clips")
    with pytest.raises(InputError, match="must follow motions"):
        distil(run, tmp_path / "small", targets="root", clips=tmp_path / "clips")
    with pytest.raises(InputError, match="held: whole poses"):
        distil(run, tmp_path / "small", held=True, clips=tmp_path / "clips")
    assert not (tmp_path / "small").exists()


def test_a_pupil_has_the_torque_limits_that_its_teacher_took_from_an_expert(run: Path, tmp_path: Path, monkeypatch):
    settings = tiny_settings(mode="limits", torque="expert")
    learn = replace(settings.learn, style=replace(settings.learn.style, replay=300))
    settings = replace(settings, worlds=8, learn=learn)
    quiet = {"clips": tmp_path / "clips", "say": lambda _: None}
    train(settings, tmp_path / "own", iterations=1, start=run, **quiet)
    practised: list[list[float]] = []
    before = Lesson.round
    monkeypatch.setattr(
        Lesson,
        "round",
        lambda self, share: (practised.append(self.rollout.task.torque_limit[0].tolist()), before(self, share))[1],
    )
    out = distil(tmp_path / "own", tmp_path / "small", (4,), rounds=1, worlds=4, **quiet)
    values = [checkpoint.read_manifest(f / "checkpoint")["values"] for f in (run, tmp_path / "own", out)]
    limits = [v["torque_limit"] for v in values]
    assert limits[2] == limits[1] != limits[0]
    assert practised[0] == pytest.approx(limits[1])
    distil(tmp_path / "own", tmp_path / "short", (4,), minutes=1e-9, worlds=4, **quiet)
    assert len(practised) == 2  # as long as it lasts, it is a round at least
    assert config.read(out / "params.yaml").task.fatigue.torque == "expert"
