"""Takes: what a fall does to a recording, to its motion files, and to what a film and a plot say of it."""

import numpy as np
import pytest
from PIL import Image

from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.files import save_figure
from lactic.motion.bvh import read_bvh
from lactic.picture.pace import asked_speed, floor_speed, legs_left
from lactic.picture.pace_plot import pace_figure, stages
from lactic.picture.recording import Recording
from lactic.play.job import LYING, PlayOptions, play, write_takes
from lactic.play.summary import summarise

FPS = 30.0


def recording(frames: int = 90, cuts=(), speed: float = 2.0, body=None, asks: str = "", command=None) -> Recording:
    """A body that glides along x while its joints tire evenly."""
    body = body or humanoid()
    joints = len(body.joints)
    qpos = np.tile(body.rest, (frames, 1))
    qpos[:, 0] += speed * np.arange(frames) / FPS
    fatigue = np.zeros((frames, joints, 3), np.float32)
    fatigue[..., 2] = np.linspace(0, 0.6, frames)[:, None]
    zeros = np.zeros((frames, joints), np.float32)
    return Recording(
        "made-up",
        body.name,
        body.joints,
        FPS,
        np.arange(frames) / FPS,
        qpos,
        fatigue,
        zeros,
        zeros,
        zeros,
        np.array(cuts, int),
        np.zeros((0, 0)) if command is None else command,
        asks,
    )


def test_a_recording_is_split_at_its_cuts_and_nothing_is_lost():
    record = recording(90, cuts=(30, 75), command=np.ones((90, 3), np.float32))
    takes = record.takes()
    assert [len(take) for take in takes] == [30, 45, 15] and [len(take.command) for take in takes] == [30, 45, 15]
    assert (np.concatenate([take.qpos for take in takes]) == record.qpos).all()
    assert takes[1].time[0] == 1.0 and not len(takes[1].cuts)


def test_without_cuts_or_with_cuts_at_its_ends_it_is_one_take():
    for cuts in ((), (0,), (90,)):
        assert [len(take) for take in recording(90, cuts).takes()] == [90]


def test_every_take_has_a_motion_file_and_those_of_an_earlier_run_are_gone(tmp_path):
    write_takes(tmp_path, recording(90, cuts=(30, 60)), humanoid(), ("bvh",))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["motion-2.bvh", "motion-3.bvh", "motion.bvh"]
    assert [read_bvh(tmp_path / f"motion{n}.bvh").frames for n in ("", "-2", "-3")] == [30, 30, 30]
    (tmp_path / "motion-mine.bvh").touch()
    write_takes(tmp_path, recording(90, cuts=(45,)), humanoid(), ("bvh", "glb"))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "motion-2.bvh",
        "motion-2.glb",
        "motion-mine.bvh",
        "motion.bvh",
        "motion.glb",
    ]


def test_the_summary_names_the_takes():
    from lactic import fatigue

    found = summarise(recording(90, cuts=(30,)), fatigue.preset("human"), humanoid().groups)
    assert found["takes"] == [{"from_s": 0.0, "to_s": 1.0}, {"from_s": 1.0, "to_s": 3.0}]


def test_a_plain_character_that_falls_ends_the_recording_a_moment_later(tmp_path):
    summary = play("run-expert", tmp_path, PlayOptions(seconds=30.0, F=4.0, film=False), report=lambda _: None)
    assert summary["fell_at_s"] is not None and summary["fell_at_s"] < 20
    assert summary["seconds"] == pytest.approx(summary["fell_at_s"] + LYING, abs=0.1)
    assert len(summary["takes"]) == 1 and not (tmp_path / "film.mp4").exists()
    record = Recording.load_file(tmp_path / "recording.npz")
    assert record.qpos[-1, 2] < 0.6 * record.qpos[0, 2], "one sees it on the floor"


def test_commands_survive_a_file_and_old_files_have_none(tmp_path):
    asked = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    recording(20, command=asked, asks="velocity").save(tmp_path / "new.npz")
    back = Recording.load_file(tmp_path / "new.npz")
    assert (back.command == asked).all() and back.asks == "velocity"
    with np.load(tmp_path / "new.npz") as held:
        old = {name: held[name] for name in held.files if name != "command"}
    old["about"] = np.array(str(old["about"]).replace(', "asks": "velocity"', ""))
    np.savez(tmp_path / "old.npz", **old)
    back = Recording.load_file(tmp_path / "old.npz")
    assert back.command.size == 0 and back.asks == "" and asked_speed(back) is None


def test_speed_is_the_way_gone_in_a_second_and_a_jump_is_no_speed():
    record = recording(120, speed=1.5)
    assert floor_speed(record.qpos, FPS) == pytest.approx(1.5)
    record.qpos[60:, 1] += 50.0
    assert floor_speed(record.qpos, FPS).max() > 40
    assert floor_speed(record.qpos, FPS, [60]).max() == pytest.approx(1.5)
    assert floor_speed(record.qpos[:1], FPS) == pytest.approx([0.0])


def test_speed_asked_for_is_read_from_velocities_and_paces_alone():
    velocity = np.tile([3.0, 4.0, 9.0], (30, 1))
    assert asked_speed(recording(30, asks="velocity", command=velocity)) == pytest.approx(5.0)
    assert asked_speed(recording(30, asks="lane", command=velocity[:, :1])) == pytest.approx(3.0)
    assert asked_speed(recording(30, asks="direction", command=velocity[:, :2])) is None


def test_legs_are_as_strong_as_the_fatigue_of_their_joints_says():
    left = legs_left(recording(90), humanoid())
    assert left is not None and left[[0, -1]] == pytest.approx([1.0, 0.4])
    assert legs_left(recording(9, body=ant()), ant()) is None


def test_the_pace_picture_shows_both_curves_and_what_was_asked(tmp_path):
    velocity = np.tile([2.5, 0.0, 0.0], (300, 1))
    figure = pace_figure(recording(300, asks="velocity", command=velocity), humanoid())
    curves, below, strength = (axes for axes in figure.axes if axes.lines or axes.artists or axes.texts)
    by_name = {line.get_label(): line.get_ydata() for line in curves.lines}
    assert by_name["speed over the floor"] == pytest.approx(2.0)
    assert by_name["speed asked for"] == pytest.approx(2.5)
    assert strength.lines[0].get_ydata()[[0, -1]] == pytest.approx([100, 40])
    assert len(below.texts) == len(stages(recording(300)))
    save_figure(tmp_path / "pace.png", pace_figure(recording(300), humanoid()), 130)
    assert Image.open(tmp_path / "pace.png").size == (1300, 728)


def test_stages_are_about_twelve_seconds_apart_and_few_enough():
    assert np.diff(stages(recording(3000))) / FPS == pytest.approx(12.5, abs=0.1)
    assert len(stages(recording(30 * 600))) == 12 and len(stages(recording(60))) == 3 and len(stages(recording(2))) == 2


def test_what_cannot_travel_has_no_pace():
    with pytest.raises(InputError, match="two frames"):
        pace_figure(recording(1), humanoid())
