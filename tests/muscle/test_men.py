"""Many muscle men at once: as one alone, bit for bit again, on both engines."""

import mujoco
import numpy as np
import pytest

from lactic import fatigue
from lactic.body import muscle_man
from lactic.muscle.man import law
from lactic.muscle.man.men import MuscleMen, muscle_men

FENG, COUNT = fatigue.preset("feng2023"), 5


def poses(rng: np.random.Generator, count: int = COUNT) -> tuple[np.ndarray, np.ndarray]:
    """Random poses above the floor, and speeds."""
    model = muscle_man().model
    qpos = np.tile(model.qpos0, (count, 1))
    for row in qpos:
        mujoco.mj_integratePos(model, row, rng.normal(0, 0.3, model.nv), 1.0)
    qpos[:, 2] += 0.5
    return qpos, rng.normal(0, 1, (count, model.nv))


@pytest.fixture(scope="module")
def men() -> MuscleMen:
    return muscle_men(COUNT, FENG, threads=2)


def test_each_is_as_one_alone(men: MuscleMen):
    rng = np.random.default_rng(0)
    qpos, qvel = poses(rng)
    tired = fatigue.uniform(rng.random((COUNT, 284, 2)))
    actions = rng.normal(-0.1, 0.4, (8, COUNT, 284))
    men.reset(None, qpos, qvel, tired)
    for action in actions:
        men.step(action)
    model, strands, dt = muscle_man().model, men.muscles.strands, muscle_man().model.opt.timestep
    rates = fatigue.rates(FENG, ["whole body"] * 284)
    for i in range(COUNT):
        data, state, before, rate = mujoco.MjData(model), tired[i], None, np.zeros(284)
        data.qpos[:], data.qvel[:] = qpos[i], qvel[i]
        for action in np.repeat(actions[:, i], 6, axis=0):  # the law by itself, between the halves of MuJoCo's steps
            mujoco.mj_step1(model, data)
            turns = data.xmat.reshape(-1, 3, 3)
            points = law.anchors(strands, data.xpos, turns)
            length = law.lengths(strands, points)
            rate = rate if before is None else law.rate_of(length, before, rate, dt)
            pulled = law.pull(strands, length, rate, (1 + action) * strands.rest, state, rates, dt)
            data.xfrc_applied[:] = law.wrenches(strands, data.xpos, turns, data.xipos, points, pulled.force)
            mujoco.mj_step2(model, data)
            before, state = length, pulled.state
        assert np.allclose(men.qpos[i], data.qpos, atol=1e-8) and np.allclose(men.fatigue[i], state, atol=1e-8)
        assert np.allclose(men.lengths[i], length, atol=1e-8) and np.allclose(men.force[i], pulled.force, atol=1e-4)


def test_goes_on_bit_for_bit_and_at_any_number_of_threads(men: MuscleMen):
    rng = np.random.default_rng(2)
    qpos, qvel = poses(rng)
    actions = rng.normal(-0.1, 0.6, (6, COUNT, 284))
    ends = []
    for crew in (men, muscle_men(COUNT, FENG, threads=1)):
        crew.reset(None, qpos, qvel)
        for k, action in enumerate(actions):
            if k == 3:
                kept = crew.remember()
            crew.step(action)
        ends.append((crew.qpos.copy(), crew.qvel.copy(), crew.fatigue.copy()))
    men.reset()
    men.recall(kept)
    for action in actions[3:]:
        men.step(action)
    for end in (ends[1], (men.qpos, men.qvel, men.fatigue)):
        assert all(np.array_equal(a, b) for a, b in zip(ends[0], end, strict=True))


def test_reset_takes_indices_or_a_mask_and_leaves_the_others(men: MuscleMen):
    rng = np.random.default_rng(3)
    qpos, qvel = poses(rng)
    tired = fatigue.uniform(rng.random((COUNT, 284, 2)))
    for chosen, rows in ((np.array([3, 1]), np.array([3, 1])), (np.isin(np.arange(COUNT), [1, 3]), slice(None))):
        men.reset()
        men.step(np.full((COUNT, 284), -0.2))
        before, kept = men.qpos.copy(), men.fatigue.copy()
        men.reset(chosen, qpos[rows], qvel[rows], tired[rows])
        for i in range(COUNT):
            placed = i in (1, 3)
            assert np.array_equal(men.qpos[i], qpos[i] if placed else before[i])
            assert np.array_equal(men.fatigue[i], tired[i] if placed else kept[i])
            assert (men.rates_of_length[i] == 0).all() == placed


def test_a_lost_character_starts_again_fresh(men: MuscleMen):
    men.reset()
    men.fatigue[...] = (0.0, 0.4, 0.6)
    men.qvel[2, 0] = np.nan
    men.step(np.zeros((COUNT, 284)))
    assert men.faulted.tolist() == [False, False, True, False, False]
    assert np.array_equal(men.fatigue[2], fatigue.fresh((284,)))
    assert np.isfinite(men.lengths).all() and men.fatigue[0, :, 2].min() > 0.5


def test_a_push_from_outside_adds_to_the_muscles(men: MuscleMen):
    men.reset()
    weight = muscle_man().model.body_mass.sum() * 9.81
    men.push[0, 0, 2] = weight  # carries the first one
    for _ in range(2):
        men.step(np.zeros((COUNT, 284)))
    assert np.array_equal(men.qpos[1], men.qpos[2]) and men.qpos[0, 2] > men.qpos[1, 2] + 1e-4
    men.reset()
    assert not men.push.any()
