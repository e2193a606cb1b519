"""What can only be seen on a GPU: `pytest -m gpu`."""

import numpy as np
import pytest
from frames import drive, flying, reset, seen

torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")]


def run(world, body, steps):
    rng = np.random.default_rng(11)
    reset(world, None, *flying(body, rng, world.count, height=1.0))
    for _ in range(steps):
        drive(world, rng.uniform(-1, 1, (world.count, 28)), body.stiffness, body.damping, 0.3 * body.torque_limit)
        world.step()
    return [seen(array) for array in (world.qpos, world.qvel, world.xpos, world.force)]


def test_deterministic_runs_are_bitwise_equal(body):
    from lactic.world.gpu import WarpWorld

    world = WarpWorld(body, 512, deterministic=True)
    for a, b in zip(run(world, body, 60), run(world, body, 60), strict=True):
        assert np.array_equal(a, b)
    assert world.check() == 0


def test_the_captured_graph_flies_like_the_cpu(cpu_world, body, rng):
    """Graph, streams and views on the GPU against C MuJoCo: 60 physics steps of free flight within 1e-3."""
    from lactic.world.gpu import WarpWorld

    world = WarpWorld(body, cpu_world.count)
    start = flying(body, rng, world.count)
    targets = rng.uniform(-0.3, 0.3, (world.count, 28))
    for each in (cpu_world, world):
        reset(each, None, *start)
        drive(each, targets, body.stiffness, body.damping, body.torque_limit)
        for _ in range(15):
            each.step()
    assert np.abs(seen(cpu_world.qpos) - seen(world.qpos)).max() < 1e-3
    assert np.abs(seen(cpu_world.xpos) - seen(world.xpos)).max() < 1e-3


def test_reset_and_step_do_not_wait_for_the_device(body):
    from lactic.world.gpu import WarpWorld

    world = WarpWorld(body, 64, contacts=True)
    pose, mask = torch.zeros_like(world.qpos), torch.ones(64, dtype=torch.bool, device="cuda")
    pose[:, 2], pose[:, 3] = 2.0, 1.0
    ids, gains = torch.arange(4, device="cuda"), torch.ones_like(world.force)
    world.step()
    world.reset(mask, pose)
    torch.cuda.set_sync_debug_mode("error")
    try:
        for _ in range(3):
            world.drive(gains, gains, gains, gains)
            world.step()
            world.reset(mask, pose)
            world.reset(ids, pose[:4])
    finally:
        torch.cuda.set_sync_debug_mode("default")
