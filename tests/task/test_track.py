"""Following the motions of a library: what is told, seen, aimed at and paid; waiting; where episodes start."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from risers import getting_up

from lactic import body as bodies
from lactic.brain.module import Senses
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.library import collect
from lactic.motion.looping import speed
from lactic.motion.standing import standing
from lactic.motion.timeline import INERTIA, calmed, stillness
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.motions import Mining, images, motions, repeated, with_long
from lactic.task.tracking.rising import leads, with_leads
from lactic.task.tracking.settings import TrackSettings, TrackTaskSettings
from lactic.task.tracking.task import Track
from lactic.world.cpu import CpuWorld
from lactic.world.limp import lying

RATE = 30.0


def clips() -> list[BodyClip]:
    """Standing with a sway, and the same carried over the floor at a metre a second, turning slowly."""
    still = standing(bodies.get("humanoid"), 3.0, RATE)
    carried = still.qpos.copy()
    carried[:, 0] += np.arange(still.frames) / RATE
    half = 0.2 * np.arange(still.frames) / RATE
    carried[:, 3], carried[:, 6] = np.cos(half), np.sin(half)
    return [still, replace(still, qpos=carried, name="carried")]


def task(worlds: int = 2, fatigue: str = "limits", **track: object) -> Track:
    settings = TrackTaskSettings(
        fatigue=FatigueSettings(mode=fatigue, fresh=1.0),  # type: ignore[arg-type]
        track=TrackSettings(**track),  # type: ignore[arg-type]
    )
    body = Track.own_body(settings)
    world = CpuWorld(body, worlds, threads=1)
    made = Track(world, motions(clips(), body, RATE), settings)
    made.begin(torch.rand(worlds, made.chance, generator=torch.Generator().manual_seed(0)))
    return made


def put(made: Track, frame: int) -> None:
    """Let all worlds follow from a frame on."""
    made.over.fill_(True)
    made.frame.fill_(frame)
    found = made.reference.at(made.frame)
    made.start_qpos.copy_(found.qpos)
    made.start_qvel.copy_(found.qvel)
    made.here.copy_(found.qpos[:, :2])
    made.clock.fill_(1.0)
    made.restart()
    made.observation()


def behind(made: Track) -> torch.Tensor:
    """Set all bodies a metre back, look, and say how far over the floor their references are from them."""
    moved = made.start_qpos.clone()
    moved[:, 0] -= 1.0
    made.arena.reset(torch.ones(made.count, dtype=torch.bool), moved, made.start_qvel)
    made.look()
    return (made.arena.qpos[:, :2] - made.moment().qpos[:, :2]).norm(dim=1)


def test_tables_know_where_their_motions_begin_and_end() -> None:
    body = bodies.get("humanoid")
    table = motions(clips(), body, RATE)
    frames = clips()[0].frames
    assert table.names == ("stand", "carried")
    assert table.first.unique().tolist() == [0, frames]
    assert table.last.unique().tolist() == [frames - 1, 2 * frames - 1]
    assert table.opening.tolist() == [0, 30, 60, 90, frames, frames + 30, frames + 60, frames + 90]
    at, turned = clips()[1].positions()
    np.testing.assert_allclose(table.xpos[frames:], at, atol=2e-5)
    np.testing.assert_allclose(np.abs((table.xquat[frames:].numpy() * turned).sum(-1)), 1.0, atol=1e-5)


def test_between_two_frames_lies_the_middle() -> None:
    table = motions(clips(), bodies.get("humanoid"), RATE)
    frame = torch.tensor([100])
    here, middle, there = table.at(frame), table.at(frame, torch.tensor([0.5])), table.at(frame + 1)
    torch.testing.assert_close(middle.qpos[:, :3], (here.qpos[:, :3] + there.qpos[:, :3]) / 2)
    torch.testing.assert_close(middle.xpos, (here.xpos + there.xpos) / 2)
    torch.testing.assert_close(middle.qpos[:, 3:7].norm(dim=1), torch.ones(1))
    end = table.last[:1]
    torch.testing.assert_close(table.at(end, torch.tensor([0.5])).xpos, table.at(end).xpos)


def test_a_body_on_its_reference_is_paid_in_full_and_sees_no_error() -> None:
    made = task(fatigue_weight=0.0)
    put(made, 100)
    made.clock.fill_(1.0)
    seen = made.look()
    assert made.error.max() < 1e-4
    assert not made.failed().any()
    torch.testing.assert_close(made.reward(made.arena.qpos, made.arena.qvel), torch.ones(2), atol=2e-3, rtol=0)
    ahead = made.moment(1).xpos - made.arena.xpos  # a metre a second forward
    assert ahead[..., :2].norm(dim=-1).mean() == pytest.approx(1 / RATE, rel=0.05)
    assert seen.shape == (2, made.observer.size)


def test_a_brain_sees_what_training_sees() -> None:
    made = task()
    put(made, 40)
    arena = made.arena
    senses = Senses(arena.qpos, arena.qvel, arena.xpos, made.told(made.observer), made.fatigue)
    torch.testing.assert_close(made.observer(senses), made.observation())
    layout = made.observer.layout
    off = made.observation()[:, layout["off"]]
    torch.testing.assert_close(off, made.moment(1).qpos[:, 7:] - arena.qpos[:, 7:])


def test_an_action_of_zero_aims_at_the_next_pose_and_lets_time_pass() -> None:
    made = task(lead=0.0)
    put(made, 40)
    wanted = made.moment(1).qpos[:, 7:]
    targets, beta = made.aim(torch.zeros(2, made.action.size))
    torch.testing.assert_close(targets, wanted)
    assert beta.tolist() == [[1.0], [1.0]]
    assert made.frame.tolist() == [41, 41]


def test_a_strict_reference_does_not_wait() -> None:
    made = task()
    put(made, 40)
    action = torch.zeros(2, made.action.size)
    action[:, made.action.layout["clock"]] = -10.0
    made.aim(action)
    assert made.frame.tolist() == [41, 41]


GOES = clips()[0].frames
"""The first frame of the clip that is carried."""


def wait(made: Track, action: torch.Tensor, seconds: float) -> None:
    """Let references run on as some actions (world, …) ask for."""
    for _ in range(round(seconds * RATE)):
        made.aim(action)


def test_a_reference_that_waits_stops_by_and_by_and_is_carried_along() -> None:
    made = task(waits=True, leash=0.1)
    put(made, GOES)
    action = torch.zeros(2, made.action.size)
    action[:, made.action.layout["clock"]] = torch.tensor([[-2.5], [-1.25]])  # asks for 0 and 0.5
    wait(made, action, INERTIA)
    torch.testing.assert_close(made.clock, torch.tensor([0.5, 0.75]), atol=1e-5, rtol=0)
    wait(made, action, 2.0)
    torch.testing.assert_close(made.clock, torch.tensor([0.0, 0.5]), atol=2e-3, rtol=0)
    before = made.frame + made.part
    made.aim(action)
    torch.testing.assert_close(made.frame + made.part - before, torch.tensor([0.0, 0.5]), atol=2e-3, rtol=0)
    torch.testing.assert_close(behind(made), torch.full((2,), 0.1), atol=1e-4, rtol=0)


def test_a_slower_reference_is_smaller_and_a_stopped_one_stands() -> None:
    made = task(waits=True)
    put(made, GOES + 40)
    whole, ahead = made.moment(), made.moment(1)
    made.clock.copy_(torch.tensor([0.5, 0.0]))
    calm, later = made.moment(), made.moment(1)
    rest = torch.from_numpy(made.body.rest).float()
    torch.testing.assert_close(calm.qpos[0, 7:], (whole.qpos[0, 7:] + rest[7:]) / 2, atol=1e-5, rtol=0)
    torch.testing.assert_close(calm.qpos[1, 7:], rest[7:], atol=1e-5, rtol=0)
    torch.testing.assert_close(calm.qpos[:, :2], whole.qpos[:, :2], atol=1e-5, rtol=0)
    torch.testing.assert_close(calm.qvel, torch.tensor([[0.25], [0.0]]) * whole.qvel)  # as slow, and as much smaller
    way, whole_way = later.qpos[:, 0] - calm.qpos[:, 0], ahead.qpos[:, 0] - whole.qpos[:, 0]
    torch.testing.assert_close(way, torch.tensor([0.5, 0.0]) * whole_way, atol=1e-6, rtol=0)
    at, turned = made.body.places(calm.qpos.double().numpy())  # its bodies are where its joints put them, nearly
    np.testing.assert_allclose(calm.xpos, at, atol=5e-3)
    np.testing.assert_allclose(np.abs((calm.xquat.numpy() * turned).sum(-1)), 1.0, atol=1e-3)


def test_the_way_of_a_slow_reference_is_as_much_shorter() -> None:
    made = task(waits=True, leash=5.0)
    put(made, GOES + 20)
    made.clock.fill_(0.5)
    action = torch.zeros(2, made.action.size)
    action[:, made.action.layout["clock"]] = -1.25
    before = made.moment().qpos[:, 0].clone()
    wait(made, action, 1.0)  # the clip goes a metre a second
    torch.testing.assert_close(made.moment().qpos[:, 0] - before, torch.full((2,), 0.25), atol=5e-3, rtol=0)


def test_a_reference_that_lies_stays_as_it_is_when_it_stops() -> None:
    made = task(waits=True)
    lies = made.reference.at(made.frame)
    low = lies._replace(xpos=lies.xpos - torch.tensor([0.0, 0.0, 1.0]))
    assert stillness(lies, torch.zeros(2), made.stand).tolist() == [[1.0], [1.0]]
    assert stillness(low, torch.zeros(2), made.stand).tolist() == [[0.0], [0.0]]
    stopped = calmed(low, low.qpos[:, :2], torch.zeros(2), made.stand)
    torch.testing.assert_close(stopped.qpos, low.qpos)
    assert not stopped.qvel.any()


def test_some_worlds_stay_strict_where_others_wait() -> None:
    made = task(waits=True, strict=0.5, leash=0.1)
    put(made, 40)
    action = torch.zeros(2, made.action.size)
    action[:, made.action.layout["clock"]] = -10.0
    wait(made, action, 0.1)
    assert made.clock.tolist() == [1.0, 0.0]
    assert made.frame.tolist() == [43, 40]
    behind(made)
    assert made.place[0].tolist() == [0.0, 0.0]
    assert made.place[1, 0] < -0.8


def test_what_is_led_is_carried_along_and_does_not_wait() -> None:
    made = task(led=True, leash=0.1)
    put(made, 40)
    action = torch.zeros(2, made.action.size)
    action[:, made.action.layout["clock"]] = -10.0
    made.aim(action)
    assert made.frame.tolist() == [41, 41]
    torch.testing.assert_close(behind(made), torch.full((2,), 0.1), atol=1e-4, rtol=0)


def test_losing_a_motion_that_waits_may_be_later_and_cost() -> None:
    made = task(waits=True, strict=0.5, lost=0.3, slack=0.6, loss_cost=2.0, leash=5.0)
    put(made, 40)
    for away, fell, paid in ((0.45, [True, False], 0.0), (0.9, [True, True], -60.0)):
        moved = made.start_qpos.clone()
        moved[:, 2] += away
        made.arena.reset(torch.ones(2, dtype=torch.bool), moved, made.start_qvel)
        made.look()
        made.fell.copy_(made.failed())
        assert made.fell.tolist() == fell
        reward = made.reward(made.arena.qpos, made.arena.qvel)
        assert reward[0] == 0.0
        assert (reward[1] == paid) if fell[1] else reward[1] > 0.0


def test_losing_a_motion_that_is_led_may_cost() -> None:
    made = task(led=True, loss_cost=2.0, leash=5.0)
    put(made, 40)
    moved = made.start_qpos.clone()
    moved[0, 2] += 0.9
    made.arena.reset(torch.ones(2, dtype=torch.bool), moved, made.start_qvel)
    made.look()
    made.fell.copy_(made.failed())
    reward = made.reward(made.arena.qpos, made.arena.qvel)
    assert reward[0] == -60.0 and reward[1] > 0.5
    with pytest.raises(InputError, match=r"task\.track\.loss_cost: needs a reference that waits"):
        task(loss_cost=2.0)


def test_being_carried_along_may_cost_what_is_led() -> None:
    made = task(led=True, leash=0.1, drag_cost=0.0), task(led=True, leash=0.1, drag_cost=0.2)
    paid = []
    for each in made:
        put(each, 40)
        moved = each.start_qpos.clone()
        moved[0, 0] -= 0.15
        moved[1, 0] -= 0.05
        each.arena.reset(torch.ones(2, dtype=torch.bool), moved, each.start_qvel)
        each.look()
        paid.append(each.reward(each.arena.qpos, each.arena.qvel))
    torch.testing.assert_close(made[1].dragged, torch.tensor([1.5, 0.0]), atol=1e-3, rtol=0)  # 5 cm in 1/30 s
    torch.testing.assert_close(paid[1] / paid[0], torch.tensor([0.7, 1.0]), atol=1e-3, rtol=0)
    with pytest.raises(InputError, match=r"task\.track\.drag_cost: needs a reference that is led"):
        task(drag_cost=0.2)


def test_only_what_waits_goes_on_after_its_last_frame() -> None:
    made = task(waits=True, strict=0.5)
    made.age.fill_(10)
    made.frame.copy_(made.reference.last[made.frame])
    assert made.finished().tolist() == [True, False]
    made.age.fill_(made.settings.episode)
    assert made.finished().tolist() == [True, True]


def test_a_share_of_fresh_starts_is_weary_where_motions_wait() -> None:
    made = task(waits=True, strict=0.5, weary=0.5)
    fresh = made.settings.fatigue.fresh
    assert fresh > 0.0
    chance = torch.full((2, 1), 0.25 * fresh)
    assert made.goes_on(chance)[:, 0].tolist() == [False, True]
    assert made.goes_on(chance + 0.5 * fresh)[:, 0].tolist() == [False, False]


def test_failures_are_forgotten_by_the_sample_however_many_worlds_there_are() -> None:
    table = motions(clips(), bodies.get("humanoid"), RATE)
    kept = []
    for worlds in (1000, 4000):
        mining = Mining(table, even=0.1, run_up=1.0, rate=RATE)
        mining.failures[0] = 1.0
        for _ in range(40_000 // worlds):
            nobody = torch.zeros(worlds)
            mining.note(torch.zeros(worlds, dtype=torch.long), nobody, nobody)
        kept.append(mining.failures[0])
    torch.testing.assert_close(kept[0], kept[1])
    assert 0.99 < kept[0] < 1.0


def test_seconds_that_are_always_lost_are_led_to_less_often_than_those_lost_now_and_then() -> None:
    table = motions(clips(), bodies.get("humanoid"), RATE)
    plain, wise = (Mining(table, even=0.0, run_up=1.0, rate=RATE, hopeless=share) for share in (0.0, 0.9))
    for mining in (plain, wise):
        mining.tries.fill_(1e6)
        mining.failures.copy_(1e6 * torch.tensor([1.0, 0.5, 0.1, *[0.0] * (len(mining.tries) - 3)]))
    torch.testing.assert_close(plain.odds[:3], torch.tensor([1.0, 0.5, 0.1]) / 1.6, atol=1e-4, rtol=0.0)
    # 1·0.1, 0.5·0.55, 0.1·0.91
    torch.testing.assert_close(wise.odds[:3], torch.tensor([0.1, 0.275, 0.091]) / 0.466, atol=1e-4, rtol=0.0)


def test_a_motion_that_travels_is_repeated_and_one_that_stays_is_not() -> None:
    still, going = clips()
    (long,) = repeated([still, going], 20.0)
    assert abs(long.seconds - 20.0) < 1e-6
    assert abs(speed(long) - 1.0) < 0.1
    with pytest.raises(InputError, match="travels"):
        repeated([still], 20.0)


def test_where_motions_wait_repeated_ones_are_followed_and_the_policy_is_told() -> None:
    settings = TrackTaskSettings(
        fatigue=FatigueSettings(mode="limits", fresh=1.0),
        exertion_weight=0.1,
        track=TrackSettings(waits=True, strict=0.5, heeds=True, far=0.995, long=1.0),
    )
    table = with_long(motions(clips(), bodies.get("humanoid"), RATE), clips(), 20.0, RATE)
    assert table.own == 2 * 91 and len(table.qpos) == table.own + len(table.long)
    made = Track(CpuWorld(bodies.get("humanoid"), 4, threads=1), table, settings)
    made.begin(torch.rand(4, made.chance, generator=torch.Generator().manual_seed(0)))
    assert made.waits.tolist() == [False, False, True, True]
    assert ((made.frame >= table.own) == made.waits).all()
    assert made.farsighted == (2, 0.995)
    assert made.command[:, -1].tolist() == [0.0, 0.0, 1.0, 1.0]
    assert made.observation()[:, made.observer.layout["waits"]].flatten().tolist() == [0.0, 0.0, 1.0, 1.0]
    made.ended(torch.zeros(4, made.own_chance))
    assert float(made.mining.tries.sum()) == pytest.approx(2 / RATE)  # what was repeated is no part of the library


def test_exertion_costs_where_motions_wait_unless_a_body_gets_up_or_falls() -> None:
    settings = TrackTaskSettings(
        fatigue=FatigueSettings(mode="limits", fresh=1.0),
        exertion_weight=0.1,
        track=TrackSettings(waits=True, strict=0.25, forgiven=0.5),
    )
    table = motions(clips(), bodies.get("humanoid"), RATE)
    made = Track(CpuWorld(bodies.get("humanoid"), 4, threads=1), table, settings)
    made.begin(torch.rand(4, made.chance, generator=torch.Generator().manual_seed(0)))
    made.arena.world.torque[:] = 0.2 * made.torque_limit.numpy()  # 28 joints give a fifth of their fresh strength
    half = 0.5 * 28 * 0.2**2
    assert made.felt().tolist() == pytest.approx([0.0, half, half, half], rel=1e-5)
    made.fatigue[..., 2] = 0.5
    tired = 28 * 0.4**2 - half
    made.down[2] = True
    made.fell[3] = True
    assert made.felt().tolist() == pytest.approx([0.0, tired, 0.0, 0.0], rel=1e-5)


def test_a_loose_motion_pays_positions_more_softly_where_it_waits() -> None:
    pays = []
    for loose in (1.0, 4.0):
        made = task(waits=True, strict=0.5, loose=loose)
        put(made, 40)
        off = made.start_qpos.clone()
        off[:, 2] += 0.1
        made.arena.reset(torch.ones(2, dtype=torch.bool), off, made.start_qvel)
        made.look()
        made.clock.fill_(1.0)
        pays.append(made.reward(made.arena.qpos, made.arena.qvel))
    # 60·0.1²/3 is 0.2, a quarter of it 0.05: half of the pay is for positions
    assert pays[1][1] - pays[0][1] == pytest.approx(0.5 * (math.exp(-0.05) - math.exp(-0.2)), abs=2e-3)
    assert pays[1][0] == pytest.approx(float(pays[0][0]))


def test_what_needs_a_motion_that_waits_says_so() -> None:
    with pytest.raises(InputError, match=r"task\.track\.far: needs a reference that waits"):
        task(far=0.99)


def test_a_motion_that_is_lost_ends_the_episode_and_pays_nothing() -> None:
    made = task()
    put(made, 40)
    moved = made.start_qpos.clone()
    moved[0, 0] -= 1.0
    made.arena.reset(torch.ones(2, dtype=torch.bool), moved, made.start_qvel)
    made.decide(torch.zeros(2, made.action.size))
    made.arena.step(4)
    outcome = made.judge(torch.rand(2, made.chance))
    assert outcome.fell.tolist() == [True, False]
    assert outcome.reward[0] == 0.0
    assert outcome.reward[1] > 0.8
    assert made.mining.failures.sum() == 1.0


def test_starts_go_where_it_fails_and_a_share_everywhere() -> None:
    table = motions(clips(), bodies.get("humanoid"), RATE)
    mining = Mining(table, even=0.2, run_up=1.0, rate=RATE)
    everywhere = torch.arange(len(table.qpos))
    for _ in range(300):
        mining.note(everywhere, torch.zeros(len(everywhere)), torch.ones(len(everywhere)))
    mining.note(torch.full((400,), 45), torch.ones(400), torch.ones(400))
    u = (torch.arange(1000) + 0.5) / 1000
    back, side = torch.zeros(1000), torch.ones(1000)
    starts = mining.start(u, back, side)
    assert (starts == 30).float().mean() > 0.6
    assert set(starts.tolist()) == set(table.opening.tolist())
    assert mining.start(u, torch.full((1000,), 0.999), side).unique().tolist()[0] == 0  # never ahead of the motion
    tame = Mining(table, even=0.2, run_up=1.0, rate=RATE, most=2.0)
    tame.note(torch.full((400,), 45), torch.ones(400), torch.ones(400))
    assert tame.odds.sum() == pytest.approx(1.0)
    even = 1 / len(table.opening)
    assert 2 * even < tame.odds.max() < 2.5 * even  # twice as often as others, and its part of what is left


def test_what_a_spent_body_loses_says_little_about_the_motion() -> None:
    made = task(worlds=2)
    put(made, 100)
    made.fatigue[1, :, 1:] = torch.tensor([0.1, 0.9])
    made.fell.fill_(True)
    made.ended(torch.rand(2, made.own_chance))
    assert made.mining.failures.sum() == pytest.approx(1.01, abs=1e-4)
    assert made.mining.tries.sum() == pytest.approx(1.01 / RATE, abs=1e-4)


def test_mirror_images_lie_beside_their_motions() -> None:
    body, bent = bodies.get("humanoid"), clips()
    bent = [replace(clip, qpos=clip.qpos + np.linspace(0, 0.3, clip.qpos.shape[1])) for clip in bent]
    both = motions(bent, body, RATE, mirror=True)
    other = motions([clip.mirror() for clip in bent], body, RATE)
    rows = slice(both.mirror, None)
    assert both.mirror == len(other.qpos) and len(both.opening) == len(other.opening)
    for name in ("qpos", "qvel", "xpos"):
        torch.testing.assert_close(getattr(both, name)[rows], getattr(other, name))
    alike = (both.xquat[rows] * other.xquat).sum(-1).abs()
    torch.testing.assert_close(alike, torch.ones_like(alike))
    torch.testing.assert_close(both.last[rows] - both.mirror, other.last)
    mining = Mining(both, even=1.0, run_up=0.0, rate=RATE)
    u = (torch.arange(100) + 0.5) / 100
    plain, image = (mining.start(u, torch.zeros(100), torch.full((100,), side)) for side in (0.9, 0.1))
    assert torch.equal(image, plain + both.mirror)
    assert torch.equal(both.second[image], both.second[plain])


@pytest.mark.parametrize("told", [{"heeds": True, "waits": True}, {"targets": "ends", "later": (6, 30)}])
def test_a_mirrored_scene_looks_and_is_aimed_at_like_an_image(told) -> None:  # type: ignore[no-untyped-def]
    body, made = bodies.get("humanoid"), task(**told)
    bent = [replace(clip, qpos=clip.qpos + np.linspace(0, 0.3, clip.qpos.shape[1])) for clip in clips()]
    made.reference = both = motions(bent, body, RATE, mirror=True)
    own = torch.tensor([12, 12 + both.mirror])
    made.arena.reset(torch.ones(2, dtype=torch.bool), both.qpos[own], both.qvel[own])
    made.frame.copy_(own + 20)
    tired = torch.linspace(0.0, 0.9, made.joints)
    made.fatigue[..., 2] = torch.stack([tired, tired[torch.tensor(body.mirror)]])
    seen, (of_observation, of_action) = made.observation(), made.mirrors()
    torch.testing.assert_close(of_observation(seen[0]), seen[1], atol=1e-4, rtol=0)
    assert (seen[0] - seen[1]).abs().max() > 0.3
    action = torch.randn(1, made.action.size, generator=torch.Generator().manual_seed(0))
    action = torch.cat([action, of_action(action)])
    pose, *others = made.action(action, made.command)
    image = torch.tensor(body.mirror_sign, dtype=torch.float32) * pose[0, torch.tensor(body.mirror)]
    torch.testing.assert_close(image, pose[1], atol=1e-4, rtol=0)
    assert all(torch.equal(other[0], other[1]) for other in others)


def test_a_library_is_followed_by_split(tmp_path) -> None:  # type: ignore[no-untyped-def]
    collect(clips(), ["train", "test"], ["here", "here"]).save(tmp_path / "library.npz")
    assert Track.reference_of(TrackTaskSettings(), tmp_path).names == ("stand",)
    assert len(Track.reference_of(TrackTaskSettings(split="all"), tmp_path).names) == 2
    assert len(Track.reference_of(TrackTaskSettings(split="all", many=1), tmp_path).names) == 1
    with pytest.raises(InputError, match=r"task.many 3: the split 'train' has 1 motions"):
        Track.reference_of(TrackTaskSettings(many=3), tmp_path)
    with pytest.raises(InputError, match="no split 'dev'"):
        Track.reference_of(TrackTaskSettings(split="dev"), tmp_path)


def test_torque_costs_its_mean_square_over_the_fresh_limits() -> None:
    free, dear = (task(torque_weight=weight, fatigue_weight=0.0) for weight in (0.0, 0.5))
    paid = []
    for made in (free, dear):
        put(made, 40)
        made.decide(torch.zeros(2, made.action.size))
        made.arena.step(4)
        made.look()
        paid.append(made.reward(made.arena.qpos, made.arena.qvel))
    share = (dear.arena.torque / dear.torque_limit).square().mean(1)
    assert (share > 0.0).all()
    torch.testing.assert_close(paid[0] - paid[1], 0.5 * share)


def test_a_slow_clock_costs_a_fresh_body_most() -> None:
    made = task(waits=True, fatigue_weight=0.0, clock_weight=0.8, clock_spared=1.0)
    put(made, 100)
    made.clock.fill_(0.5)
    now = made.moment()
    made.arena.reset(torch.ones(2, dtype=torch.bool), now.qpos, now.qvel)
    made.fatigue[1, 3, 2] = 0.75  # a quarter of one joint's strength is left
    made.look()
    paid = made.reward(made.arena.qpos, made.arena.qvel)
    torch.testing.assert_close(paid, torch.tensor([1 - 0.8 * 0.5, 1 - 0.8 * 0.25 * 0.5]), atol=2e-3, rtol=0)


def test_a_stopped_clock_is_no_way_to_earn() -> None:
    made = task(waits=True, fatigue_weight=0.0)
    for clock in (0.0, 0.7):  # a pause, and a third slower
        put(made, 100)
        made.clock.fill_(clock)
        now = made.moment()
        made.arena.reset(torch.ones(2, dtype=torch.bool), now.qpos, now.qvel)
        made.look()
        paid = made.reward(made.arena.qpos, made.arena.qvel)  # well followed: all that such a clock can ever pay
        torch.testing.assert_close(paid, torch.full((2,), 1 - 0.7 * (1 - clock)), atol=2e-3, rtol=0)
    put(made, 100)
    beside = made.start_qpos.clone()
    beside[:, 1] += 0.15
    made.arena.reset(torch.ones(2, dtype=torch.bool), beside, 0.5 * made.start_qvel)
    made.look()
    poor = made.reward(made.arena.qpos, made.arena.qvel)  # 15 cm beside it, at half its speed
    assert (poor > 2 * 0.3).all()


def test_every_joint_can_be_asked_for_as_much_of_its_strength() -> None:
    body = bodies.get("humanoid")
    gains = torch.tensor(body.stiffness), torch.tensor(body.torque_limit)
    plain, strong = (Track.parts(body, TrackTaskSettings(track=TrackSettings(ask=ask)))[1] for ask in (0.0, 0.5))
    assert plain.torque(*gains)[body.joints.index("left_ankle_y")] == pytest.approx(0.24)
    assert strong.torque(*gains).min() == pytest.approx(0.5)
    assert (strong.reach >= plain.reach).all()
    before, now = TrackTaskSettings(), TrackTaskSettings(track=TrackSettings(ask=0.5))
    factor = Track.growth(before, now)
    assert factor is not None
    told = torch.rand(3, plain.told.size)
    action = torch.randn(3, plain.size)
    grown = action.clone()
    grown *= factor
    torch.testing.assert_close(strong(grown, told)[0], plain(action, told)[0])


def test_bodies_that_go_limp_come_to_lie_on_the_floor() -> None:
    body = bodies.get("humanoid")
    poses = np.tile(body.rest, (6, 1))
    found = lying(body, poses, np.zeros((6, body.model.nv)))
    at, _ = BodyClip(body.name, 30.0, found).positions()
    assert at[:, :, 2].max() < 0.7 and at[:, :, 2].min() > -0.05
    np.testing.assert_array_equal(found, lying(body, poses, np.zeros((6, body.model.nv))))
    assert np.abs(found[0] - found[1]).max() > 0.3  # to different sides


def led(worlds: int = 3, **track: object) -> Track:
    """Worlds that start on the floor, led by two motions that get up."""
    settings = TrackTaskSettings(
        fatigue=FatigueSettings(mode="limits", fresh=1.0),
        track=TrackSettings(waits=True, fallen=1.0, fatigue_weight=0.0, **track),  # type: ignore[arg-type]
    )
    body = Track.own_body(settings)
    table = motions(clips(), body, RATE)
    made = Track(
        CpuWorld(body, worlds, threads=1),
        with_leads(table, leads([*clips(), getting_up(6.0)], table, RATE, falls=1), RATE),
        settings,
    )
    made.begin(torch.rand(worlds, made.chance, generator=torch.Generator().manual_seed(0)))
    return made


def test_motions_that_lead_up_lie_behind_the_library() -> None:
    made = led()
    table = made.reference
    base = 2 * clips()[0].frames
    assert table.lead[0] == base and len(table.lead) == 2  # a body that lies, and its mirror image
    assert table.opening.max() < base and table.first[base:].min() == base
    head = made.body.bodies.index("head")
    first, stands = (table.xpos[rows, head, 2] for rows in (table.lead, table.last[table.lead] - made.tail))
    assert (first < 0.6).all() and (stands > 1.2).all()
    other = images(made.body, *(rows[table.lead[:1]] for rows in (table.qpos, table.qvel, table.xpos, table.xquat)))
    torch.testing.assert_close(table.xpos[table.lead[1:]], other[2], atol=1e-4, rtol=0)


def test_whoever_lies_on_the_floor_is_led_up_from_its_own_pose() -> None:
    made = led(rises=3.0)
    assert made.down.all() and set(made.frame.tolist()) <= set(made.midway.tolist())
    lead, own = made.reference.lead, torch.tensor([[0.0, 0.0, 0.9], [0.0, 0.49, 0.9], [0.0, 0.7, 0.9]])
    made.over.fill_(True)
    made.start(torch.zeros(3), own)  # half of them lie; the others are on their way already, none stands
    assert made.frame[:2].tolist() == [int(lead[0]), int(lead[-1])] and int(made.frame[2]) not in lead.tolist()
    assert (made.midway <= made.reference.last[made.midway] - made.tail).all()
    made.restart()
    made.look()
    assert made.error.max() < 1e-4
    frame = made.frame.clone()
    made.decide(torch.zeros(3, made.action.size))
    made.arena.step(4)
    outcome = made.judge(torch.rand(3, made.chance))
    assert torch.equal(made.frame, frame + 1) and not outcome.fell.any()
    assert (outcome.reward > 0.5).all() and (outcome.reward <= 0.8).all()  # less than following pays
    assert not made.mining.tries.any()  # no part of the library was followed


def test_getting_up_is_lost_by_time_or_far_astray_and_won_near_a_reference_that_stands() -> None:
    made = led(worlds=4, rises=3.0, lost=0.3, astray=0.6)
    last = made.reference.last[made.frame]
    stands = made.reference.at(last - made.tail)
    beside = stands.qpos.clone()
    beside[:, 1] += torch.tensor([0.1, 0.4, 0.9, 0.1])
    made.frame.copy_(last - made.tail)
    made.frame[3] -= 1
    made.carried.fill_(False)
    made.arena.reset(torch.ones(4, dtype=torch.bool), beside, stands.qvel)
    made.look()
    assert made.down.tolist() == [False, True, True, True]
    assert made.failed().tolist() == [False, False, True, False]
    assert made.lain.tolist() == pytest.approx([0.0, 1 / RATE, 1 / RATE, 1 / RATE])
    made.clock.fill_(1.0)
    paid = made.reward(made.arena.qpos, made.arena.qvel)
    follows = 0.5 * np.exp(-60 * 0.4**2 / 3) + 0.5  # all but the places is right
    assert paid[1] == pytest.approx(0.3 * np.exp(-4 * 0.4**2) + 0.2 + 0.3 * follows, abs=3e-3)
    made.fell.copy_(made.failed())
    made.ended(torch.rand(4, made.own_chance))
    assert made.risen.tolist() == pytest.approx([1.0, 1.0]) and made.watch()[4][0] == pytest.approx(0.5)
    made.lain[1] = 3.01
    assert made.failed().tolist() == [False, True, True, False]
    made.frame.copy_(last)
    assert made.finished().tolist() == [True, False, False, False]


def test_only_what_waits_and_rises_leads_up(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match="needs a reference that waits"):
        task(fallen=0.5)
    settings = TrackTaskSettings(track=TrackSettings(waits=True, fallen=0.5))
    collect(clips(), ["train"] * 2, ["here"] * 2).save(tmp_path / "library.npz")
    with pytest.raises(InputError, match="no motion of the library rises from the floor"):
        Track.reference_of(settings, tmp_path)
    with pytest.raises(InputError, match="none that lead up"):
        task(waits=True, fallen=0.5)
