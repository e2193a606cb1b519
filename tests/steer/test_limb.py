"""Kinematics against MuJoCo, and limbs that reach what they can."""

import mujoco
import numpy as np
import pytest

from lactic.body import ant, humanoid
from lactic.errors import InputError
from lactic.steer.limb import limbs_of, reach
from lactic.steer.tree import move_bodies, tree_of

HUMAN = humanoid()
TREE, LIMBS = tree_of(HUMAN), limbs_of(HUMAN)


def posed(qpos: np.ndarray, qvel: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
    """Positions, rotations, velocities and angular velocities of the bodies."""
    size = len(TREE.parents)
    out = np.zeros((size, 3)), np.zeros((size, 4)), np.zeros((size, 3)), np.zeros((size, 3))
    move_bodies(TREE, qpos, np.zeros(HUMAN.model.nv) if qvel is None else qvel, *out)
    return out


def poses(count: int, spread: float = 0.35) -> np.ndarray:
    """Random poses with joints around the middle of their ranges."""
    draw = np.random.default_rng(1)
    low, high = HUMAN.range.T
    qpos = np.zeros((count, HUMAN.model.nq))
    qpos[:, :3] = draw.normal(size=(count, 3))
    qpos[:, 3:7] = draw.normal(size=(count, 4))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    qpos[:, 7:] = low + (high - low) * draw.uniform(0.5 - spread, 0.5 + spread, (count, len(low)))
    return qpos


def test_bodies_move_as_in_mujoco():
    data, draw = mujoco.MjData(HUMAN.model), np.random.default_rng(2)
    for qpos in poses(5, 0.5):
        qvel = draw.normal(size=HUMAN.model.nv)
        at, turned, speed, spin = posed(qpos, qvel)
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(HUMAN.model, data)
        np.testing.assert_allclose(at, data.xpos[1:], atol=1e-12)
        np.testing.assert_allclose(np.abs(np.sum(turned * data.xquat[1:], axis=1)), 1, atol=1e-12)
        six = np.zeros(6)
        for body in range(1, HUMAN.model.nbody):
            mujoco.mj_objectVelocity(HUMAN.model, data, mujoco.mjtObj.mjOBJ_XBODY, body, six, 0)
            np.testing.assert_allclose(np.concatenate([spin[body - 1], speed[body - 1]]), six, atol=1e-12)


def test_a_limb_reaches_its_target_and_keeps_its_tip_turned():
    draw, reached = np.random.default_rng(3), 0
    low, high = HUMAN.range.T
    for qpos in poses(100, 0.2):
        at, turned, *_ = posed(qpos)
        for k in range(4):
            base, tip = LIMBS.base[k], LIMBS.tip[k]
            goal, moved = at[tip] + draw.uniform(-0.02, 0.02, 3), qpos.copy()
            reach(TREE, LIMBS, k, moved, at[base], turned[TREE.parents[base]], goal, turned[tip])
            assert (moved[7:] >= low).all() and (moved[7:] <= high).all()
            if ((moved[7:] > low) & (moved[7:] < high)).all():
                there, tipped, *_ = posed(moved)
                # softened towards full stretch, close to exact well away from it
                assert np.linalg.norm(there[tip] - goal) < 1e-3
                if LIMBS.wrist[k]:
                    assert abs(np.sum(tipped[tip] * turned[tip])) == pytest.approx(1, abs=1e-9)
                reached += 1
    assert reached > 300


def test_what_needs_no_correction_is_left_alone():
    for qpos in poses(20, 0.45):
        at, turned, *_ = posed(qpos)
        for k in range(4):
            base, tip, moved = LIMBS.base[k], LIMBS.tip[k], qpos.copy()
            reach(TREE, LIMBS, k, moved, at[base], turned[TREE.parents[base]], at[tip], turned[tip])
            np.testing.assert_allclose(moved, qpos, atol=1e-7)


def test_a_target_out_of_reach_stretches_the_leg_towards_it():
    qpos = HUMAN.rest.copy()
    qpos[7 + HUMAN.joints.index("left_knee")] = 0.4
    at, turned, *_ = posed(qpos)
    base, tip = LIMBS.base[0], LIMBS.tip[0]
    goal = at[base] + np.array([0.3, 0.0, -1.2])
    reach(TREE, LIMBS, 0, qpos, at[base], turned[0], goal, turned[tip])
    there, way = posed(qpos)[0][tip] - at[base], (goal - at[base]) / np.linalg.norm(goal - at[base])
    assert 0 <= qpos[7 + HUMAN.joints.index("left_knee")] < 0.2
    assert there @ way == pytest.approx(np.linalg.norm(there), abs=1e-6)


def test_bodies_of_another_build_are_refused():
    with pytest.raises(InputError, match="hinges along x, y or z"):
        tree_of(ant())
