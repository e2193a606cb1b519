"""Characters that are told only where their root shall be: routes of files, and the brain that ships."""

from pathlib import Path

import numpy as np
import pytest

from lactic import body as bodies
from lactic import rotation
from lactic.brain import catalogue
from lactic.cli import main
from lactic.errors import InputError
from lactic.play.job import PlayOptions, ready
from lactic.play.player import Player
from lactic.play.route import PACE, along, on_route, read_route, usual_route

BODY = bodies.get("humanoid")


def test_a_route_is_read_with_and_without_a_heading(tmp_path: Path):
    file = tmp_path / "route.csv"
    file.write_text("seconds, x, y\n2, 0, 0\n\n5, 3.0, 0\n8, 3, 1.5\n")
    np.testing.assert_allclose(read_route(file), [[0, 0, 0], [3, 3, 0], [6, 3, 1.5]])
    file.write_text("0,1,2\n1,2,3\n")
    np.testing.assert_allclose(read_route(file), [[0, 1, 2], [1, 2, 3]])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0,0,0\n3,here,0\n", "line 2: needs seconds, x and y"),
        ("0,0,0\n3,nan,0\n", "line 2: needs"),
        ("0,0,0\n3,1\n", "line 2: needs"),
        ("0,0,0\n3,1,0\n2,2,0\n", "line 3: 2 s does not come after 3 s"),
        ("0,0,0\n", "two or more lines"),
        ("0,0,0\n9999,1,1\n", "at most 3600 s"),
    ],
)
def test_a_bad_route_is_told_with_its_line(tmp_path: Path, text: str, reason: str):
    file = tmp_path / "route.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=reason):
        read_route(file)
    assert main(["play", "goals", "--path", str(file), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_a_route_is_walked_looking_ahead():
    clip = along(BODY, np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 2.0], [3.0, 0, 2.0]]), 30.0)
    assert clip.frames == 91
    np.testing.assert_allclose(clip.qpos[45, :2], [0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(rotation.heading(clip.qpos[:, 3:7]), np.pi / 2)  # also before and after it goes
    rows = usual_route()
    pace = np.linalg.norm(np.diff(rows[:, 1:], axis=0), axis=1) / np.diff(rows[:, 0])
    np.testing.assert_allclose(pace, PACE)


def test_only_characters_that_are_told_places_of_the_root_take_a_route(tmp_path: Path):
    file = tmp_path / "route.csv"
    file.write_text("0,0,0\n6,3,0\n")
    with pytest.raises(InputError, match="actor is not told where its root shall be"):
        ready("actor", PlayOptions(path=file))
    with pytest.raises(InputError, match="it is given: `lactic tire`"):
        ready("ends")
    driver, seconds = ready("goals", PlayOptions(path=file))
    assert seconds == 6.0 and driver.player.info.tracking is not None and driver.player.info.tracking.held


def test_the_shipped_student_goes_along_a_route_and_turns_with_it():
    player = Player(catalogue.find("goals").load(), None, 1)
    driver = on_route(player, None)
    path = [player.world.qpos[0, :2].copy()]
    for _ in range(600):
        driver.step()
        assert not driver.fallen()[0]
        path.append(player.world.qpos[0, :2].copy())
    assert driver.time[0] == pytest.approx(20.0)  # a route waits for nobody
    way = np.linalg.norm(np.diff(np.array(path), axis=0), axis=1).sum()
    assert way > 6.0 and player.world.qpos[0, 2] > 0.8  # metres, upright
    assert np.ptp(np.array(path), axis=0).min() > 1.0  # both sides of the eight
    player.world.qpos[0, 2] = 0.3
    assert driver.fallen()[0]
