"""What a gamepad asks for: the desired way ahead (bergamin2020, Sec. 5.1.1), and how a tired body asks for less.

The springs' states are kept in the world and seen from the character frame only when a query is made; the thesis keeps
them in the character frame, which turns away under them. Headings are springs of an angle, the short way round, so that
what is asked for is a direction at any time; the thesis blends vectors, which vanish half-way through a reversal.
"""

from collections.abc import Callable
from math import cos, exp, hypot, sin
from typing import NamedTuple

import numpy as np

from lactic.body import Body
from lactic.compiling import njit
from lactic.errors import InputError
from lactic.steer.compiled import wrap
from lactic.steer.matching.features import AHEAD, SLICES
from lactic.steer.spring import track, travel

WALK, RUN, CROUCH = 0, 1, 2  # as matching.TAGS
_TRAJECTORY, _HEADINGS = SLICES["trajectory"].start, SLICES["headings"].start
_FIRST, _SECOND, _THIRD = AHEAD
RESERVE = 0.4
"""Of the legs' strength, in the rule of that name."""

VELOCITY, VELOCITY_RATE, HEADING, HEADING_RATE, WAY, FACING = 0, 2, 4, 5, 6, 7  # places in a character's springs


class Steering(NamedTuple):
    """How a kinematic character answers: speeds, springs, searches, blends, locks."""

    walk: float = 1.4
    """m/s with the stick pushed home and the trigger free."""
    run: float = 3.2
    """m/s with the trigger pulled."""
    crouch: float = 0.9
    """m/s at most while crouched."""
    path_spring: float = 3.0
    """α_traj, 1/s: natural frequency of the spring that the velocity asked for follows the stick with."""
    turn_spring: float = 10.0
    """α_head, 1/s: the same for the heading."""
    turn_limit: float = 2.5
    """rad/s at which a stick that turns steadily is followed at most; one that is thrown over is followed at once. A
    stick turns faster than any body, and the artificial user's does for seconds; the thesis has no such limit."""
    deadzone: float = 0.15
    """Length below which a stick is at rest."""
    every: int = 10
    """Time steps between searches."""
    stay: float = 0.4
    """Share by which the best match must be cheaper than the frame that plays for a transition to be made."""
    abrupt_speed: float = 0.7
    """m/s by which the velocity asked for must jump in a step to be searched for at once."""
    abrupt_turn: float = 0.5
    """rad, the same for the heading."""
    drift: float = 2.0
    """1/s: a clip is turned by this times the sine of what the heading is off, since captured runs look aside by ten
    degrees and more; 0 as in the thesis."""
    place_blend: float = 3.5
    place_fade: float = 0.25
    """α and β of inertialization for the root's position, 1/s. β is small, or a character that is matched anew before a
    blend has ended would stay behind a little each time, and walk slower than its clips. α bounds what a reversed run
    asks of a body that follows: at 6 the root accelerates by 7.5 m/s², at 3.5 by 6."""
    pose_blend: float = 9.0
    pose_fade: float = 8.0
    """α and β for the root's rotation and the joint angles, 1/s."""
    lock_blend: float = 35.0
    lock_fade: float = 60.0
    """α and β of a contact point that comes to rest, 1/s."""
    free_blend: float = 14.0
    free_fade: float = 20.0
    """α and β of one that is let go, 1/s."""
    lock_speed: float = 1.0
    lock_height: float = 0.07
    """m/s and m below which a point that the clip has in contact is locked: during a blend it may still be swinging."""
    stretch: float = 0.15
    """m between a locked point and where the clip has it at which it is let go."""
    lock_pause: float = 0.2
    """s after which a point that was let go may be locked again: about as long as what is left of a lock fades."""
    lock: bool = True
    """Whether feet in contact are locked."""


@njit(cache=True)
def _followed(angle: float, stick_before: float, stick: float, most: float, abrupt: float) -> float:
    """An angle that goes after a stick's, by `most` in a step, or at once where the stick has jumped."""
    if abs(wrap(stick - stick_before)) > abrupt:
        return stick
    return wrap(angle + min(max(wrap(stick - angle), -most), most))


@njit(cache=True)
def steer(
    steering: Steering, pad: np.ndarray, yaw: float, ease: np.ndarray, springs: np.ndarray, goal: np.ndarray, dt: float
) -> tuple[int, bool]:
    """Move the springs and the goals on by a step; the style asked for, and whether the change is abrupt.

    springs (VELOCITY … FACING): velocity and its rate in the world, heading and its rate, and where the sticks point
    that move and turn.
    goal: velocity (2), heading. `ease` holds the factors on speed and turn rate that the body's fatigue asks for.
    """
    left, right = hypot(pad[0], pad[1]), hypot(pad[2], pad[3])
    full = (steering.walk + (steering.run - steering.walk) * pad[4]) * ease[0]
    running = full > 0.5 * (steering.walk + steering.run) and left > steering.deadzone
    style = CROUCH if pad[5] > 0.5 else RUN if running else WALK
    if style == CROUCH:
        full = min(full, steering.crouch * ease[0])
    before = (goal[0], goal[1], goal[2])
    looks, goes, most = right > steering.deadzone, left > steering.deadzone, steering.turn_limit * dt
    way = np.arctan2(pad[1], pad[0]) if goes else yaw
    facing = np.arctan2(pad[3], pad[2]) if looks else way
    if goes:
        heading = np.arctan2(goal[1], goal[0]) if hypot(goal[0], goal[1]) > 0 else way
        heading = _followed(heading, springs[WAY], way, most, steering.abrupt_turn)
        goal[0], goal[1] = full * left * cos(heading), full * left * sin(heading)
    else:
        goal[0], goal[1] = 0.0, 0.0
    goal[2] = _followed(goal[2], springs[FACING], facing, most, steering.abrupt_turn) if looks or goes else yaw
    springs[WAY], springs[FACING] = way, facing
    turn_spring = max(steering.turn_spring * ease[1], 0.1)
    for k in range(2):
        a, b = VELOCITY + k, VELOCITY_RATE + k
        springs[a], springs[b] = track(springs[a], springs[b], goal[k], steering.path_spring, dt)
    gap, springs[HEADING_RATE] = track(wrap(springs[HEADING] - goal[2]), springs[HEADING_RATE], 0.0, turn_spring, dt)
    springs[HEADING] = wrap(goal[2] + gap)
    jump = hypot(goal[0] - before[0], goal[1] - before[1])
    return style, jump > steering.abrupt_speed or abs(wrap(goal[2] - before[2])) > steering.abrupt_turn


@njit(cache=True)
def ask(
    steering: Steering, yaw: float, ease: np.ndarray, springs: np.ndarray, goal: np.ndarray, query: np.ndarray
) -> None:
    """Write the desired trajectory and headings into a query, seen from the character frame."""
    c, s = cos(yaw), sin(yaw)
    turn_spring = max(steering.turn_spring * ease[1], 0.1)
    turn = wrap(springs[HEADING] - yaw)
    for k in range(3):
        t = (_FIRST, _SECOND, _THIRD)[k]
        x = travel(springs[VELOCITY], springs[VELOCITY_RATE], goal[0], steering.path_spring, t)
        y = travel(springs[VELOCITY + 1], springs[VELOCITY_RATE + 1], goal[1], steering.path_spring, t)
        query[_TRAJECTORY + 2 * k] = c * x + s * y
        query[_TRAJECTORY + 2 * k + 1] = c * y - s * x
        angle = turn * (1 - (1 + turn_spring * t) * exp(-turn_spring * t))
        query[_HEADINGS + 2 * k], query[_HEADINGS + 2 * k + 1] = cos(angle), sin(angle)


def legs_shares(body: Body) -> np.ndarray:
    """How much each joint counts (joint, 2) in the strength of the left and the right leg: by its maximal torque."""
    shares = np.zeros((len(body.joints), 2))
    for side, region in enumerate(("left leg", "right leg")):
        if region not in body.regions:
            raise InputError(f"body '{body.name}' has no {region}: its steering cannot feel fatigue")
        joints = [body.joints.index(name) for name in body.regions[region]]
        shares[joints, side] = body.torque_limit[joints] / body.torque_limit[joints].sum()
    return shares


def legs_capacity(body: Body, fatigued: np.ndarray) -> np.ndarray:
    """Residual capacity of the weaker leg (…) from MF (…, joint): the mean of 1 − MF weighted by maximal torque."""
    return 1 - (np.asarray(fatigued) @ legs_shares(body)).max(axis=-1)


def tireless(capacity: np.ndarray) -> np.ndarray:
    """Ask as if the body were fresh: factors 1 on speed and turn rate."""
    return np.ones((*np.shape(capacity), 2))


def in_proportion(capacity: np.ndarray) -> np.ndarray:
    """Ask for speed and turn rate in proportion to the legs' residual capacity."""
    capacity = np.clip(np.asarray(capacity, dtype=float), 0, 1)
    return np.stack([capacity, capacity], axis=-1)


def with_a_reserve(capacity: np.ndarray) -> np.ndarray:
    """Ask in proportion to what the legs have beyond a reserve, which is kept for standing."""
    return in_proportion((np.asarray(capacity, dtype=float) - RESERVE) / (1 - RESERVE))


Ease = Callable[[np.ndarray], np.ndarray]
EASES: dict[str, Ease] = {"tireless": tireless, "in proportion": in_proportion, "with a reserve": with_a_reserve}
"""Rules, by name, from the legs' residual capacity (…) to factors (…, 2) on speed and turn rate."""


def ease_named(name: str) -> Ease:
    """The rule of that name."""
    if name not in EASES:
        raise InputError(f"unknown rule '{name}' of tired steering; there are: {', '.join(EASES)}")
    return EASES[name]
