"""The muscle men's Warp kernels on Warp's CPU device: the law in NumPy, and the other world, are the oracles."""

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.body.body import mirrored
from lactic.body.muscle_man import REFLECT
from lactic.muscle.man import law
from lactic.muscle.man.men import MuscleMen, muscle_men
from lactic.muscle.man.musculature import musculature
from lactic.rotation import to_matrix

torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")

FENG, COUNT = fatigue.preset("feng2023"), 3
STRANDS = musculature().strands


@pytest.fixture(scope="module")
def men() -> MuscleMen:
    return muscle_men(COUNT, FENG, "cpu")


def placed(men: MuscleMen, rng: np.random.Generator) -> None:
    """Random poses above the floor, made with a world that shares nothing with Warp."""
    qpos = np.tile(muscle_man().model.qpos0, (COUNT, 1))
    speed = rng.normal(0, 3, (COUNT, 56))
    other = muscle_men(COUNT, FENG)
    qpos[:, 2] += 1
    other.reset(None, qpos, speed)
    other.step(rng.normal(-0.1, 0.6, (COUNT, 284)))
    men.reset(None, other.qpos, other.qvel)


def seen(men: MuscleMen) -> tuple[np.ndarray, np.ndarray]:
    """Places and rotations with MuJoCo's world body, in float64."""
    xpos, turns = men.xpos.double().numpy(), to_matrix(men.xquat.double().numpy())
    return np.pad(xpos, ((0, 0), (1, 0), (0, 0))), np.pad(turns, ((0, 0), (1, 0), (0, 0), (0, 0)))


def speeds(men: MuscleMen) -> np.ndarray:
    """Velocities of the bodies' frames in the world's (world, body, 6), by MuJoCo: linear, then angular."""
    model, found = muscle_man().model, np.zeros((COUNT, muscle_man().model.nbody, 6))
    for i in range(COUNT):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = men.qpos[i].double().numpy(), men.qvel[i].double().numpy()
        mujoco.mj_forward(model, data)
        for body in range(1, model.nbody):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, found[i, body], 0)
    return np.roll(found, 3, axis=2)


def test_a_step_is_that_of_numpy(men: MuscleMen):
    rng = np.random.default_rng(0)
    men.substeps = 1
    for _ in range(4):
        placed(men, rng)
        xpos, xmat = seen(men)
        points = law.anchors(STRANDS, xpos, xmat)
        length = law.lengths(STRANDS, points)
        assert np.abs(men.lengths.numpy() - length).max() < 1e-6 and men.rates_of_length.abs().max() == 0
        men.fatigue[...] = torch.as_tensor(fatigue.uniform(rng.random((COUNT, 284, 2))))
        men.lengths *= torch.as_tensor(rng.normal(1, 0.003, (COUNT, 284)))
        men.rates_of_length[...] = torch.as_tensor(rng.normal(0, 0.1, (COUNT, 284)))
        men.rates[:, 4] = torch.as_tensor(rng.integers(0, 2, 284))
        before, rate, state, rates = (
            array.double().numpy().copy() for array in (men.lengths, men.rates_of_length, men.fatigue, men.rates)
        )
        action = rng.normal(-0.2, 0.5, (COUNT, 284)).astype(np.float32)
        dt = men.world.timestep
        rate = law.rate_of(length, before, rate, dt)
        pulled = law.pull(STRANDS, length, rate, (1 + action) * STRANDS.rest, state, rates, dt)
        centre = xpos + np.einsum("...ij,...j->...i", xmat, muscle_man().model.body_ipos)
        push = law.wrenches(STRANDS, xpos, xmat, centre, points, pulled.force)[:, 1:]
        men.step(torch.as_tensor(action))
        for found, expected in ((men.lengths, length), (men.rates_of_length, rate), (men.fatigue, pulled.state)):
            assert np.abs(found.numpy() - expected).max() < 1e-5
        for found, expected in ((men.force, pulled.force), (men.world.push, push)):
            assert np.abs(found.numpy() - expected).max() < 1e-5 * np.abs(expected).max()


def test_power_of_the_muscles_is_that_of_the_bodies(men: MuscleMen):
    rng, step = np.random.default_rng(1), 1e-5
    men.substeps = 1
    placed(men, rng)
    (xpos, xmat), speed = seen(men), speeds(men)
    ends = []
    for sign in (1, -1):
        spin = np.cross(np.eye(3), sign * step * speed[:, :, None, 3:])  # the matrix that does spin ×
        turned = np.einsum("wbij,wbjk->wbik", np.eye(3) + spin, xmat)
        ends.append(law.lengths(STRANDS, law.anchors(STRANDS, xpos + sign * step * speed[..., :3], turned)))
    men.step(torch.full((COUNT, 284), -0.5))
    power = men.force.numpy() * (ends[0] - ends[1]) / (2 * step)
    # pushes act at centres of mass
    arm = np.einsum("wbij,bj->wbi", xmat, muscle_man().model.body_ipos)
    twist = np.concatenate([speed[..., :3] + np.cross(speed[..., 3:], arm), speed[..., 3:]], -1)[:, 1:]
    given = (men.world.push.numpy() * twist).sum((1, 2))
    assert np.abs(power).sum(1).min() > 10
    assert np.abs(given + power.sum(1)).max() < 1e-5 * np.abs(power).sum(1).min()


def test_a_mirrored_character_pulls_mirrored(men: MuscleMen):
    body, mirror = muscle_man(), musculature().mirror
    model = body.model
    men.substeps = 1
    placed(men, np.random.default_rng(2))
    swap = [body.bodies.index(mirrored(name)) for name in body.bodies]
    reflect = torch.tensor(REFLECT, dtype=torch.float32)
    qpos, turn = men.qpos.clone(), torch.tensor([1.0, -1.0, 1.0, -1.0])  # a quaternion's axis is axial
    for name, other in zip(body.bodies, np.array(body.bodies)[swap], strict=True):
        here, there = (model.jnt_qposadr[model.body(x).jntadr[0]] for x in (name, other))
        size = model.body(name).dofnum[0]
        if size == 6:
            qpos[1, :3] = qpos[0, :3] * reflect
            qpos[1, 3:7] = qpos[0, 3:7] * turn
        elif size == 3:
            qpos[1, here : here + 4] = qpos[0, there : there + 4] * turn
        else:
            mine, its = (model.jnt_axis[model.body(x).jntadr[0]] for x in (name, other))
            qpos[1, here] = qpos[0, there] * float(mine @ (-REFLECT * its))
    men.reset(None, qpos)
    assert torch.allclose(men.xpos[1], men.xpos[0, swap] * reflect, atol=1e-6)
    assert torch.allclose(men.lengths[1], men.lengths[0, mirror], atol=1e-6)
    men.step(torch.full((COUNT, 284), -0.3))
    assert torch.allclose(men.force[1], men.force[0, mirror], atol=1e-5 * float(men.force.max()))
    flip = torch.cat([reflect, -reflect])
    push = men.world.push
    assert torch.allclose(push[1], push[0, swap] * flip, atol=1e-5 * float(push.abs().max()))


def test_both_worlds_do_the_same_and_warp_repeats_itself(men: MuscleMen):
    rng = np.random.default_rng(3)
    men.substeps = 6
    other = muscle_men(COUNT, FENG)
    qpos, qvel = other.qpos.copy(), rng.normal(0, 0.5, other.qvel.shape)
    tired = fatigue.uniform(rng.random((COUNT, 284, 2)))
    actions = rng.normal(-0.1, 0.4, (4, COUNT, 284)).astype(np.float32)
    men.rates[:] = torch.as_tensor(other.rates)
    men.reset(None, qpos, qvel, tired)
    men.push[1, 2, :3] = 50.0
    men.step(torch.as_tensor(actions[0]))
    kept, ends = men.remember(), []
    for _ in range(2):
        men.recall(kept)
        for action in actions[1:]:
            men.step(torch.as_tensor(action))
        ends.append([x.clone() for x in (men.qpos, men.qvel, men.fatigue, men.force)])
    assert all(torch.equal(a, b) for a, b in zip(*ends, strict=True))
    other.reset(None, qpos, qvel, tired)
    other.push[1, 2, :3] = 50.0
    for action in actions:
        other.step(action)
    assert np.abs(men.qpos.numpy() - other.qpos).max() < 1e-5
    assert np.abs(men.qvel.numpy() - other.qvel).max() < 1e-3
    assert np.abs(men.fatigue.numpy() - other.fatigue).max() < 1e-4


def test_resets_reach_the_chosen_alone_and_lost_ones_start_fresh(men: MuscleMen):
    men.substeps = 1
    men.reset()
    tired = torch.tensor([0.0, 0.3, 0.7]).expand(COUNT, 284, 3)
    men.reset(torch.tensor([True, False, True]), fatigue=tired)
    assert men.fatigue[:, 0, 2].tolist() == pytest.approx([0.7, 0, 0.7])
    men.reset(torch.tensor([2]))
    men.reset(torch.tensor([1]), fatigue=tired[:1])
    assert men.fatigue[:, 5, 2].tolist() == pytest.approx([0.7, 0.7, 0])
    men.qvel[0, 7] = float("nan")
    men.step(torch.zeros(COUNT, 284))
    assert men.faulted.tolist() == [True, False, False]
    assert men.fatigue[0, :, 2].max() == 0 and men.fatigue[1, :, 2].min() > 0.6 and men.lengths.isfinite().all()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_on_a_gpu_the_graph_does_as_the_other_world():
    rng = np.random.default_rng(4)
    men, other = muscle_men(COUNT, FENG, "cuda"), muscle_men(COUNT, FENG)
    qvel = rng.normal(0, 0.5, other.qvel.shape)
    tired = fatigue.uniform(rng.random((COUNT, 284, 2)))
    everyone = np.ones(COUNT, bool)
    men.reset(torch.as_tensor(everyone, device="cuda"), qvel=torch.as_tensor(qvel), fatigue=tired)
    other.reset(everyone, qvel=qvel, fatigue=tired)
    for action in rng.normal(-0.1, 0.4, (4, COUNT, 284)).astype(np.float32):
        men.step(torch.as_tensor(action, device="cuda"))
        other.step(action)
    assert np.abs(men.qpos.cpu().numpy() - other.qpos).max() < 1e-5
    assert np.abs(men.fatigue.cpu().numpy() - other.fatigue).max() < 1e-4
