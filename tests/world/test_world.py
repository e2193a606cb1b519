"""What both worlds promise, each tested in turn."""

import mujoco
import numpy as np
import pytest
from frames import drive, flying, given, reset, seen, state

from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.world import CpuWorld


def shapes(body, count):
    nbody, nu = len(body.bodies), len(body.joints)
    return {
        "qpos": (count, nu + 7),
        "qvel": (count, nu + 6),
        "xpos": (count, nbody, 3),
        "xquat": (count, nbody, 4),
        "force": (count, nu),
        "torque": (count, nu),
        "push": (count, nbody, 6),
        "touch": (count, nbody),
        "faulted": (count,),
    }


def test_shapes_and_identity(world, body):
    assert (world.body, world.count, world.timestep) == (body, 32, pytest.approx(1 / 120))
    for name, shape in shapes(body, world.count).items():
        assert tuple(getattr(world, name).shape) == shape, name


def test_views_are_live(world, body):
    """The arrays taken before a step show the state after it."""
    qpos, xpos = world.qpos, world.xpos
    before = seen(qpos)
    world.step()
    assert np.abs(seen(qpos) - before).max() > 1e-6
    assert np.array_equal(seen(world.xpos), seen(xpos))


def test_kinematics_belong_to_the_new_state(world, body, rng):
    """xpos and xquat after a step are those of the qpos after it, not of one substep before."""
    reset(world, None, *flying(body, rng, world.count))
    world.step()
    for shown in ("after a step", "after a reset"):
        for i in (0, 13):
            data = mujoco.MjData(body.model)
            data.qpos = seen(world.qpos)[i]
            mujoco.mj_kinematics(body.model, data)
            assert np.abs(seen(world.xpos)[i] - data.xpos[1:]).max() < 1e-4, shown
            assert np.abs(seen(world.xquat)[i] - data.xquat[1:]).max() < 1e-4, shown
        reset(world, None, *flying(body, rng, world.count, height=5))


@pytest.mark.parametrize("by", ["indices", "mask"])
def test_partial_reset_changes_only_its_worlds(world, body, rng, by):
    reset(world, None, *flying(body, rng, world.count, height=1.2))
    drive(world, rng.uniform(-1, 1, (world.count, 28)), body.stiffness, body.damping, body.torque_limit)
    world.push[:] = 3.0
    for _ in range(20):
        world.step()
    before = state(world)
    ids = np.array([3, 17, 30])
    others = np.setdiff1d(np.arange(world.count), ids)
    qpos, qvel = flying(body, rng, world.count)
    if by == "mask":
        mask = np.zeros(world.count, bool)
        mask[ids] = True
        reset(world, mask, qpos, qvel)
    else:
        reset(world, ids[[2, 0, 1]], qpos[ids[[2, 0, 1]]], qvel[ids[[2, 0, 1]]])
    after = state(world)
    for name in before:
        assert np.array_equal(before[name][others], after[name][others]), name
    assert np.allclose(after["qpos"][ids], qpos[ids], atol=1e-6)
    assert np.allclose(after["qvel"][ids], qvel[ids], atol=1e-6)
    for name in ("force", "push", "touch"):
        assert not after[name][ids].any(), name


def test_untouched_worlds_go_on_as_if_no_other_had_been_reset(world, body, rng):
    """A reset leaves nothing behind in the engine either: the others' future is bitwise the same."""
    start = flying(body, rng, world.count, height=1.2)
    targets = rng.uniform(-1, 1, (world.count, 28))
    futures = []
    for interrupt in (False, True):
        reset(world, None, *start)
        drive(world, targets, body.stiffness, body.damping, body.torque_limit)
        for step in range(24):
            if interrupt and step == 12:
                reset(world, np.array([5, 6]))
            world.step()
        futures.append(state(world))
    others = np.setdiff1d(np.arange(world.count), [5, 6])
    for name, values in futures[0].items():
        assert np.array_equal(values[others], futures[1][name][others]), name


def test_reset_without_a_pose_stands_at_rest(world, body):
    world.step()
    world.reset()
    assert np.allclose(seen(world.qpos), body.model.qpos0, atol=1e-7) and not seen(world.qvel).any()


def test_torque_never_exceeds_the_limit_in_any_substep(world, body, rng):
    """Random limits from nothing to full strength, far targets and stiff gains: every substep stays within."""
    reset(world, None, *flying(body, rng, world.count, height=1.0))
    reached = 0.0
    for step in range(40):
        limits = body.torque_limit * rng.uniform(0, 1, (world.count, 28)) ** 2
        limits[:, rng.integers(0, 28, 5)] = 0
        if step % 8 == 0:
            targets = rng.uniform(-3, 3, (world.count, 28))
        drive(world, targets, 2 * body.stiffness, body.damping, limits)
        world.step(1)
        force = np.abs(seen(world.force))
        assert (force <= limits + 1e-4).all()
        reached = max(reached, float((force > 0.99 * limits).mean()))
        assert not seen(world.faulted).any()
    assert reached > 0.4  # the limits were felt


def test_force_is_the_pd_torque_when_unlimited(world, body, rng):
    """After one substep the force is Kp (target − q) − Kd q̇ of the state before it."""
    qpos, qvel = flying(body, rng, world.count)
    reset(world, None, qpos, qvel)
    targets = rng.uniform(-0.5, 0.5, (world.count, 28))
    drive(world, targets, 2 * body.stiffness, 0.5 * body.damping, np.full(28, 1e6))
    world.step(1)
    expected = 2 * body.stiffness * (targets - qpos[:, 7:]) - 0.5 * body.damping * qvel[:, 6:]
    assert np.allclose(seen(world.force), expected, rtol=1e-4, atol=1e-2)


def test_push_accelerates_the_body(world, body):
    """10 m/s² sideways on every part for 0.1 s of free fall: the root gains 1 m/s and no joint bends."""
    qpos = np.tile(body.model.qpos0, (world.count, 1))
    qpos[:, 2] = 10
    reset(world, None, qpos)
    mass = body.model.body_mass[1:]
    force = np.zeros((world.count, len(mass), 6))
    force[:, :, 1] = 10 * mass  # the same acceleration everywhere, so that no joint bends
    world.push[:] = given(world, force)
    for _ in range(3):
        world.step()
    assert np.allclose(seen(world.qvel)[:, 1], 1.0, atol=1e-3)
    assert np.abs(seen(world.qvel)[:, 6:]).max() < 1e-2


def test_touch_names_the_bodies_on_the_ground(world, body):
    """Standing, only the feet touch; lying on the back, other bodies do; in the air, none."""
    qpos = np.tile(body.model.qpos0, (world.count, 1))
    qpos[0, 2] -= 0.002
    qpos[1, 2] = 5.0
    qpos[2, 2], qpos[2, 3:7] = 0.10, (np.sqrt(0.5), 0, -np.sqrt(0.5), 0)
    reset(world, None, qpos)
    assert not seen(world.touch).any()
    world.step(2)
    touch = seen(world.touch)
    assert {name for name, found in zip(body.bodies, touch[0], strict=True) if found} == set(body.feet)
    assert not touch[1].any()
    lying = {name for name, found in zip(body.bodies, touch[2], strict=True) if found}
    assert lying & {"pelvis", "torso", "head"}


def test_unknown_device_is_an_input_error(body):
    pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")
    from lactic.world.gpu import WarpWorld

    with pytest.raises(InputError, match="device abacus: not on this machine; there are: cpu"):
        WarpWorld(body, 2, device="abacus")


@pytest.mark.parametrize("other", [ant(), humanoid(pinned=True)])
def test_cpu_world_takes_any_body(other):
    """An ant, a body that touches itself and one pinned at the pelvis: no faults, and only ground contacts count."""
    world = CpuWorld(other, 3, contacts=True)
    for _ in range(20):
        world.step()
    assert world.faults == 0 and np.isfinite(world.qpos).all()
    height = world.xpos[:, :, 2]
    assert (height[world.touch > 0] < 0.6).all()
