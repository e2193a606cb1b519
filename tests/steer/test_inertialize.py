"""Blends start with the source's pose and velocity exactly, end in the target's; springs follow their closed form."""

import numpy as np
import pytest

from lactic import rotation
from lactic.steer import compiled
from lactic.steer.inertialize import apart, beside, blend, factors
from lactic.steer.spring import track, travel

BLEND, FADE = 0.12, 0.116
"""Half-lives, s."""


def turning(t: float) -> tuple[np.ndarray, np.ndarray]:
    """A rotation that changes in all directions, and its angular velocity in its own frame."""

    def at(s: float) -> np.ndarray:
        return rotation.from_euler(np.array([0.4 * np.sin(2 * s), 0.3 + 0.5 * s, 1.1 * s - 0.2 * s**2]), "zyx")

    step = 1e-5
    ahead = rotation.log(rotation.multiply(rotation.conjugate(at(t - step)), at(t + step)))
    return at(t), ahead / (2 * step)


def blend_rotation(source: np.ndarray, spin: np.ndarray, start: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """What the character does: the gap at the transition fades while the target, `turning`, goes on."""
    gap, rate = apart(source, spin, *turning(start))
    faded = [blend(gap[k], rate[k], 0.0, 0.0, factors(t, BLEND, FADE)) for k in range(3)]
    q, w = beside(tuple(f[0] for f in faded), tuple(f[1] for f in faded), *turning(start + t))
    return np.array(q), np.array(w)


def test_factors_at_the_transition_and_long_after():
    assert factors(0.0, BLEND, FADE) == (1.0, 0.0, 0.0, 1.0)  # Eq. 3.2, 3.3, 3.6, 3.7
    a, da, _, db = factors(10.0, BLEND, FADE)
    assert max(abs(a), abs(da), abs(db)) < 1e-9  # Eq. 3.4, 3.5, 3.8


def test_a_coordinate_decays_like_a_spring():
    """With a resting target and β far above α the blend is x(0)(1 + αt)e^(−αt): a critically damped spring let go."""
    for t in np.linspace(0, 1, 11):
        value, rate = blend(0.3, 0.0, 0.0, 0.0, factors(t, BLEND, 1e-6))
        spring = track(0.3, 0.0, 0.0, BLEND, t)
        assert value == pytest.approx(spring[0], abs=1e-12)
        assert rate == pytest.approx(spring[1], abs=1e-12)


def test_rates_are_the_derivatives():
    step = 1e-6
    for t in (0.0, 0.05, 0.3):
        target = [(np.sin(3 * s), 3 * np.cos(3 * s)) for s in (t, t + step)]
        here, later = (blend(0.8, -4.0, *target[k], factors(t + k * step, BLEND, FADE)) for k in (0, 1))
        assert (later[0] - here[0]) / step == pytest.approx(here[1], abs=1e-3)
        source, spin = rotation.about("x", np.array(0.4)), np.array([1.0, -2.0, 3.0])
        (q, w), (ahead, _) = (blend_rotation(source, spin, 0.7, t + k * step) for k in (0, 1))
        np.testing.assert_allclose(rotation.log(rotation.multiply(rotation.conjugate(q), ahead)) / step, w, atol=1e-4)


def test_rotation_and_spin_are_continuous_and_reach_the_target():
    source, spin = rotation.from_euler(np.array([0.5, -0.4, 0.9]), "zyx"), np.array([2.0, -1.0, 4.0])
    q, w = blend_rotation(source, spin, 0.7, 0.0)
    assert rotation.angle(rotation.multiply(rotation.conjugate(source), q)) < 1e-7
    np.testing.assert_allclose(w, spin, atol=1e-12)
    q, w = blend_rotation(source, spin, 0.7, 3.0)
    assert rotation.angle(rotation.multiply(rotation.conjugate(turning(3.7)[0]), q)) < 1e-6
    np.testing.assert_allclose(w, turning(3.7)[1], atol=1e-6)


def test_half_lives_are_half_way():
    assert track(1.0, 0.0, 0.0, 0.4, 0.4)[0] == pytest.approx(0.5)  # a spring that was let go
    a, _, b, db = factors(0.3, 0.3, 0.3)
    assert a == pytest.approx(0.5) and db == pytest.approx(0.5) and b == pytest.approx(0.3 * 0.5 / np.log(2))


def test_springs_add_up_and_travel_is_their_integral():
    once = track(0.2, 1.5, -1.0, 0.3, 0.5)
    twice = track(*track(0.2, 1.5, -1.0, 0.3, 0.2), -1.0, 0.3, 0.3)
    np.testing.assert_allclose(once, twice, atol=1e-12)
    times = np.linspace(0, 0.66, 4001)
    speeds = [track(0.2, 1.5, -1.0, 0.3, t)[0] for t in times]
    assert travel(0.2, 1.5, -1.0, 0.3, 0.66) == pytest.approx(np.trapezoid(speeds, times), abs=1e-7)


def test_compiled_rotations_are_those_of_the_library():
    draw = np.random.default_rng(0)
    for _ in range(20):
        a, b = rotation.normalize(draw.normal(size=(2, 4)))
        v = draw.normal(size=3)
        np.testing.assert_allclose(compiled.multiply(a, b), rotation.multiply(a, b), atol=1e-12)
        np.testing.assert_allclose(compiled.rotate(a, v), rotation.rotate(a, v), atol=1e-12)
        np.testing.assert_allclose(compiled.log(a), rotation.log(a), atol=1e-12)
        np.testing.assert_allclose(compiled.exp(v), rotation.exp(v), atol=1e-12)
        np.testing.assert_allclose(
            compiled.rotate(compiled.between(v, a[1:]), v) / np.linalg.norm(v), a[1:] / np.linalg.norm(a[1:]), atol=1e-9
        )
        assert compiled.heading(a) == pytest.approx(float(rotation.heading(a)))
        for order in ("xyz", "yxz"):
            found = compiled.to_euler(a, *("xyz".index(axis) for axis in order))
            np.testing.assert_allclose(found, rotation.to_euler(a, order), atol=1e-9)
        w = draw.normal(size=3)
        np.testing.assert_allclose(compiled.right_jacobian(v, compiled.right_jacobian_inverse(v, w)), w, atol=1e-9)
