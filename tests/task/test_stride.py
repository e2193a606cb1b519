"""Strides: every term by hand, help that fades, limits, and what a step does."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lactic import body, rotation
from lactic.errors import InputError
from lactic.muscle.samples import WIDE
from lactic.task import terms
from lactic.task.imitate import Imitate
from lactic.task.observe import local_lane
from lactic.task.reference import from_rest
from lactic.task.settings import FallSettings, FatigueSettings, ImitateTaskSettings
from lactic.task.stride import Stride, torque_limits
from lactic.task.stride_settings import HelpSettings, StrideSettings, StrideTaskSettings
from lactic.task.terms import Fading, wrench
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")
COUNT = 4


def turned(axis: str, angle: float) -> torch.Tensor:
    return torch.tensor(rotation.about(axis, np.array([angle])), dtype=torch.float32)


def settings_of(limits: str, **changes) -> StrideTaskSettings:
    stride = StrideSettings(limits=limits, **changes)  # type: ignore[arg-type]
    return StrideTaskSettings(centre="rest", task_weight=1.0, fall=FallSettings(("head",), 1.2), stride=stride)


def make(limits: str, **changes) -> Stride:
    settings = settings_of(limits, **changes)
    own = Stride.own_body(settings)
    reference = from_rest(own, count=8, spread=0.01, turn=0.0, forward=1.0)
    task = Stride(CpuWorld(own, COUNT, threads=1), reference, settings)
    task.begin(torch.rand(COUNT, task.chance, generator=torch.Generator().manual_seed(0)))
    return task


def step(task: Stride, action: torch.Tensor | None = None):
    task.decide(torch.zeros(COUNT, task.action.size) if action is None else action)
    task.arena.step(4, lambda _: task.before())
    outcome = task.judge(torch.rand(COUNT, task.chance, generator=torch.Generator().manual_seed(1)))
    task.restart()
    return outcome


def test_terms_by_hand():
    one = torch.ones(1)
    assert terms.forgetting_mean(one, 2 * one, 0.5, 0.5).item() == 1.5
    assert terms.forgetting_mean(one, 2 * one, 0.5, 0.0).item() == 2.0
    assert terms.pace(one, 1.25 * one).item() == -0.25 == terms.pace(1.5 * one, 1.25 * one).item()
    cost = torch.tensor([1.0, 2.0, 0.5])
    for axis, angle, paid in (("x", -0.2, -0.2), ("y", 0.3, -0.6), ("z", 0.4, -0.2)):
        assert terms.upright(turned(axis, angle), cost).item() == pytest.approx(paid, abs=1e-6)
    assert terms.lean(turned("y", 0.3)).item() == pytest.approx(0.3, abs=1e-5)
    assert terms.lean(turned("z", 1.0)).item() == pytest.approx(0.0, abs=1e-3)
    assert terms.lateral(torch.tensor([[5.0, -0.75, 1.0]])).item() == -0.75
    torque, limit = torch.tensor([[100.0, -30.0]]), torch.tensor([200.0, 60.0])
    assert terms.torque_effort(torque, limit).item() == -1.0
    assert terms.muscle_effort(torch.tensor([[1500.0, 3000.0]])).item() == -1.5
    correction = torch.tensor([[[3.0, 0.0, 4.0, 0.0, 0.0], [0.0, -2.0, 0.0, 0.0, 0.0]]])
    assert terms.beyond(correction).item() == -7.0


def test_the_lane_as_observed():
    qpos = torch.zeros(1, 35)
    qpos[:, 1], qpos[:, 3:7] = 3.0, turned("z", 0.5)
    seen = local_lane(qpos, torch.tensor([[1.25]]))
    np.testing.assert_allclose(seen[0], [1.25, 1.0, np.sin(0.5), np.cos(0.5)], atol=1e-6)


def test_help_by_hand():
    qpos, qvel, asked = torch.zeros(1, 35), torch.zeros(1, 34), torch.tensor([1.25])
    qpos[:, 1], qpos[:, 3:7] = 0.1, turned("y", 0.1)  # leaning forward
    qvel[:, :2] = torch.tensor([1.0, 0.2])
    given = HelpSettings(push=300.0, balance=1000.0, upright=500.0, largest=200.0, largest_torque=150.0)
    found = wrench(qpos, qvel, asked, given, torch.tensor(1.0))[0]
    np.testing.assert_allclose(found, [75.0, -120.0, 0.0, 0.0, -500.0 * np.sin(0.1), 0.0], atol=1e-4)
    half = wrench(qpos, qvel, asked + 9.0, given, torch.tensor(0.5))[0]
    assert half[0].item() == 100.0  # at most 200, half of it
    qpos[:, 3:7] = turned("x", 0.2)  # leaning to the right
    sideways = wrench(qpos, qvel, asked, given, torch.tensor(1.0))[0, 3].item()
    assert sideways == pytest.approx(-500.0 * np.sin(0.2), 1e-4)


def test_help_pulls_a_leaning_body_upright():
    """The sign of the torque, by what the engine makes of it."""
    world = CpuWorld(HUMAN, 1, threads=1)
    pose = HUMAN.rest.copy()
    pose[2], pose[3:7] = 3.0, rotation.about("y", np.array(0.3))
    world.reset(qpos=pose)
    qpos, qvel = (torch.tensor(np.array(x), dtype=torch.float32) for x in (world.qpos, world.qvel))
    world.push[:, 0] = wrench(qpos, qvel, torch.zeros(1), HelpSettings(), torch.tensor(1.0)).numpy()
    world.step(8)
    assert world.qvel[0, 4] < -0.1


def test_help_fades_as_episodes_last_and_ends():
    fading = Fading(HelpSettings(fade=0.5, standing=0.75, window=2, least=0.2))
    no, yes = torch.tensor([False] * 4), torch.tensor([True] * 4)
    one = torch.tensor([True, False, False, False])
    fading(no, no)
    assert fading.share.item() == 1.0
    fading(one, yes)  # three of four lasted
    assert fading.share.item() == 0.5 and not fading.ended.any() and not fading.steps.any()
    for _ in range(2):
        fading(yes, yes)
    assert fading.share.item() == 0.5  # none lasted
    for _ in range(3):  # a window goes on until some episode has ended
        fading(no, no)
    assert fading.share.item() == 0.5 and fading.steps.item() == 3
    fading(no, yes)
    assert fading.share.item() == 0.25
    for _ in range(2):
        fading(no, yes)
    assert fading.share.item() == 0.0
    assert Fading(HelpSettings(push=0.0, balance=0.0, upright=0.0)).share.item() == 0.0


def test_limits_are_the_papers_box_or_what_the_networks_know():
    box = dict(zip(HUMAN.joints, torque_limits(HUMAN, StrideSettings("box")).tolist(), strict=True))
    assert [box[f"left_{name}"] for name in ("hip_y", "hip_x", "hip_z", "knee", "ankle_y")] == [200, 60, 60, 200, 200]
    muscle = dict(zip(HUMAN.joints, torque_limits(HUMAN, StrideSettings("lr")).tolist(), strict=True))
    names = ("hip_y", "hip_x", "hip_z", "knee", "ankle_y")
    assert [muscle[f"right_{name}"] for name in names] == list(WIDE.torque)
    assert {k: v for k, v in box.items() if not k.endswith(names)} == {
        k: v for k, v in muscle.items() if not k.endswith(names)
    }
    own = Stride.own_body(settings_of("box", gain=0.25, ankle=2.0))
    ankles = [name.endswith("ankle_y") for name in HUMAN.joints]
    np.testing.assert_allclose(own.stiffness, np.where(ankles, 2.0, 0.25) * HUMAN.stiffness)
    np.testing.assert_allclose(own.damping, HUMAN.damping / 4)
    assert own.torque_limit.max() == 200 and Imitate.own_body(ImitateTaskSettings()) is HUMAN
    with pytest.raises(InputError, match="no torque limit is known for joint"):
        Stride.own_body(replace(settings_of("box"), body="ant"))
    with pytest.raises(InputError, match=r"task\.fatigue\.mode"):
        Stride.own_body(replace(settings_of("box"), fatigue=FatigueSettings(mode="limits")))
    with pytest.raises(InputError, match=r"task\.stride\.speed"):
        make("box", speed=(2.0, 1.0))


def test_a_step_is_paid_by_equation_20():
    task = make("box", speed=(1.5, 1.5), speed_half_life=0.0, help=HelpSettings(0.0, 0.0, 0.0))
    outcome = step(task)
    s, arena = task.stride, task.arena
    qpos, qvel, chest = arena.qpos, arena.qvel, arena.xquat[:, HUMAN.bodies.index("torso")]
    wanted = 4.5 * terms.pace(qvel[:, 0], torch.full((COUNT,), 1.5)) + 9.0 + 3.0 * terms.lateral(qpos)
    wanted += terms.upright(chest, torch.tensor(s.turning)) - task.cost
    torch.testing.assert_close(outcome.reward, wanted)
    assert (task.cost > 0).all() and not task.lacking.any()


def test_effort_of_the_box_is_the_mean_share_of_torque():
    """One joint asks for more than its limit in every substep: it costs its weight, others next to nothing."""
    task = make("box", effort_weight=0.4, other_effort_weight=0.1)
    for joint, cost in (("left_knee", 0.4), ("abdomen_y", 0.1), ("right_ankle_x", 0.4)):
        base = task.arena.qpos[:, 7:].clone()
        i = HUMAN.joints.index(joint)
        law = [base, torch.zeros(COUNT, 28), torch.zeros(COUNT, 28), task.torque_limit.expand(COUNT, -1)]
        law[0][:, i] += 1.0
        law[1] = law[1].clone()
        law[1][:, i] = 1e4
        task.drive(*law)
        for _ in range(task.settings.substeps):
            task.before()
        torch.testing.assert_close(task.cost, torch.full((COUNT,), cost))


@pytest.mark.parametrize("limits", ["lr", "lrle"])
def test_legs_give_what_muscles_can_in_every_substep(limits: str):
    task = make(limits)
    assert task.muscles is not None
    action = torch.randn(COUNT, task.action.size, generator=torch.Generator().manual_seed(3))
    task.decide(action)
    asked = []

    def before(world) -> None:
        task.before()
        asked.append((task.muscles.given * task.sign).flatten(1).clone())

    task.arena.step(4, before)
    assert len(asked) == 4 and (task.lacking > 10).all()  # wild targets
    force = torch.tensor(np.array(task.arena.world.force), dtype=torch.float32)[:, task.legs]
    held = (force - asked[-1]).abs() < 0.1
    assert held.float().mean() > 0.6  # the others are not corrected, and keep the engine's implicit damping
    efforts = task.muscles.effort()
    assert efforts.shape == (COUNT, 2) and (efforts > 0).any()
    if limits == "lrle":  # the legs' torques cost nothing, their muscles do
        assert (task.per_torque[task.legs] > 1e6).all()


def test_who_strays_or_leans_has_failed():
    task = make("box")
    rest = torch.tensor(np.tile(HUMAN.rest, (COUNT, 1)), dtype=torch.float32)
    rest[1, 1], rest[2, 3:7], rest[3, 2] = 1.0, turned("x", 1.3)[0], 0.5
    task.arena.reset(torch.ones(COUNT, dtype=torch.bool), rest, torch.zeros(COUNT, 34))
    assert task.failed().tolist() == [False, True, True, True]


def test_commands_and_starts():
    task = make("box", speed=(1.0, 2.0))
    assert ((task.command >= 1.0) & (task.command <= 2.0)).all() and task.command.unique().numel() > 1
    assert ((task.speed >= -0.1) & (task.speed <= 1.1)).all()
    torch.testing.assert_close(task.speed, task.start_qvel[:, 0])
    assert task.action(torch.zeros(1, 29))[0].abs().max() == 0.0  # action 0 stands
    assert task.observer.about == {"usual": (1.5,), "host": "plain"}
    assert make("lrle").observer.about["host"] == "muscle"


@pytest.mark.parametrize("limits", ["box", "lrle"])
def test_a_lost_world_costs_no_number(limits: str):
    task = make(limits)
    task.decide(torch.zeros(COUNT, task.action.size))
    task.arena.world.qpos[1, 9] = np.nan
    task.arena.step(4, lambda _: task.before())
    outcome = task.judge(torch.rand(COUNT, task.chance, generator=torch.Generator().manual_seed(1)))
    task.restart()
    assert outcome.fell.tolist() == [False, True, False, False]
    assert outcome.reward.isfinite().all() and all(values.isfinite().all() for values in task.watch())
    assert step(task).reward.isfinite().all() and task.arena.world.faults == 1
