"""Rotations against MuJoCo, matrices and identities, on NumPy and torch."""

import itertools

import mujoco
import numpy as np
import pytest

from lactic import rotation


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def random_quaternions(rng, *shape):
    return rotation.normalize(rng.normal(size=(*shape, 4)))


def same_rotation(a, b, tolerance=1e-12):
    return np.all(np.abs(np.abs(np.sum(a * b, axis=-1)) - 1) < tolerance)


def test_multiply_rotate_and_matrix_agree_with_mujoco(rng):
    for a, b, v in zip(random_quaternions(rng, 20), random_quaternions(rng, 20), rng.normal(size=(20, 3)), strict=True):
        product, turned, matrix = np.zeros(4), np.zeros(3), np.zeros(9)
        mujoco.mju_mulQuat(product, a, b)
        mujoco.mju_rotVecQuat(turned, v, a)
        mujoco.mju_quat2Mat(matrix, a)
        np.testing.assert_allclose(rotation.multiply(a, b), product, atol=1e-14)
        np.testing.assert_allclose(rotation.rotate(a, v), turned, atol=1e-14)
        np.testing.assert_allclose(rotation.to_matrix(a).ravel(), matrix, atol=1e-14)
        np.testing.assert_allclose(rotation.rotate_back(a, turned), v, atol=1e-14)


def test_from_matrix_undoes_to_matrix_even_for_half_turns(rng):
    q = np.concatenate([random_quaternions(rng, 200), np.eye(4), -np.eye(4)])
    back = rotation.from_matrix(rotation.to_matrix(q))
    assert same_rotation(back, q)
    assert np.all(back[:, 0] >= 0)


def test_exp_and_log_undo_each_other_down_to_zero(rng):
    v = rng.normal(size=(100, 3))
    v *= (rng.uniform(0, np.pi - 1e-6, 100) / np.linalg.norm(v, axis=1))[:, None]
    v = np.concatenate([v, v * 1e-7, np.zeros((1, 3))])
    np.testing.assert_allclose(rotation.log(rotation.exp(v)), v, atol=1e-9)
    np.testing.assert_allclose(rotation.angle(rotation.exp(v)), np.linalg.norm(v, axis=1), atol=1e-9)


def test_slerp_runs_at_constant_speed_the_short_way(rng):
    a, b = random_quaternions(rng, 50), random_quaternions(rng, 50)
    whole = rotation.angle(rotation.multiply(rotation.conjugate(a), b))
    for t in (0.0, 0.25, 1.0):
        part = rotation.angle(rotation.multiply(rotation.conjugate(a), rotation.slerp(a, -b, np.full(50, t))))
        np.testing.assert_allclose(part, t * whole, atol=1e-7)


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("xyz")])
def test_euler_both_ways_in_every_order_and_at_gimbal_lock(order, rng):
    angles = rng.uniform(-1, 1, (100, 3)) * [np.pi, np.pi / 2 - 1e-3, np.pi]
    np.testing.assert_allclose(rotation.to_euler(rotation.from_euler(angles, order), order), angles, atol=1e-9)
    angles[:, 1] = np.pi / 2 * rng.choice([-1, 1], 100)
    q = rotation.from_euler(angles, order)
    assert same_rotation(rotation.from_euler(rotation.to_euler(q, order), order), q)


def test_between_turns_one_direction_into_the_other_also_when_opposite(rng):
    a = rng.normal(size=(50, 3))
    for b in (rng.normal(size=(50, 3)), -a, a):
        turned = rotation.rotate(rotation.between(a, b), rotation.normalize(a))
        np.testing.assert_allclose(turned, rotation.normalize(b), atol=1e-6)


def test_without_heading_leaves_pitch_and_roll(rng):
    yaw, rest = rng.uniform(-3, 3, 30), random_quaternions(rng, 30)
    rest = rotation.without_heading(rest)
    turned = rotation.multiply(rotation.about("z", yaw), rest)
    np.testing.assert_allclose(rotation.heading(turned), yaw, atol=1e-9)
    assert same_rotation(rotation.without_heading(turned), rest)


def test_two_axes_are_the_columns_of_the_matrix(rng):
    q = random_quaternions(rng, 10)
    m = rotation.to_matrix(q)
    np.testing.assert_allclose(rotation.two_axes(q), np.concatenate([m[..., 0], m[..., 2]], axis=-1), atol=1e-14)


def everything(q, other, v):
    """One call of each function, for the comparison of NumPy, torch and ONNX."""
    return (
        rotation.multiply(q, other),
        rotation.rotate(q, v),
        rotation.from_matrix(rotation.to_matrix(q)),
        rotation.exp(rotation.log(q)),
        rotation.slerp(q, other, v[..., 0]),
        rotation.from_euler(rotation.to_euler(q)),
        rotation.without_heading(q),
        rotation.between(v, rotation.rotate(q, v)),
        rotation.two_axes(q),
    )


def test_torch_gives_what_numpy_gives(rng):
    torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
    arrays = random_quaternions(rng, 6, 5), random_quaternions(rng, 6, 5), rng.normal(size=(6, 5, 3))
    for ours, theirs in zip(everything(*arrays), everything(*map(torch.from_numpy, arrays)), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-12)


def test_exports_to_onnx(rng, tmp_path):
    torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
    onnxruntime = pytest.importorskip("onnxruntime", reason="no onnxruntime: pip install lactic")

    class Everything(torch.nn.Module):
        def forward(self, q, other, v):
            return everything(q, other, v)

    arrays = [a.astype(np.float32) for a in (random_quaternions(rng, 4), random_quaternions(rng, 4))]
    arrays.append(rng.normal(size=(4, 3)).astype(np.float32))
    path = tmp_path / "rotation.onnx"
    tensors = tuple(map(torch.from_numpy, arrays))
    torch.onnx.export(Everything().eval(), tensors, path, dynamo=True, verbose=False)
    session = onnxruntime.InferenceSession(path)
    fed = dict(zip((i.name for i in session.get_inputs()), arrays, strict=True))
    for exported, ours in zip(session.run(None, fed), everything(*arrays), strict=True):
        np.testing.assert_allclose(exported, ours, atol=1e-5)
