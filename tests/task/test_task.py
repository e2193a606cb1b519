"""Episodes: how they start, end and tire."""

from dataclasses import replace
from unittest.mock import Mock, patch

import numpy as np
import pytest
import torch
from made_up import random_clip

from lactic import body, rotation
from lactic.body.strength import limits
from lactic.body.variants import alike
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.fatigue import preset, rates
from lactic.task.action import ActionMap
from lactic.task.ant import progress, upright
from lactic.task.imitate import Imitate, pace, turning
from lactic.task.observe import Observer
from lactic.task.peaks import Peaks
from lactic.task.reference import find_clips, from_clips
from lactic.task.settings import FallSettings, FatigueSettings, ImitateTaskSettings
from lactic.task.task import Task
from lactic.task.tiring import common_fatigue, exertion, without_noise
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")
COUNT = 6


def make(kind: type[Task] = Imitate, contacts: bool = False, **changes) -> Task:
    settings = replace(ImitateTaskSettings(), **changes)
    reference = from_clips({random_clip(): 1.0}, Observer(HUMAN), 30.0, 4)
    task = kind(CpuWorld(HUMAN, COUNT, threads=1, contacts=contacts), reference, settings)
    task.begin(draw(task, 0))
    return task


def draw(task: Task, seed: int) -> torch.Tensor:
    return torch.rand(task.count, task.chance, generator=torch.Generator().manual_seed(seed))


def step(task: Task, seed: int, action: torch.Tensor | None = None):
    task.decide(torch.zeros(task.count, task.action.size) if action is None else action)
    task.arena.step(4)
    outcome = task.judge(draw(task, seed))
    task.restart()
    return outcome


def test_targets_and_beta_of_an_action():
    actions = ActionMap(HUMAN)
    targets, beta = actions(torch.zeros(1, 29))
    np.testing.assert_allclose(targets[0], HUMAN.range.mean(1), atol=1e-6)
    assert beta.item() == 1.0
    action = torch.zeros(3, 29)
    action[:, 7] = 1.0
    action[:, -1] = torch.tensor([1.0, -9.0, 9.0])
    targets, beta = actions(action)
    low, high = HUMAN.range[7]
    assert targets[0, 7].item() == pytest.approx((low + high) / 2 + 0.6 * (high - low), abs=1e-5)
    assert beta[:, 0].tolist() == [2.0, 0.25, 2.0]
    assert ActionMap(HUMAN, beta=False)(action)[1][:, 0].tolist() == [1.0, 1.0, 1.0]


def test_time_ends_an_episode_without_failure_and_a_fall_with_it():
    task = make(episode=3, fall=FallSettings(height=-10.0))
    task.age.zero_()
    ended = [step(task, i) for i in range(4)]
    assert [bool(o.done.any()) for o in ended] == [False, False, True, False]
    assert not any(o.fell.any() for o in ended)
    low = make(fall=FallSettings(height=50.0))
    outcome = step(low, 1)
    assert outcome.fell.all() and outcome.done.all()


def test_episodes_begin_at_different_ages():
    task = make()
    assert len(task.age.unique()) > 1 and task.age.max() < 300


def test_touching_the_floor_ends_an_episode_unless_allowed():
    settings = FallSettings(height=-10.0, may_touch=("left_foot", "right_foot"))
    task = make(contacts=True, fall=settings)
    rest = torch.tensor(np.tile(HUMAN.rest, (COUNT, 1)), dtype=torch.float32)
    rest[:, 2] -= 0.01
    lying = rest.clone()
    lying[:, 2], lying[:, 3:7] = 0.08, torch.tensor(rotation.about("y", np.array(np.pi / 2)), dtype=torch.float32)
    for poses, expected in ((rest, False), (lying, True)):
        task.arena.reset(torch.ones(COUNT, dtype=torch.bool), poses, torch.zeros(COUNT, 34))
        task.arena.drive(
            poses[:, 7:],
            task.stiffness.expand(COUNT, -1),
            task.damping.expand(COUNT, -1),
            task.torque_limit.expand(COUNT, -1),
        )
        task.arena.step(1)
        assert bool(task.judge(draw(task, 5)).fell.all()) is expected


def test_restarted_worlds_show_the_references_features_and_the_others_their_own():
    task = make()
    task.age[:3] = 298
    task.age[3:] = 0
    step(task, 1)
    outcome = step(task, 2)
    assert outcome.done.tolist() == [True] * 3 + [False] * 3
    arena = task.arena
    shown = task.observer.features(arena.qpos, arena.qvel, arena.xpos)
    torch.testing.assert_close(task.features, shown, atol=1e-5, rtol=0)
    assert task.age.tolist()[:3] == [0, 0, 0]
    # the state reached before the restart is what is judged
    assert not torch.allclose(outcome.observation[:3, :81], task.features[:3], atol=1e-3)
    torch.testing.assert_close(outcome.observation[3:, :81], task.features[3:])


def test_an_expert_is_strong_and_blind_to_fatigue():
    task = make(fall=FallSettings(height=-10.0))
    task.fatigue[..., 2] = 0.7
    assert not task.observation()[:, -28:].any()
    task.fatigue[..., 2] = 0.0
    step(task, 3, torch.full((COUNT, 29), 2.0))
    assert torch.equal(task.fatigue[..., 1], torch.ones(COUNT, 28))
    np.testing.assert_allclose(task.arena.world.bounds[..., 1], np.tile(HUMAN.torque_limit, (COUNT, 1)), rtol=1e-6)


@pytest.mark.parametrize("load", ["applied", "intended"])
def test_a_transfer_tires_as_the_exported_brain_does(load):
    settings = FatigueSettings(mode="limits", start="uniform", load=load, time_spread=2.0)
    task = make(fatigue=settings, fall=FallSettings(height=-10.0))
    torch.testing.assert_close(task.fatigue.sum(-1), torch.ones(COUNT, 28))
    assert 0.15 < task.fatigue[..., 2].mean() < 0.35  # E[MF] = 1/4 (Alg. 1)
    action = torch.randn(COUNT, 29, generator=torch.Generator().manual_seed(3)) * 0.3
    step(task, 1, action)

    class Fixed(torch.nn.Module):
        def forward(self, senses):
            return task.action(action)

    brain = Brain(HUMAN, Fixed(), load=load)
    arena, before = task.arena, task.fatigue.clone()
    assert (arena.torque > 0).any()
    out = brain(arena.qpos, arena.qvel, arena.xpos, arena.torque, torch.zeros(COUNT, 0), before, task.rates)
    assert torch.equal(task.observation()[:, -28:], task.fatigue[..., 2])
    driven = Mock(wraps=arena.drive)
    with patch.object(arena, "drive", driven):
        task.decide(action)
    assert torch.equal(task.fatigue, out.fatigue) and not torch.equal(before, out.fatigue)
    np.testing.assert_allclose(arena.world.bounds[..., 1], out.limits.numpy(), rtol=1e-6)
    for given, wanted in zip(driven.call_args.args, (out.targets, out.stiffness, out.damping), strict=False):
        torch.testing.assert_close(given.expand_as(wanted), wanted)


def test_the_clip_of_standing_needs_no_file(tmp_path):
    ((clip, share),) = find_clips({"stand": 0.4}, tmp_path, "humanoid").items()
    assert clip.name == "stand" and share == pytest.approx(0.4)
    assert list(find_clips({"stand": 0.4}, tmp_path, "humanoid", mirror=True).values()) == pytest.approx([0.4, 0.4])
    random_clip().save(tmp_path / "stand.npz")
    ((own, _),) = find_clips({"stand": 0.4}, tmp_path, "humanoid").items()
    assert own.frames == random_clip().frames != clip.frames  # a file of that name comes first


def test_pace_is_a_share_of_the_fastest_clip():
    velocity = torch.zeros(3, 34)
    velocity[:, 0], velocity[:, 1] = torch.tensor([0.0, 1.5, 8.0]), torch.tensor([0.0, 2.0, 0.0])
    torch.testing.assert_close(pace(velocity, 5.0), torch.tensor([0.0, 0.5, 1.0]))
    slow, quick = from_clips({random_clip(): 1.0}, Observer(HUMAN), 30.0, 4), make().reference
    assert slow.fastest == pytest.approx(slow.speed, rel=1e-5) and quick.fastest > 0


def test_some_episodes_of_a_transfer_may_start_fresh():
    task = make(fatigue=FatigueSettings(mode="limits", fresh=1.0))
    assert torch.equal(task.fatigue[..., 2], torch.zeros(COUNT, 28))


def test_the_reward_baseline_punishes_the_gap_between_activity_and_load():
    task = make(fatigue=FatigueSettings(mode="reward", reward_weight=2.0), fall=FallSettings(height=-10.0))
    for seed in (1, 2):  # in the first step no torque has been given yet
        outcome = step(task, seed, torch.full((COUNT, 29), 1.0))
        torch.testing.assert_close(outcome.reward, -2.0 * task.effort)
    assert (task.effort > 0).all()
    np.testing.assert_allclose(task.arena.world.bounds[..., 1], np.tile(HUMAN.torque_limit, (COUNT, 1)), rtol=1e-6)


def test_peaks_take_the_smaller_side_and_percentiles_leave_outliers_out():
    peaks = Peaks(HUMAN)
    left, right = HUMAN.joints.index("left_knee"), HUMAN.joints.index("right_knee")
    intent = torch.full((4000, 28), 10.0)
    intent[0, left], intent[1, right] = -700.0, 300.0
    peaks.update(intent)
    assert peaks.highest[left] == 700.0
    assert peaks.symmetric()[left] == peaks.symmetric()[right] == 300.0
    assert peaks.symmetric(typical=True)[left] == 10.0
    peaks.update(torch.full((10, 28), 5.0), look=False)
    assert peaks.highest[left] == 700.0


def test_progress_is_speed_towards_the_goal():
    qpos = torch.zeros(1, 15)
    qpos[0, 3] = 1.0
    qvel = torch.zeros(1, 14)
    qvel[0, :2] = torch.tensor([3.0, 4.0])
    assert progress(qpos, qvel, torch.tensor([[0.0, 7.0]])).item() == pytest.approx(4.0)
    assert upright(qpos).item() == 1.0


def test_a_wrong_body_or_rate_is_named():
    with pytest.raises(InputError, match="no body 'tail'"):
        make(fall=FallSettings(bodies=("tail",)))
    with pytest.raises(InputError, match="control_rate"):
        make(control_rate=60.0)


def test_each_episode_has_rates_of_its_own_within_the_spread():
    task = make(fatigue=FatigueSettings(mode="limits", F_spread=3.0, R_spread=5.0))
    factor = task.rates / task.typical
    assert (factor[..., 2:] == 1.0).all()
    torch.testing.assert_close(factor, factor[:, :1].expand_as(factor))
    for k, spread in ((0, 3.0), (1, 5.0)):
        assert factor[:, 0, k].unique().numel() == COUNT
        assert (factor[..., k] <= spread * 1.0001).all() and (factor[..., k] >= 0.9999 / spread).all()
    before = task.rates.clone()
    step(task, 1, torch.zeros(COUNT, 29))
    kept = ~task.over
    assert kept.any() and torch.equal(task.rates[kept], before[kept])


def test_each_episode_has_a_time_scale_of_its_own_within_the_spread():
    task = make(fatigue=FatigueSettings(mode="limits", time_spread=4.0))
    factor = (task.rates / task.typical)[:, 0]
    torch.testing.assert_close(factor[:, 0], factor[:, 1])
    torch.testing.assert_close(factor[:, 0], factor[:, 3])  # F, R and L alike; r and the rule stay
    assert (factor[:, 2] == 1.0).all() and (factor[:, 4] == 1.0).all()
    assert factor[:, 0].unique().numel() == COUNT
    assert factor.max() <= 4.0001 and factor.min() >= 0.2499


def test_the_fitness_of_a_task_is_a_preset_joint_by_joint():
    task = make(fatigue=FatigueSettings(mode="limits", fitness="human-100"))
    expected = rates(preset("human-100"), HUMAN.groups)
    torch.testing.assert_close(task.typical, torch.tensor(expected, dtype=torch.float32))
    with pytest.raises(InputError, match="fitness 'superhuman' is unknown"):
        make(fatigue=FatigueSettings(mode="limits", fitness="superhuman"))


def test_exertion_is_the_share_of_what_is_left_squared():
    load = torch.tensor([[0.2, 0.1, 0.0], [0.5, 0.5, 0.03]])
    fatigued = torch.tensor([[0.0, 0.5, 0.9], [0.5, 0.0, 1.0]])
    # 0.2² + (0.1/0.5)²; then 1 where all that is left is given, 0.5², and 0.03 of the 0.05 that are reckoned with
    torch.testing.assert_close(exertion(load, fatigued), torch.tensor([0.08, 1.0 + 0.25 + 0.36]))
    torch.testing.assert_close(exertion(load, fatigued, 3.0), torch.tensor([0.016, 1.0 + 0.125 + 0.216]))


def test_torques_less_what_noise_adds():
    torque, noise = torch.tensor([[5.0, 3.0, 1.0]]), torch.tensor([[4.0, 0.0, 2.0]])
    assert without_noise(torque, noise).tolist() == [[3.0, 3.0, 0.0]]


def test_exertion_takes_a_share_of_all_pay():
    tiring = {"fall": FallSettings(height=-10.0), "fatigue": FatigueSettings(mode="limits")}
    task = make(task_weight=2.0, exertion_weight=0.5, **tiring)
    for seed in (1, 2):  # in the first step no torque has been given yet
        outcome = step(task, seed, torch.full((COUNT, 29), 1.0))
        torch.testing.assert_close(outcome.ease, torch.exp(-0.5 * task.exertion))
        torch.testing.assert_close(outcome.reward, 2.0 * pace(task.arena.qvel, task.reference.fastest))
    assert (task.exertion > 0).any() and (outcome.ease < 1).any()
    careless = make(exertion_weight=0.0, **tiring)
    assert (step(careless, 1).ease == 1).all()


LIMBS = torch.tensor([[True, True, False, False], [False, False, True, False]])


def test_joints_tire_together():
    u = torch.rand(2000, 4, 2, generator=torch.Generator().manual_seed(1))
    spent = common_fatigue(u, LIMBS, lame=0.0)
    assert spent.min() >= 0.0 and spent.max() == pytest.approx(0.92)
    # by hand: a level of −ln(1 − 0.5)/2.5, each joint 0.7 to 1.3 of it
    u[0, :, 0] = torch.tensor([0.5, 0.0, 1.0, 0.25])
    capacity = np.log(2) / 2.5 * np.array([1.0, 0.7, 1.3, 0.85])
    np.testing.assert_allclose(common_fatigue(u, LIMBS, lame=0.0)[0], 1 - capacity, rtol=1e-5)
    deeper = common_fatigue(u, LIMBS, 0.0, levels=5.0, most=0.97)
    np.testing.assert_allclose(deeper[0], 1 - capacity / 2, rtol=1e-5)
    assert deeper.max() == pytest.approx(0.97)
    between, within = spent.mean(1).std(), spent.std(1).mean()
    assert between > 3 * within  # bodies differ more than the joints of one
    assert 0.2 < (spent.mean(1) > 0.75).float().mean() < 0.5  # deep fatigue is common


def test_some_are_lame():
    u = torch.full((2, 4, 2), 0.5)
    u[:, 0, 1] = torch.tensor([0.1, 0.9])  # which limb
    u[:, 1, 1] = 0.3  # whether
    u[:, 2, 1] = 0.25  # how much: a fifth of the others' capacity
    whole, lame = 1 - common_fatigue(u, LIMBS, lame=0.0), 1 - common_fatigue(u, LIMBS, lame=0.31)
    factors = torch.tensor([[0.2, 0.2, 1.0, 1.0], [1.0, 1.0, 0.2, 1.0]])
    torch.testing.assert_close(lame, (whole * factors).clamp(min=0.08))
    assert torch.equal(1 - common_fatigue(u, LIMBS, lame=0.3), whole)
    fresh = 1 - common_fatigue(u, LIMBS, lame=0.31, fresh=torch.tensor([[True], [False]]))
    torch.testing.assert_close(fresh, torch.stack([factors[0], lame[1]]))  # fresh bodies may be lame too
    task = make(fatigue=FatigueSettings(mode="limits", lame=1.0))
    assert task.limbs.shape == (4, 28) and task.limbs.sum(0).max() == 1  # each joint belongs to one limb or the trunk
    for spent in task.fatigue[..., 2]:
        tired = [spent[limb].mean() for limb in task.limbs]
        assert sorted(tired)[-1] > sorted(tired)[-2] or spent.min() == pytest.approx(0.92)


def test_a_share_of_the_episodes_begins_as_tired_as_the_last_one_ended():
    fatigue = FatigueSettings(mode="limits", fresh=0.2, keep=0.5)
    task = make(fatigue=fatigue, fall=FallSettings(height=50.0))  # every step is a fall
    torch.testing.assert_close(task.fatigue.sum(-1), torch.ones(COUNT, 28))
    before, ages = task.fatigue.clone(), draw(task, 1)
    chance = torch.tensor([0.0, 0.19, 0.21, 0.69, 0.71, 0.99])
    at = 1 + task.fatigue_chance - 1  # the last of the numbers for fatigue, behind the frame's
    ages[:, at] = chance
    task.decide(torch.zeros(COUNT, 29))
    tired = task.fatigue.clone()
    task.arena.step(4)
    assert task.judge(ages).done.all()
    task.restart()
    assert torch.equal(task.fatigue[2:4], tired[2:4])
    assert torch.equal(task.fatigue[:2, :, 1], torch.ones(2, 28))
    for i in (4, 5):
        assert not torch.equal(task.fatigue[i], tired[i]) and not torch.equal(task.fatigue[i], before[i])
        assert (task.fatigue[i, :, 2] > 0).any()


def test_larger_people_are_as_strong_and_their_lengths_as_long_as_they_should():
    kinds = tuple(map(alike, ("humanoid", "person-1.90-102")))
    reference = from_clips({random_clip(): 1.0}, Observer(HUMAN), 30.0, 4)
    settings = ImitateTaskSettings(fatigue=FatigueSettings(mode="limits"))
    task = Imitate(CpuWorld(HUMAN, COUNT, threads=1, variants=kinds), reference, settings)
    task.begin(draw(task, 0))
    scale, size = kinds[1].scale, kinds[1].rest[2] / HUMAN.rest[2]
    assert scale == pytest.approx(102 * 1.9 / (73 * 1.741), rel=1e-3) and size > 1.05
    for own, nominal in (
        (task.stiffness, HUMAN.stiffness),
        (task.damping, HUMAN.damping),
        (task.torque_limit, HUMAN.torque_limit),
    ):
        np.testing.assert_allclose(own[::2], np.tile(nominal, (3, 1)), rtol=1e-6)
        np.testing.assert_allclose(own[1::2], np.tile(scale * nominal, (3, 1)), rtol=1e-6)
    np.testing.assert_allclose(task.fresh_limit, HUMAN.torque_limit, rtol=1e-6)
    # the root's height and the four key bodies' places are lengths, 13 of the 81 features
    assert (task.metres[0] == 1.0).all() and int((task.metres[1] != 1.0).sum()) == 13
    assert task.metres[1, 0] == pytest.approx(size) and task.metres[1, -12:].tolist() == pytest.approx([size] * 12)
    # a start is shown as the reference's, in the larger body's own lengths
    heights = task.arena.qpos[:, 2]
    torch.testing.assert_close(task.features[:, 0], heights)
    assert make().metres.shape == (1, 81) and (make().metres == 1.0).all()


def test_strength_is_a_setting():
    for table in ("adult", "cheema2023"):
        own = Imitate.own_body(ImitateTaskSettings(strength=table))
        assert np.array_equal(own.torque_limit, limits(table, HUMAN.joints))
    assert Imitate.own_body(ImitateTaskSettings()) is HUMAN


def test_turning_over_is_paid_by_its_sign_as_a_share_of_the_clips_fastest():
    reference = make().reference
    spin = reference.qvel[:, 3:6]
    paid = turning(reference.qvel, reference.turn)
    assert paid.max().item() == pytest.approx(1.0, abs=1e-5)
    assert paid.min() >= -1.0 and torch.allclose(turning(-reference.qvel, reference.turn), -paid.clamp(-1, 1))
    axis = reference.turn / reference.turn.norm()
    torch.testing.assert_close(axis, spin.mean(0) / spin.mean(0).norm())
    task = make(pay="turns", task_weight=2.0, fall=FallSettings(height=-10.0))
    outcome = step(task, 1)
    torch.testing.assert_close(outcome.reward, 2.0 * turning(task.arena.qvel, reference.turn))
