"""Episodes: how they start, end and tire."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from made_up import random_clip

from lactic import body, rotation
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.task.action import ActionMap
from lactic.task.ant import progress, upright
from lactic.task.heading import Heading, facing_reward
from lactic.task.imitate import Imitate, pace, turning
from lactic.task.observe import Observer
from lactic.task.peaks import Peaks
from lactic.task.reference import find_clips, from_clips
from lactic.task.settings import FallSettings, FatigueSettings, TaskSettings
from lactic.task.task import Task
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")
COUNT = 6


def make(kind: type[Task] = Imitate, contacts: bool = False, **changes) -> Task:
    settings = replace(TaskSettings(), **changes)
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
        task.arena.drive(poses[:, 7:], task.stiffness.expand(COUNT, -1), task.damping.expand(COUNT, -1),
                         task.torque_limit.expand(COUNT, -1))  # fmt: skip
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
    np.testing.assert_allclose(task.arena.world._high, np.tile(HUMAN.torque_limit, (COUNT, 1)), rtol=1e-6)


def test_a_transfer_tires_as_the_exported_brain_does():
    task = make(fatigue=FatigueSettings(mode="limits"), fall=FallSettings(height=-10.0))
    torch.testing.assert_close(task.fatigue.sum(-1), torch.ones(COUNT, 28))
    assert 0.15 < task.fatigue[..., 2].mean() < 0.35  # E[MF] = 1/4 (Alg. 1)
    action = torch.randn(COUNT, 29, generator=torch.Generator().manual_seed(3)) * 0.3

    class Fixed(torch.nn.Module):
        def forward(self, senses):
            return task.action(action)

    brain = Brain(HUMAN, Fixed())
    arena, rates = task.arena, task.rates.expand(COUNT, -1, -1)
    out = brain(arena.qpos, arena.qvel, arena.xpos, torch.zeros(COUNT, 0), task.fatigue.clone(), rates)
    assert torch.equal(task.observation()[:, -28:], task.fatigue[..., 2])
    task.decide(action)
    assert torch.equal(task.fatigue, out.fatigue)
    np.testing.assert_allclose(arena.world._high, out.limits.numpy(), rtol=1e-6)
    np.testing.assert_allclose(arena.world._targets, out.targets.numpy(), rtol=1e-6)
    np.testing.assert_allclose(arena.world._gain, out.stiffness.numpy(), rtol=1e-6)


def test_a_body_tires_by_what_was_meant_and_moves_by_what_was_done():
    task, other = (make(fatigue=FatigueSettings(mode="limits"), fall=FallSettings(height=-10.0)) for _ in range(2))
    meant = torch.randn(COUNT, 29, generator=torch.Generator().manual_seed(3)) * 0.1
    done = meant + 0.2
    task.decide(done, meant)
    targets = np.array(task.arena.world._targets)
    other.decide(meant)
    assert torch.equal(task.fatigue, other.fatigue)
    np.testing.assert_allclose(targets, task.action(done)[0].numpy(), rtol=1e-6)


def test_ease_is_whole_while_fresh_and_shrinks_with_the_load_of_tired_joints():
    settings = {"fall": FallSettings(height=-10.0), "ease_weight": 0.5, "ease_sharpness": 2.0}
    task = make(fatigue=FatigueSettings(mode="limits"), **settings)
    outcome = step(task, 1, torch.full((COUNT, 29), 1.0))
    torch.testing.assert_close(outcome.reward, 0.5 * torch.exp(-2.0 * task.strain))
    assert (task.strain > 0).all()
    fresh = make(fatigue=FatigueSettings(mode="limits", F=0.0, fresh=1.0), **settings)
    torch.testing.assert_close(step(fresh, 1, torch.full((COUNT, 29), 1.0)).reward, torch.full((COUNT,), 0.5))
    paced = make(fatigue=FatigueSettings(mode="limits"), task_weight=2.0, **settings)
    outcome = step(paced, 1, torch.full((COUNT, 29), 1.0))
    own = 2.0 * pace(paced.arena.qvel, paced.reference.fastest) + 0.5
    torch.testing.assert_close(outcome.reward, own * torch.exp(-2.0 * paced.strain))


def test_the_clip_of_standing_needs_no_file(tmp_path):
    (clip, share), = find_clips({"stand": 0.4}, tmp_path, "humanoid").items()
    assert clip.name == "stand" and share == 0.4
    assert list(find_clips({"stand": 0.4}, tmp_path, "humanoid", mirror=True).values()) == [0.4, 0.4]
    random_clip().save(tmp_path / "stand.npz")
    (own, _), = find_clips({"stand": 0.4}, tmp_path, "humanoid").items()
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
    outcome = step(task, 1, torch.full((COUNT, 29), 1.0))
    torch.testing.assert_close(outcome.reward, -2.0 * task.effort)
    assert (task.effort > 0).all()
    np.testing.assert_allclose(task.arena.world._high, np.tile(HUMAN.torque_limit, (COUNT, 1)), rtol=1e-6)


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


def test_facing_pays_most_in_the_direction_asked_for():
    qpos = torch.zeros(3, 35)
    qpos[:, 3] = 1.0
    asked = torch.tensor([[2.0, 0.0], [-1.0, 0.0], [0.0, 3.0]])
    torch.testing.assert_close(facing_reward(qpos, asked), torch.tensor([1.0, 0.0, 0.5]))


def test_heading_commands_are_unit_directions_and_change():
    task = make(Heading, task_weight=1.0, command_change=1 / 30, fall=FallSettings(height=-10.0))
    torch.testing.assert_close(task.command.norm(dim=1), torch.ones(COUNT))
    before = task.command.clone()
    outcome = step(task, 1)
    assert outcome.observation.shape[1] == 111
    assert (outcome.reward >= 0).all() and (outcome.reward <= 1).all()
    assert not torch.equal(task.command, before)


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
    assert (factor[..., 2:] == 1.0).all() and (factor[:, :1] == factor).all()
    for k, spread in ((0, 3.0), (1, 5.0)):
        assert factor[:, 0, k].unique().numel() == COUNT
        assert (factor[..., k] <= spread * 1.0001).all() and (factor[..., k] >= 0.9999 / spread).all()
    before = task.rates.clone()
    step(task, 1, torch.zeros(COUNT, 29))
    kept = ~task.over
    assert kept.any() and torch.equal(task.rates[kept], before[kept])


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
