"""The smooth leg: near OpenSim's, its arms the slopes of its lengths, its muscles those of `muscle.hill`."""

import numpy as np
import pytest

casadi = pytest.importorskip("casadi", reason="no CasADi: pip install lactic[plan]")

from lactic.errors import InputError  # noqa: E402
from lactic.plan.leg import SmoothLeg, shipped  # noqa: E402
from lactic.plan.muscle import muscle_torque  # noqa: E402


def states(count, seed=0):
    leg, rng = shipped(), np.random.default_rng(seed)
    return rng.uniform(leg.low, leg.high, (count, 3)), rng.uniform(-1, 1, (count, 3)) * [5, 10, 10]


def test_arms_are_slopes_of_lengths():
    leg, (q, _), h = shipped(), states(20), 1e-6
    for i, step in enumerate(h * np.eye(3)):
        slope = (leg.lengths(q + step) - leg.lengths(q - step)) / (2 * h)
        np.testing.assert_allclose(leg.arms(q)[:, i], -slope, atol=1e-8)


def test_the_fit_is_near_the_exact_leg():
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    from lactic.muscle.leg import shipped_leg

    leg, whole, (q, _) = shipped(), shipped_leg(), states(300)
    bent = np.zeros((len(q), 5))
    bent[:, [0, 3, 4]] = q
    lengths, arms = whole.arms(bent)
    order = [whole.muscles.index(str(name)) for name in leg.names]
    off = leg.lengths(q) - lengths[:, order]
    assert np.sqrt((off**2).mean(0)).max() < 2e-4 and np.abs(off).max() < 1e-3
    turn = leg.arms(q) - arms[:, [0, 3, 4]][:, :, order]
    assert np.sqrt((turn**2).mean()) < 1e-3  # conditional points make exact arms jump by up to 1 cm


def test_casadi_and_numpy_agree_about_muscles():
    leg, (q, v) = shipped(), states(200, 1)
    a = np.random.default_rng(2).random((200, 43))
    exact = leg.pull(q, v).torque(a)
    smooth = np.asarray(muscle_torque(leg).map(200)(q.T, v.T, a.T)[0]).T
    assert np.abs(exact - smooth).max() < 0.2  # Nm: corners are rounded


def test_a_damaged_leg_is_refused(tmp_path):
    bad = tmp_path / "leg.npz"
    bad.write_bytes(b"PK nothing")
    with pytest.raises(InputError, match="not a leg"):
        SmoothLeg.load(bad)
