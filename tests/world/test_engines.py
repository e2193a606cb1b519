"""The two engines agree with each other, and each with itself."""

import numpy as np
from frames import drive, flying, reset, seen

from lactic.world import CpuWorld


def test_same_flight_in_both_engines(cpu_world, warp_world, body, rng):
    """60 physics steps of free flight under gravity, random targets and torque limits that bind: qpos within 1e-3.

    The implicit integrator counts an actuator's damping only while its force is below the limit. Where a force meets
    its limit to within float32's rounding, the two engines may decide differently in that substep and part by some 1e-3
    rad: once in some 500 worlds. Such worlds are recognised by it and held to 0.1; there may be two.
    """
    qpos, qvel = flying(body, rng, cpu_world.count)
    for world in (cpu_world, warp_world):
        reset(world, None, qpos, qvel)
    split = np.zeros(cpu_world.count, bool)
    saturated = 0.0
    for _ in range(15):
        targets = rng.uniform(*body.range.T, (cpu_world.count, 28))
        limits = body.torque_limit * rng.uniform(0.02, 0.3, (cpu_world.count, 28))
        for world in (cpu_world, warp_world):
            drive(world, targets, body.stiffness, body.damping, limits)
        for _ in range(4):
            for world in (cpu_world, warp_world):
                world.step(1)
            at_limit = np.abs(seen(cpu_world.force)) >= limits
            split |= (at_limit != (np.abs(seen(warp_world.force)) >= limits.astype(np.float32))).any(1)
            saturated = max(saturated, float(at_limit.mean()))
    assert saturated > 0.1 and not seen(cpu_world.touch).any()
    assert np.abs(seen(cpu_world.qpos) - qpos).max() > 0.5
    for name in ("qpos", "xpos"):
        difference = np.abs(seen(getattr(cpu_world, name)) - seen(getattr(warp_world, name)))
        assert difference[~split].max() < 1e-3
        assert split.sum() <= 2 and difference[split].max(initial=0) < 0.1


def fall(world, body, seed):
    """Stand for half a second with full strength, lose it, fall and lie: what the contacts looked like."""
    rng = np.random.default_rng(seed)
    qpos = np.tile(body.model.qpos0, (world.count, 1))
    qpos[:, 7:] += rng.normal(scale=0.03, size=(world.count, 28))
    qvel = np.zeros((world.count, body.model.nv))
    qvel[:, :2] = rng.normal(scale=0.3, size=(world.count, 2))
    reset(world, None, qpos, qvel)
    feet = [body.bodies.index(name) for name in body.feet]
    on_feet, touching, height = [], [], []
    for step in range(100):
        strength = 1.0 if step < 15 else 0.02
        drive(world, np.zeros((world.count, 28)), body.stiffness, body.damping, strength * body.torque_limit)
        world.step()
        touch = seen(world.touch) > 0
        on_feet.append(touch[:, feet].any(1))
        touching.append(touch.sum(1))
        height.append(seen(world.qpos)[:, 2])
    height = np.array(height)
    fallen = height < 0.5
    assert fallen[-1].all()
    return {
        "standing feet": np.mean(on_feet[:15]),
        "falling feet": np.mean(on_feet[15:45]),
        "lying bodies": np.mean(touching[-10:]),
        "time to fall": fallen.argmax(0).mean() / 30,
        "spread of time": fallen.argmax(0).std() / 30,
        "rest height": height[-1].mean(),
    }


def test_standing_then_falling_looks_alike(cpu_world, warp_world, body):
    """Chaotic one by one, so compared as averages over 32 worlds.

    Rounding in contacts makes single falls diverge. A fall's length varies by 0.28 s between worlds, so the mean of 32
    by 0.05 s: 0.1 s is two standard errors. Fractions of time get 0.1, rest heights 3 cm, lying bodies 1 of 6.
    """
    cpu, warp = fall(cpu_world, body, 3), fall(warp_world, body, 3)
    tolerance = {
        "standing feet": 0.1,
        "falling feet": 0.1,
        "lying bodies": 1.0,
        "time to fall": 0.1,
        "spread of time": 0.1,
        "rest height": 0.03,
    }
    for name, allowed in tolerance.items():
        assert abs(cpu[name] - warp[name]) < allowed, (name, cpu[name], warp[name])
    assert cpu["standing feet"] > 0.8 and cpu["lying bodies"] > 3
    assert warp_world.check() == warp_world.faults and not seen(warp_world.faulted).any()


def run(world, body, steps=40):
    rng = np.random.default_rng(11)
    reset(world, None, *flying(body, rng, world.count, height=1.0))
    for _ in range(steps):
        drive(world, rng.uniform(-1, 1, (world.count, 28)), body.stiffness, body.damping, 0.3 * body.torque_limit)
        world.step()
    return seen(world.qpos), seen(world.qvel), seen(world.xpos), seen(world.force)


def test_cpu_world_is_bitwise_equal_at_one_and_two_threads(body):
    """Falling bodies with contacts: the same bits whatever the number of threads, and again in a second run."""
    one, two = (CpuWorld(body, 24, threads=threads) for threads in (1, 2))
    first = run(one, body)
    for other in (run(two, body), run(one, body)):
        for a, b in zip(first, other, strict=True):
            assert np.array_equal(a, b)


def test_warp_world_repeats_itself_on_the_cpu_device(warp_world, body):
    first, second = run(warp_world, body, 12), run(warp_world, body, 12)
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


def test_deterministic_mode_steps_the_same_physics(warp_world, body):
    """The ordered sums and sorted contacts of deterministic mode change rounding only."""
    from lactic.world.gpu import WarpWorld

    ordered = WarpWorld(body, warp_world.count, device="cpu", deterministic=True)
    usual, first, second = run(warp_world, body, 4), run(ordered, body, 4), run(ordered, body, 4)
    for a, b, c in zip(usual, first, second, strict=True):
        assert np.array_equal(b, c)
        assert np.abs(a - b).max() < 1e-2 * (1 + np.abs(a).max())


def test_substeps_add_up(cpu_world, body, rng):
    """One call with four substeps is four calls with one."""
    ends = []
    for calls, substeps in ((3, 4), (12, 1)):
        reset(cpu_world, None, *flying(body, np.random.default_rng(5), cpu_world.count, height=1.0))
        for _ in range(calls):
            cpu_world.step(substeps)
        ends.append(seen(cpu_world.qpos))
    assert np.array_equal(*ends)
