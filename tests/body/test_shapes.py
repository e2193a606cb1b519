"""Signed distances, volumes and mirror images of capsules and boxes; and fits that find the shape they came from."""

import numpy as np
import pytest

from lactic import rotation
from lactic.body import fit
from lactic.body.shapes import NO_TURN, REFLECT, Box, Capsule

TURN = rotation.exp(np.array([0.4, -0.3, 0.6]))
CAPSULE = Capsule(np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.7]), 0.05)
BOX = Box(np.array([0.1, 0.0, -0.2]), np.array([0.1, 0.05, 0.02]), NO_TURN)


@pytest.mark.parametrize(
    ("point", "distance"),
    [
        ((0.1, 0.2, 0.5), -0.05),
        ((0.2, 0.2, 0.5), 0.05),
        ((0.1, 0.2, 0.8), 0.05),
        ((0.14, 0.2, 0.73), 0.0),
    ],
)
def test_distance_to_a_capsule(point, distance):
    assert CAPSULE.distance(np.array(point)) == pytest.approx(distance, abs=1e-12)


@pytest.mark.parametrize(
    ("point", "distance"),
    [
        ((0.1, 0.0, -0.2), -0.02),
        ((0.1, 0.0, -0.15), 0.03),
        ((0.23, 0.09, -0.2), 0.05),
        ((0.19, 0.0, -0.2), -0.01),
    ],
)
def test_distance_to_a_box(point, distance):
    assert BOX.distance(np.array(point)) == pytest.approx(distance, abs=1e-12)


@pytest.mark.parametrize("shape", [CAPSULE, BOX])
def test_moving_mirroring_and_scaling_keep_distances(shape):
    points = np.random.default_rng(0).normal(0, 0.3, (200, 3))
    here = shape.distance(points)
    assert shape.moved(TURN, np.ones(3)).distance(rotation.rotate(TURN, points) + 1) == pytest.approx(here)
    assert shape.moved(TURN, np.ones(3)).tidied().distance(rotation.rotate(TURN, points) + 1) == pytest.approx(here)
    assert shape.mirrored().distance(points * REFLECT) == pytest.approx(here)
    turned = shape.moved(TURN, np.ones(3))
    assert turned.mirrored().distance(points * REFLECT) == pytest.approx(turned.distance(points))
    assert shape.scaled(2.0).distance(points * 2) == pytest.approx(here * 2)


@pytest.mark.parametrize("shape", [CAPSULE, BOX.moved(TURN, np.zeros(3))])
def test_surface_points_lie_on_the_surface_and_fill_the_bounds(shape):
    points = shape.surface(0.005)
    low, high = shape.bounds
    assert np.abs(shape.distance(points)).max() < 1e-9
    assert np.abs(points.min(0) - low).max() < 0.006 and np.abs(points.max(0) - high).max() < 0.006


@pytest.mark.parametrize(("shape", "family"), [(CAPSULE, fit.CAPSULE), (BOX.moved(TURN, np.zeros(3)), fit.BOX)])
def test_a_fit_finds_the_shape_its_points_lie_on(shape, family):
    points = shape.surface(0.01)
    found = fit.fit_shape(points, np.full(len(points), 1 / len(points)), family, restarts=6)
    assert np.abs(found.distance(points)).mean() < 0.002
    assert found.volume == pytest.approx(shape.volume, rel=0.1)
    assert found.volume < shape.volume  # the volume term pulls in


def test_the_volume_term_closes_an_end_that_no_point_sees():
    tube = CAPSULE.surface(0.01)
    tube = tube[(tube[:, 2] > 0.35) & (tube[:, 2] < 0.6)]  # both caps cut off
    found = fit.fit_shape(tube, np.full(len(tube), 1 / len(tube)), fit.CAPSULE, restarts=6)
    assert found.start[2] < 0.7 and found.end[2] > 0.3
    assert np.abs(found.distance(tube)).mean() < 0.003


def test_a_standing_box_has_its_sole_on_the_floor():
    points = Box(np.array([0.05, 0.0, -0.04]), np.array([0.12, 0.04, 0.03]), NO_TURN).surface(0.01)
    found = fit.fit_shape(points, np.full(len(points), 1 / len(points)), fit.standing(-0.07), restarts=6)
    assert found.bounds[0][2] == pytest.approx(-0.07, abs=1e-12)
    assert found.half == pytest.approx([0.12, 0.04, 0.03], abs=0.003)
