"""Muscles as the strength of many characters, learned, beside the exact ones."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="no numba: pip install lactic[muscle]")
torch = pytest.importorskip("torch", reason="no torch: pip install lactic[train]")

from lactic.body import humanoid  # noqa: E402
from lactic.muscle.batch import DEAD, BatchLimit, TorchNetwork  # noqa: E402
from lactic.muscle.exact import correction  # noqa: E402
from lactic.muscle.learned import network  # noqa: E402
from lactic.muscle.leg import shipped_leg  # noqa: E402
from lactic.muscle.limit import MuscleLimit, hinges  # noqa: E402
from lactic.muscle.samples import WIDE  # noqa: E402
from lactic.world.cpu import CpuWorld  # noqa: E402


def thrashing(count: int) -> tuple[CpuWorld, tuple[np.ndarray, ...]]:
    body, rng = humanoid(), np.random.default_rng(0)
    world = CpuWorld(body, count, threads=1)
    pose = np.tile(body.rest, (count, 1))
    pose[:, 2] = 5.0
    world.reset(None, pose)
    middle, half = body.range.mean(1), np.diff(body.range)[:, 0] / 4
    gains = [np.tile(x, (count, 1)) for x in (body.stiffness, body.damping, body.torque_limit)]
    return world, (middle + half * rng.uniform(-1, 1, (count, 28)), *gains)


def test_torch_and_numpy_say_the_same():
    x = np.random.default_rng(0).normal(size=(20, 15)).astype(np.float32)
    for name in ("R", "E"):
        found = TorchNetwork(network(name))(torch.from_numpy(x)).numpy()
        assert found == pytest.approx(network(name)(x), rel=1e-4, abs=1e-3)


def test_corrected_torques_are_close_to_feasible():
    rng, limit = np.random.default_rng(1), BatchLimit(humanoid(), 1)
    twice = BatchLimit(humanoid(), 1, passes=2)
    (q, qd), torque = WIDE.states(500, rng), WIDE.torques(500, rng)
    state = [torch.from_numpy(x).float() for x in (q, qd, torque)]

    def beyond(torque: np.ndarray, capacity: float = 1.0) -> np.ndarray:
        return np.linalg.norm(correction(shipped_leg().pull(q, qd, capacity), torque).torque, axis=1)

    sizes = [beyond(each.nearest(*state).numpy()).mean() for each in (limit, twice)]
    assert sizes[1] < 0.8 * sizes[0] < 5
    for left in (1.0, 0.6):
        given = limit.nearest(*state, left).numpy()
        assert np.median(beyond(given, left)) < 0.05 * np.median(beyond(torque, left))
    nearest = torque - correction(shipped_leg().pull(q, qd), torque).torque
    inside = torch.from_numpy(0.3 * nearest).float()
    feasible = beyond(inside.numpy()) == 0
    kept = limit.nearest(*state[:2], inside)
    off = (kept - inside).norm(dim=1).numpy()[feasible]
    assert feasible.sum() > 100 and (off == 0).mean() > 0.9 and off[off > 0].min(initial=DEAD) >= DEAD


def test_the_engine_is_bounded_as_by_the_exact_limit():
    world, law = thrashing(6)
    for joints, most in zip(hinges(world.body, shipped_leg())[0].T, WIDE.torque, strict=True):
        law[3][:, joints] = most  # the box the networks know
    exact = MuscleLimit(world.body, world.timestep, 6, torque_limit=law[3][0])
    learned = BatchLimit(world.body, 6, torque_limit=law[3][0])
    for limit in (exact, learned):
        limit.drive(*law)
    world.drive(*law)
    apart, wanted = [], []
    for _ in range(12):
        exact(world)
        bounds = world.bounds.copy()
        world.drive(*law)
        learned(world)
        intent = np.clip(law[1] * (law[0] - world.qpos[:, 7:]) - law[2] * world.qvel[:, 6:], -law[3], law[3])
        given = [np.clip(intent, b[..., 0], b[..., 1]) for b in (bounds, world.bounds)]
        apart.append(np.abs(given[0] - given[1]).max(1))
        wanted.append(np.abs(intent - given[0]).max(1))
        others = np.setdiff1d(np.arange(28), learned.hinges.numpy())
        assert (world.bounds[:, others, 1] == law[3][:, others]).all()
        world.step(1)
    assert np.median(apart) < 8 and np.median(wanted) > 15
    assert learned.effort().shape == (6, 2) and bool((learned.effort() >= 0).all())
    assert learned.beyond().shape == (6, 2, 5) and world.faults == 0


def test_warp_worlds_are_bounded_in_every_substep():
    pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")
    from lactic.world.gpu import WarpWorld

    _, law = thrashing(2)
    world = WarpWorld(humanoid(), 2, device="cpu")
    law = tuple(torch.from_numpy(x).float() for x in law)
    limit = BatchLimit(world.body, 2)
    pose = torch.from_numpy(world.body.rest).float().repeat(2, 1)
    pose[:, 2] = 5.0
    world.reset(None, pose)
    world.drive(*law)
    limit.drive(*law)
    given, sign = [], torch.from_numpy(hinges(world.body, shipped_leg())[1]).float()

    def before(each: WarpWorld) -> None:
        limit(each)
        given.append((limit.given * sign).view(2, -1).clone())

    world.step(4, before)
    assert len(given) == 4 and limit.beyond().norm(dim=2).max() > 10
    assert world.force[:, limit.hinges].numpy() == pytest.approx(given[-1].numpy(), abs=1e-2)
    assert world.check() == 0
    with_nothing = world.qpos.clone()
    world.step(4)
    assert not torch.equal(with_nothing, world.qpos)
