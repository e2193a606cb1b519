"""Learning networks: fits that can be interrupted, accuracy by hand, a whole run on a made-up limb, the commands."""

import json

import numpy as np
import pytest
from tiny_osim import tiny_file, tiny_text

pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")

import torch

from lactic.cli import main
from lactic.errors import InputError
from lactic.muscle.accuracy import accuracy, correction_rows, effort_rows
from lactic.muscle.compact import limb
from lactic.muscle.fit import Recipe, fit
from lactic.muscle.learn import Order, learn_limb
from lactic.muscle.learned import FILES, Network, load
from lactic.muscle.osim import read_osim
from lactic.muscle.samples import Ranges, Samples

RECIPE = Recipe((8, 4), passes=6, batch=64)
RANGES = Ranges(low=(-0.5,), high=(1.0,), speed=(2.0,), torque=(300.0,))
ORDER = Order("tiny", "r", samples=400, passes=2, seed=0)


@pytest.fixture(autouse=True)
def one_thread():
    """More only get into each other's way on networks this small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def curve() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).uniform(-100, 100, (512, 1))
    return x, 50 * np.abs(x)


def test_a_fit_learns_a_bend():
    x, y = curve()
    net = fit(x, y, Recipe((16, 8), passes=120, batch=64, rate=0.02))
    assert accuracy(net(x), y) > 0.95
    assert net(np.array([[80.0]])) == pytest.approx(4000, rel=0.05)


def test_weights_say_what_matters():
    x = np.linspace(-1, 1, 512)[:, None]
    y = np.where(x > 0, 1.0, -1.0)
    heavy = np.where(x[:, 0] > 0, 100.0, 1.0)
    one = Recipe((), passes=80, batch=64, rate=0.05)  # a straight line cannot be right on both sides
    right = x[:, 0] > 0
    errors = [np.abs(fit(x, y, one, w)(x) - y)[right].mean() for w in (None, heavy)]
    assert errors[1] < 0.8 * errors[0]


def test_an_interrupted_fit_ends_where_a_whole_one_does(tmp_path):
    x, y = curve()
    whole = fit(x, y, RECIPE)

    def stop(passes: int, loss: float) -> None:
        if passes == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(x, y, RECIPE, unfinished=tmp_path / "net.pt", said=stop)
    seen: list[int] = []
    again = fit(x, y, RECIPE, unfinished=tmp_path / "net.pt", said=lambda passes, _: seen.append(passes))
    assert seen == [3, 4, 5, 6]
    assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in zip(whole.layers, again.layers, strict=True))


def nothing(outputs: int) -> Network:
    return Network(((np.zeros((outputs, 15), np.float32), np.zeros(outputs, np.float32)),))


def test_accuracy_by_hand():
    """3 and 4 wrong of 6 and 8 is half; a network that answers 0 is off by the label itself, whose norm is 5."""
    assert accuracy(np.array([3.0, 4.0]), np.array([6.0, 8.0])) == pytest.approx(0.5)
    zeros = np.zeros((3, 5))
    label = np.array([[3.0, 4, 0, 0, 0], [0, 0, 0, 0, 0], [0, 150, 0, 0, 0]])
    rows = correction_rows(nothing(5), Samples(zeros, zeros, zeros, label, np.array([True, True, False])))
    known = {row["where"]: (row["samples"], row["median"]) for row in rows}
    assert known == {
        "uniform": (1, 150.0),
        "drawn within 20 Nm of the boundary": (2, 2.5),
        "drawn up to 20 Nm inside": (1, 0.0),
        "outside by 0 to 5 Nm": (1, 5.0),
        "outside by 100 to 200 Nm": (1, 150.0),
    }
    assert rows[0]["accuracy"] == pytest.approx(0.0)
    rows = effort_rows(nothing(1), Samples(zeros, zeros, zeros, np.array([1.0, 2, 3]), np.array([True, True, False])))
    assert [(row["where"], row["median"]) for row in rows] == [("uniform", 3.0), ("drawn near the boundary", 1.5)]


def test_a_whole_run_on_a_made_up_limb(tmp_path):
    tiny = limb(read_osim(tiny_file(tmp_path)), ["angle"])
    lines: list[str] = []
    out = tmp_path / "out"

    def stop_late(line: str) -> None:
        lines.append(line)
        if line.startswith("passive:") and "pass" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_limb(tiny, (RANGES,), out, ORDER, say=stop_late)
    assert [path.name for path in out.iterdir()] == ["unfinished"]
    with pytest.raises(InputError, match="was begun with other settings"):
        learn_limb(tiny, (RANGES,), out, Order("tiny", "r", samples=500, passes=2, seed=0))
    before = len(lines)
    rows = learn_limb(tiny, (RANGES,), out, ORDER, credits="A. Nonymous, CC BY", say=lines.append)
    assert not any(line.startswith("R:") for line in lines[before:])  # R was done already
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [*(f"{name}.npz" for name in FILES), "accuracy.json", "card.md"]
    )
    assert json.loads((out / "accuracy.json").read_text()) == rows
    assert {row["network"] for row in rows} == set(FILES)
    assert "A. Nonymous, CC BY" in (out / "card.md").read_text(encoding="utf-8")
    assert [len(bias) for _, bias in load(out / "R.npz").layers] == [360, 180, 80, 1]


def test_wrong_models_leave_nothing_behind(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["strength", "learn", str(tmp_path / "none.osim"), "--out", str(out)]) == 2
    assert main(["strength", "learn", str(tiny_file(tmp_path)), "--out", str(out)]) == 2
    assert "no coordinate hip_flexion_r" in capsys.readouterr().err
    (tmp_path / "cut.osim").write_text(tiny_text()[:1500])
    assert main(["strength", "learn", str(tmp_path / "cut.osim"), "--out", str(out)]) == 2
    assert main(["strength", "learn", str(tiny_file(tmp_path)), "--out", str(out), "--passes", "0"]) == 2
    assert "passes 0: must be 1 or more" in capsys.readouterr().err
    assert not out.exists()


def test_pictures(tmp_path, capsys):
    assert main(["strength", "show", "--out", str(tmp_path / "out")]) == 0
    for name in ("ankle.png", "hip.png"):
        assert (tmp_path / "out" / name).read_bytes()[:4] == b"\x89PNG"
    assert main(["strength", "show", "--out", str(tmp_path / "other"), "--networks", str(tmp_path)]) == 2
    assert "no R.npz in it" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_curves_say_what_the_paper_says():
    """Fig. 7: the ankle is weaker bent either way and with a bent knee. Fig. 8: a bent hip and knee extend easier."""
    from lactic.picture.legs import ankle, hip

    curves = ankle()
    push = curves["ankle angle"][0]
    middle = len(push.x) // 2
    for values in (push.learned, push.exact):
        assert values[middle] > 1.3 * np.nanmax([values[3], values[-13]])
    knee = curves["knee angle"][0]
    bent, straight = np.argmin(abs(knee.x + 1.5)), -1
    assert knee.learned[bent] < 0.85 * knee.learned[straight] and knee.exact[bent] < 0.85 * knee.exact[straight]
    assert push.exact[middle] == pytest.approx(273, abs=3)  # gait2392's plantarflexors with all coordinates 0
    assert np.nanmedian(np.abs(push.learned - push.exact)) < 8
    squat = hip()["hip flexion"][0]
    assert squat.learned[26] < 0.7 * squat.learned[0] and squat.exact[26] < 0.7 * squat.exact[0]
