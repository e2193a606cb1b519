"""Lost worlds: found, reset, counted, and explained in a file."""

import numpy as np
import pytest
from frames import drive, flying, given, reset, seen, state

from lactic.errors import InputError
from lactic.world import CpuWorld
from lactic.world.fault import describe, dump, load, save


def test_nan_target_resets_only_that_world(world, body, rng):
    """The others go on bitwise as if nothing had happened; the lost one stands where it was last put."""
    start = flying(body, rng, world.count, height=1.2)
    futures = []
    for poison in (False, True):
        reset(world, None, *start)
        targets = np.zeros((world.count, 28))
        for step in range(8):
            targets[9, 4] = np.nan if poison and step == 5 else 0
            drive(world, targets, body.stiffness, body.damping, body.torque_limit)
            before = world.faults
            world.step()
            if poison and step == 5:
                assert world.check() == before + 1
                assert np.flatnonzero(seen(world.faulted)).tolist() == [9]
                assert np.allclose(seen(world.qpos)[9], start[0][9], atol=1e-6)
                assert np.allclose(seen(world.qvel)[9], start[1][9], atol=1e-6)
            else:
                assert not seen(world.faulted).any()
        futures.append(state(world))
    others = np.arange(world.count) != 9
    for name, values in futures[0].items():
        assert np.array_equal(values[others], futures[1][name][others]), name
        assert np.isfinite(futures[1][name]).all(), name
    (file,) = sorted(world.dump.glob("*"))
    assert file.name == "fault-0.npz"
    fault = load(file)
    assert (fault.body, fault.world) == ("humanoid", 9) and "target" in fault.reason
    assert np.allclose(fault.time, np.arange(6) * 4 / 120, atol=1e-5)
    assert np.allclose(fault.qpos[0], start[0][9], atol=1e-6) and np.isnan(fault.targets[-1, 4])
    assert np.allclose(fault.limits, body.torque_limit) and np.allclose(fault.stiffness, body.stiffness)
    assert f"targets not finite: {body.joints[4]}" in describe(file)


def test_nan_limit_is_a_fault_not_boundless_strength(world, body):
    limits = np.tile(body.torque_limit, (world.count, 1))
    limits[2, 7] = np.nan
    drive(world, np.zeros((world.count, 28)), body.stiffness, body.damping, limits)
    world.step()
    assert np.flatnonzero(seen(world.faulted)).tolist() == [2]
    world.step()  # the gains of the lost world are nominal again
    assert not seen(world.faulted).any()


def test_an_explosion_is_found_and_explained(world, body):
    """A knee spinning at 1e9 rad/s tears the body apart within a step."""
    for _ in range(3):
        world.step()
    knee = body.joints.index("right_knee")
    world.qvel[4, 6 + knee] = 1e12
    before = world.faults
    world.step()
    assert world.check() == before + 1
    assert np.allclose(seen(world.qpos)[4], body.model.qpos0, atol=1e-6)
    assert np.isfinite(seen(world.xpos)).all()
    lines = describe(next(iter(world.dump.glob("*"))))
    assert any(line.startswith("first: right_knee of right_shin") for line in lines)
    assert sum("root velocity" in line or "right_knee" in line for line in lines[3:]) >= 1


def test_reset_to_a_broken_pose_ends_at_rest(world, body):
    """A world told to stand in NaN goes to the rest pose instead of failing for ever."""
    qpos = np.tile(body.model.qpos0, (world.count, 1))
    qpos[7, 10] = np.nan
    reset(world, None, qpos)
    world.step()
    assert np.flatnonzero(seen(world.faulted)).tolist() == [7]
    world.step()
    assert not seen(world.faulted).any() and np.isfinite(seen(world.qpos)).all()


def test_many_faults_are_counted_and_few_are_written(world, body):
    before = world.faults
    world.qvel[:] = given(world, np.full((world.count, body.model.nv), np.nan))
    world.step()
    assert world.check() == before + world.count
    assert 1 <= len(list(world.dump.glob("*"))) <= 20
    world.step()
    assert world.check() == before + world.count


def test_overflow_of_the_buffers_is_a_fault(body, tmp_path):
    """A body lying on the ground needs more than 8 constraint rows: found on the device, not silently wrong."""
    pytest.importorskip("mujoco_warp", reason="no mujoco_warp: pip install lactic[train]")
    from lactic.world.gpu import WarpWorld

    world = WarpWorld(body, 2, device="cpu", njmax=8, dump=tmp_path)
    qpos = np.tile(body.model.qpos0, (2, 1))
    qpos[0, 2] -= 0.01
    qpos[1, 2] = 5.0
    reset(world, None, qpos)
    world.step(1)
    assert world.check() == 1 and seen(world.faulted).tolist() == [True, False]
    assert "njmax" in load(tmp_path / "fault-0.npz").reason


def test_buffers_hold_a_heap_of_falling_bodies(warp_world, body, rng):
    """Thrashing bodies dropped in random poses never overflow the buffers chosen for them."""
    reset(warp_world, None, *flying(body, rng, warp_world.count, height=0.5))
    before = warp_world.faults
    for step in range(25):
        if step % 8 == 0:
            targets = rng.uniform(*(1.3 * body.range.T), (warp_world.count, 28))
        drive(warp_world, targets, body.stiffness, body.damping, body.torque_limit)
        warp_world.step()
    assert warp_world.check() == before


def test_no_log_file_is_left_behind(body, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = CpuWorld(body, 2)
    world.qvel[:] = np.nan
    world.step()
    assert world.faults == 2 and not list(tmp_path.iterdir())


@pytest.fixture
def fault(cpu_world):
    cpu_world.qvel[0] = np.nan
    cpu_world.step()
    return load(cpu_world.dump / "fault-0.npz")


def test_files_are_numbered_and_capped(fault, tmp_path):
    folder = tmp_path / "many"
    names = [dump(folder, fault) for _ in range(22)]
    assert [name.name for name in names[:2]] == ["fault-0.npz", "fault-1.npz"] and names[20:] == [None, None]


def test_round_trip(fault, tmp_path):
    save(tmp_path / "again.npz", fault)
    again = load(tmp_path / "again.npz")
    for name, value in vars(fault).items():
        np.testing.assert_array_equal(getattr(again, name), value)


def test_bad_files_are_input_errors(fault, tmp_path):
    good = tmp_path / "good.npz"
    save(good, fault)
    content = good.read_bytes()
    bad = tmp_path / "bad.npz"
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.npz")
    rng = np.random.default_rng(0)
    damaged = [b"", b"text", content[: len(content) // 2], content[:40]]
    for _ in range(60):
        broken = bytearray(content)
        for at in rng.integers(0, len(content), 8):
            broken[at] = rng.integers(0, 256)
        damaged.append(bytes(broken))
    for broken in damaged:
        bad.write_bytes(broken)
        try:
            describe(bad)
        except InputError as error:
            assert str(bad) in str(error) and "\n" not in str(error)
    np.savez(bad, **(vars(fault) | {"qpos": fault.qpos[:, :5]}))
    with pytest.raises(InputError, match="qpos"):
        load(bad)
    np.savez(bad, a=np.zeros(3))
    with pytest.raises(InputError, match="not a fault file"):
        load(bad)
    np.savez(bad, **(vars(fault) | {"body": np.array([None, {}], dtype=object)}))
    with pytest.raises(InputError):
        load(bad)
