"""Programmes run on the clock that suits what they ask for; velocities are asked for by programme, speed or sticks."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from lactic import fatigue
from lactic.brain import catalogue
from lactic.cli import main
from lactic.errors import InputError
from lactic.picture.recording import Recording
from lactic.play.job import ready
from lactic.play.player import Player
from lactic.play.programme import RAMP, Programme
from lactic.play.velocity import RUN, WALK, asking, takes_velocity, velocity_of

WAY = [[0, 3.5, 0], [60, 0, 0], [80, 3.5, 0]]


def test_a_way_takes_real_seconds_and_changes_at_once():
    way = Programme.of(WAY, 2, clock="real")
    for scale in (1.0, 30.0):
        asked = [way.at(second, scale)[0] for second in (0, 59.9, 60, 79.9, 80, 500)]
        assert asked == [3.5, 3.5, 0, 0, 3.5, 3.5]
    assert way.length == 100 and way.rate(30.0) == 1
    assert way.at(sum([1 / 30] * 1800))[0] == 0  # a sum of time steps is a little less than 60


def test_poses_follow_the_bodys_own_time_and_change_smoothly():
    poses = Programme.of([[0, 0], [300, 1]], 1, seconds=600)
    assert poses.rate(30.0) == 30 and poses.length == 600
    assert poses.at(10.0, 30.0) == 0 and poses.at(10.0 + RAMP, 30.0) == 1
    assert poses.at(10.0 + RAMP / 2, 30.0) == pytest.approx(0.5)


def test_what_a_brain_is_asked_for_says_the_clock():
    found = {name: catalogue.find(name) for name in ("pace", "hold-arms", "hop")}
    read = {name: Programme.read(folder.params(), folder.load().info) for name, folder in found.items()}
    assert {name: programme.clock for name, programme in read.items()} == {
        "pace": "real",
        "hold-arms": "body",
        "hop": "body",
    }
    assert read["pace"].length == 100 and np.isinf(read["hop"].length)
    assert read["pace"].at(30, 30) == pytest.approx([3.5, 0]) and not read["pace"].at(70, 30).any()


def test_a_character_that_walks_to_a_goal_is_given_one():
    for name in catalogue.names():
        if catalogue.find(name).load().info.asks == "goal":
            driver, _ = ready(name)
            driver.step()
            assert np.hypot(*driver.player.command[0]) > 100, name  # metres: it never stands on its goal


def test_sticks_ask_for_a_velocity():
    assert velocity_of(np.array([0, 1, 0, 0, 0, 0])) == pytest.approx([0, WALK])
    assert velocity_of(np.array([-1, 0, 0, 0, 1, 0])) == pytest.approx([-RUN, 0])
    assert velocity_of(np.array([0.5, 0, 0, 0, 0.5, 0])) == pytest.approx([(WALK + RUN) / 4, 0])
    assert not velocity_of(np.array([0.1, 0.1, 1, 0, 1, 0])).any()  # a stick at rest never quite is


def test_one_speed_or_a_script_takes_the_programmes_place():
    folder = catalogue.find("pace")
    player = Player(folder.load())
    programme = Programme.read(folder.params(), player.info)
    assert takes_velocity(player.info)
    assert asking(player, programme)() == pytest.approx([3.5, 0])
    assert asking(player, programme, speed=2.0)() == pytest.approx([2, 0])
    turn = asking(player, programme, script="turn")
    assert turn() == pytest.approx([WALK, 0])
    player.second = 4.0
    assert turn() == pytest.approx([0, WALK])
    for options in ({"speed": -1.0}, {"speed": float("nan")}, {"speed": 1.0, "script": "turn"}, {"script": "nowhere"}):
        with pytest.raises(InputError):
            asking(player, programme, **options)
    runner = Player(catalogue.find("run-box").load())
    assert asking(runner, Programme.of([], 1, (3.5,)), speed=2.0)() == pytest.approx([2])


def test_a_speed_or_a_script_is_refused_where_nobody_listens(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for option in (["--speed", "2"], ["--script", "turn"]):
        assert main(["play", "hop", "--no-film", "--out", str(tmp_path), *option]) == 2
        assert capsys.readouterr().err.startswith(f"lactic: {option[0][2:]}")


def test_playing_a_velocity_leaves_a_picture_of_the_pace(tmp_path: Path):
    assert main(["play", "pace", "--speed", "2", "--seconds", "3", "--no-film", "--out", str(tmp_path)]) == 0
    record = Recording.load_file(tmp_path / "recording.npz")
    assert record.asks == "velocity" and record.command == pytest.approx(np.tile([2, 0], (90, 1)))
    assert record.qpos[-1, 0] > 3
    assert (tmp_path / "pace.png").read_bytes().startswith(b"\x89PNG")
    about = json.loads((tmp_path / "summary.json").read_text())["fitness"]
    assert (about["name"], about["rule"]) == ("human-30", "rest")


def test_rates_say_whether_a_body_tires_not_a_name():
    off = fatigue.preset("off")
    assert not off.tires and off.altered(F=1.0).tires
    assert fatigue.preset("human").tires and not fatigue.preset("human").altered(F=0.0).tires


def test_a_leader_knows_of_a_body_that_tires_whatever_its_preset_was_called(tmp_path: Path):
    from lactic.play.steered import Steered, database_of
    from lactic.steer.gamepad import COLUMNS

    folder = catalogue.find("steer")
    player = Player(folder.load(), fatigue.preset("off").altered(F=1.0, R=0.01, r=1.0))
    run = np.array([[1.0, 0, 0, 0, 1, 0]])
    assert run.shape == (1, COLUMNS)
    steered = Steered(player, database_of(folder), lambda second, roots: run, "in proportion")
    for _ in range(90):
        steered.step()
    assert steered.kinematic.state.pacing[0, 0] < 0.9  # tired legs are asked for less


@pytest.mark.parametrize(
    ("said", "meant", "message"),
    [
        ("programme:", "programe:", "'programe' is not known; is 'programme' meant"),
        ("height:", "heigth:", "task.fall needs"),
    ],
)
def test_a_wrong_name_in_params_is_said(said: str, meant: str, message: str, tmp_path: Path):
    folder = tmp_path / "pace"
    shutil.copytree(catalogue.find("pace").path, folder)
    text = (folder / "params.yaml").read_text()
    assert said in text
    (folder / "params.yaml").write_text(text.replace(said, meant))
    with pytest.raises(InputError, match=message):
        ready(str(folder))
