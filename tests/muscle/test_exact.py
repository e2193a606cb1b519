"""Exact R and E against scipy's BVLS and HiGHS, by hand, on the boundary, and mirrored."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
optimize = pytest.importorskip("scipy.optimize", reason="no scipy, the oracle: pip install lactic[dev]")

from lactic.errors import InputError  # noqa: E402
from lactic.muscle.compact import compact  # noqa: E402
from lactic.muscle.exact import correction, effort  # noqa: E402
from lactic.muscle.hill import Pull  # noqa: E402
from lactic.muscle.leg import shipped_leg  # noqa: E402

LOW, HIGH = np.array([-0.9, -0.6, -0.6, -2.1, -0.9]), np.array([1.5, 0.6, 0.6, 0.1, 0.9])
SPEED, TORQUE = np.array([5.0, 5, 5, 10, 15]), np.array([250.0, 80, 80, 250, 250])


def nearest(active: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The residual that scipy's BVLS leaves."""
    found = optimize.lsq_linear(active, wanted, (0, 1), method="bvls", tol=1e-15, max_iter=2000)
    return wanted - active @ found.x


def cheapest(active: np.ndarray, wanted: np.ndarray, cost: np.ndarray) -> float:
    """The least cost by HiGHS, infinite where there is none."""
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = optimize.linprog(cost, A_eq=active, b_eq=wanted, bounds=(0, 1), method="highs", options=tight)
    return found.fun if found.status == 0 else np.inf


def made(active: np.ndarray, passive: np.ndarray | None = None) -> Pull:
    rest = np.zeros(active.shape[:2]) if passive is None else passive
    return Pull(active, rest)


@pytest.fixture(scope="module")
def states():
    """A leg at 600 random states, uniform torques, and torques that random activations give."""
    limb, rng = shipped_leg(), np.random.default_rng(0)
    q = LOW + (HIGH - LOW) * rng.random((600, 5))
    pulls = limb.pull(q, SPEED * rng.uniform(-1, 1, q.shape))
    given = pulls.torque(rng.random((600, len(limb.muscles))))
    return limb, pulls, TORQUE * rng.uniform(-1, 1, q.shape), given


def test_two_muscles_by_hand():
    pair = made(np.array([[[3.0, -2.0], [0.0, 0.0]]]).repeat(4, 0))
    found = correction(pair, np.array([[5.0, 0.0], [-1.0, 0.5], [1.5, 0.0], [-7.0, -2.0]]))
    assert found.torque == pytest.approx(np.array([[2.0, 0], [0, 0.5], [0, 0], [-5, -2]]))
    assert found.feasible.tolist() == [False, False, True, False]
    cost = effort(pair, np.array([[1.5, 0.0], [-1.0, 0.0], [4.0, 0.0], [0.0, 0.1]]), [10.0, 7.0])
    assert cost.rate == pytest.approx([5.0, 3.5, np.inf, np.inf])
    assert cost.activation[:2] == pytest.approx(np.array([[0.5, 0], [0, 0.5]]))
    assert np.isnan(cost.activation[2:]).all()


def test_passive_torque_comes_first():
    lone = made(np.array([[[10.0]]]), np.array([[4.0]]))
    assert correction(lone, [[3.0]]).torque[0, 0] == pytest.approx(-1)  # the least it can give is 4
    assert correction(lone, [[14.5]]).torque[0, 0] == pytest.approx(0.5)
    assert effort(lone, [[9.0]], [100.0]).rate[0] == pytest.approx(50)


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_odd_problems_against_the_oracles(rows):
    rng = np.random.default_rng(rows)
    active = rng.normal(size=(60, rows, 8)) * rng.choice([1, 50], (60, 1, 8))
    active[:, :, 3] = 0  # a slack muscle
    active[:, :, 4] = 2 * active[:, :, 2]  # one that pulls as another does
    active[:, :, 5] = -active[:, :, 2]  # its exact opponent
    wanted = rng.normal(size=(60, rows)) * 40
    inside = np.einsum("sij,sj->si", active, rng.random((60, 8)))
    cost = rng.uniform(1, 9, 8)
    for targets in (wanted, inside):
        found, least = correction(made(active), targets), effort(made(active), targets, cost)
        for i in range(60):
            assert found.torque[i] == pytest.approx(nearest(active[i], targets[i]), abs=1e-6)
            assert least.rate[i] == pytest.approx(cheapest(active[i], targets[i], cost), rel=1e-9, abs=1e-12)
        assert np.isfinite(least.rate).tolist() == found.feasible.tolist()


def test_correction_equals_bvls(states):
    _, pulls, wanted, _ = states
    found = correction(pulls, wanted)
    active, beyond = pulls.active, wanted - pulls.passive
    for i in range(300):
        assert np.abs(found.torque[i] - nearest(active[i], beyond[i])).max() < 1e-6
    assert ((found.activation >= 0) & (found.activation <= 1)).all()
    again = pulls.torque(found.activation)
    assert again == pytest.approx(wanted - found.torque, abs=1e-9)  # the activations give τ − R
    assert not correction(pulls, wanted - found.torque).torque.any()  # and τ − R is feasible


def test_feasible_torques_need_no_correction_at_all(states):
    _, pulls, _, given = states
    found = correction(pulls, given)
    assert found.feasible.all() and (found.torque == 0).all()


def test_corners_are_feasible_and_beyond_them_the_correction_points_outwards(states):
    limb, pulls, _, _ = states
    active = pulls.active
    outward = np.random.default_rng(1).normal(size=(len(active), 5))
    corner = (np.einsum("sij,si->sj", active, outward) > 0).astype(float)
    torque = pulls.torque(corner)
    assert correction(pulls, torque).feasible.all()
    assert correction(pulls, torque + outward).torque == pytest.approx(outward, abs=1e-9)
    least = effort(pulls, torque, limb.force)  # only one set of activations reaches a corner
    working = corner * active.any(axis=1)
    assert least.rate == pytest.approx(working @ limb.force, rel=1e-7)


def test_effort_equals_highs(states):
    limb, pulls, _, given = states
    cost = limb.force
    found = effort(pulls, given, cost)
    active, beyond = pulls.active, given - pulls.passive
    for i in range(300):
        assert found.rate[i] == pytest.approx(cheapest(active[i], beyond[i], cost), rel=1e-9)
    assert ((found.activation >= 0) & (found.activation <= 1)).all()
    assert pulls.torque(found.activation) == pytest.approx(given, abs=1e-7)
    assert found.rate == pytest.approx(found.activation @ cost)
    between = ((found.activation > 0) & (found.activation < 1)).sum(1)
    assert between.max() <= 5  # a basis has as many columns as rows


def test_effort_is_infinite_exactly_where_a_torque_needs_correction(states):
    limb, pulls, wanted, _ = states
    assert np.isfinite(effort(pulls, wanted, limb.force).rate).tolist() == correction(pulls, wanted).feasible.tolist()


def test_the_other_leg_gives_mirrored_answers(legs):
    rng = np.random.default_rng(2)
    q, qd = LOW + (HIGH - LOW) * rng.random((200, 5)), SPEED * rng.uniform(-1, 1, (200, 5))
    wanted = TORQUE * rng.uniform(-1, 1, (200, 5))
    sides = []
    for side in ("r", "l"):  # coordinates of the left leg are mirrored already: the same numbers are the mirrored state
        limb = compact(legs, side)
        pulls = limb.pull(q, qd)
        fixed = correction(pulls, wanted).torque
        sides.append((fixed, effort(pulls, wanted - fixed * (1 + 1e-3), limb.force).rate))
    assert sides[0][0] == pytest.approx(sides[1][0], abs=1e-6)
    assert sides[0][1] == pytest.approx(sides[1][1], rel=1e-6)


def test_threads_do_not_change_the_answer(states):
    _, pulls, wanted, _ = states
    first = Pull(pulls.active[:100], pulls.passive[:100])
    assert (correction(pulls, wanted).torque[:100] == correction(first, wanted[:100]).torque).all()


def test_no_states_no_answers():
    empty = made(np.zeros((0, 5, 43)))
    assert correction(empty, np.zeros((0, 5))).torque.shape == (0, 5)


def test_wrong_input_is_named():
    lone = made(np.array([[[10.0]], [[10.0]]]))
    with pytest.raises(InputError, match=r"torque: not finite in state 1 \(1 of 2 states\)"):
        correction(lone, [[1.0], [np.nan]])
    with pytest.raises(InputError, match="torque: shape"):
        correction(lone, [[1.0]])
    with pytest.raises(InputError, match="cost"):
        effort(lone, [[1.0], [2.0]], [0.0])
    with pytest.raises(InputError, match="muscles' torque: not finite in state 0"):
        correction(made(np.array([[[np.inf]]])), [[1.0]])
