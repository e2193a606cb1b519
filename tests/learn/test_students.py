"""Students of a follower of motions: told a few places, and no pose."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lactic import body as bodies
from lactic import rotation
from lactic.brain.file import BrainFile
from lactic.errors import InputError
from lactic.lab.tired_actor.fig7 import LEG, walked
from lactic.learn import config, distil
from lactic.learn.config import LearnSettings, RunSettings
from lactic.learn.distil import Lesson
from lactic.learn.export import export_run
from lactic.learn.run import train
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import collect
from lactic.motion.standing import standing
from lactic.play.player import Player
from lactic.play.tracked import Tracked
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import motions
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings
from lactic.task.tracking.task import Track
from lactic.world.cpu import CpuWorld

BODY = bodies.get("humanoid")
SETTINGS = TrackTaskSettings(fatigue=FatigueSettings(mode="limits", fresh=1.0), track=TrackSettings(later=(4,)))


def clips() -> list[BodyClip]:
    """Standing, and the same with bent knees, the feet where they were."""
    tall = replace(standing(BODY, 3.0, 30.0), name="tall")
    low = tall.qpos.copy()
    for side in ("left", "right"):
        for joint, bend in (("hip_y", -0.5), ("knee", 1.0), ("ankle_y", -0.5)):
            low[:, 7 + BODY.joints.index(f"{side}_{joint}")] += bend
    bent = replace(tall, qpos=low, name="bent")
    feet = BODY.bodies.index("left_foot")
    low[:, :3] += tall.positions()[0][:, feet] - bent.positions()[0][:, feet]
    return [tall, replace(bent, qpos=low)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny follower of whole poses: untrained, it asks for the next pose."""
    folder = tmp_path_factory.mktemp("actor")
    collect(clips(), ["train", "train"], ["made", "made"]).save(folder / "library.npz")
    learn = LearnSettings(horizon=8, policy=(16,), value=(16,), epochs=1, minibatches=1, rate=1e-6)
    settings = RunSettings(name="tiny", worlds=4, device="cpu", task=SETTINGS, learn=learn)
    train(settings, folder / "run", iterations=1, clips=folder, say=lambda _: None)
    return folder / "run"


def student(name: str, later: tuple[int, ...] = (4, 20), worlds: int = 2, held: bool = False) -> Track:
    settings = replace(SETTINGS, track=TrackSettings(targets=name, later=later, held=held))  # type: ignore[arg-type]
    turned = clips()[1]
    qpos = turned.qpos.copy()
    qpos[:, 0] += np.arange(turned.frames) / 30.0
    qpos[:, 3:7] = rotation.about("z", np.full(turned.frames, 0.7))
    made = Track(CpuWorld(BODY, worlds, threads=1), motions([replace(turned, qpos=qpos)], BODY, 30.0), settings)
    made.begin(torch.zeros(worlds, made.chance))
    return made


@pytest.mark.parametrize("name, count", [("root", 1), ("ends", 5)])
def test_a_student_sees_the_way_to_a_few_places_from_its_own_heading(name: str, count: int) -> None:
    made = student(name)
    about = made.observer.about["tracking"]
    assert len(about.targets) == count and about.targets[0] == "pelvis"
    chosen = [BODY.bodies.index(body) for body in about.targets]
    assert made.observer.command_size == 2 * 3 * count
    seen = made.observation()[0, made.observer.layout["places"]].reshape(2, count, 3)
    for k, ahead in enumerate((4, 20)):
        way = (made.moment(ahead).xpos - made.arena.xpos)[0, chosen].numpy()
        back = np.tile(rotation.about("z", np.array(-0.7)), (count, 1))
        np.testing.assert_allclose(seen[k], rotation.rotate(back, way), atol=1e-4)
    size = made.observer.layout
    assert set(size) == {"features", "places", "fatigue"}  # no pose, no velocity of the motion


def test_a_student_can_mean_whatever_its_teacher_means() -> None:
    made = student("root")
    teacher = Track.parts(BODY, SETTINGS)
    command = made.told(teacher[0])
    meant, beta, _ = teacher[1](torch.randn(2, teacher[1].size), command)
    action = torch.zeros(2, made.action.size)
    action[:, made.action.layout["joints"]] = made.action.aims(meant, made.command)
    torch.testing.assert_close(made.action(action, made.command)[0], meant)
    assert beta.shape == (2, 1)


def test_a_far_target_is_held_until_its_time_has_come() -> None:
    made, path = student("root", later=(20,), held=True), []
    for frame in range(50):
        made.frame.fill_(frame)
        path.append(made.told(made.observer)[0])
    at = made.reference.xpos[:, 0]
    for frame, place in enumerate(path):
        torch.testing.assert_close(place, at[20 * (frame // 20 + 1)])


def test_a_student_learns_to_follow_what_it_is_told_of(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[float] = []
    before = Lesson.round
    monkeypatch.setattr(Lesson, "round", lambda self, share: (before(self, share), errors.append(self.error))[0])
    quiet = {"clips": run.parent, "worlds": 8, "say": lambda _: None}
    out = distil.distil(run, tmp_path / "root", (64,), targets="root", later=(10, 30), held=True, rounds=24, **quiet)
    assert np.mean(errors[-4:]) < 0.5 * errors[0]
    told = config.read(out / "params.yaml").task
    assert isinstance(told, TrackTaskSettings) and told.track.targets == "root" and told.track.later == (10, 30)
    brain = BrainFile(export_run(out, tmp_path / "brain"))
    about = brain.info.tracking
    assert about is not None and about.targets == ("pelvis",) and brain.info.command == 6
    driver = Tracked(Player(brain, count=2), *clips())
    for _ in range(12):
        driver.step()
    told_of = np.concatenate([driver.frames.xpos[frame, 0] for frame in (20, 30)])  # at frame 11, before the last step
    np.testing.assert_allclose(driver.player.command[0], told_of, atol=1e-6)
    assert (driver.error() < 0.1).all() and not driver.fallen().any()
    paths, up = walked(Tracked(Player(brain, count=2), *clips()))
    assert paths.shape == (2 * round(LEG * 30) + 1, 2, 2) and up.dtype == bool
    knee = 7 + BODY.joints.index("left_knee")
    bent = driver.player.world.qpos[:, knee]
    assert bent[0] < 0.3 and bent[1] > 0.7  # it was told how high the root is, and of no knee


def test_a_student_of_whole_poses_may_see_other_frames_and_learns_strictly(run: Path, tmp_path: Path) -> None:
    learn = LearnSettings(horizon=8, policy=(16,), value=(16,), epochs=1, minibatches=1, rate=1e-6)
    waiting = replace(SETTINGS, track=TrackSettings(later=(4, 12), waits=True, strict=0.5, heeds=True))
    quiet = {"clips": run.parent, "say": lambda _: None}
    train(RunSettings(worlds=4, device="cpu", task=waiting, learn=learn), tmp_path / "waits", iterations=1, **quiet)
    export_run(tmp_path / "waits", tmp_path / "teacher")
    chosen = {"later": (3,), "split": "train", "strict": True, "rounds": 8, "worlds": 8}
    for name, teacher in (("of_run", tmp_path / "waits"), ("of_brain", tmp_path / "teacher")):
        out = distil.distil(teacher, tmp_path / name, (24, 24), **chosen, **quiet)
        about = BrainFile(export_run(out, tmp_path / f"{name}_brain")).info.tracking
        assert about is not None and about.later == (3,) and not about.waits and not about.heeds
    small = replace(learn, policy=(24, 24), value=(12,))
    went_on = RunSettings(worlds=4, device="cpu", task=config.read(out / "params.yaml").task, learn=small)
    train(went_on, tmp_path / "on", iterations=1, start=out, **quiet)
    held = config.read(tmp_path / "on" / "params.yaml").learn
    assert held.policy == (24, 24) and held.value == (12,)  # a student has no value function to go on with


def test_a_teacher_that_heeds_is_told_that_a_strict_students_motion_waits_for_nobody() -> None:
    strict = replace(SETTINGS, track=TrackSettings(later=(3,)))
    made = Track(CpuWorld(BODY, 2, threads=1), motions(clips(), BODY, 30.0), strict)
    made.begin(torch.zeros(2, made.chance))
    teacher = Track.parts(BODY, replace(SETTINGS, track=TrackSettings(later=(4, 12), waits=True, heeds=True)))[0]
    command = made.told(teacher)
    assert command.shape[1] == teacher.command_size and not command[:, -1].any()
    parts = dict(zip(teacher.told, command.split(teacher.told.sizes, dim=1), strict=True))
    torch.testing.assert_close(parts["later"], torch.cat([made.moment(4).qpos, made.moment(12).qpos], dim=1))


def test_mistakes_are_told(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="frames ahead"):
        distil.distil(run, tmp_path / "x", targets="root", later=(), clips=run.parent)
    with pytest.raises(InputError, match="frame ahead"):
        student("root", later=())
    assert not (tmp_path / "x").exists()
