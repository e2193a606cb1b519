"""The kinematic character's step as compiled kernels: play and blend (bergamin2020, Alg. 3.10)."""

from math import cos, exp, hypot, sin

import numpy as np

from lactic.compiling import njit
from lactic.steer.compiled import Quaternion, Vector, heading, multiply, normalised, rotate_back
from lactic.steer.holding import CLIP, KEPT, LOCKED, hold_limb
from lactic.steer.inertialize import apart, beside, blend, factors
from lactic.steer.limb import Limbs
from lactic.steer.matching.features import SLICES
from lactic.steer.spring import LN2
from lactic.steer.state import Frames, State
from lactic.steer.steering import HEADING, Steering, ask, steer
from lactic.steer.tree import Tree, move_bodies

EASE = 0.15  # s in which a slide is taken up or given up: at once, and the root's velocity would jump
_ROOT, _PLACE, _SPEED = SLICES["root_velocity"].start, SLICES["foot_positions"].start, SLICES["foot_velocities"].start


@njit(cache=True, nogil=True)
def step_all(
    steering: Steering,
    tree: Tree,
    limbs: Limbs,
    frames: Frames,
    state: State,
    pads: np.ndarray,
    due: np.ndarray,
    dt: float,
) -> bool:
    """Move all on whose search is not due, and say for the others (`due`) that it is; whether any is."""
    any_due = False
    for i in range(len(pads)):
        yaw = heading(state.blended[i, 3:7])
        style, abrupt = steer(steering, pads[i], yaw, state.pacing[i], state.springs[i], state.goal[i], dt)
        state.since[i] += 1
        f = state.frame[i]
        due[i] = abrupt or style != state.style[i] or state.since[i] >= steering.every or f >= frames.last[f] - 1
        state.style[i] = style
        if due[i]:
            any_due = True
            _pose_features(state, i, yaw)
            ask(steering, yaw, state.pacing[i], state.springs[i], state.goal[i], state.query[i])
            state.since[i] = 0
        else:
            play(steering, tree, limbs, frames, state, i, dt)
    return any_due


@njit(cache=True)
def _pose_features(state: State, i: int, yaw: float) -> None:
    """Write root velocity and feet into the query, seen from the character frame."""
    c, s, query, feet, feet_rate = cos(yaw), sin(yaw), state.query[i], state.feet[i], state.feet_rate[i]
    rate, root = state.blended_rate[i], state.blended[i]
    query[_ROOT], query[_ROOT + 1], query[_ROOT + 2] = c * rate[0] + s * rate[1], c * rate[1] - s * rate[0], rate[2]
    for k in range(2):
        x, y = feet[k, 0] - root[0], feet[k, 1] - root[1]
        at, v = _PLACE + 3 * k, _SPEED + 3 * k
        query[at], query[at + 1], query[at + 2] = c * x + s * y, c * y - s * x, feet[k, 2]
        x, y = feet_rate[k, 0], feet_rate[k, 1]
        query[v], query[v + 1], query[v + 2] = c * x + s * y, c * y - s * x, feet_rate[k, 2]


@njit(cache=True)
def switch(frames: Frames, state: State, i: int, frame: int) -> None:
    """Go on from another frame: aligned to where the character is and looks, blended from its pose and velocity."""
    state.source[i], state.source_rate[i] = state.blended[i], state.blended_rate[i]
    turn = heading(state.blended[i, 3:7]) - heading(frames.qpos[frame, 3:7])
    c, s = cos(turn), sin(turn)
    x, y = frames.qpos[frame, 0], frames.qpos[frame, 1]
    state.turn[i], state.frame[i], state.clock[i] = turn, frame, 0.0
    state.shift[i, 0] = state.blended[i, 0] - (c * x - s * y)
    state.shift[i, 1] = state.blended[i, 1] - (s * x + c * y)
    facing = multiply((cos(turn / 2), 0.0, 0.0, sin(turn / 2)), frames.qpos[frame, 3:7])
    v, rate = apart(state.blended[i, 3:7], state.blended_rate[i, 3:6], facing, _turning(frames, state, i, facing))
    for k in range(3):
        state.gap[i, k], state.gap_rate[i, k] = v[k], rate[k]


@njit(cache=True, nogil=True)
def play(steering: Steering, tree: Tree, limbs: Limbs, frames: Frames, state: State, i: int, dt: float) -> None:
    """One step of one character without a search: the next frame, blended, with locked feet; dt = 0 shows it again."""
    if dt > 0:
        state.frame[i] = min(state.frame[i] + 1, frames.last[state.frame[i]])
        state.clock[i] += dt
        _turn_alignment(steering, frames, state, i, dt)
        _slide_alignment(steering, frames, state, i, dt)
    _blended(steering, frames, state, i)
    qpos, qvel = state.qpos[i], state.qvel[i]
    qpos[:], qvel[:] = state.blended[i], state.blended_rate[i]
    for j in range(len(tree.low)):
        low, high = tree.low[j], tree.high[j]
        if not low <= qpos[7 + j] <= high:
            qpos[7 + j], qvel[6 + j] = min(max(qpos[7 + j], low), high), 0.0
    at, turned, speed, spin = state.at[i], state.turned[i], state.speed[i], state.spin[i]
    move_bodies(tree, qpos, qvel, at, turned, speed, spin)
    for k in range(2):
        state.feet[i, k], state.feet_rate[i, k] = at[limbs.tip[k]], speed[limbs.tip[k]]
    moved = False
    for k in range(frames.contacts.shape[1]):
        moved = hold_limb(steering, tree, limbs, frames, state, i, k, dt) or moved
    if moved:
        move_bodies(tree, qpos, qvel, at, turned, speed, spin)


@njit(cache=True)
def _turning(frames: Frames, state: State, i: int, facing: Quaternion) -> Vector:
    """Angular velocity of the aligned clip's root, in its own frame."""
    own, rate = rotate_back(facing, (0.0, 0.0, state.drift[i])), frames.qvel[state.frame[i]]
    return (rate[3] + own[0], rate[4] + own[1], rate[5] + own[2])


@njit(cache=True)
def _turn_alignment(steering: Steering, frames: Frames, state: State, i: int, dt: float) -> None:
    """Turn the clip about where it has the root now, towards the heading asked for."""
    shift, x, y = state.shift[i], frames.qpos[state.frame[i], 0], frames.qpos[state.frame[i], 1]
    c, s = cos(state.turn[i]), sin(state.turn[i])
    at = (c * x - s * y + shift[0], s * x + c * y + shift[1])
    off = state.springs[i, HEADING] - heading(state.blended[i, 3:7])
    state.drift[i] = LN2 / steering.drift_half_life * sin(off)
    state.turn[i] += state.drift[i] * dt
    c, s = cos(state.turn[i]), sin(state.turn[i])
    shift[0], shift[1] = at[0] - (c * x - s * y), at[1] - (s * x + c * y)


@njit(cache=True)
def _slide_alignment(steering: Steering, frames: Frames, state: State, i: int, dt: float) -> None:
    """Shift the clip, where it stands, towards the feet that are locked."""
    rate, points, share = frames.qvel[state.frame[i]], state.hold_points[i], 1 - exp(-dt / EASE)
    pull = max(1 - hypot(rate[0], rate[1]) / steering.settle_speed, 0.0) * LN2 / steering.settle_half_life
    if state.hold[i, 0] != LOCKED or state.hold[i, 1] != LOCKED:
        pull = 0.0
    for m in range(2):
        off = 0.5 * (points[0, KEPT, m] - points[0, CLIP, m] + points[1, KEPT, m] - points[1, CLIP, m])
        state.slide[i, m] += share * (pull * off - state.slide[i, m])
        state.shift[i, m] += state.slide[i, m] * dt


@njit(cache=True)
def _blended(steering: Steering, frames: Frames, state: State, i: int) -> None:
    """Inertialization of the aligned frame."""
    f, turn, shift = state.frame[i], state.turn[i], state.shift[i]
    c, s = cos(turn), sin(turn)
    target, rate = frames.qpos[f], frames.qvel[f]
    source, source_rate = state.source[i], state.source_rate[i]
    blended, blended_rate = state.blended[i], state.blended_rate[i]
    place = factors(state.clock[i], steering.place_blend, steering.place_fade)
    pose = factors(state.clock[i], steering.pose_blend, steering.pose_fade)
    to = (c * target[0] - s * target[1] + shift[0], s * target[0] + c * target[1] + shift[1], target[2])
    slide = state.slide[i]
    to_rate = (c * rate[0] - s * rate[1] + slide[0], s * rate[0] + c * rate[1] + slide[1], rate[2])
    for k in range(3):
        blended[k], blended_rate[k] = blend(source[k], source_rate[k], to[k], to_rate[k], place)
    facing = multiply((cos(turn / 2), 0.0, 0.0, sin(turn / 2)), target[3:7])
    gap, gap_rate = state.gap[i], state.gap_rate[i]
    x, dx = blend(gap[0], gap_rate[0], 0.0, 0.0, pose)
    y, dy = blend(gap[1], gap_rate[1], 0.0, 0.0, pose)
    z, dz = blend(gap[2], gap_rate[2], 0.0, 0.0, pose)
    q, w = beside((x, y, z), (dx, dy, dz), facing, _turning(frames, state, i, facing))
    q = normalised(q)
    for k in range(4):
        blended[3 + k] = q[k]
    for k in range(3):
        blended_rate[3 + k] = w[k]
    for j in range(7, len(target)):
        blended[j], blended_rate[j - 1] = blend(source[j], source_rate[j - 1], target[j], rate[j - 1], pose)
