"""Initial fatigue: distributions against the papers, the same from NumPy and torch."""

import numpy as np
import pytest

from lactic.fatigue import curve, exponential, exponential_rate, fresh, from_curve, preset, rates, uniform

RNG = np.random.default_rng(0)
U = RNG.random((20_000, 2))
ARMS = rates(preset("feng2023-arms"), ["shoulder"])[0]


def test_fresh():
    assert np.array_equal(fresh((2, 3)), np.broadcast_to([0.0, 1.0, 0.0], (2, 3, 3)))


def test_uniform_is_algorithm_1():
    MA, MR, MF = uniform(U).T
    assert np.array_equal(MR, U[:, 0]) and np.all(MA <= 1 - MR)
    assert (MA.mean(), MR.mean(), MF.mean()) == pytest.approx((0.25, 0.5, 0.25), abs=0.01)
    assert uniform(np.array([0.4, 0.5])) == pytest.approx([0.3, 0.4, 0.3])


@pytest.mark.parametrize("rate", [1.0, 3.0])
def test_exponential_is_equation_7(rate):
    states = exponential(U, rate)
    capacity = 1 - states[:, 2]
    assert np.mean(capacity == 1) == pytest.approx(np.exp(-rate), abs=0.01)  # what the clip gathers
    assert np.mean(capacity < 0.2) == pytest.approx(1 - np.exp(-0.2 * rate), abs=0.01)
    assert np.mean(states[:, 0] / capacity) == pytest.approx(0.5, abs=0.01)


def test_exponential_rate_grows_over_20_000_episodes():
    assert [exponential_rate(n) for n in (0, 10_000, 20_000, 50_000)] == [1, 2, 3, 3]


def test_curve_tires_then_recovers():
    states = curve(ARMS)
    assert states.shape == (1201, 3)
    MF = states[:, 2]
    assert np.array_equal(states[0], [0, 1, 0]) and 580 < MF.argmax() < 620 and MF.max() > 0.5
    assert MF[-1] < 0.9 * MF.max()


def test_from_curve_takes_points_of_the_curve():
    states = curve(ARMS)
    picked = from_curve(np.array([0.0, 0.5, 0.9999999]), states)
    assert np.array_equal(picked, states[[0, 600, 1200]])
    assert np.array_equal(from_curve(np.float32([1.0 - 2**-24]), states), states[-1:])
    each = curve(np.stack([ARMS, 2 * ARMS]), dt=0.1)
    assert each.shape == (401, 2, 3)
    own = from_curve(np.array([[0.5, 0.25]]), each)
    assert np.array_equal(own, [[each[200, 0], each[100, 1]]])
    assert np.array_equal(from_curve(np.array([[0.5]]), each), each[None, 200])


@pytest.mark.parametrize("draw", [uniform, lambda u: exponential(u, 3.0), lambda u: from_curve(u[..., 0], POINTS(u))])
def test_valid_and_the_same_in_torch(draw):
    torch = pytest.importorskip("torch")
    edges = np.concatenate([U, [[0, 0], [0, 1 - 2**-24], [1 - 2**-24, 0], [1 - 2**-24, 1 - 2**-24]]]).astype("float32")
    for u in (edges, torch.from_numpy(edges)):
        states = np.asarray(draw(u))
        assert states.dtype == np.float32 and states.shape == (len(edges), 3)
        assert np.all((states >= 0) & (states <= 1)) and np.abs(states.sum(-1) - 1).max() < 1e-6
    assert np.abs(np.asarray(draw(torch.from_numpy(edges))) - draw(edges)).max() < 1e-6


def POINTS(like):
    states = curve(ARMS, dt=0.5).astype("float32")
    return states if isinstance(like, np.ndarray) else pytest.importorskip("torch").from_numpy(states)


def test_fresh_and_curve_follow_torch():
    torch = pytest.importorskip("torch")
    like = torch.zeros(1)
    assert fresh((2,), like).dtype == torch.float32 and fresh((2,), like).shape == (2, 3)
    assert np.abs(curve(torch.tensor(ARMS), dt=0.5).numpy() - curve(ARMS, dt=0.5)).max() < 1e-12
