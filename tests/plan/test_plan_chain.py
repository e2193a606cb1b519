"""The planar bodies: their equations of motion against energy, their shape against the model they come from."""

import numpy as np
import pytest

pytest.importorskip("casadi", reason="no CasADi: pip install lactic[plan]")

from lactic.plan.chain import CROUCH, GRAVITY, JUMPER, SWINGER


def energy(chain, q, v):
    """Kinetic and potential energy by summing over bodies, velocities by differences."""
    import casadi as ca

    s = ca.SX.sym("q", chain.size)
    parts = chain.pose(s).parts
    places = ca.Function("f", [s], [ca.horzcat(*(p.centre for p in parts)), ca.horzcat(*(p.angle for p in parts))])
    (ahead, turned), (behind, was) = places(q + 1e-6 * v), places(q - 1e-6 * v)
    speed, spin = (np.asarray(ahead - behind) / 2e-6, np.asarray(turned - was).ravel() / 2e-6)
    here = np.asarray(places(q)[0])
    mass, inertia = np.array([p.mass for p in parts]), np.array([p.inertia for p in parts])
    return (mass * (speed**2).sum(0)).sum() / 2 + (inertia * spin**2).sum() / 2, GRAVITY * (mass * here[1]).sum()


CHAINS = (JUMPER, SWINGER, JUMPER.flying(), SWINGER.flying())


@pytest.mark.parametrize("chain", CHAINS, ids=lambda c: f"{c.name}{c.free}")
def test_power_of_the_forces_is_the_change_of_energy(chain):
    rng = np.random.default_rng(1)
    q, v, a = rng.uniform(-0.5, 0.0, chain.size), rng.normal(size=chain.size), rng.normal(size=chain.size)
    force = np.asarray(chain.dynamics(q, v, a)[0]).ravel()
    step = 1e-4

    def total(t):
        return sum(energy(chain, q + t * v + t * t / 2 * a, v + t * a))

    assert force @ v == pytest.approx((total(step) - total(-step)) / (2 * step), rel=1e-4)


def test_a_held_body_stands_on_its_weight():
    force, com, _, _ = (np.asarray(x).ravel() for x in JUMPER.dynamics(CROUCH, np.zeros(4), np.zeros(4)))

    def height(q):
        return float(JUMPER.dynamics(q, 0, 0)[1][1])

    lift = [(height(CROUCH + s) - height(CROUCH - s)) / 2e-6 for s in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(force, JUMPER.mass * GRAVITY * np.array(lift), rtol=1e-6)
    assert abs(com[0]) < 0.1 and 0.6 < com[1] < 0.75  # over the foot, crouched
    assert JUMPER.mass == pytest.approx(37.782, abs=1e-3)  # half of 75.6 kg


def test_a_flying_body_falls_with_gravity():
    rng = np.random.default_rng(2)
    flying = JUMPER.flying()
    q, v = rng.uniform(-0.5, 0.0, flying.size), rng.normal(size=flying.size)
    # without torques: solve for accelerations, whose force is linear in them
    rest = np.asarray(flying.dynamics(q, v, np.zeros(flying.size))[0]).ravel()
    mass = np.stack([np.asarray(flying.dynamics(q, v, e)[0]).ravel() - rest for e in np.eye(flying.size)], 1)
    np.testing.assert_allclose(mass, mass.T, atol=1e-9)
    a = np.linalg.solve(mass, -rest)
    np.testing.assert_allclose(np.asarray(flying.dynamics(q, v, a)[3]).ravel(), [0.0, -GRAVITY], atol=1e-9)
