"""Bodies side by side in one world that differ in numbers alone."""

import numpy as np
import pytest
from frames import drive, reset, seen

from lactic.body import ant, get, humanoid
from lactic.body.variants import alike
from lactic.errors import InputError
from lactic.world import CpuWorld

KINDS = tuple(map(alike, ("humanoid", "person-1.60-52", "person-1.90-102")))


def fallen(world, kinds, steps=40):
    """Let the characters of a world stand, then tire and fall over, each with its own gains; returns what they do."""
    rng = np.random.default_rng(5)
    noise = rng.normal(0, 0.05, (6, 28))[: world.count]
    rest = np.stack([kinds[i % len(kinds)].rest for i in range(world.count)])
    qpos = rest.copy()
    qpos[:, 7:] += noise
    reset(world, None, qpos)
    own = [
        np.stack([getattr(kinds[i % len(kinds)], name) for i in range(world.count)])
        for name in ("stiffness", "damping", "torque_limit")
    ]
    seen_ = []
    for step in range(steps):
        drive(world, noise, own[0], own[1], own[2] * (1.0 if step < 10 else 0.05))
        world.step()
        seen_.append([seen(getattr(world, name)) for name in ("qpos", "qvel", "xpos", "torque")])
    return seen_


def test_on_the_cpu_each_is_bit_for_bit_what_it_is_alone():
    together = fallen(CpuWorld(humanoid(), 6, threads=2, variants=KINDS), KINDS)
    same = fallen(CpuWorld(humanoid(), 6, threads=2), (humanoid(),))
    for k, kind in enumerate(KINDS):
        # as many worlds, so that world i starts with the same noise
        alone = fallen(CpuWorld(kind, 6, threads=2), (kind,))
        for now, then in zip(together, alone, strict=True):
            for a, b in zip(now, then, strict=True):
                assert np.array_equal(a[k::3], b[k::3])
    assert np.array_equal(together[-1][0][0], same[-1][0][0])
    heights = [qpos[:, 2] for qpos, *_ in together]
    assert min(h.min() for h in heights) < 0.4  # they did meet the floor


def test_each_rests_at_its_own_height():
    world = CpuWorld(humanoid(), 6, threads=1, variants=KINDS)
    for _ in range(2):
        assert np.array_equal(world.qpos, np.stack([KINDS[i % 3].rest for i in range(6)]))
        world.step()
        reset(world, np.array([4, 1]))
        assert np.array_equal(world.qpos[[1, 4]], np.stack([KINDS[1].rest] * 2))
        reset(world, np.ones(6, bool))


def test_warp_has_the_same_bodies():
    pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")
    from lactic.world.gpu import WarpWorld

    warp = WarpWorld(humanoid(), 6, device="cpu", variants=KINDS)
    cpu = CpuWorld(humanoid(), 6, threads=1, variants=KINDS)
    assert seen(warp.qpos) == pytest.approx(cpu.qpos, abs=1e-6)
    reset(warp, np.array([1, 4]))
    assert seen(warp.qpos)[[1, 4]] == pytest.approx(cpu.qpos[[1, 4]], abs=1e-6)
    # in the air, where nothing depends on how contacts are solved
    qpos = np.stack([KINDS[i % 3].rest for i in range(6)]) + np.eye(35)[2] * 10
    rng = np.random.default_rng(2)
    targets, qvel = rng.normal(0, 0.3, (6, 28)), rng.normal(0, 1, (6, 34))
    for world in (warp, cpu):
        reset(world, None, qpos, qvel)
        drive(world, targets, humanoid().stiffness, humanoid().damping, humanoid().torque_limit)
        for _ in range(10):
            world.step()
    assert seen(warp.qpos) == pytest.approx(cpu.qpos, abs=1e-3)
    assert seen(warp.torque) == pytest.approx(cpu.torque, rel=1e-2, abs=0.1)
    swung = cpu.qpos[:, 7:]
    assert np.abs(swung[0] - swung[3]).max() > 0.01


def test_a_body_of_another_structure_is_refused():
    with pytest.raises(InputError, match="same bodies, joints and shapes"):
        CpuWorld(humanoid(), 2, variants=(humanoid(), ant()))
    with pytest.raises(InputError, match="same"):  # a person's own shapes are not the humanoid's
        CpuWorld(humanoid(), 2, variants=(humanoid(), get("person-1.60-52")))
