"""Feet that stand: contact points led to where they are locked, and let go again (bergamin2020, Alg. 3.11).

Beyond the thesis: a lock starts from, and ends with, the point's position and velocity as they were shown, so that
contacts that change while a blend is under way do not jump; the locked point is the ball of the foot, about which the
foot rolls as in the clip, not the ankle, which would keep the heel on the ground; and it is locked in the plane, while
its height is the clip's, since a retargeted foot may stand a centimetre off and a straight leg cannot reach for it.
"""

from lactic.compiling import njit
from lactic.steer.compiled import Quaternion, Vector, cross, dot, exp, multiply, rotate
from lactic.steer.inertialize import blend, factors
from lactic.steer.limb import Limbs, reach
from lactic.steer.spring import LN2
from lactic.steer.state import Frames, State
from lactic.steer.steering import Steering
from lactic.steer.tree import Tree

SMALL = 1e-5  # s over which the angles of a reaching limb are differenced to rates
FREE, LOCKED = 0, 1
GIVE = 0.01  # m beyond its length that a leg is asked to reach, for it yields by millimetres, before it lets go
# rows of a limb's hold points: place and velocity a lock (or what is left of one) began with, the locked place, place
# and velocity of the point as shown, and the same as the clip has it
BEGUN, BEGUN_RATE, KEPT, SHOWN, SHOWN_RATE, CLIP, CLIP_RATE = range(7)
QUICK = 10.0  # rad/s of a knee that is stretched, or bent, to hold a foot: beyond that the foot is let go


@njit(cache=True)
def hold_limb(
    steering: Steering, tree: Tree, limbs: Limbs, frames: Frames, state: State, i: int, k: int, dt: float
) -> bool:
    """Lead the contact point of limb k to where it is locked, or back to the clip; whether the pose was changed."""
    tip, base = limbs.tip[k], limbs.base[k]
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
                kept[m] = begun[m] + begun_rate[m] * steering.lock_fade / LN2
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
    _lead(tree, limbs, state, i, k, goal, goal_rate)
    state.bent[i, k] = abs(state.qvel[i, 6 + tree.first[limbs.hinge[k]]])
    return True


@njit(cache=True)
def _lead(tree: Tree, limbs: Limbs, state: State, i: int, k: int, goal: Vector, goal_rate: Vector) -> None:
    """Inverse kinematics of limb k, and its rates: the same a moment later, with all it depends on moved on."""
    tip, base = limbs.tip[k], limbs.base[k]
    qpos, qvel, root, keep = state.qpos[i], state.qvel[i], state.at[i, base], state.turned[i, tip]
    parent = tree.parents[base]
    held = state.turned[i, parent]
    later = qpos.copy()
    reach(tree, limbs, k, qpos, root, held, goal, keep)
    low = 7 + tree.first[base]
    high = 7 + tree.first[limbs.hinge[k]] + 1
    if limbs.wrist[k]:
        high += 3
    for j in range(low, high):
        later[j] += SMALL * qvel[j - 1]
    aim, moved = _moved(goal, goal_rate), _moved(root, state.speed[i, base])
    reach(tree, limbs, k, later, moved, _spun(held, state.spin[i, parent]), aim, _spun(keep, state.spin[i, tip]))
    for j in range(low, high):
        qvel[j - 1] = (later[j] - qpos[j]) / SMALL


@njit(cache=True)
def _moved(at: Vector, rate: Vector) -> Vector:
    """A point a moment later."""
    return (at[0] + SMALL * rate[0], at[1] + SMALL * rate[1], at[2] + SMALL * rate[2])


@njit(cache=True)
def _spun(q: Quaternion, spin: Vector) -> Quaternion:
    """A rotation a moment later."""
    return multiply(exp((SMALL * spin[0], SMALL * spin[1], SMALL * spin[2])), q)
