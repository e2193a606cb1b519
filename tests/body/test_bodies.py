"""Bodies: structure, symmetry, published values, and that they stand on their floor."""

import mujoco
import numpy as np
import pytest

from lactic import body as bodies
from lactic.body.body import mirrored
from lactic.body.humanoid import humanoid
from lactic.errors import InputError

REFLECT = np.array([1.0, -1.0, 1.0])


def test_humanoid_has_the_28_degrees_of_freedom_of_cheema2023():
    counts = {group: humanoid().groups.count(group) for group in set(humanoid().groups)}
    assert counts == {"abdomen": 3, "neck": 3, "shoulder": 6, "elbow": 2, "hip": 6, "knee": 2, "ankle": 6}
    assert humanoid().model.nu == 28


@pytest.mark.parametrize("name", bodies.NAMES)
def test_joint_i_is_actuator_i_and_qpos_7_plus_i(name):
    body = bodies.get(name)
    for i, joint in enumerate(body.joints):
        assert body.model.actuator(i).name == joint
        assert body.model.joint(joint).qposadr[0] == 7 + i
        assert body.model.joint(joint).dofadr[0] == 6 + i


def test_gains_are_cheema2023_table_2_and_torques_an_athletes():
    body = humanoid()
    at = body.joints.index
    knee, ankle, neck = at("left_knee"), at("right_ankle_y"), at("neck_x")
    assert (body.stiffness[knee], body.damping[knee], body.torque_limit[knee]) == (370, 37, 350)
    assert (body.stiffness[ankle], body.damping[ankle], body.torque_limit[ankle]) == (120, 12, 250)
    assert (body.stiffness[neck], body.damping[neck], body.torque_limit[neck]) == (90, 9, 60)
    assert np.array_equal(body.model.actuator_gainprm[:, 0], body.stiffness)
    assert np.array_equal(body.model.actuator_biasprm[:, 1:3], -np.stack([body.stiffness, body.damping], 1))
    assert np.array_equal(body.model.actuator_forcerange[:, 1], body.torque_limit)


def test_mass_is_de_levas():
    model = humanoid().model
    assert model.body_mass.sum() == pytest.approx(73.0, abs=1e-9)
    assert model.body("left_thigh").mass[0] == pytest.approx(0.1416 * 73.0)
    # a segment's moment of inertia about its own lateral axis: m·(radius·length)²
    assert model.body("right_shin").inertia[1] == pytest.approx(0.0433 * 73.0 * (0.249 * 0.4340) ** 2)


@pytest.mark.parametrize("name", bodies.NAMES)
def test_left_and_right_are_equal_to_the_last_digit(name):
    body = bodies.get(name)
    model = body.model
    for left in body.bodies:
        a, b = model.body(left), model.body(mirrored(left))
        assert np.array_equal(a.pos * REFLECT, b.pos)
        assert np.array_equal(a.ipos * REFLECT, b.ipos)
        assert np.array_equal(a.inertia, b.inertia) and np.array_equal(a.mass, b.mass)
    for field in (body.stiffness, body.damping, body.torque_limit):
        assert np.array_equal(field, field[body.mirror])
    limits = body.range * body.mirror_sign[:, None]
    assert np.array_equal(np.sort(limits, axis=1), body.range[body.mirror])


@pytest.mark.parametrize("name", bodies.NAMES)
def test_mirror_is_its_own_inverse_and_exchanges_the_sides(name):
    body = bodies.get(name)
    assert np.array_equal(body.mirror[body.mirror], np.arange(len(body.joints)))
    for joint, other in zip(body.joints, body.mirror, strict=True):
        assert (body.joints[other] != joint) == joint.startswith(("left_", "right_"))


def test_mirrored_pose_puts_every_body_at_the_mirrored_place():
    body = humanoid()
    data = mujoco.MjData(body.model)
    rng = np.random.default_rng(3)
    angles = rng.uniform(*body.range.T)
    places = []
    for q in (angles, angles[body.mirror] * body.mirror_sign):
        data.qpos[7:] = q
        mujoco.mj_kinematics(body.model, data)
        places.append({name: data.body(name).xpos.copy() for name in body.bodies})
    for name in body.bodies:
        assert places[1][mirrored(name)] == pytest.approx(places[0][name] * REFLECT, abs=1e-12)


def test_stands_with_soles_on_the_floor_and_faces_forward():
    body = humanoid()
    data = mujoco.MjData(body.model)
    data.qpos[2] -= 1e-6
    mujoco.mj_forward(body.model, data)
    assert data.ncon == 8  # four corners of each sole
    assert np.abs(data.contact.dist[:8]).max() < 2e-6
    assert data.body("left_foot").xpos[1] > 0 > data.body("right_foot").xpos[1]
    data.qpos[7 + body.joints.index("right_knee")] = 1.0
    data.qpos[7 + body.joints.index("right_elbow")] = -1.0
    mujoco.mj_forward(body.model, data)
    assert data.body("right_foot").xpos[0] < -0.3  # a flexed knee takes the heel back
    assert data.body("right_hand").xpos[0] > 0.2  # a flexed elbow brings the hand forward


def test_pinned_pelvis_stays_where_it_is():
    body = humanoid(pinned=True)
    data = mujoco.MjData(body.model)
    data.ctrl[body.joints.index("right_shoulder_x")] = -1.5
    for _ in range(240):
        mujoco.mj_step(body.model, data)
    assert np.abs(data.qpos[:7] - body.rest[:7]).max() < 0.01


def test_every_segment_knows_the_joints_that_carry_it():
    body = humanoid()
    carried = dict(zip(body.bodies, body.parent_joints, strict=True))
    assert carried["pelvis"] == ()
    assert [body.joints[i] for i in carried["left_shin"]] == ["left_knee"]
    assert carried["left_hand"] == carried["left_forearm"]
    assert {j for region in body.regions.values() for j in region} == set(body.joints)


def test_unknown_body_is_named():
    with pytest.raises(InputError, match=r"centaur.*humanoid"):
        bodies.get("centaur")


@pytest.mark.parametrize("beta", [1, 2])
@pytest.mark.parametrize("joint", ["left_ankle_x", "left_hip_z"])
def test_a_joint_braking_at_its_limit_comes_to_rest(joint, beta):
    # clamped, an actuator has no implicit damping: too light a joint flips its velocity at every step, for ever
    body = humanoid()
    model = body.spec().compile()
    model.actuator_gainprm[:, 0] *= beta
    model.actuator_biasprm[:, 1:3] *= beta
    for kick in (15.0, 20.0, 25.0):
        data = mujoco.MjData(model)
        data.qpos[2] = 500  # in free fall, nothing else brakes it
        data.ctrl[body.joints.index("left_knee")] = data.qpos[7 + body.joints.index("left_knee")] = 0.5
        data.qvel[model.joint(joint).dofadr[0]] = kick
        for _ in range(36):
            mujoco.mj_step(model, data)
        assert np.abs(data.qvel[6:]).max() < 1.0
