"""One humanoid, and one WarpWorld for all tests: a second configuration would compile its kernels anew."""

import numpy as np
import pytest

from lactic.body import humanoid
from lactic.world import CpuWorld

COUNT = 32


@pytest.fixture(scope="session")
def body():
    return humanoid()


@pytest.fixture(scope="session")
def _warp_world(body):
    pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")
    from lactic.world.gpu import WarpWorld

    return WarpWorld(body, COUNT, device="cpu", contacts=True)


@pytest.fixture
def warp_world(_warp_world, body, tmp_path):
    import torch

    _warp_world.reset()
    nominal = (torch.tensor(x, dtype=torch.float32) for x in (body.stiffness, body.damping, body.torque_limit))
    _warp_world.drive(torch.zeros(len(body.joints)), *nominal)
    _warp_world.dump = tmp_path / "warp"
    yield _warp_world
    _warp_world.dump = None
    _warp_world.check()


@pytest.fixture
def cpu_world(body, tmp_path):
    return CpuWorld(body, COUNT, threads=2, contacts=True, dump=tmp_path / "cpu")


@pytest.fixture(params=["cpu", "warp"])
def world(request):
    """Each of the two worlds in turn."""
    return request.getfixturevalue(f"{request.param}_world")


@pytest.fixture
def rng():
    return np.random.default_rng(7)
