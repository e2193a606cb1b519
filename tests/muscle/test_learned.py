"""Networks without torch: by hand, from files; and the shipped ones against exact answers."""

import numpy as np
import pytest

from lactic.errors import InputError
from lactic.muscle import learned
from lactic.muscle.learned import FILES, SHIPPED, LearnedLeg, Network, load, network
from lactic.muscle.samples import JIANG2019

TINY = Network(
    (
        (np.array([[1.0, -1.0], [0.5, 0.0]]), np.array([0.0, -1.0])),
        (np.array([[2.0, 3.0]]), np.array([0.25])),
    )
)


def test_a_network_by_hand():
    """At (3, 1) the hidden layer sees 2 and 0.5; at (0, 1) it sees −1 and −1, where elu is e⁻¹ − 1."""
    assert TINY(np.array([3.0, 1.0])) == pytest.approx(2 * 2 + 3 * 0.5 + 0.25)
    assert TINY(np.array([0.0, 1.0])) == pytest.approx(5 * (np.exp(-1) - 1) + 0.25)
    assert TINY(np.zeros((4, 7, 2))).shape == (4, 7, 1)


def test_its_slopes_by_hand():
    """Above 0 elu's slope is 1, so 2·(1, −1) + 3·(0.5, 0); at −1 it is e⁻¹."""
    assert TINY.jacobian(np.array([3.0, 1.0])) == pytest.approx(np.array([[3.5, -2.0]]))
    assert TINY.jacobian(np.array([0.0, 1.0])) == pytest.approx(np.exp(-1) * np.array([[3.5, -2.0]]))


def test_files_come_back_as_they_were(tmp_path):
    Network(TINY.layers, {"w": 10.0}).save(tmp_path / "net.npz")
    again = load(tmp_path / "net.npz")
    assert again.about == {"w": 10.0}
    for ours, theirs in zip(again.layers, TINY.layers, strict=True):
        assert (ours[0] == theirs[0]).all() and (ours[1] == theirs[1]).all()


def test_files_that_are_no_networks(tmp_path):
    with pytest.raises(InputError, match="there is no such network"):
        load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("text")
    with pytest.raises(InputError, match=r"text\.npz: not a network"):
        load(tmp_path / "text.npz")
    TINY.save(tmp_path / "cut.npz")
    whole = (tmp_path / "cut.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"cut\.npz: not a network"):
        load(tmp_path / "cut.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(InputError, match=r"other\.npz: not a network"):
        load(tmp_path / "other.npz")
    with pytest.raises(InputError, match="unknown network 'Q'; there are: R, E"):
        network("Q")
    with pytest.raises(InputError, match="layer 1: weights"):
        Network((TINY.layers[0], (np.zeros((1, 3)), np.zeros(1))))
    with pytest.raises(InputError, match="layer 0: weights that are not finite"):
        Network(((np.array([[np.nan]]), np.zeros(1)),))


def test_the_shipped_ones_are_small():
    hidden = {name: tuple(len(bias) for _, bias in network(name).layers[:-1]) for name in FILES}
    assert set(hidden.values()) <= {(180, 128, 64), (360, 180, 80), (64, 64)}  # the paper's, and the passive torque's
    assert [network(name).layers[0][0].shape[1] for name in FILES] == [15, 15, 5]
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 1e6
    card = (SHIPPED / "card.md").read_text(encoding="utf-8")
    assert "gait2392" in card and "CC BY 3.0" in card and "Delp" in card


def states(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return *JIANG2019.states(count, rng), JIANG2019.torques(count, rng)


def test_slopes_are_finite_everywhere():
    x = np.concatenate(states(2000, 0), 1)
    for name in ("R", "E"):
        net = network(name)
        for factor in (0.0, 1.0, 1e3, -1e6):
            assert np.isfinite(net(factor * x)).all() and np.isfinite(net.jacobian(factor * x)).all()
    assert np.isfinite(network("passive").jacobian(1e6 * x[:, :5])).all()


@pytest.fixture(scope="module")
def exact():
    pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
    from lactic.muscle.exact import correction
    from lactic.muscle.leg import shipped_leg

    return lambda q, qd, torque, capacity=1.0: correction(shipped_leg().pull(q, qd, capacity), torque).torque


def test_r_where_strength_ends(exact):
    """Accurate as the paper's on uniform samples, and to 5 Nm within 20 Nm of the boundary for 95 of 100."""
    q, qd, torque = states(3000, 1)
    beyond = exact(q, qd, torque)
    found = LearnedLeg().correction(q, qd, torque)
    assert np.linalg.norm(found - beyond) / np.linalg.norm(beyond) < 0.05
    aside = np.random.default_rng(2).uniform(-20, 20, (len(q), 1))
    size = np.linalg.norm(beyond, axis=1, keepdims=True)
    near = torque - beyond + aside * beyond / np.maximum(size, 1e-9)
    error = np.linalg.norm(LearnedLeg().correction(q, qd, near) - exact(q, qd, near), axis=1)
    for low, high in ((-20, 20), (-20, 0), (0, 5), (5, 20)):  # all of it, and every band
        assert np.quantile(error[(aside[:, 0] > low) & (aside[:, 0] <= high)], 0.95) < 5, (low, high)


def test_a_tired_leg_needs_no_network_of_its_own(exact):
    """With the share c left, R is c·R(p + (τ − p)/c): as accurate near the smaller boundary as near the fresh one."""
    q, qd, torque = states(1000, 3)
    for share in (0.7, 0.3):
        beyond = exact(q, qd, torque, capacity=share)
        edge = torque - beyond
        found = LearnedLeg().correction(q, qd, edge, capacity=share)
        assert np.quantile(np.linalg.norm(found, axis=1), 0.95) < 5
        outside = edge + 12 * share * beyond / np.linalg.norm(beyond, axis=1, keepdims=True).clip(1e-9)
        error = LearnedLeg().correction(q, qd, outside, np.full(len(q), share)) - exact(q, qd, outside, capacity=share)
        assert np.quantile(np.linalg.norm(error, axis=1), 0.95) < 5
    assert (LearnedLeg().correction(q, qd, torque, capacity=1.0) == LearnedLeg().correction(q, qd, torque)).all()


def test_e_of_torques_that_muscles_give(exact):
    """Halfway to the boundary. On it E rises by thousands of newtons in a few Nm, which no small network follows."""
    from lactic.muscle.exact import effort
    from lactic.muscle.leg import shipped_leg

    q, qd, torque = states(1500, 4)
    edge = torque - exact(q, qd, torque)
    inside = ~exact(q, qd, 0.5 * edge).any(axis=1)
    q, qd, edge = q[inside], qd[inside], edge[inside]
    least = effort(shipped_leg().pull(q, qd), 0.5 * edge, shipped_leg().force).rate
    assert len(q) > 900 and np.isfinite(least).all()
    found = LearnedLeg().effort(q, qd, 0.5 * edge)
    assert np.linalg.norm(found - least) / np.linalg.norm(least) < 0.2


def test_what_no_leg_can_answer():
    q, qd, torque = states(2, 5)
    with pytest.raises(InputError, match="not finite"):
        LearnedLeg().correction(q, qd, np.full_like(torque, np.nan))
    with pytest.raises(InputError, match=r"capacity: must lie in \[0.05, 1\]"):
        LearnedLeg().effort(q, qd, torque, capacity=0.0)
    with pytest.raises(InputError, match="capacity"):
        LearnedLeg().correction(q, qd, torque, np.array([0.5, 1.5]))
    assert learned.LEAST == 0.05
