"""Several teachers of one pupil, each for what it does better than the others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lactic import body as bodies
from lactic.errors import InputError
from lactic.learn import checkpoint, config
from lactic.learn.config import LearnSettings, RunSettings
from lactic.learn.distil import Lesson, distil
from lactic.learn.run import train
from lactic.learn.teachers import Teacher, known, rows_of
from lactic.motion.library import collect
from lactic.motion.standing import standing
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings
from lactic.task.tracking.task import Track

BODY = bodies.get("humanoid")
QUIET = {"say": lambda _: None}


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clips of standing, one of them in a split of its own."""
    folder = tmp_path_factory.mktemp("clips")
    tall = standing(BODY, 3.0, 30.0)
    named = [replace(tall, name="easy"), replace(tall, name="hard")]
    collect(named, ["train", "hard"], ["made", "made"]).save(folder / "library.npz")
    return folder


@pytest.fixture(scope="module")
def runs(clips: Path) -> dict[str, Path]:
    """Three followers; two ask for half a radian more at every joint, and one of these never saw a mirror image."""
    task = TrackTaskSettings(
        split="train,hard", mirror=True, fatigue=FatigueSettings(mode="limits", fresh=1.0), track=TrackSettings()
    )
    learn = LearnSettings(horizon=8, policy=(16,), value=(16,), epochs=1, minibatches=1, rate=1e-6)
    settings = RunSettings(name="tiny", worlds=4, device="cpu", task=task, learn=learn)
    train(settings, clips / "first", iterations=1, clips=clips, **QUIET)
    for name, mirror in (("other", True), ("plain", False)):
        changed = replace(settings, task=replace(task, mirror=mirror))
        train(changed, clips / name, iterations=1, clips=clips, **QUIET)
        parts, values = checkpoint.load(clips / "first" / "checkpoint", ("weights",))
        values["settings"] = config.to_dict(changed)
        parts["weights"]["actor.network.2.bias"][: len(BODY.joints)] += 1.0
        checkpoint.save(clips / name / "checkpoint", 1, {"weights": parts["weights"]}, values)
    return {name: clips / name for name in ("first", "other", "plain")}


def test_rows_of_motions_are_theirs_and_their_mirror_images() -> None:
    made = [replace(standing(BODY, seconds, 30.0), name=name) for name, seconds in (("a", 2.0), ("b", 3.0))]
    table = motions(made, BODY, 30.0, mirror=True)
    rows = rows_of(table, ["b"])
    half = table.own // 2
    assert rows.sum() == 2 * 91 and not rows[:61].any() and rows[61:half].all()
    assert torch.equal(rows[:half], rows[half:])


@pytest.mark.parametrize(("who", "where"), [("other", "hard"), ("other", "floor"), ("plain", "hard")])
def test_a_further_teacher_says_what_is_right_where_it_leads(
    runs: dict[str, Path], clips: Path, who: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, led, sides = [], [], torch.tensor(BODY.mirror_sign, dtype=torch.float32)
    learnt = Lesson.round

    def watched(lesson: Lesson, share: float) -> None:
        guided, task = lesson.guided, lesson.rollout.task
        if not begun:
            first, pupil = (actor.network.state_dict() for actor in (lesson.teacher, lesson.pupil))
            begun.append(all(torch.equal(first[key], pupil[key]) for key in first))
        seen = torch.randn(task.count, task.observer.size)
        lesson.rollout.now.zero_()
        with torch.no_grad():
            guided.mean(seen)
            more = guided.right[0] - lesson.teacher.mean(seen)
        leads = guided.others[0].leads()
        led.append(leads.float().mean())
        joints, images = more[:, : len(BODY.joints)], (task.frame >= task.reference.mirror)[:, None]
        # its network is but for the half radian that of the first, which is nearly 0, and so is its image
        wanted = torch.where(images, sides, 1.0) if who == "plain" else torch.ones_like(joints)
        torch.testing.assert_close(joints, leads[:, None] * wanted, atol=0.3 if who == "plain" else 1e-5, rtol=0.0)
        learnt(lesson, share)

    monkeypatch.setattr(Lesson, "round", watched)
    also = [f"{runs[who]}:{where}"]
    out = distil(runs["first"], clips / f"{who}_{where}", (16,), also=also, clips=clips, rounds=4, worlds=16, **QUIET)
    assert begun == [True]  # the pupil begins as its first teacher is
    assert 0.0 < np.mean(led) < 1.0 if where == "hard" else not any(led)  # no body is on the floor here
    assert config.read(out / "params.yaml").learn.policy == (16,)


def test_a_teacher_may_be_made_for_the_task(
    runs: dict[str, Path], clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right: list[torch.Tensor] = []

    def everywhere(task: Track) -> Teacher:
        ones = torch.ones(task.count, dtype=torch.bool)
        return Teacher(known(runs["other"], task.settings), lambda: ones, lambda: ones, task.mirrors())

    def watched(lesson: Lesson, share: float) -> None:
        task = lesson.rollout.task
        lesson.rollout.now.zero_()
        with torch.no_grad():
            lesson.guided.mean(torch.zeros(task.count, task.observer.size))
        right.append(lesson.guided.right[0, :, : len(BODY.joints)].clone())

    monkeypatch.setattr(Lesson, "round", watched)
    distil(runs["first"], tmp_path / "out", (16,), also=[everywhere], clips=clips, rounds=1, worlds=4, **QUIET)
    sides = torch.tensor(BODY.mirror_sign, dtype=torch.float32)  # the other one asks for 1 at every joint
    torch.testing.assert_close(right[0], sides.expand(4, -1), atol=0.3, rtol=0.0)


def test_a_pupil_may_begin_as_something_else(
    runs: dict[str, Path], clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[torch.Tensor] = []
    monkeypatch.setattr(
        Lesson, "round", lambda lesson, share: begun.append(lesson.pupil.network[2].bias[: len(BODY.joints)].detach())
    )
    distil(runs["first"], tmp_path / "out", (16,), begin=runs["other"], clips=clips, rounds=1, worlds=4, **QUIET)
    assert (begun[0] > 0.9).all()  # the other one asks for more at every joint
    with pytest.raises(InputError, match=r"its layers are not \[8\]"):
        distil(runs["first"], tmp_path / "small", (8,), begin=runs["other"], clips=clips, rounds=1, **QUIET)
    with pytest.raises(InputError, match="sees other things"):
        distil(runs["first"], tmp_path / "far", (16,), later=(2,), begin=runs["other"], clips=clips, **QUIET)
    assert not (tmp_path / "small").exists() and not (tmp_path / "far").exists()


def test_mistakes_about_teachers_are_told_before_any_work(runs: dict[str, Path], clips: Path, tmp_path: Path) -> None:
    for also, reason in (("nowhere", "write RUN:SPLIT"), (f"{runs['other']}:none", "no split 'none'")):
        with pytest.raises(InputError, match=reason):
            distil(runs["first"], tmp_path / "out", (16,), also=[also], clips=clips, **QUIET)
    with pytest.raises(InputError, match="practice pace: its task is pace"):
        distil(runs["first"], tmp_path / "out", (16,), practice="pace", clips=clips, **QUIET)
    assert not (tmp_path / "out").exists()
