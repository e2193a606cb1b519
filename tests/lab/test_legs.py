"""Gait figures by hand, the ground's force, and the items of jiang2019 that need a walking brain."""

import json

import numpy as np
import pytest

from lactic import body as bodies
from lactic.brain import catalogue
from lactic.errors import InputError
from lactic.lab import job, legs
from lactic.lab.jiang2019 import gait
from lactic.lab.legs import Legs
from lactic.world import CpuWorld

FPS, MASS = 120.0, 50.0


def made_up(seconds: int = 6) -> Legs:
    """Each foot 0.6 s on the ground with 600 N and 0.4 s off it, half a second apart; at 1.5 m/s."""
    steps = round(seconds * FPS)
    at = np.arange(steps)[:, None] + np.array([0, 60])
    ground = np.where(at % 120 < 72, 600.0, 0.0)[:, None]
    torque = np.zeros((steps, 1, 2, 5))
    swing = np.sin(2 * np.pi * at / 120)[:, None]
    torque[..., 0], torque[..., 3], torque[..., 4] = 40.0 * swing, 25.0 * swing - 10.0, -60.0 * (ground > 0)
    speed = np.zeros_like(torque)
    speed[..., 4] = -0.5
    root = np.zeros((steps, 1, 2))
    root[:, 0, 0] = np.linspace(0.0, 9.0, steps)
    return Legs(FPS, MASS, np.zeros_like(torque), speed, torque, ground, root, 1, 1, np.array([900.0]))


def test_strides_and_their_figures_by_hand():
    found = made_up()
    right, left = found.landings()[0]
    assert right.tolist() == [120, 240, 360, 480, 600] and left.tolist() == [60, 180, 300, 420, 540, 660]
    assert len(found.strides()) == 4 + 5
    assert found.cadence()[0] == pytest.approx(120.0) and found.duty()[0] == pytest.approx(0.6)
    peaks = {name: found.peak(*place)[0] for name, place in gait.PEAKS.items()}
    assert peaks == pytest.approx(
        {
            "hip_extension": 0.8,
            "hip_flexion": 0.8,
            "knee_extension": 0.3,
            "knee_flexion": 0.7,
            "ankle_plantarflexion": 1.2,
        },
        abs=2e-3,
    )
    assert found.ground_peak()[0] == pytest.approx(600.0 / (MASS * 9.81))
    assert found.work()[0] == pytest.approx(2 * 0.6 * 60.0 * 0.5 * found.seconds / (MASS * 9.0), rel=0.02)
    curve = found.curve(0)
    assert curve.shape == (9, 101) and curve[0, 25] == pytest.approx(0.8, abs=2e-3)


def test_who_stands_takes_no_strides():
    found = made_up()
    found.ground[:] = 300.0
    assert np.isnan(found.cadence()).all() and np.isnan(found.peak(0, 1.0)).all() and not len(found.curve(0))


def test_infeasible_torque_is_judged_by_exact_muscles():
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    found = made_up()
    found.speed[:], found.torque[:] = 0.0, 0.0
    share, lacking = found.beyond()
    assert share[0] == 0.0 and lacking[0] < 0.1
    found.torque[: len(found.torque) // 2, :, 0, 3] = 500.0  # one knee, half of the time
    share, lacking = found.beyond()
    assert share[0] == pytest.approx(0.25, abs=0.01) and lacking[0] > 0.25 * 250
    metres = gait.figures(found)
    assert metres["cost_of_transport"][0] == pytest.approx((900.0 / MASS + 1.2 * 6) / 9.0)
    assert metres["speed_along"][0] == pytest.approx(1.5)


def test_the_ground_carries_a_standing_body():
    body = bodies.get("humanoid")
    world = CpuWorld(body, 2, threads=1, contacts=True)
    for _ in range(30):
        world.step(4)
    feet = [body.bodies.index(name) for name in body.feet]
    np.testing.assert_allclose(world.ground[:, feet, 2].sum(1), 73.0 * 9.81, rtol=0.01)
    assert (world.touch[:, feet] > 0).all()
    with pytest.raises(RuntimeError, match="contacts=True"):
        _ = CpuWorld(body, 1).ground


def test_the_items_run_with_a_character_that_stands(folder, tmp_path, monkeypatch):
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    monkeypatch.setattr(gait, "SECONDS", 1.5)  # it topples later
    monkeypatch.setattr(legs, "SETTLE", 0.5)
    monkeypatch.setattr(gait, "brains", lambda bench, report: [folder("walk-box")])
    job.run("jiang2019", "gait", tmp_path, episodes=2, say=lambda _: None)
    rows = {(r["subject"], r["metric"]): r for r in json.loads((tmp_path / "gait.json").read_text())["rows"]}
    assert rows["walk-box", "survival"]["value"] == 1.0
    assert rows["walk-box", "cadence"]["value"] is None and rows["walk-box", "infeasible_time"]["value"] == 0.0
    assert abs(rows["walk-box", "speed_along"]["value"]) < 0.05
    person = rows["person", "ankle_plantarflexion"]
    assert (person["low"], person["high"]) == (1.46, 1.76) and "steps a minute" in (tmp_path / "results.md").read_text()


def test_a_gauge_sees_what_the_engine_gave(folder, monkeypatch):
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    monkeypatch.setattr(legs, "SETTLE", 0.5)
    found = legs.ride(folder("stand"), 1.0, 1, 0, 1)
    assert (found.stood, found.torque.shape) == (1, (60, 1, 2, 5))
    assert found.ground[-1].sum() == pytest.approx(73.0 * 9.81, rel=0.02)
    assert found.metabolic is not None and found.metabolic[0] >= 0.0


def test_without_brains_the_items_say_how_to_get_them(tmp_path, monkeypatch):
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    said: list[str] = []
    monkeypatch.setattr(catalogue, "find", _none)
    for item in ("gait", "fig6"):
        job.run("jiang2019", item, tmp_path, say=said.append)
    assert sum("docs/strides.md" in line for line in said) == 8 and not list(tmp_path.glob("*.json"))


def _none(name: str) -> None:
    raise InputError(f"unknown brain '{name}'")
