"""Trials: start states, falls, fitness that changes, commands, and the same again."""

import numpy as np
import pytest
import yaml
from standing import Stander

from lactic import body as bodies
from lactic import fatigue, rotation
from lactic.errors import InputError
from lactic.lab.episodes import ANGLE, RATE, Ask, distinct_starts
from lactic.lab.trial import OFF, TIRING, body_of, run
from lactic.motion.ground import clearance

LEGS = (("left leg", 1.0), ("right leg", 1.0))


def crouching(character) -> Stander:
    """The character starting with bent knees: what spent legs cannot hold."""
    body = bodies.get("humanoid")
    qpos = body.rest.copy()
    for side in ("left", "right"):
        for joint, angle in (("hip_y", -0.3), ("knee", 0.6), ("ankle_y", -0.3)):
            qpos[7 + body.joints.index(f"{side}_{joint}")] = angle
    qpos[2] -= 0.03
    np.savez(character.path / "starts.npz", qpos=qpos[None], qvel=np.zeros((1, 34)))
    return character


def test_a_standing_body_stands_and_one_with_spent_legs_falls(folder):
    stands = run(folder(), Ask(1.0, OFF, episodes=3))
    assert stands.qpos.shape == (30, 3, 35) and stands.qpos.dtype == np.float32
    assert stands.stood.all() and stands.alive.all()
    assert (stands.capacity == 1).all()
    falls = run(crouching(folder()), Ask(4.0, OFF, episodes=3, spent=LEGS))
    assert not falls.stood.any()
    first = falls.fell_at.max()
    assert 5 < first < 60
    assert falls.frames == 120 and first < len(falls) < 120  # a second on the floor, then no use going on
    height = falls.xpos[falls.fell_at, np.arange(3)][:, falls.columns(("pelvis", "torso", "head")), 2].min(1)
    assert (height < 0.5).all()
    assert not falls.alive[falls.fell_at, np.arange(3)].any()
    assert falls.alive[falls.fell_at - 1, np.arange(3)].all()


def test_the_same_trial_twice_and_on_any_number_of_threads_is_the_same(folder):
    ask = Ask(0.5, TIRING, episodes=4, seed=3)
    first, again = run(folder(), ask, threads=1), run(folder(), ask, threads=2)
    for name in ("qpos", "xpos", "spent", "torque", "load"):
        assert np.array_equal(getattr(first, name), getattr(again, name)), name
    other = run(folder(), Ask(0.5, TIRING, episodes=4, seed=4))
    assert not np.array_equal(first.qpos[0], other.qpos[0])


def test_frames_hold_the_state_and_what_the_step_from_it_did(folder):
    character, body = folder(), bodies.get("humanoid")
    trial = run(character, Ask(0.5, TIRING, episodes=2))
    qpos, qvel = distinct_starts(character, body, 2, 0)
    assert trial.qpos[0] == pytest.approx(qpos, abs=1e-6)
    intent = np.abs(body.stiffness * qpos[:, 7:] + body.damping * qvel[:, 6:])
    assert trial.load[0] == pytest.approx(np.minimum(intent / body.torque_limit, 1), rel=1e-3)
    state = np.concatenate([np.zeros((28, 1)), np.ones((28, 1)), np.zeros((28, 1))], 1)
    load = np.minimum(intent[0] / body.torque_limit, 1)
    stepped = fatigue.step(state, load, fatigue.rates(TIRING, body.groups), 1 / 30)
    assert trial.spent[0, 0] == pytest.approx(stepped[:, 2], abs=1e-3)
    assert trial.active[0, 0] == pytest.approx(stepped[:, 0], abs=1e-3)
    assert (np.abs(trial.torque) <= (trial.capacity + 1e-3) * trial.torque_limit).all()


def phases_of(character) -> np.ndarray:
    """Three stored states of a character, two on the floor and one 0.2 m above it."""
    body = bodies.get("humanoid")
    qpos = np.tile(body.rest, (3, 1))
    qpos[:, 7 + body.joints.index("left_elbow")] = (-0.5, -1.0, -1.5)
    qpos[:, 0] = 5.0
    qpos[2, 2] += 0.2
    np.savez(character.path / "starts.npz", qpos=qpos, qvel=np.zeros((3, 34)))
    return qpos


def test_starts_are_the_brains_own_drawn_evenly_and_disturbed(folder):
    character, body = folder(), bodies.get("humanoid")
    stored = phases_of(character)
    qpos, qvel = distinct_starts(character, body, 300, 0)
    elbow = 7 + body.joints.index("left_elbow")
    nearest = np.abs(qpos[:, elbow, None] - stored[:, elbow]).argmin(1)
    assert np.bincount(nearest).tolist() == [100, 100, 100]
    assert (qpos[:, :2] == 0).all()
    assert (qpos[:, elbow] - stored[nearest, elbow]).std() == pytest.approx(ANGLE, rel=0.2)
    assert qvel[:, 6:].std() == pytest.approx(RATE, rel=0.05)
    assert (qpos[:, 7:] >= body.range[:, 0]).all() and (qpos[:, 7:] <= body.range[:, 1]).all()
    before = np.maximum(clearance(body, stored).min(1), 0)
    assert clearance(body, qpos).min(1) == pytest.approx(before[nearest], abs=1e-9)
    standing, _ = distinct_starts(character, body, 5, 0, standing=True)
    assert standing[:, 2] == pytest.approx(body.rest[2], abs=0.05)
    np.savez(character.path / "starts.npz", qpos=qpos[:, :-1], qvel=qvel)
    with pytest.raises(InputError, match=r"starts\.npz: needs qpos"):
        run(character, Ask(0.1, OFF, episodes=2))


@pytest.mark.parametrize("stored", [False, True])
def test_no_two_episodes_of_a_trial_start_alike(folder, stored):
    character = folder()
    if stored:
        phases_of(character)
    trial = run(character, Ask(0.1, OFF, episodes=256))
    assert len(np.unique(trial.qpos[0], axis=0)) == 256
    assert (trial.clearance[0].min(1) > -1e-5).all()


def test_commands_change_when_asked_and_have_the_brains_size(folder):
    ask = Ask(0.3, OFF, episodes=2, commands=((0.0, 3.5, 0.0), (0.2, 0.0, -1.0)))
    command = run(folder(command="velocity"), ask).command
    assert (command[:6] == (3.5, 0)).all() and (command[6:] == (0, -1)).all()
    with pytest.raises(InputError, match="takes commands of 0 numbers"):
        run(folder("mute"), ask)


def test_a_brain_plays_in_another_body(folder):
    trial = run(folder(), Ask(0.2, OFF, episodes=2, body="person-1.90-102", standing=True))
    assert trial.body.name == "person-1.90-102"
    assert trial.qpos[0, :, 2].min() > bodies.get("humanoid").rest[2]


def test_fitness_changes_in_mid_run(folder):
    ask = Ask(1.0, OFF, episodes=2, changes=((0.5, body_of(50, 0, 1)), (0.8, body_of(0, 20, 1))))
    spent = run(folder(), ask).spent.mean((1, 2))
    assert (spent[:15] == 0).all()
    assert spent[23] > spent[16] > 0
    assert spent[-1] < spent[23]


def test_a_body_that_may_not_touch_the_floor_ends_the_episode(folder):
    barred = {"bodies": [], "height": 0.0, "may_touch": ["right_foot", "left_foot"]}
    assert run(folder(fall=barred), Ask(0.5, OFF, episodes=1)).stood.all()
    fell = run(crouching(folder(fall=barred)), Ask(3.0, OFF, episodes=1, spent=LEGS))
    assert not fell.stood.any()
    strict = barred | {"may_touch": ["left_foot"]}
    assert run(folder("strict", fall=strict), Ask(0.2, OFF, episodes=1)).fell_at[0] <= 3


def test_wrong_names_are_named(folder):
    with pytest.raises(InputError, match=r"task\.fall names the body 'tail'"):
        run(folder(fall={"bodies": ["tail"], "height": 1}), Ask(0.1, OFF, episodes=1))
    with pytest.raises(InputError, match="region 'tail' of humanoid is unknown; there are: trunk"):
        run(folder(), Ask(0.1, OFF, episodes=1, spent=(("tail", 0.5),)))


def test_a_character_without_a_rule_never_falls(folder):
    character = folder()
    (character.path / "params.yaml").write_text(yaml.safe_dump({"name": "x"}))
    trial = run(crouching(character), Ask(2.0, OFF, episodes=1, spent=LEGS))
    assert trial.stood.all() and trial.qpos[-1, 0, 2] < 0.5


def test_directions_are_kept_then_changed_at_random_and_goals_lie_ahead(folder):
    character, body = folder(command="velocity"), bodies.get("humanoid")
    qpos = np.tile(body.rest, (1, 1))
    qpos[:, 3:7] = rotation.about("z", np.array([1.0]))
    np.savez(character.path / "starts.npz", qpos=qpos, qvel=np.zeros((1, 34)))
    trial = run(character, Ask(0.6, OFF, episodes=50, turn_every=0.3))
    before, after = trial.command[:9], trial.command[9:]
    facing = np.arctan2(before[..., 1], before[..., 0])
    assert facing == pytest.approx(1.0, abs=0.3) and (facing == facing[0]).all()
    assert (after == after[0]).all()
    assert np.linalg.norm(trial.command, axis=-1) == pytest.approx(1.4)  # a walk, where there are turns
    straight = run(character, Ask(0.1, OFF, episodes=2)).command
    assert np.linalg.norm(straight, axis=-1) == pytest.approx(3.5)
    assert np.ptp(np.arctan2(after[0, :, 1], after[0, :, 0])) > 5
    goal = run(folder("goal", command="goal"), Ask(0.1, OFF, episodes=1)).command[0, 0]
    assert np.linalg.norm(goal) == pytest.approx(1000) and goal[0] > 900


def test_the_reward_baseline_keeps_its_strength(folder):
    trial = run(crouching(folder(tires="reward")), Ask(1.0, OFF, episodes=1, spent=LEGS))
    assert trial.stood.all() and trial.capacity.min() == 0
