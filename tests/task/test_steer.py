"""Following a kinematic character: reward and state by hand, the filter, streams, resets, and play as in training."""

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import Mock, patch

import numpy as np
import pytest
import torch
from footsteps import steps_database

from lactic import body, rotation
from lactic.brain.export import export
from lactic.brain.file import BrainFile, BrainInfo
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.learn.networks import Actor
from lactic.play.player import Player
from lactic.play.steered_follower import SteeredFollower
from lactic.steer.following import STATES, weights_of, write_state
from lactic.steer.stream import Stream, record, record_file
from lactic.steer.tree import LeaderPose, tree_of
from lactic.task.settings import FallSettings, FatigueSettings
from lactic.task.skeleton import BodySkeleton, Moving
from lactic.task.steering.follow import face_centres, filtered, state, steered_joints, terms
from lactic.task.steering.settings import SteerSettings, SteerTaskSettings
from lactic.task.steering.streams import find_streams, following
from lactic.task.steering.task import Steer
from lactic.world import CpuWorld

HUMAN = body.get("humanoid")
SKELETON = BodySkeleton(HUMAN)
POINTS = torch.tensor(face_centres(HUMAN), dtype=torch.float32)
PARENTS = torch.tensor(SKELETON.parents[1:])
HEAD = HUMAN.bodies.index("head")
SETTINGS = SteerTaskSettings(
    episode=600,
    task_weight=1.0,
    fall=FallSettings(("pelvis", "head"), 0.3),
    fatigue=FatigueSettings(beta=False),
)


@pytest.fixture(scope="module")
def stream() -> Stream:
    return record(steps_database(), 1.0, streams=2, seed=3)


def make(stream: Stream, count: int = 4, **changes) -> Steer:
    task = Steer(CpuWorld(HUMAN, count, threads=1), following([stream], HUMAN), replace(SETTINGS, **changes))
    task.begin(draw(task, 0))
    return task


def draw(task: Steer, seed: int) -> torch.Tensor:
    return torch.rand(task.count, task.chance, generator=torch.Generator().manual_seed(seed))


def step(task: Steer, seed: int, action: torch.Tensor | None = None):
    task.decide(torch.zeros(task.count, task.action.size) if action is None else action)
    for k in range(task.updates):
        if k:
            task.between()
        task.arena.step(task.settings.substeps // task.updates)
    outcome = task.judge(draw(task, seed))
    task.restart()
    return outcome


def random_pose(seed: int, count: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(seed)
    qpos = np.tile(HUMAN.rest, (count, 1))
    qpos[:, :3] += rng.normal(0, 0.3, (count, 3))
    qpos[:, 3:7] = rotation.normalize(rng.normal(size=(count, 4)))
    qpos[:, 7:] = rng.uniform(-0.8, 0.8, (count, 28))
    return torch.tensor(qpos, dtype=torch.float32), torch.tensor(rng.normal(size=(count, 34)), dtype=torch.float32)


def moving(qpos: torch.Tensor, qvel: torch.Tensor) -> Moving:
    return SKELETON.at(qpos, qvel)


def test_velocities_are_mujocos():
    import mujoco

    qpos, qvel = random_pose(1)
    found, data, model, six = moving(qpos, qvel), mujoco.MjData(HUMAN.model), HUMAN.model, np.zeros(6)
    for i in range(len(qpos)):
        data.qpos[:], data.qvel[:] = qpos[i], qvel[i]
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        np.testing.assert_allclose(found.at[i], data.xpos[1:], atol=1e-5)
        np.testing.assert_allclose(found.centre[i], data.subtree_com[0], atol=1e-5)
        np.testing.assert_allclose(found.drift[i], data.subtree_linvel[0], atol=1e-5)
        for k in range(len(HUMAN.bodies)):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, k + 1, six, 0)
            np.testing.assert_allclose(torch.cat([found.spin[i, k], found.speed[i, k]]), six, atol=1e-5)


def test_the_six_points_of_a_body_are_its_faces():
    foot = POINTS[HUMAN.bodies.index("left_foot")]
    # a box from heel to ball (−0.055 … 0.145), 9 cm wide, 5 cm high, its sole 6.8 cm below the ankle
    expected = [
        [0.145, 0, -0.043],
        [-0.055, 0, -0.043],
        [0.045, 0.045, -0.043],
        [0.045, -0.045, -0.043],
        [0.045, 0, -0.018],
        [0.045, 0, -0.068],
    ]
    np.testing.assert_allclose(foot, expected, atol=1e-6)


def test_a_character_on_its_reference_earns_all_of_it_wherever_it_stands():
    qpos, qvel = random_pose(2)
    away = qpos.clone()
    away[:, :2] += torch.tensor([30.0, -20.0])
    for part in terms(moving(away, qvel), moving(qpos, qvel), POINTS, PARENTS, HEAD):
        torch.testing.assert_close(part, torch.ones(3), atol=2e-3, rtol=0)


def test_reward_terms_by_hand():
    qpos = torch.tensor(np.tile(HUMAN.rest, (1, 1)), dtype=torch.float32)
    qvel = torch.zeros(1, 34)
    kin = moving(qpos, qvel)
    count = len(HUMAN.bodies)
    # 2 cm too high: each of 6 points of every body is off by 0.02 m, so r_pos = exp(−10·6·0.02)
    high = qpos.clone()
    high[:, 2] += 0.02
    found = terms(moving(high, qvel), kin, POINTS, PARENTS, HEAD)
    assert found.position.item() == pytest.approx(np.exp(-1.2), rel=1e-4)
    assert found.velocity.item() == found.local.item() == found.centre.item() == found.fall.item() == 1.0
    # 0.1 m/s too fast: r_vel = exp(−6·0.1), r_cm-vel = exp(−0.1)
    fast = qvel.clone()
    fast[:, 0] = 0.1
    found = terms(moving(qpos, fast), kin, POINTS, PARENTS, HEAD)
    assert found.velocity.item() == pytest.approx(np.exp(-0.6), rel=1e-4)
    assert found.centre.item() == pytest.approx(np.exp(-0.1), rel=1e-4)
    # an elbow bent by 0.3 rad turns one body of N against its parent: r_local = exp(−10/N·0.3)
    bent = qpos.clone()
    bent[:, 7 + HUMAN.joints.index("left_elbow")] = -0.3
    found = terms(moving(bent, qvel), kin, POINTS, PARENTS, HEAD)
    assert found.local.item() == pytest.approx(np.exp(-10 / count * 0.3), rel=1e-3)
    assert 0.5 < found.position.item() < 1
    # heads 0.5 m apart: r_fall = 1.3 − 0.7
    low = qpos.clone()
    low[:, 2] -= 0.5
    assert terms(moving(low, qvel), kin, POINTS, PARENTS, HEAD).fall.item() == pytest.approx(0.6, abs=1e-4)
    low[:, 2] -= 0.5
    assert terms(moving(low, qvel), kin, POINTS, PARENTS, HEAD).fall.item() == 0.0


def test_the_filter_forgets_by_a_fifth():
    offsets = torch.zeros(1, 1)
    for expected in (0.2, 0.36, 0.488):
        offsets = filtered(torch.ones(1, 1), offsets, 0.2)
        assert offsets.item() == pytest.approx(expected)


def test_the_state_by_hand():
    qpos, qvel = random_pose(3, 1)
    kin, asked = moving(qpos, qvel), torch.tensor([[1.0, 0.0]])
    bones = torch.tensor(weights_of(HUMAN).bones)
    same = state(kin, kin, asked, bones)
    assert same.shape == (1, 85)
    assert not same[:, 6:9].any() and not same[:, 49:].any()
    yaw = rotation.heading(qpos[:, 3:7])
    torch.testing.assert_close(same[:, 9:11], torch.stack([torch.cos(yaw), -torch.sin(yaw)], 1))
    torch.testing.assert_close(same[:, 11:13], same[:, 3:5] - same[:, 9:11])
    assert same[:, 3:6].norm() == pytest.approx(kin.drift.norm().item(), rel=1e-5)
    # turned about z, both characters and the stick, it is the same state
    turn = torch.tensor(rotation.about("z", np.array([0.7])), dtype=torch.float32)
    turned, rates = qpos.clone(), qvel.clone()
    turned[:, :3], turned[:, 3:7] = rotation.rotate(turn, qpos[:, :3]), rotation.multiply(turn, qpos[:, 3:7])
    rates[:, :3] = rotation.rotate(turn, qvel[:, :3])
    stick = torch.tensor([[np.cos(0.7), np.sin(0.7)]], dtype=torch.float32)
    torch.testing.assert_close(state(*[moving(turned, rates)] * 2, stick, bones), same, atol=1e-5, rtol=0)


@pytest.mark.parametrize("design", list(STATES))
def test_the_compiled_state_is_the_same(design):
    (qpos, qvel), (other, rate) = random_pose(4), random_pose(5)
    weights, kin = weights_of(HUMAN), moving(other, rate)
    asked = torch.tensor([[1.0, 0.5], [0.0, 0.0], [-2.0, 1.0]])
    expected = state(moving(qpos, qvel), kin, asked, torch.tensor(weights.bones), design)
    assert expected.shape[1] == STATES[design].size
    out = np.zeros((3, STATES[design].size), np.float32)
    poses = [getattr(kin, name).double().numpy() for name in ("at", "turned", "speed", "spin")]
    pose = LeaderPose(other.double().numpy(), rate.double().numpy(), *poses)
    own = qpos.double().numpy(), qvel.double().numpy()
    write_state(tree_of(HUMAN), weights, list(STATES).index(design), *own, pose, asked.double().numpy(), out)
    np.testing.assert_allclose(out, expected, atol=2e-5)


def test_elbows_only_follow():
    places = steered_joints(HUMAN)
    assert len(places) == 26 and len(steered_joints(HUMAN, subset=False)) == 28
    assert {HUMAN.joints[k] for k in range(28) if k not in places} == {"left_elbow", "right_elbow"}


def test_streams_survive_their_file(stream, tmp_path):
    stream.save(tmp_path / "steer.npz")
    back = Stream.load(tmp_path / "steer.npz")
    np.testing.assert_allclose(back.qpos, stream.qpos, atol=6e-5)
    np.testing.assert_allclose(back.qvel, stream.qvel, atol=1.1e-3)
    np.testing.assert_allclose(back.goal, stream.goal, atol=1e-5)
    assert back.starts.tolist() == [0, 1800, 3600] and back.fps == 60
    assert np.abs(np.diff(stream.qpos[:1800, :2], axis=0)).max() < 0.2
    assert np.linalg.norm(stream.qvel[:, :2], axis=1).mean() > 0.2


def test_tired_streams_are_slower():
    fresh, tired = (record(steps_database(), 1.0, streams=4, seed=3, tiring=flag) for flag in (False, True))
    pace = [np.linalg.norm(made.goal[:, :2], axis=1) for made in (fresh, tired)]
    assert (pace[1] <= pace[0] + 1e-6).all() and pace[1].sum() < 0.9 * pace[0].sum()
    assert (fresh.capacity == 1).all() and 0.3 < tired.capacity.min() < tired.capacity.max() <= 1


def test_followers_start_as_tired_as_their_leaders_take_them_to_be():
    leaders = following([record(steps_database(), 1.0, streams=4, seed=3, tiring=True)], HUMAN)
    settings = SteerTaskSettings(fatigue=FatigueSettings(mode="limits", beta=False))
    task = Steer(CpuWorld(HUMAN, 64, threads=1), leaders, settings)
    task.begin(draw(task, 0))
    spent, tired = 1 - leaders.capacity[task.frame], task.fatigue[..., 2]
    np.testing.assert_allclose(tired.mean(1), spent, rtol=0.25)
    assert (tired <= 0.95).all() and torch.allclose(task.fatigue.sum(-1), torch.ones(64, len(HUMAN.joints)))


def test_who_rests_may_stand_as_it_likes_but_must_be_quiet():
    made = record(steps_database(), 1.0, streams=4, seed=3, tiring=True)
    task = make(made, 64)
    still = task.reference.still[task.frame] > 0
    speed = task.reference.qvel[task.frame][:, :2].norm(dim=1)
    assert still.any() and not still.all() and (speed[still] < 0.2).all()
    assert not task.reference.asked[task.frame][still].any()
    odd = task.arena.qpos.clone()
    odd[:, 7:] += 0.1
    paid = []
    for rest in (1.0, 0.25):
        task = make(made, 64, steer=SteerSettings(rest=rest))
        task.arena.reset(torch.ones(64, dtype=torch.bool), odd, task.arena.qvel.clone())
        reward, (fall, position, velocity, local, centre) = task.judge(draw(task, 1)).reward, task.watch()
        loose = 1 - (1 - rest) * still.float()
        whole = (4 - loose * (1 - position) - (1 - velocity) - loose * (1 - local) - (1 - centre)) / 4
        torch.testing.assert_close(reward, fall * whole)
        paid.append(reward)
    assert (paid[1][still] > paid[0][still]).all() and torch.equal(paid[1][~still], paid[0][~still])


def test_a_user_in_a_hurry_changes_its_mind_more_often(tmp_path):
    calm, hasty = (record(steps_database(), 1.0, streams=4, seed=3, hurry=h).goal for h in (1.0, 8.0))
    changes = [(np.abs(np.diff(goal[:, :2], axis=0)) > 0.2).any(axis=1).sum() for goal in (calm, hasty)]
    assert changes[1] > 3 * changes[0]
    with pytest.raises(InputError, match="hurry"):
        record(steps_database(), 1.0, hurry=0.0)


def test_bad_streams_are_plain_errors(tmp_path, stream):
    with pytest.raises(InputError, match="lactic match record"):
        find_streams({"none": 1.0}, tmp_path, HUMAN)
    with pytest.raises(InputError, match=r"task\.clips"):
        find_streams({}, tmp_path, HUMAN)
    (tmp_path / "odd.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"odd\.npz"):
        Stream.load(tmp_path / "odd.npz")
    with pytest.raises(InputError, match="minutes"):
        record(steps_database(), 0.1, streams=8)
    with pytest.raises(InputError, match="control_rate"):
        make(stream, control_rate=40.0, substeps=3)
    with pytest.raises(InputError, match="terms"):
        make(stream, steer=SteerSettings(terms=("speed",)))


def test_worlds_start_on_the_reference_at_different_places(stream):
    task = make(stream, 8)
    assert len(task.frame.unique()) > 4
    reference = task.reference
    torch.testing.assert_close(task.arena.qpos[:, 2:], reference.qpos[task.frame][:, 2:])
    torch.testing.assert_close(task.arena.qvel, reference.qvel[task.frame])
    for part in terms(task.sim(), reference.moving(task.frame), POINTS, PARENTS, HEAD):
        assert (part > 0.99).all()


def test_the_reference_goes_on_and_a_fall_brings_the_body_back_to_it(stream):
    task = make(stream, 4)
    task.frame.copy_(torch.tensor([100, 200, 300, 2000]))
    task.over.fill_(True)
    task.renew(draw(task, 1))
    task.restart()
    task.age.zero_()
    first = step(task, 2)
    assert task.frame.tolist() == [102, 202, 302, 2002]
    assert (first.reward > 0.4).all() and not first.done.any()
    # one is laid on the floor, one runs out of time
    lying = task.arena.qpos.clone()
    lying[0, 2], lying[0, 3:7] = 0.1, torch.tensor(rotation.about("y", np.array(np.pi / 2)), dtype=torch.float32)
    task.arena.reset(torch.tensor([True, False, False, False]), lying, torch.zeros(4, 34))
    task.age[1] = 599
    outcome = step(task, 3, torch.ones(4, 26))
    assert outcome.fell.tolist() == [True, False, False, False]
    assert outcome.done.tolist() == [True, True, False, False]
    assert outcome.reward[0] == 0 and task.frame.tolist() == [104, 204, 304, 2004]
    torch.testing.assert_close(task.arena.qpos[:2, 2:], task.reference.qpos[[104, 204], 2:])
    assert not task.offsets[:2].any() and task.offsets[2:].all()


def test_the_end_of_a_stream_is_the_end_of_time_not_a_fall(stream):
    task = make(stream, 4)
    task.frame.fill_(1799 - 6)
    task.age.zero_()
    ended = [step(task, k) for k in range(3)]
    assert [bool(o.done.all()) for o in ended[:2]] == [False, True]
    assert not ended[1].fell.any() and not (task.frame == 1799).any()
    assert (task.frame + 2 * task.updates < task.reference.last[task.frame]).all()


def targets_of(task: Steer, act: Callable[[], None]) -> np.ndarray:
    """The targets that the engine is given by some work."""
    driven = Mock(wraps=task.arena.drive)
    with patch.object(task.arena, "drive", driven):
        act()
    return driven.call_args.args[0].numpy()


def test_offsets_are_filtered_each_frame_and_added_to_the_pose(stream):
    task = make(stream, 2, steer=SteerSettings(lead=0.0))
    frame = task.frame.clone()
    action = torch.zeros(2, 26)
    action[:, 0] = 0.5
    targets = targets_of(task, lambda: task.decide(action))
    pose = task.reference.qpos[frame + 1][:, 7:].numpy()
    np.testing.assert_allclose(targets[:, 0] - pose[:, 0], 0.1, atol=1e-5)
    np.testing.assert_allclose(targets[:, 1:], pose[:, 1:], atol=1e-5)
    targets, pose = targets_of(task, task.between), task.reference.qpos[frame + 2][:, 7:].numpy()
    np.testing.assert_allclose(targets[:, 0] - pose[:, 0], 0.18, atol=1e-5)
    leading = make(stream, 2)
    targets = targets_of(leading, lambda: leading.decide(torch.zeros(2, 26)))
    ahead = targets - leading.reference.qpos[leading.frame][:, 7:].numpy()
    np.testing.assert_allclose(ahead, 0.1 * leading.reference.qvel[leading.frame][:, 6:].numpy(), atol=1e-5)


def test_a_body_is_felt_between_the_offsets_and_its_fatigue(stream):
    plain, felt = make(stream), make(stream, steer=SteerSettings(feels=True))
    assert felt.observer.size == plain.observer.size + 9 + 3 * 28
    step(felt, 1, torch.full((4, felt.action.size), 0.2))
    seen, joints = felt.observation(), len(HUMAN.joints)
    own = seen[:, felt.observer.layout["root"].start : felt.observer.layout["speeds"].stop]
    qpos, qvel = felt.arena.qpos, felt.arena.qvel
    assert torch.equal(own[:, 9 : 9 + joints], qpos[:, 7:]) and torch.equal(own[:, -joints:], 0.1 * qvel[:, 6:])
    next_pose = felt.reference.qpos[felt.frame + 1, 7:] + felt.lead * felt.reference.qvel[felt.frame + 1, 6:]
    assert torch.allclose(own[:, 9 + joints : 9 + 2 * joints], qpos[:, 7:] - next_pose)
    turned = qpos.clone()
    half = torch.tensor(0.4)
    turned[:, 3:7] = rotation.multiply(torch.tensor([torch.cos(half), 0, 0, torch.sin(half)]), qpos[:, 3:7])
    again = felt.observer.assemble(seen[:, :85], felt.offsets, felt.fatigue[..., 2], turned, qvel, next_pose)
    assert torch.allclose(again, seen, atol=1e-5)  # whichever way it looks
    local = rotation.without_heading(qpos[:, 3:7])
    root = torch.cat([rotation.two_axes(local), rotation.rotate(local, qvel[:, 3:6])], dim=1)
    assert torch.allclose(own[:, :9], root, atol=1e-5)


def test_what_may_not_touch_the_floor_ends_an_episode(stream):
    fall = FallSettings(("pelvis",), -10.0, may_touch=("left_foot", "right_foot"))
    world = CpuWorld(HUMAN, 4, threads=1, contacts=True)
    task = Steer(world, following([stream], HUMAN), replace(SETTINGS, fall=fall))
    task.begin(draw(task, 0))
    kneeling = task.arena.qpos.clone()
    for name in ("left_knee", "right_knee"):
        kneeling[:2, 7 + HUMAN.joints.index(name)] = 1.6
    kneeling[:2, 2] = 0.48  # shins on the floor, the head not far from where it should be
    task.arena.reset(torch.ones(4, dtype=torch.bool), kneeling, torch.zeros(4, 34))
    task.arena.step(1)
    fell = task.judge(draw(task, 1)).fell
    assert (task.terms.fall > 0).all() and fell.tolist() == [True, True, False, False]


def test_a_tired_body_is_seen_and_is_weak(stream):
    task = make(stream, fatigue=FatigueSettings(mode="limits", beta=False))
    assert torch.equal(task.observation()[:, -28:], task.fatigue[..., 2])
    step(task, 1)
    expected = (1 - task.fatigue[..., 2]) * task.torque_limit
    alive = ~task.over
    np.testing.assert_allclose(task.arena.world.bounds[alive.numpy(), :, 1], expected[alive].numpy(), rtol=1e-5)


def test_blows_come_once_a_second_and_do_not_last(stream):
    task = make(stream, 64, steer=SteerSettings(impact=40.0))
    blows = []
    for k in range(30):
        step(task, k)
        blows.append(np.linalg.norm(np.array(task.arena.world.push)[..., :3], axis=-1))
    found = np.stack(blows)
    struck = found.max(-1) > 0
    assert 0.5 < struck.sum() / 64 < 1.5
    assert ((found > 0).sum(-1) <= 1).all() and 1000 < found.max() <= 40 * 30 + 1e-3


def brain_of(task: Steer, tmp_path) -> tuple[Actor, BrainFile]:
    torch.manual_seed(1)
    actor = Actor(task.observer, task.action, (128, 128), activation="tanh")
    with torch.no_grad():
        actor.network[-1].weight.mul_(30)  # so that it matters
    info = BrainInfo(
        "steer",
        "humanoid",
        HUMAN.joints,
        30.0,
        120.0,
        tuple(HUMAN.stiffness),
        tuple(HUMAN.damping),
        tuple(HUMAN.torque_limit),
        "cheema2023",
        ((1.0, 0.01, 1.0, 10.0, 0.0),) * 28,
        command=task.observer.command_size,
        asks="reference",
        **task.observer.about,
    )
    export(Brain(HUMAN, actor), info, tmp_path / "brain.onnx")
    return actor, BrainFile(tmp_path / "brain.onnx")


@pytest.mark.parametrize("feels", [False, True])
def test_played_characters_do_what_they_do_in_training(tmp_path, feels):
    def pad(second, roots):
        return np.tile([1.0, 0.2, 0, 0, 0, 0], (len(roots), 1))

    tiring = FatigueSettings(mode="limits", fitness="cheema2023", fresh=1.0, beta=False)
    settings = replace(SETTINGS, fatigue=tiring, steer=SteerSettings(feels=feels))
    database = steps_database()
    from lactic.steer.kinematic import KinematicCharacters

    crowd, frames = KinematicCharacters(database, 1), []
    for k in range(400):
        pose = crowd.step(pad(k / 60, np.zeros((1, 7))))
        frames.append((pose.qpos[0].copy(), pose.qvel[0].copy(), crowd.state.goal[0].copy()))
    qpos, qvel, goal = (np.stack(x) for x in zip(*frames, strict=True))
    stream = Stream("humanoid", 60.0, np.array([0, 400]), qpos, qvel, goal, np.ones(400))
    task = Steer(CpuWorld(HUMAN, 1, threads=1), following([stream], HUMAN), settings)
    task.begin(draw(task, 0))
    task.frame.zero_()
    task.over.fill_(True)
    task.renew(draw(task, 0))
    task.restart()
    actor, brain = brain_of(task, tmp_path)
    player = Player(brain, None, 1)
    steered = SteeredFollower(player, database, pad)
    steered.kinematic.step(pad(0, np.zeros((1, 7))))
    steered.frame = 1
    steered.reset(np.ones(1, bool))
    for k in range(8):
        with torch.no_grad():
            action = actor.mean(task.observation())
        step(task, k, action)
        steered.step()
        np.testing.assert_allclose(steered.offsets[0, steered.places], task.offsets[0], atol=2e-4)
        np.testing.assert_allclose(player.world.qpos[0, 2:], task.arena.qpos[0, 2:], atol=1e-3)
        np.testing.assert_allclose(player.fatigue[0], task.fatigue[0], atol=1e-4)
    assert np.abs(steered.offsets).max() > 0.02


def test_recording_from_a_file_to_a_file(tmp_path):
    steps_database().save(tmp_path / "steps.npz")
    facts = record_file(tmp_path / "steps.npz", tmp_path / "steer.npz", 0.2, streams=2)
    assert facts["frames"] == 720 and facts["streams"] == 2
    assert find_streams({"steer": 1.0}, tmp_path, HUMAN).last.unique().tolist() == [359, 719]
    with pytest.raises(InputError, match=r"\.npz"):
        record_file(tmp_path / "steps.npz", tmp_path / "steer.txt")
    with pytest.raises(InputError, match="lactic match record"):
        Stream.load(tmp_path / "steps.npz")
