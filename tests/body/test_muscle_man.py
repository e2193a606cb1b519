"""The muscle man's body: published numbers, two equal sides, feet on the floor."""

import mujoco
import numpy as np
import pytest

from lactic import body as bodies
from lactic.body.body import mirrored
from lactic.body.muscle_man import REFLECT, muscle_man, numbers
from lactic.errors import InputError

TURN = np.array([1.0, -1.0, 1.0, -1.0])


def test_has_the_bodies_joints_and_mass_of_feng2023():
    model = muscle_man().model
    kinds = model.jnt_type.tolist()
    assert (model.nbody - 1, model.nv, model.nu) == (23, 56, 0)
    assert kinds.count(mujoco.mjtJoint.mjJNT_BALL) == 14 and kinds.count(mujoco.mjtJoint.mjJNT_HINGE) == 8
    assert model.body_mass.sum() == pytest.approx(61.4)
    assert "Apache-2.0" in numbers()["source"]


def test_damping_is_the_same_at_any_speed():
    model = muscle_man().model
    assert np.array_equal(model.dof_damping[6:], np.full(50, 10.0))
    assert not model.dof_dampingpoly[6:].any()


def test_left_and_right_are_equal_to_the_last_digit():
    model = muscle_man().model
    for name in muscle_man().bodies:
        a, b = model.body(name), model.body(mirrored(name))
        assert np.array_equal(a.pos * REFLECT, b.pos) and np.array_equal(a.ipos * REFLECT, b.ipos)
        assert np.array_equal(a.iquat * TURN, b.iquat) and np.array_equal(a.inertia, b.inertia)
        assert np.array_equal(model.geom_pos[a.geomadr] * REFLECT, model.geom_pos[b.geomadr])
        assert np.array_equal(model.geom_quat[a.geomadr] * TURN, model.geom_quat[b.geomadr])
        assert np.array_equal(model.geom_size[a.geomadr], model.geom_size[b.geomadr])


def test_ranges_are_radians_and_mirrored():
    model = muscle_man().model
    assert np.array_equal(model.joint("right_knee").range, [0.0, 2.3])
    assert np.array_equal(model.joint("left_knee").range, [0.0, 2.3])
    assert np.array_equal(model.joint("right_elbow").range, [0.0, 2.3])
    assert np.array_equal(model.joint("left_elbow").range, [-2.3, 0.0])
    assert model.joint("lumbar").range[1] == pytest.approx(0.6)  # of 0.2, 0.4 and 0.4 about x, y, z
    assert model.joint("left_hip").range[1] == 2.6


def test_stands_on_its_toes_and_faces_forward():
    model = muscle_man().model
    data = mujoco.MjData(model)
    data.qpos[2] -= 1e-5
    mujoco.mj_forward(model, data)
    assert 2 <= data.ncon <= 8 and np.abs(data.contact.dist[: data.ncon]).max() < 2e-5
    assert data.body("left_foot").xpos[1] > 0 > data.body("right_foot").xpos[1]
    assert data.body("right_big_toe").xpos[0] > data.body("right_foot").xpos[0]
    hands = data.body("right_hand").xpos[0]
    for joint, angle in (("right_knee", 1.0), ("right_elbow", 1.0)):
        data.qpos[model.joint(joint).qposadr[0]] = angle
    mujoco.mj_forward(model, data)
    assert data.body("right_foot").xpos[0] < -0.3  # a flexed knee takes the heel back
    assert data.body("right_hand").xpos[0] > hands + 0.2  # a flexed elbow brings the hand forward


def test_commands_that_drive_joints_refuse_it():
    with pytest.raises(InputError, match="muscle-man"):
        bodies.get("muscle-man")
