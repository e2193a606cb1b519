"""Learning to be steered: from what leaders did to a student, to a run, to a brain behind a leader."""

import numpy as np
import pytest
from footsteps import steps_database

from lactic import body
from lactic.brain.catalogue import find
from lactic.brain.file import BrainFile
from lactic.cli import main
from lactic.learn import config, distil
from lactic.learn.config import LearnSettings, RunSettings
from lactic.learn.run import start, train
from lactic.motion.library import Library, concatenate
from lactic.play.steered import crowd_of
from lactic.steer.stream import record
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory):
    """A folder with a library of fresh and of tiring leaders."""
    folder, frames = tmp_path_factory.mktemp("clips"), steps_database()
    fresh, tiring = (
        record(frames, 0.25, streams=2, name=name, tiring=name == "tiring") for name in ("fresh", "tiring")
    )
    concatenate([fresh, tiring]).save(folder / "library.npz")
    return folder


def test_the_recipe_follows_leaders_strictly_in_a_body_that_tires():
    settings = config.read("steer")
    task = settings.task
    assert isinstance(task, TrackTaskSettings) and task.split == "leader" and task.mirror
    assert task.track.later == (3,) and not task.track.waits and task.track.targets == "all"
    assert (task.fatigue.mode, task.fatigue.fitness) == ("limits", "human-30")
    assert settings.learn.policy == (256, 256)


def test_from_leaders_to_a_student_to_a_run_to_a_brain(clips, tmp_path):
    assert set(Library.load(clips / "library.npz").splits) == {"leader"}
    learn = LearnSettings(horizon=8, policy=(16,), value=(16,), epochs=1, minibatches=1)
    actor = TrackTaskSettings(split="leader", track=TrackSettings(later=(4, 12), waits=True, strict=0.5, heeds=True))
    options = {"clips": clips, "say": lambda _: None}
    train(RunSettings(worlds=4, device="cpu", task=actor, learn=learn), tmp_path / "actor", iterations=1, **options)
    chosen = {"later": (3,), "split": "leader", "strict": True, "rounds": 4, "worlds": 8}
    distil.distil(tmp_path / "actor", tmp_path / "student", (24, 24), **chosen, **options)
    changes = {"learn.policy": [24, 24], "learn.value": [16], "worlds": 8, "device": "cpu"}
    start(
        "steer",
        out=tmp_path / "run",
        clips=clips,
        iterations=2,
        light=True,
        changes=changes,
        expert=tmp_path / "student",
    )
    assert main(["export", str(tmp_path / "run"), "--out", str(tmp_path / "steer")]) == 0
    info = BrainFile(tmp_path / "steer" / "brain.onnx").info
    assert (info.name, info.host, info.asks, info.tires, info.fitness) == (
        "steer",
        "motion",
        "motion",
        "limits",
        "human-30",
    )
    assert info.tracking is not None and info.tracking.later == (3,) and not info.tracking.waits
    assert not (tmp_path / "steer" / "starts.npz").exists()
    crowd = crowd_of(find(tmp_path / "steer"), steps_database(), lambda second, roots: np.zeros((2, 6)), 2)
    for _ in range(5):
        crowd.step()
    assert np.isfinite(crowd.player.world.qpos).all() and crowd.player.body.joints == body.get("humanoid").joints
