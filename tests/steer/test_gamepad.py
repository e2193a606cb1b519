"""Sticks by script, by path and by the artificial user."""

import numpy as np
import pytest

from lactic.errors import InputError
from lactic.steer.gamepad import ArtificialUser, Gamepad, PathFollower, read_script, script, tidy


def test_a_pad_is_kept_within_what_sticks_can_do():
    row = tidy(np.array([3.0, 4.0, np.nan, 0.5, 1.7, 0.9]))
    np.testing.assert_allclose(row, [0.6, 0.8, 0.0, 0.5, 1.0, 1.0])
    assert Gamepad((0.0, -2.0)).array()[1] == -1


def test_a_script_holds_each_row_until_the_next(tmp_path):
    path = tmp_path / "sticks.yaml"
    path.write_text("- {at: 0, left: [1, 0]}\n- {at: 2, left: [0, 1], trigger: 1, button: true}\n")
    sticks = read_script(path)
    np.testing.assert_allclose(sticks.at(1.99), [1, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(sticks.at(2.0), [0, 1, 0, 0, 1, 1])
    assert sticks.seconds == 2
    assert sticks(0.5, np.zeros((3, 7))).shape == (3, 6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "- {left: [1, 0]}",
        "- {at: 0, lift: 1}",
        "- {at: 0, left: [1, 0, 0]}",
        "- {at: x}",
        "- [",
        "- {at: 1}\n- {at: 0}",
    ],
)
def test_a_wrong_script_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "sticks.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_script(path)
    assert "script" in str(error.value) or str(path) in str(error.value)
    with pytest.raises(InputError):
        read_script(tmp_path / "missing.yaml")
    with pytest.raises(InputError):
        script([])


def test_the_artificial_user_has_the_chances_of_the_thesis():
    """Algorithm 5.14: each event once in 1000 steps, so a stick is pushed half the time in the long run."""
    user, held, changes = ArtificialUser(200, seed=0), [], 0
    before = user.step().copy()
    for _ in range(3000):
        pads = user.step()
        changes += int((pads[:, 4] != before[:, 4]).sum())
        held.append([np.hypot(pads[:, 0], pads[:, 1]), np.hypot(pads[:, 2], pads[:, 3])])
        before = pads.copy()
    assert changes / (200 * 3000) == pytest.approx(0.001, rel=0.15)
    lengths = np.array(held[1500:])
    assert np.isclose(lengths, 0, atol=1e-9).mean() + np.isclose(lengths, 1, atol=1e-9).mean() == pytest.approx(1)
    assert lengths.mean() == pytest.approx(0.5, abs=0.06)
    assert np.abs(user.rates).max() <= 2 * np.pi


def test_the_artificial_user_repeats_itself_by_seed_and_may_leave_the_button():
    a, b, c = (ArtificialUser(5, seed=seed, chance=0.02, crouch=seed != 4) for seed in (3, 3, 4))
    rows = [[user.step().copy() for _ in range(200)] for user in (a, b, c)]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])
    assert np.array(rows[0])[..., 5].any() and not np.array(rows[2])[..., 5].any()


def test_a_path_is_followed_to_its_end():
    follow = PathFollower(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]), ahead=0.3)
    at, way = np.zeros((1, 7)), []
    for _ in range(600):
        pad = follow(0.0, at)
        at[:, :2] += 0.01 * pad[:, :2]
        way.append(at[0, :2].copy())
    assert np.linalg.norm(way[-1] - [2, 2]) < 0.35
    corner = np.linalg.norm(np.array(way) - [2, 0], axis=1).min()
    assert corner < 0.25
    with pytest.raises(InputError):
        PathFollower(np.zeros((1, 2)))
