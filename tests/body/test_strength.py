"""Strength tables, and how strength follows from mass and height."""

import numpy as np
import pytest

from lactic import body as bodies
from lactic.body import humanoid, strength
from lactic.body.variants import alike
from lactic.errors import InputError

JOINTS = ("left_hip_y", "right_knee", "right_ankle_x", "neck_z", "left_shoulder_x", "right_elbow")


@pytest.mark.parametrize(
    "table, Nm",
    [
        ("athlete", (300, 350, 60, 60, 110, 90)),
        ("adult", (201, 203, 40, 40, 73, 60)),
        ("cheema2023", (796.42, 809.59, 138.58, 63.66, 177.67, 136.1)),
    ],
)
def test_tables_know_every_joint_by_name_or_by_group(table, Nm):
    assert strength.limits(table, JOINTS).tolist() == list(Nm)
    whole = strength.limits(table, humanoid().joints)
    assert whole.shape == (28,) and np.all(whole > 0)
    assert np.array_equal(whole, whole[humanoid().mirror])  # left as right


def test_the_humanoid_is_an_athlete_unless_told_otherwise():
    body = humanoid()
    assert body.scale == 1.0 and np.array_equal(body.torque_limit, strength.limits("athlete", body.joints))
    weak = body.of_strength("adult")
    assert np.array_equal(weak.torque_limit, strength.limits("adult", body.joints))
    assert np.all(weak.torque_limit < body.torque_limit) and np.array_equal(weak.stiffness, body.stiffness)
    assert np.array_equal(body.torque_limit, humanoid().torque_limit)  # the first is as it was
    with pytest.raises(InputError, match="unknown strength 'giant'; there are: athlete, adult, cheema2023"):
        body.of_strength("giant")


@pytest.mark.parametrize("height, mass", [(1.6, 52), (1.9, 102)])
def test_strength_scales_with_mass_and_height(height, mass):
    name = f"person-{height:.2f}-{mass}"
    scale = mass * height / (73.0 * 1.741)
    for body in (bodies.get(name), alike(name)):
        assert body.scale == pytest.approx(scale, rel=1e-3)
        for own, of_humanoid in zip(
            (body.stiffness, body.damping, body.torque_limit),
            (humanoid().stiffness, humanoid().damping, humanoid().torque_limit),
            strict=True,
        ):
            assert own == pytest.approx(body.scale * of_humanoid)
        assert body.model.actuator_forcerange[:, 1] == pytest.approx(body.torque_limit)
        assert body.of_strength("adult").torque_limit == pytest.approx(
            body.scale * strength.limits("adult", body.joints)
        )


@pytest.mark.parametrize("name", ["person-1.60-52", "person-1.90-102"])
def test_a_body_alike_has_the_persons_bones_and_masses_on_the_humanoids_structure(name):
    own, person, basis = alike(name), bodies.get(name), humanoid()
    assert own.joints == basis.joints and own.bodies == basis.bodies and own.model.ngeom == basis.model.ngeom
    assert np.array_equal(own.model.geom_type, basis.model.geom_type)
    order = [person.bodies.index(part) for part in own.bodies]
    for field in ("body_mass", "body_pos", "body_ipos", "body_inertia"):
        assert getattr(own.model, field)[1:] == pytest.approx(getattr(person.model, field)[1:][order], abs=1e-9), field
    assert own.rest[2] == pytest.approx(person.rest[2])
    assert own.model.body_mass.sum() == pytest.approx(float(name.split("-")[2]), rel=1e-3)
    assert alike(name) is own and alike("humanoid") is basis
