"""The muscle man's law: geometry, virtual work, curves, fatigue by hand; compiled and not; symmetry; stability."""

from itertools import pairwise

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body.body import mirrored
from lactic.body.muscle_man import REFLECT, muscle_man, numbers, segments
from lactic.muscle.man import law
from lactic.muscle.man.men import MuscleMen
from lactic.muscle.man.musculature import musculature
from lactic.world import CpuWorld

MUSCLES, DT = musculature(), 1 / 120
STRANDS = MUSCLES.strands
COUNT = len(MUSCLES.names)
FENG = fatigue.rates(fatigue.preset("feng2023"), ["whole body"])[0]


def posed(rng: np.random.Generator, speed: float = 1.0) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A muscle man in a random pose with random velocities."""
    model = muscle_man().model
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(0, 0.4, model.nv), 1.0)
    data.qvel[:] = rng.normal(0, speed, model.nv)
    mujoco.mj_forward(model, data)
    return model, data


def at(data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
    """Places and rotations of the bodies."""
    return data.xpos.copy(), data.xmat.reshape(-1, 3, 3).copy()


def states(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random fatigue."""
    return fatigue.uniform(rng.random((*shape, 2)))


def test_has_the_muscles_of_feng2023_by_name_and_group():
    assert (COUNT, len(set(MUSCLES.names)), len(STRANDS.body)) == (284, 284, 1212)
    assert np.count_nonzero(STRANDS.weight[:, 1]) == 434
    assert {name: len(held) for name, held in MUSCLES.groups.items()} == {
        "trunk": 60,
        "right arm": 33,
        "left arm": 33,
        "right leg": 79,
        "left leg": 79,
    }
    assert "left_gluteus_maximus_5" in MUSCLES.names and "right_biceps_brachii_long_head" in MUSCLES.names
    assert STRANDS.force.min() == pytest.approx(45, abs=1) and STRANDS.force.max() == pytest.approx(1793, abs=1)


def test_lengths_equal_a_direct_evaluation_of_the_blend():
    rest = {segment.name: segment for segment in segments()}
    rng = np.random.default_rng(0)
    for _ in range(5):
        _, data = posed(rng)
        found = law.lengths(STRANDS, law.anchors(STRANDS, *at(data)))
        expected = []
        for side in ("right", "left"):
            for row in numbers()["muscles"]:
                points = []
                for k, (on, *place) in enumerate(row["anchors"]):
                    point = np.array(place)
                    near = min(rest.values(), key=lambda joint: np.linalg.norm(joint.at - point))
                    parts = {on: 1.0}
                    if 0 < k < len(row["anchors"]) - 1 and np.linalg.norm(near.at - point) < 0.08:
                        carriers = [name for name in (near.name, near.parent) if name]
                        parts = {name: np.linalg.norm(rest[name].at - point) ** -0.5 for name in carriers}
                    total = np.zeros(3)
                    for name, weight in parts.items():
                        name, flip = (mirrored(name), REFLECT) if side == "left" else (name, 1.0)
                        body = data.body(name)
                        total += weight * (body.xpos + body.xmat.reshape(3, 3) @ (point * flip - rest[name].at))
                    points.append(total / sum(parts.values()))
                expected.append(sum(np.linalg.norm(b - a) for a, b in pairwise(points)))
        assert np.abs(found - expected).max() < 1e-9


def test_power_of_the_muscles_is_that_of_the_bodies():
    rng, step = np.random.default_rng(1), 1e-6
    for _ in range(1000):
        model, data = posed(rng)
        xpos, xmat = at(data)
        force = STRANDS.force * rng.random(COUNT)
        wrench = law.wrenches(STRANDS, xpos, xmat, data.xipos, law.anchors(STRANDS, xpos, xmat), force)
        given, twist = 0.0, np.zeros(6)
        for body in range(1, model.nbody):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, twist, 0)
            given += wrench[body] @ np.roll(twist, 3)
        ends = []
        for sign in (1, -1):
            moved = mujoco.MjData(model)
            moved.qpos[:] = data.qpos
            mujoco.mj_integratePos(model, moved.qpos, data.qvel, sign * step)
            mujoco.mj_kinematics(model, moved)
            ends.append(law.lengths(STRANDS, law.anchors(STRANDS, *at(moved))))
        power = force * (ends[0] - ends[1]) / (2 * step)
        assert abs(given + power.sum()) < 1e-6 * np.abs(power).sum()


def test_hills_curves_by_hand():
    assert law.active_length(np.array([1.0, 1.5, 0.5])) == pytest.approx([1, np.exp(-0.5), np.exp(-0.5)])
    rates = np.array([0.0, -10.0, -5.0, -20.0, 1.0, 10.0])
    assert law.active_velocity(rates) == pytest.approx([1, 0, 1 / 7, 0, 1.5 - 4.5 / 47.8, 1.5])
    assert law.passive_length(np.array([0.5, 1.0, 1.3, 1.6, 9.0])) == pytest.approx([0, 0, 1 / (np.e**2 + 1), 1, 2])


def test_activation_bounds_and_drive_by_hand():
    state, dt = np.array([0.4, 0.5, 0.1]), 0.01
    assert law.reach(state, FENG, dt) == pytest.approx((0.19996, 0.64996))
    after, drive = law.tire(state, np.array(0.6), FENG, dt)  # recruits: recovers at R
    assert drive == pytest.approx(20.004) and after == pytest.approx([0.6, 0.299962, 0.100038])
    after, drive = law.tire(state, np.array(0.3), FENG, dt)  # lets go: recovers at r·R
    assert drive == pytest.approx(-9.996) and after == pytest.approx([0.3, 0.599964, 0.100036])
    for load in np.linspace(0, 1, 21):  # Eq. 28 forwards is Eq. 37 backwards
        drive = 50 * (min(load, 0.9) - 0.4)
        assert law.tire(state, 0.9999 * state[0] + dt * drive, FENG, dt)[1] == pytest.approx(drive)


def test_rest_multiplier_obeys_the_rule_of_the_rates():
    at_rest = FENG.copy()
    at_rest[4] = 1.0
    state = np.array([0.4, 0.5, 0.1])
    least = law.reach(state, at_rest, 0.01)[0]
    for activation, recovery in ((least, 0.004), (np.array(0.3), 0.002)):
        after, _ = law.tire(state, activation, at_rest, 0.01)
        assert after[2] == pytest.approx(0.1 + 0.01 * (0.01 * 0.4 - recovery * 0.1))


def test_states_stay_shares_even_where_units_are_recruited_at_once():
    rng = np.random.default_rng(2)
    state = states(rng, 200)
    for rates in (FENG, FENG * [50, 50, 1, 50, 1]):
        for _ in range(50):
            state, _ = law.tire(state, np.clip(rng.random(200), *law.reach(state, rates, DT)), rates, DT)
            assert state.min() > -1e-12 and state.sum(-1) == pytest.approx(np.ones(200))


def test_a_muscle_pulls_when_it_is_longer_than_its_target_as_far_as_it_can():
    k = MUSCLES.names.index("right_adductor_longus_1")
    rest = STRANDS.rest
    assert (STRANDS.fibre[k], STRANDS.tendon[k]) == (1.0, 0.2)
    length, still, state = 1.2 * rest, np.zeros(COUNT), fatigue.fresh((COUNT,))  # its fibres are at their best

    def share(target: float, rate: np.ndarray = still, state: np.ndarray = state) -> float:
        return law.pull(STRANDS, length, rate, target * rest, state, FENG, DT).force[k] / STRANDS.force[k]

    assert share(1.3) == 0.0
    assert share(0.9) == pytest.approx(0.3)
    assert share(0.2) == pytest.approx(50 * DT)  # the most a step allows
    assert share(1.2, 0.05 * rest) == pytest.approx(0.005)  # it damps
    assert share(0.2, state=np.tile([0.0, 0.0, 1.0], (COUNT, 1))) == 0.0  # exhausted


def test_compiled_and_numpy_agree():
    rng = np.random.default_rng(3)
    man = MuscleMen(CpuWorld(muscle_man(), substeps=1), fatigue.preset("feng2023"), substeps=1)
    for _ in range(30):
        data = posed(rng, 0.0)[1]
        man.reset(None, data.qpos[None], data.qvel[None])
        man.lengths *= rng.normal(1, 0.005, COUNT)
        man.rates_of_length[:] = rng.normal(0, 0.1, COUNT)
        man.fatigue[:] = states(rng, COUNT)
        man.rates[:, 4] = rng.integers(0, 2, COUNT)
        action = rng.normal(-0.2, 0.5, (1, COUNT))
        xpos, xmat = at(data)
        points = law.anchors(STRANDS, xpos, xmat)
        length = law.lengths(STRANDS, points)
        rate = law.rate_of(length, man.lengths, man.rates_of_length, DT)
        pulled = law.pull(STRANDS, length, rate, (1 + action) * STRANDS.rest, man.fatigue, man.rates, DT)
        expected = law.wrenches(STRANDS, xpos, xmat, data.xipos, points, pulled.force[0])
        man.step(action)
        assert np.allclose(man.lengths, length, atol=1e-12) and np.allclose(man.rates_of_length, rate, atol=1e-9)
        assert np.allclose(man.fatigue, pulled.state, atol=1e-9)
        assert np.allclose(man.force, pulled.force, rtol=1e-9, atol=1e-6)
        assert np.allclose(man.world.push[0], expected[1:], rtol=1e-9, atol=1e-6)


def test_many_states_at_once_are_each_alone():
    rng = np.random.default_rng(4)
    each = [at(posed(rng)[1]) for _ in range(3)]
    xpos, xmat = (np.stack(part) for part in zip(*each, strict=True))
    points = law.anchors(STRANDS, xpos, xmat)
    length = law.lengths(STRANDS, points)
    force = rng.random((3, COUNT))
    state = states(rng, 3, COUNT)
    together = law.wrenches(STRANDS, xpos, xmat, xpos, points, force)
    pulled = law.pull(STRANDS, length, 0 * length, length - 0.1, state, FENG, DT)
    for k, (place, turn) in enumerate(each):
        alone = law.anchors(STRANDS, place, turn)
        assert np.allclose(law.lengths(STRANDS, alone), length[k], atol=1e-14)
        assert np.allclose(law.wrenches(STRANDS, place, turn, place, alone, force[k]), together[k], atol=1e-12)
        one = law.pull(STRANDS, length[k], 0 * length[k], length[k] - 0.1, state[k], FENG, DT)
        assert np.allclose(one.force, pulled.force[k]) and np.allclose(one.state, pulled.state[k])


def test_left_and_right_are_equal_to_the_last_digit():
    mirror, model = MUSCLES.mirror, muscle_man().model
    for field in ("force", "fibre", "tendon", "rest"):
        assert np.array_equal(getattr(STRANDS, field), getattr(STRANDS, field)[mirror])
    swap = np.array([model.body(mirrored(model.body(i).name)).id for i in range(model.nbody)])
    xpos, xmat = at(posed(np.random.default_rng(5))[1])
    other_pos, other_mat = (xpos * REFLECT)[swap], (xmat * np.outer(REFLECT, REFLECT))[swap]
    points, others = law.anchors(STRANDS, xpos, xmat), law.anchors(STRANDS, other_pos, other_mat)
    length, other = law.lengths(STRANDS, points), law.lengths(STRANDS, others)
    assert np.array_equal(length, other[mirror])
    state = fatigue.fresh((COUNT,))
    force, force_other = (
        law.pull(STRANDS, x, 0 * x, 0.8 * STRANDS.rest, state, FENG, DT).force for x in (length, other)
    )
    assert np.array_equal(force, force_other[mirror])
    wrench = law.wrenches(STRANDS, xpos, xmat, xpos, points, force)
    wrench_other = law.wrenches(STRANDS, other_pos, other_mat, other_pos, others, force_other)
    flip = np.concatenate([REFLECT, -REFLECT])  # a torque is an axial vector
    # the midline's bodies add left and right muscles in another order
    assert np.allclose(wrench, (wrench_other * flip)[swap], rtol=0, atol=1e-10)


def test_64_characters_with_random_targets_stay_calm():
    rng = np.random.default_rng(0)
    men = MuscleMen(CpuWorld(muscle_man(), 64, substeps=1), fatigue.preset("feng2023"), substeps=1)
    for _ in range(20 * 4):
        action = rng.normal(-0.1, 0.6, (64, COUNT))
        for _ in range(6):
            men.step(action)
            assert np.abs(men.qvel[:, 6:]).max() < 30  # also where it is not a number
    assert np.isfinite(men.qpos).all() and np.isfinite(men.fatigue).all() and men.world.faults == 0
