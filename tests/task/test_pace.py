"""Going where and as fast as one is asked: what is paid, and what is asked."""

import numpy as np
import pytest
import torch
from made_up import random_clip

from lactic import body, rotation
from lactic.task.observe import Observer, local_velocity
from lactic.task.pace import AHEAD, FASTEST, SLOWEST, STANDING, Pace, going_reward
from lactic.task.reference import from_clips
from lactic.task.settings import FallSettings, PaceTaskSettings
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")
COUNT = 6


def facing(*angles: float) -> torch.Tensor:
    """Standing at the origin, looking along these angles."""
    qpos = torch.zeros(len(angles), 35)
    qpos[:, 3:7] = torch.tensor(rotation.about("z", np.array(angles)), dtype=torch.float32)
    return qpos


def made(count: int = COUNT, **more) -> Pace:
    reference = from_clips({random_clip(): 1.0}, Observer(HUMAN), 30.0, 4)
    more = {"command_change": 1 / 30, **more}
    settings = PaceTaskSettings(task_weight=1.0, fall=FallSettings(height=-10.0), **more)
    task = Pace(CpuWorld(HUMAN, count, threads=1), reference, settings)
    task.begin(torch.rand(count, task.chance, generator=torch.Generator().manual_seed(0)))
    return task


def test_the_reward_is_a_wide_and_a_narrow_peak_and_facing():
    qpos, qvel = facing(0.0, 0.0, 0.0, np.pi, np.pi / 2), torch.zeros(5, 34)
    qvel[:, 0] = torch.tensor([3.0, 2.0, 0.0, 3.0, 0.0])
    velocity = torch.tensor([[3.0, 0.0], [3.0, 0.0], [3.0, 0.0], [3.0, 0.0], [0.1, 0.0]])

    def paid(missing: float, fast: float, turned: float) -> float:
        return 0.4 * np.exp(-missing / (0.5 + fast)) + 0.4 * np.exp(-8 * missing / (0.25 + fast)) + 0.2 * turned

    expected = [1.0, paid(1.0, 3.0, 1.0), paid(9.0, 3.0, 1.0), 0.8, paid(0.01, 0.1, 1.0)]  # slow: any way may be faced
    np.testing.assert_allclose(going_reward(qpos, qvel, velocity), expected, rtol=1e-4)
    # a body that cannot reach it is paid for every bit of speed it has left
    slow = torch.zeros(20, 34)
    slow[:, 0] = torch.linspace(0, 3, 20)
    assert (going_reward(facing(*[0.0] * 20), slow, torch.tensor([[4.0, 0.0]]).expand(20, 2)).diff() > 0).all()


def test_commands_stand_or_go_at_any_speed_mostly_ahead():
    task, rng = made(), torch.Generator().manual_seed(1)
    u = torch.rand(20_000, 2, generator=rng)
    asked = task.new_command(facing(*[0.7] * len(u)), u)
    speed = asked.norm(dim=1)
    going = speed > 0
    assert (~going).float().mean().item() == pytest.approx(STANDING, abs=0.01)
    assert speed[going].min() >= SLOWEST - 1e-5 and speed.max() <= FASTEST + 1e-5
    assert speed[going].mean().item() == pytest.approx((SLOWEST + FASTEST) / 2, abs=0.05)
    turned = np.abs(rotation.wrap(np.arctan2(*asked[going].numpy().T[::-1]) - 0.7))
    # those ahead are within 1.2 rad; the others go anywhere, 1.2/π of them there too
    assert (turned <= 1.2).mean() == pytest.approx(AHEAD + (1 - AHEAD) * 1.2 / np.pi, abs=0.01)
    assert turned.max() > 3.0


def test_by_hand():
    task = made()
    near, far = AHEAD / 2, (1 + AHEAD) / 2
    u = torch.tensor([[near, 0.0], [near, 1.0], [AHEAD, 1.0], [far, 0.25], [0.0, 1.0]])
    asked = task.new_command(facing(*[0.0] * 5), u)
    aside = FASTEST * np.array([np.cos(-1.2), np.sin(-1.2)])
    expected = [[0, 0], [FASTEST, 0], [-FASTEST, 0], [SLOWEST, 0], aside]
    np.testing.assert_allclose(asked, expected, atol=1e-5)


def test_a_command_is_of_the_world_and_seen_from_the_heading():
    torch.testing.assert_close(
        local_velocity(facing(np.pi / 2), torch.tensor([[0.0, 2.5]])), torch.tensor([[2.5, 0.0]]), atol=1e-6, rtol=0
    )
    task = made()
    assert task.command_kind == "velocity" and not task.moving_starts
    before = task.command.clone()
    task.decide(torch.zeros(COUNT, 29))
    task.arena.step(4)
    outcome = task.judge(torch.rand(COUNT, task.chance, generator=torch.Generator().manual_seed(2)))
    assert outcome.observation.shape[1] == 81 + 2 + 28
    arena = task.arena
    torch.testing.assert_close(outcome.reward, going_reward(arena.qpos, arena.qvel, before))
    assert not torch.equal(task.command, before)  # every thirtieth of a second, here


def test_commands_last_longer_in_some_worlds_than_in_others():
    patience = made(64, command_change=6.0, command_spread=5.0).patience[:, 0]
    assert 1.2 <= patience.min() < 1.4 and 25.0 < patience.max() <= 30.0
    assert patience.log().mean().exp().item() == pytest.approx(6.0, rel=0.1)
    assert (made(command_change=6.0).patience == 6.0).all()


def test_starts_are_disturbed_in_joints_and_root():
    plain, noisy = made(400), made(400, start_noise=0.05)
    off = (noisy.start_qpos - plain.start_qpos)[:, 7:]
    spin = (noisy.start_qvel - plain.start_qvel)[:, 3:]
    turned = rotation.angle(rotation.multiply(rotation.conjugate(plain.start_qpos[:, 3:7]), noisy.start_qpos[:, 3:7]))
    assert off.std().item() == pytest.approx(0.05, rel=0.03) and spin.std().item() == pytest.approx(0.5, rel=0.03)
    assert turned.square().mean().sqrt().item() == pytest.approx(0.05 * 3**0.5, rel=0.05)
    # what the root gets goes with nothing that the joints get
    both = torch.corrcoef(torch.cat([spin[:, :3], off[:, :6], spin[:, 3:9]], dim=1).T)
    assert (both - torch.eye(len(both))).abs().max() < 0.25


def test_jolts_change_velocities_in_mid_episode():
    task = made(400, start_noise=0.05, jolts=0.1)
    u = torch.rand(400, task.chance, generator=torch.Generator().manual_seed(3))
    task.decide(torch.zeros(400, 29))
    task.arena.step(4)
    task.judge(u)
    qpos, qvel, hit, over = task.arena.qpos, task.arena.qvel, task.jolted, task.over
    assert torch.equal(hit, ~over & (u[:, 0] < 1 / 3)) and hit.sum() > 50
    torch.testing.assert_close(task.start_qpos[hit], qpos[hit])
    change = (task.start_qvel - qvel)[hit]
    for part, deviation in ((slice(0, 3), 0.2), (slice(3, 6), 0.5), (slice(6, None), 0.5)):
        assert change[:, part].std().item() == pytest.approx(deviation, rel=0.15)
    task.restart()
    torch.testing.assert_close(task.arena.qvel[hit], task.start_qvel[hit])
    others = ~hit & ~over
    assert torch.equal(task.arena.qvel[others], qvel[others]) and not made(4, start_noise=0.05).jolted.any()
