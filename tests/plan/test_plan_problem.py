"""Direct collocation on problems with known answers."""

import signal

import numpy as np
import pytest

ca = pytest.importorskip("casadi", reason="no CasADi: pip install lactic[plan]")

from lactic.errors import InputError  # noqa: E402
from lactic.plan.problem import Assembly, Block, MotionProblem  # noqa: E402
from lactic.plan.solve import solve  # noqa: E402


def cart(nodes=41, scheme="trapezoid", most=100.0, block=None, goal=1.0):
    """A unit mass pushed from rest at 0 to rest at `goal` in a second with the least ∫u²: 12 for a metre."""
    w = ca.SX.sym("w", 4)  # q, v, a, u
    low, high = np.tile([-9.0, -9, -99, -most], (nodes, 1)), np.tile([9.0, 9, 99, most], (nodes, 1))
    low[0, :2] = high[0, :2] = 0
    low[-1, :2] = high[-1, :2] = goal, 0
    zero = np.zeros((nodes, 1))
    return MotionProblem(
        w,
        1,
        1.0,
        nodes,
        w[2] - w[3],
        zero,
        zero,
        low,
        high,
        np.zeros((nodes, 4)),
        w[3] ** 2,
        ca.SX(0),
        0.0,
        scheme,
        block,
    )


def test_least_effort_of_a_cart():
    found = solve(cart(201))
    assert found.status == "Solve_Succeeded" and found.violation < 1e-6
    assert found.objective == pytest.approx(12.0, rel=1e-3)
    t = np.linspace(0, 1, 201)
    np.testing.assert_allclose(found.nodes[:, 3], 6 - 12 * t, atol=0.05)
    np.testing.assert_allclose(found.nodes[:, 0], 3 * t**2 - 2 * t**3, atol=1e-3)


def test_backward_euler_finds_it_too():
    assert solve(cart(41, "euler")).objective == pytest.approx(12.0, rel=0.01)


def squares(limit, cost):
    """u² ≤ limit, and cost·u⁴, as a block that CasADi does not see."""
    return Block(
        np.array([3]),
        lambda z: (z**2, cost * z[:, 0] ** 4),
        lambda z: (2 * z[:, :, None], 4 * cost * z**3),
        lambda z, weight, share: 2 * weight[:, :, None] + (12 * cost * share * z[:, 0] ** 2)[:, None, None],
        np.array([-np.inf]),
        np.array([limit]),
    )


def test_a_block_constrains_as_bounds_do():
    blocked = cart(block=squares(25.0, 0.0))
    blocked.start[:, 3] = 1.0  # u² has no slope at 0
    np.testing.assert_allclose(solve(blocked).nodes, solve(cart(most=5.0)).nodes, atol=1e-3)


def test_derivatives_of_the_whole_are_exact():
    made, rng, none, h = Assembly(cart(5, block=squares(25.0, 0.1))), np.random.default_rng(0), ca.DM.zeros(0, 0), 1e-5
    x, lam = rng.normal(size=20), rng.normal(size=len(made.lower))

    def slope(x):
        return 1.3 * np.asarray(made.grad_f(x, none)[1]).ravel() + np.asarray(made.jac_g(x, none)[1]).T @ lam

    def value(x):
        return 1.3 * float(made.grad_f(x, none)[0]) + lam @ np.asarray(made.jac_g(x, none)[0]).ravel()

    upper = np.asarray(made.hess(x, none, 1.3, lam))
    steps = h * np.eye(20)
    np.testing.assert_allclose(slope(x), [(value(x + s) - value(x - s)) / (2 * h) for s in steps], atol=1e-7)
    bends = np.stack([(slope(x + s) - slope(x - s)) / (2 * h) for s in steps])
    np.testing.assert_allclose(upper + np.triu(upper, 1).T, bends, atol=1e-7)


def test_a_block_costs_as_an_expression_does():
    plain = cart()
    plain.running = plain.node[3] ** 2 + 0.1 * plain.node[3] ** 4
    assert solve(cart(block=squares(1e4, 0.1))).objective == pytest.approx(solve(plain).objective, rel=1e-6)


def test_what_cannot_be_done_is_said():
    with pytest.raises(InputError, match="no solution: IPOPT says"):
        solve(cart(most=3.0))  # a metre in a second needs 4


def test_one_blas_thread_while_it_searches():
    """With more, such small matrices take five times as long."""
    pools, threads = pytest.importorskip("threadpoolctl", reason="no threadpoolctl: pip install lactic[plan]"), []

    def look(count, objective, violation):
        threads.extend(pool["num_threads"] for pool in pools.threadpool_info() if pool["user_api"] == "blas")

    solve(cart(block=squares(25.0, 0.0)), look)
    assert set(threads) == {1}


def test_ctrl_c_stops_the_search():
    before = signal.getsignal(signal.SIGINT)

    def press(count, objective, violation):
        if count == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        solve(cart(block=squares(25.0, 0.0)), press)
    assert signal.getsignal(signal.SIGINT) is before
