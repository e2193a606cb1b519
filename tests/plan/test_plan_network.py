"""Networks in plans: exact slopes and curvature, and learned limits against the exact ones."""

import numpy as np
import pytest

pytest.importorskip("casadi", reason="no CasADi: pip install lactic[plan]")

from lactic.plan.leg import shipped, shipped_network

MIDDLE = np.array([0.6, -1.0, 0.0, 0, 0, 0, 0, 0, 0])
HALF = np.array([1.4, 1.0, 1.0, 5, 10, 10, 100, 80, 80.0])


@pytest.mark.parametrize("name", ["limits", "effort"])
def test_derivatives_are_those_of_differences(name):
    net, rng, h = shipped_network(name), np.random.default_rng(0), 1e-5
    x = MIDDLE + HALF * rng.uniform(-1, 1, (4, 9))
    share = rng.normal(size=(4, net(x).shape[1]))
    steps = [(h * HALF[i] * e, 2 * h * HALF[i]) for i, e in enumerate(np.eye(9))]
    slopes = np.stack([(net(x + s) - net(x - s)) / d for s, d in steps], 2)
    np.testing.assert_allclose(net.jacobian(x), slopes, rtol=1e-4, atol=1e-5 * np.abs(slopes).max())
    bends = np.stack(
        [((net.jacobian(x + s) - net.jacobian(x - s)) / d * share[:, :, None]).sum(1) for s, d in steps], 2
    )
    np.testing.assert_allclose(net.curvature(x, share), bends, rtol=1e-3, atol=1e-5 * np.abs(bends).max())


def test_learned_limits_are_near_the_exact_ones():
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    from lactic.muscle.exact import correction
    from lactic.plan.prepare import SAGITTAL

    rng = np.random.default_rng(5)
    q, v = SAGITTAL.states(2000, rng)
    pulls = shipped().pull(q, v)
    torque = SAGITTAL.torques(2000, rng)
    torque = torque - correction(pulls, torque).torque  # on the boundary
    off = np.linalg.norm(shipped_network("limits")(np.hstack([q, v, torque])), axis=1)
    assert np.median(off) < 2.0 and np.percentile(off, 95) < 6.0  # Nm


def test_a_tired_leg_is_a_fresh_one_scaled():
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    from lactic.muscle.exact import correction
    from lactic.plan.prepare import SAGITTAL

    rng, rc = np.random.default_rng(6), 0.4
    q, v = SAGITTAL.states(200, rng)
    fresh, tired = shipped().pull(q, v), shipped().pull(q, v, rc)
    u, passive = SAGITTAL.torques(200, rng), fresh.passive
    exact = correction(tired, rc * u + (1 - rc) * passive).torque
    np.testing.assert_allclose(exact, rc * correction(fresh, u).torque, atol=1e-6)
