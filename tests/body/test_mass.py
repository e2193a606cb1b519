"""Mass on a grid against closed forms: single shapes, and shapes that overlap."""

import numpy as np
import pytest

from lactic import rotation
from lactic.body.mass import share_mass, union_volume
from lactic.body.shapes import NO_TURN, Box, Capsule

TURN = rotation.exp(np.array([0.3, 0.5, -0.2]))
PLACE = np.array([0.31, -0.12, 0.77])


def capsule_moments(mass: float, radius: float, length: float) -> tuple[float, float]:
    """About the axis, and across it through the centre."""
    tube = mass * length / (length + 4 / 3 * radius)
    caps = mass - tube
    axial = tube * radius**2 / 2 + caps * 2 / 5 * radius**2
    across = tube * (length**2 / 12 + radius**2 / 4)
    across += caps * (2 / 5 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
    return axial, across


@pytest.mark.parametrize(("radius", "length"), [(0.04, 0.2), (0.08, 0.35), (0.12, 0.05)])
def test_a_single_capsule_has_its_closed_form(radius, length):
    half = np.array([0, 0, length / 2])
    capsule = Capsule(-half, half, radius).moved(TURN, PLACE)
    found = share_mass({"only": [capsule]}, 3.0)["only"]
    axial, across = capsule_moments(3.0, radius, length)
    assert found.mass == pytest.approx(3.0, abs=1e-12)
    assert found.centre == pytest.approx(PLACE, abs=1e-4)
    assert found.moments == pytest.approx([across, across, axial], rel=0.005)
    axis = rotation.to_matrix(TURN)[:, 2]
    assert axis @ found.tensor @ axis == pytest.approx(axial, rel=0.005)
    assert union_volume({"only": [capsule]}) == pytest.approx(capsule.volume, rel=0.005)


def test_a_single_box_has_its_closed_form_and_its_own_frame():
    half = np.array([0.1, 0.045, 0.03])
    found = share_mass({"only": [Box(PLACE, half, TURN)]}, 2.0)["only"]
    x, y, z = half**2
    assert found.moments == pytest.approx(2.0 / 3 * np.array([y + z, x + z, x + y]), rel=0.005)
    assert found.centre == pytest.approx(PLACE, abs=1e-4)
    assert rotation.angle(rotation.multiply(rotation.conjugate(TURN), found.turn)) < 1e-2


def test_two_overlapping_balls_share_their_lens():
    radius, apart, total = 0.1, 0.12, 10.0
    a, b = (Capsule(np.array([x, 0, 0]), np.array([x, 0, 0]), radius) for x in (0.0, apart))
    found = share_mass({"a": [a], "b": [b]}, total)
    ball = 4 / 3 * np.pi * radius**3
    lens = np.pi * (4 * radius + apart) * (2 * radius - apart) ** 2 / 12
    both = 2 * ball - lens
    assert union_volume({"a": [a], "b": [b]}) == pytest.approx(both, rel=0.002)
    assert found["a"].mass + found["b"].mass == pytest.approx(total, abs=1e-12)
    assert found["a"].mass == pytest.approx(total / 2, rel=1e-6)
    # half the lens is taken from the far side of the ball's centre
    centre = -lens / 2 * apart / 2 / (ball - lens / 2)
    assert found["a"].centre == pytest.approx([centre, 0, 0], abs=2e-5)
    assert found["b"].centre == pytest.approx([apart - centre, 0, 0], abs=2e-5)
    # the lens of height 2h about the common axis: two caps; I = π/2 ∫ (r² − x²)² dx over the cap, twice
    low = apart / 2
    cap = np.pi / 2 * sum(c * (radius**k - low**k) / k for c, k in ((radius**4, 1), (-2 * radius**2, 3), (1.0, 5)))
    density = total / both
    axial = density * (2 / 5 * ball * radius**2 - cap)
    assert found["a"].tensor[0, 0] == pytest.approx(axial, rel=0.005)


def test_shapes_of_one_body_count_once_where_they_overlap():
    ball = Capsule(np.zeros(3), np.zeros(3), 0.1)
    once, twice = (share_mass({"a": [ball] * n}, 1.0)["a"] for n in (1, 2))
    assert twice.moments == pytest.approx(once.moments)
    assert once.moments == pytest.approx(np.full(3, 2 / 5 * 0.01), rel=0.005)


def test_a_shape_inside_another_body_gets_half_of_itself():
    block, core = Box(np.zeros(3), np.full(3, 0.1), NO_TURN), Box(np.zeros(3), np.full(3, 0.05), NO_TURN)
    found = share_mass({"block": [block], "core": [core]}, 8.0)
    assert found["core"].mass == pytest.approx(0.5, rel=0.02)
    assert found["block"].mass == pytest.approx(7.5, rel=0.02)


def test_a_frame_elsewhere_sees_the_same_tensor():
    found = share_mass({"only": [Box(PLACE, np.array([0.1, 0.05, 0.03]), TURN)]}, 2.0)["only"]
    seen = found.seen_from(TURN, PLACE)
    assert seen.centre == pytest.approx(np.zeros(3), abs=1e-4)
    matrix = rotation.to_matrix(TURN)
    assert matrix @ seen.tensor @ matrix.T == pytest.approx(found.tensor, abs=1e-9)
    assert rotation.angle(seen.turn) < 1e-2
