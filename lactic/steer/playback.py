"""The kinematic character's step as compiled kernels: play, blend, lock feet (bergamin2020, Alg. 3.10 and 3.11).

Beyond the thesis: a lock starts from, and ends with, the point's position and velocity as they were shown, so that
contacts that change while a blend is under way do not jump; the locked point is the ball of the foot, about which the
foot rolls as in the clip, not the ankle, which would keep the heel on the ground; and it is locked in the plane, while
its height is the clip's, since a retargeted foot may stand a centimetre off and a straight leg cannot reach for it.
"""

from math import cos, sin
from typing import NamedTuple

import numpy as np

from lactic.compiling import njit
from lactic.steer.compiled import (
    Quaternion,
    Vector,
    cross,
    dot,
    exp,
    heading,
    multiply,
    normalised,
    rotate,
    rotate_back,
)
from lactic.steer.inertialize import apart, beside, blend, factors
from lactic.steer.limb import Limbs, reach
from lactic.steer.matching.features import SLICES
from lactic.steer.steering import HEADING, Steering, ask, steer
from lactic.steer.tree import Tree, move_bodies

SMALL = 1e-5  # s over which the angles of a reaching limb are differenced to rates
FREE, LOCKED = 0, 1
GIVE = 0.01  # m beyond its length that a leg is asked to reach, for it yields by millimetres, before it lets go
# rows of a limb's hold points: place and velocity a lock (or what is left of one) began with, the locked place, place
# and velocity of the point as shown, and the same as the clip has it
BEGUN, BEGUN_RATE, KEPT, SHOWN, SHOWN_RATE, CLIP, CLIP_RATE = range(7)
QUICK = 10.0  # rad/s of a knee that is stretched, or bent, to hold a foot: beyond that the foot is let go
_ROOT, _PLACE, _SPEED = SLICES["root_velocity"].start, SLICES["foot_positions"].start, SLICES["foot_velocities"].start


class Frames(NamedTuple):
    """What is played: the database's poses, and the last frame of each one's clip."""

    qpos: np.ndarray
    qvel: np.ndarray
    contacts: np.ndarray
    last: np.ndarray


class State(NamedTuple):
    """Everything that changes, an entry (or row) a character."""

    frame: np.ndarray
    """Frame of the database that plays now."""
    counts: np.ndarray
    """(…, 2) steps since the last search, style asked for."""
    clock: np.ndarray
    """Seconds since the last transition."""
    align: np.ndarray
    """(…, 3) turn about z and shift that carry the clip to the character."""
    drift: np.ndarray
    """rad/s by which that turn changes."""
    source: np.ndarray
    source_rate: np.ndarray
    """Pose and velocity the blend started with."""
    gap: np.ndarray
    """(…, 6) what lay between the root's rotation and the clip's then, and its rate."""
    blended: np.ndarray
    blended_rate: np.ndarray
    """Pose and velocity before feet are locked."""
    qpos: np.ndarray
    qvel: np.ndarray
    """What is shown."""
    at: np.ndarray
    turned: np.ndarray
    speed: np.ndarray
    spin: np.ndarray
    """Of the rigid bodies as shown: position, rotation, velocity, angular velocity."""
    feet: np.ndarray
    """(…, 4, 3) positions of the feet before locking, then their velocities."""
    hold: np.ndarray
    """(…, limb) FREE or LOCKED."""
    hold_clock: np.ndarray
    hold_points: np.ndarray
    """(…, limb, BEGUN … CLIP_RATE, 3)"""
    bent: np.ndarray
    """(…, limb) rad/s at which the hinge of each limb turned as shown, while it was led; else 0."""
    springs: np.ndarray
    """(…, 8) what follows the sticks: rows of `steering.steer`."""
    goal: np.ndarray
    """(…, 3) velocity and heading the sticks ask for."""
    ease: np.ndarray
    """(…, 2) factors on speed and turn rate that fatigue asks for."""
    query: np.ndarray


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
        style, abrupt = steer(steering, pads[i], yaw, state.ease[i], state.springs[i], state.goal[i], dt)
        state.counts[i, 0] += 1
        f = state.frame[i]
        due[i] = (
            abrupt or style != state.counts[i, 1] or state.counts[i, 0] >= steering.every or f >= frames.last[f] - 1
        )
        state.counts[i, 1] = style
        if due[i]:
            any_due = True
            _pose_features(state, i, yaw)
            ask(steering, yaw, state.ease[i], state.springs[i], state.goal[i], state.query[i])
            state.counts[i, 0] = 0
        else:
            play(steering, tree, limbs, frames, state, i, dt)
    return any_due


@njit(cache=True)
def _pose_features(state: State, i: int, yaw: float) -> None:
    """Write root velocity and feet into the query, seen from the character frame."""
    c, s, query, feet = cos(yaw), sin(yaw), state.query[i], state.feet[i]
    rate, root = state.blended_rate[i], state.blended[i]
    query[_ROOT], query[_ROOT + 1], query[_ROOT + 2] = c * rate[0] + s * rate[1], c * rate[1] - s * rate[0], rate[2]
    for k in range(2):
        x, y = feet[k, 0] - root[0], feet[k, 1] - root[1]
        at, v = _PLACE + 3 * k, _SPEED + 3 * k
        query[at], query[at + 1], query[at + 2] = c * x + s * y, c * y - s * x, feet[k, 2]
        x, y = feet[2 + k, 0], feet[2 + k, 1]
        query[v], query[v + 1], query[v + 2] = c * x + s * y, c * y - s * x, feet[2 + k, 2]


@njit(cache=True)
def switch(frames: Frames, state: State, i: int, frame: int) -> None:
    """Go on from another frame: aligned to where the character is and looks, blended from its pose and velocity."""
    state.source[i], state.source_rate[i] = state.blended[i], state.blended_rate[i]
    turn = heading(state.blended[i, 3:7]) - heading(frames.qpos[frame, 3:7])
    c, s = cos(turn), sin(turn)
    x, y = frames.qpos[frame, 0], frames.qpos[frame, 1]
    state.align[i, 0] = turn
    state.align[i, 1] = state.blended[i, 0] - (c * x - s * y)
    state.align[i, 2] = state.blended[i, 1] - (s * x + c * y)
    state.frame[i], state.clock[i] = frame, 0.0
    facing = multiply((cos(turn / 2), 0.0, 0.0, sin(turn / 2)), frames.qpos[frame, 3:7])
    v, rate = apart(state.blended[i, 3:7], state.blended_rate[i, 3:6], facing, _turning(frames, state, i, facing))
    for k in range(3):
        state.gap[i, k], state.gap[i, 3 + k] = v[k], rate[k]


@njit(cache=True, nogil=True)
def play(steering: Steering, tree: Tree, limbs: Limbs, frames: Frames, state: State, i: int, dt: float) -> None:
    """One step of one character without a search: the next frame, blended, with locked feet; dt = 0 shows it again."""
    if dt > 0:
        state.frame[i] = min(state.frame[i] + 1, frames.last[state.frame[i]])
        state.clock[i] += dt
        _turn_alignment(steering, frames, state, i, dt)
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
        state.feet[i, k], state.feet[i, 2 + k] = at[limbs.tip[k]], speed[limbs.tip[k]]
    moved = False
    for k in range(frames.contacts.shape[1]):
        moved = _hold(steering, tree, limbs, frames, state, i, k, dt) or moved
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
    align = state.align[i]
    x, y = frames.qpos[state.frame[i], 0], frames.qpos[state.frame[i], 1]
    c, s = cos(align[0]), sin(align[0])
    at = (c * x - s * y + align[1], s * x + c * y + align[2])
    state.drift[i] = steering.drift * sin(state.springs[i, HEADING] - heading(state.blended[i, 3:7]))
    align[0] += state.drift[i] * dt
    c, s = cos(align[0]), sin(align[0])
    align[1], align[2] = at[0] - (c * x - s * y), at[1] - (s * x + c * y)


@njit(cache=True)
def _blended(steering: Steering, frames: Frames, state: State, i: int) -> None:
    """Inertialization of the aligned frame."""
    f, turn = state.frame[i], state.align[i, 0]
    c, s = cos(turn), sin(turn)
    target, rate = frames.qpos[f], frames.qvel[f]
    source, source_rate = state.source[i], state.source_rate[i]
    blended, blended_rate = state.blended[i], state.blended_rate[i]
    place = factors(state.clock[i], steering.place_blend, steering.place_fade)
    pose = factors(state.clock[i], steering.pose_blend, steering.pose_fade)
    to = (
        c * target[0] - s * target[1] + state.align[i, 1],
        s * target[0] + c * target[1] + state.align[i, 2],
        target[2],
    )
    to_rate = (c * rate[0] - s * rate[1], s * rate[0] + c * rate[1], rate[2])
    for k in range(3):
        blended[k], blended_rate[k] = blend(source[k], source_rate[k], to[k], to_rate[k], place)
    facing = multiply((cos(turn / 2), 0.0, 0.0, sin(turn / 2)), target[3:7])
    gap = state.gap[i]
    x, dx = blend(gap[0], gap[3], 0.0, 0.0, pose)
    y, dy = blend(gap[1], gap[4], 0.0, 0.0, pose)
    z, dz = blend(gap[2], gap[5], 0.0, 0.0, pose)
    q, w = beside((x, y, z), (dx, dy, dz), facing, _turning(frames, state, i, facing))
    q = normalised(q)
    for k in range(4):
        blended[3 + k] = q[k]
    for k in range(3):
        blended_rate[3 + k] = w[k]
    for j in range(7, len(target)):
        blended[j], blended_rate[j - 1] = blend(source[j], source_rate[j - 1], target[j], rate[j - 1], pose)


@njit(cache=True)
def _hold(
    steering: Steering, tree: Tree, limbs: Limbs, frames: Frames, state: State, i: int, k: int, dt: float
) -> bool:
    """Lead the contact point of limb k to where it is locked, or back to the clip; whether the pose was changed."""
    tip, base = limbs.tip[k], limbs.base[k]
    parent = tree.parents[base]
    at, turned, speed, spin = state.at[i], state.turned[i], state.speed[i], state.spin[i]
    arm = rotate(turned[tip], limbs.point[k])
    carried = cross(spin[tip], arm)
    place = (at[tip, 0] + arm[0], at[tip, 1] + arm[1], at[tip, 2] + arm[2])
    rate = (speed[tip, 0] + carried[0], speed[tip, 1] + carried[1], speed[tip, 2] + carried[2])
    points, hold = state.hold_points[i, k], state.hold[i, k]
    begun, begun_rate, kept = points[BEGUN], points[BEGUN_RATE], points[KEPT]
    shown, shown_rate, clip, clip_rate = points[SHOWN], points[SHOWN_RATE], points[CLIP], points[CLIP_RATE]
    if dt > 0:
        contact = frames.contacts[state.frame[i], k] and steering.lock
        if hold == LOCKED:
            far = (place[0] - kept[0]) ** 2 + (place[1] - kept[1]) ** 2
            away = (kept[0] - arm[0] - at[base, 0]) ** 2 + (kept[1] - arm[1] - at[base, 1]) ** 2
            away += (place[2] - arm[2] - at[base, 2]) ** 2
            longest = limbs.upper[k] + limbs.lower[k] + GIVE
            lost = far > steering.stretch * steering.stretch or away > longest * longest or state.bent[i, k] > QUICK
            if not contact or lost:
                hold, state.hold_clock[i, k] = FREE, 0.0
                for m in range(3):  # what is left over of the lock, and how it changes, fades away
                    begun[m], begun_rate[m] = shown[m] - clip[m], shown_rate[m] - clip_rate[m]
        elif (
            contact
            and state.hold_clock[i, k] > steering.lock_pause
            and shown[2] < steering.lock_height
            and dot(shown_rate, shown_rate) < steering.lock_speed**2
        ):
            hold = LOCKED
            begun[:], begun_rate[:], state.hold_clock[i, k] = shown, shown_rate, 0.0
            for m in range(2):  # where a point whose velocity fades as in the blend comes to rest
                kept[m] = begun[m] + begun_rate[m] / steering.lock_fade
        state.hold[i, k] = hold
        state.hold_clock[i, k] += dt
    if hold == LOCKED:
        f = factors(state.hold_clock[i, k], steering.lock_blend, steering.lock_fade)
    else:
        f = factors(state.hold_clock[i, k], steering.free_blend, steering.free_fade)
    change = 0.0
    for m in range(3):
        if hold == LOCKED and m < 2:
            shown[m], shown_rate[m] = blend(begun[m], begun_rate[m], kept[m], 0.0, f)
        elif hold == LOCKED:
            shown[m], shown_rate[m] = blend(begun[m], begun_rate[m], place[m], rate[m], f)
        else:
            off, off_rate = blend(begun[m], begun_rate[m], 0.0, 0.0, f)
            shown[m], shown_rate[m] = place[m] + off, rate[m] + off_rate
        clip[m], clip_rate[m] = place[m], rate[m]
        change += abs(shown[m] - place[m]) + abs(shown_rate[m] - rate[m])
    state.bent[i, k] = 0.0
    if change < 1e-7:
        return False
    goal = (shown[0] - arm[0], shown[1] - arm[1], shown[2] - arm[2])
    goal_rate = (shown_rate[0] - carried[0], shown_rate[1] - carried[1], shown_rate[2] - carried[2])
    _reach_with_rates(
        tree,
        limbs,
        k,
        state.qpos[i],
        state.qvel[i],
        at[base],
        speed[base],
        turned[parent],
        spin[parent],
        goal,
        goal_rate,
        turned[tip],
        spin[tip],
    )
    state.bent[i, k] = abs(state.qvel[i, 6 + tree.first[limbs.hinge[k]]])
    return True


@njit(cache=True)
def _reach_with_rates(
    tree, limbs, k, qpos, qvel, root, root_rate, parent, parent_spin, goal, goal_rate, keep, keep_spin
) -> None:
    """Inverse kinematics of a limb, and its rates: the same a moment later, with all it depends on moved on."""
    later = qpos.copy()
    reach(tree, limbs, k, qpos, root, parent, goal, keep)
    low = 7 + tree.first[limbs.base[k]]
    high = 7 + tree.first[limbs.hinge[k]] + 1
    if limbs.wrist[k]:
        high += 3
    for j in range(low, high):
        later[j] += SMALL * qvel[j - 1]
    moved = (root[0] + SMALL * root_rate[0], root[1] + SMALL * root_rate[1], root[2] + SMALL * root_rate[2])
    aim = (goal[0] + SMALL * goal_rate[0], goal[1] + SMALL * goal_rate[1], goal[2] + SMALL * goal_rate[2])
    reach(tree, limbs, k, later, moved, _spun(parent, parent_spin), aim, _spun(keep, keep_spin))
    for j in range(low, high):
        qvel[j - 1] = (later[j] - qpos[j]) / SMALL


@njit(cache=True)
def _spun(q, spin):
    """A rotation a moment later."""
    return multiply(exp((SMALL * spin[0], SMALL * spin[1], SMALL * spin[2])), q)
