"""The torque that a body gave over a control step, as both worlds tell it."""

import numpy as np
import pytest
from frames import drive, flying, reset, seen

from lactic.world import CpuWorld


def moving(world, body, seed=3):
    """Random flights under random targets, and limits that bind some joints."""
    rng = np.random.default_rng(seed)
    reset(world, None, *flying(body, rng, world.count))
    shape = world.count, len(body.joints)
    limits = body.torque_limit * rng.uniform(0.1, 1.0, shape)
    drive(world, rng.uniform(*body.range.T, shape), body.stiffness, body.damping, limits)


def test_torque_is_the_mean_over_the_physics_steps_of_a_control_step(world, body):
    moving(world, body)
    world.step(3)  # what came before the last four steps does not count
    forces = []
    for _ in range(4):
        world.step(1)
        forces.append(np.abs(seen(world.force)))
    by_single_steps = seen(world.torque)
    assert by_single_steps == pytest.approx(np.mean(forces, axis=0), rel=1e-5, abs=1e-5)
    assert np.std(forces, axis=0).max() > 1.0  # they differ, so one of them alone would not do
    moving(world, body)
    world.step(7)
    assert seen(world.torque) == pytest.approx(by_single_steps, rel=1e-5, abs=1e-5)


def test_torque_is_zero_after_a_reset_and_forgets_what_came_before(world, body):
    moving(world, body)
    world.step()
    before = seen(world.torque)
    assert before.max() > 10.0
    reset(world, np.array([2, 5]))
    after, others = seen(world.torque), np.setdiff1d(np.arange(world.count), [2, 5])
    assert not after[[2, 5]].any() and np.array_equal(after[others], before[others])
    world.step(1)  # one step of four, after three without any torque
    assert seen(world.torque)[[2, 5]] == pytest.approx(np.abs(seen(world.force))[[2, 5]] / 4, rel=1e-5, abs=1e-6)
    reset(world)
    assert not seen(world.torque).any()


def test_substeps_say_how_many_steps_count(body):
    world = CpuWorld(body, 2, threads=1, substeps=2)
    moving(world, body)
    world.step(3)
    forces = []
    for _ in range(2):
        world.step(1)
        forces.append(np.abs(world.force))
    assert world.torque == pytest.approx(np.mean(forces, axis=0), rel=1e-9)


def test_torque_never_exceeds_the_limits(world, body):
    moving(world, body)
    for _ in range(5):
        world.step()
        assert np.all(seen(world.torque) <= seen(world.bounds)[..., 1] * (1 + 1e-6))


def test_a_world_brought_back_remembers_its_torque(world, body):
    moving(world, body)
    world.step()
    held, torque = world.remember(), seen(world.torque)
    world.step(1)
    later = seen(world.torque)
    reset(world)
    world.recall(held)
    assert np.array_equal(seen(world.torque), torque)
    shape = world.count, len(body.joints)
    rng = np.random.default_rng(3)
    flying(body, rng, world.count)
    limits = body.torque_limit * rng.uniform(0.1, 1.0, shape)
    drive(world, rng.uniform(*body.range.T, shape), body.stiffness, body.damping, limits)
    world.step(1)
    assert seen(world.torque) == pytest.approx(later, rel=1e-4, abs=1e-3)


def test_a_lost_world_starts_without_torque(cpu_world, body):
    moving(cpu_world, body)
    cpu_world.step()
    cpu_world.qvel[4] = np.nan
    cpu_world.step()
    assert cpu_world.faulted[4] and not cpu_world.torque[4].any()
    assert np.isfinite(cpu_world.torque).all() and cpu_world.torque[5].any()
