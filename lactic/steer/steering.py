"""What a gamepad asks for: the desired way ahead (bergamin2020, Sec. 5.1.1), and how fatigue makes it less.

The springs' states are kept in the world and seen from the character frame only when a query is made; the thesis keeps
them in the character frame, which turns away under them. Headings are springs of an angle, the short way round, so that
what is asked for is a direction at any time; the thesis blends vectors, which vanish half-way through a reversal.
"""

from collections.abc import Callable
from math import cos, hypot, sin
from typing import NamedTuple

import numpy as np

from lactic.brain.layout import Layout
from lactic.compiling import njit
from lactic.errors import InputError
from lactic.steer.compiled import wrap
from lactic.steer.gamepad import BUTTON, LOOK_X, LOOK_Y, MOVE_X, MOVE_Y, TRIGGER
from lactic.steer.matching.features import AHEAD, SLICES
from lactic.steer.spring import HALF_WAY, LN2, track, travel

WALK, RUN, CROUCH = 0, 1, 2  # as matching.TAGS
_TRAJECTORY, _HEADINGS = SLICES["trajectory"].start, SLICES["headings"].start
_FIRST, _SECOND, _THIRD = AHEAD
RESERVE, WALKS = 0.3, 0.5
"""Of the legs' strength, in the rule of that name: what is kept for standing, and what there is at walking pace. With
speed in proportion to what lies beyond 0.4, a body that tires as people do stood most of the time after 20 s."""

SPRINGS = Layout(velocity=2, velocity_rate=2, heading=1, heading_rate=1, way=1, facing=1)
"""What follows the sticks: velocity and heading in the world with their rates, and where the sticks point that move and
turn."""
VELOCITY, VELOCITY_RATE, HEADING, HEADING_RATE, WAY, FACING = (part.start for part in SPRINGS.values())
X, Y, YAW = range(3)
"""Places in a goal: the velocity and the heading asked for."""
SPEED, TURN = range(2)
"""Places in a pacing: factors on the speed and the turn rate asked for."""
SLOWEST_TURN = 0.01
"""Least factor on the turn rate."""


class Steering(NamedTuple):
    """How a kinematic character answers: speeds, springs, searches, blends, locks."""

    walk: float = 1.4
    """m/s with the stick pushed home and the trigger free."""
    run: float = 3.2
    """m/s with the trigger pulled."""
    crouch: float = 0.9
    """m/s at most while crouched."""
    path_half_life: float = HALF_WAY / 3.0
    """s (0.56) in which the velocity asked for goes half-way to the stick's; the spring's α_traj is 3/s."""
    turn_half_life: float = HALF_WAY / 10.0
    """s (0.17), the same for the heading; α_head is 10/s."""
    turn_limit: float = 2.5
    """rad/s at which a stick that turns steadily is followed at most; one that is thrown over is followed at once. A
    stick turns faster than any body, and the artificial user's does for seconds; the thesis has no such limit."""
    aside_limit: float = 4.0
    """m/s² towards the middle of a turn that such a stick asks for at most. At a run, 2.5 rad/s would be 8: no database
    has that, so a leader stood, turned and set out again."""
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
    drift_half_life: float = LN2 / 2.0
    """s (0.35) in which a clip is turned half-way to the heading asked for, since captured runs look aside by ten
    degrees and more; infinite in the thesis."""
    settle_half_life: float = LN2 / 2.0
    """s (0.35) in which a clip that stands is shifted half-way to where its locked feet are, since a lock would keep
    the lean that a character stopped with; infinite in the thesis."""
    settle_speed: float = 0.25
    """m/s of the clip's root above which it is not shifted so."""
    place_blend: float = HALF_WAY / 3.5
    place_fade: float = LN2 / 0.25
    """s (0.48 and 2.8): half-lives of inertialization for the root's position, of its α and β. β is small, or a
    character that is matched anew before a blend has ended would stay behind a little each time, and walk slower than
    its clips. α bounds what a reversed run asks of a body that follows: at 6/s the root accelerates by 7.5 m/s², at
    3.5/s by 6."""
    pose_blend: float = HALF_WAY / 9.0
    pose_fade: float = LN2 / 8.0
    """s (0.19 and 0.087), for the root's rotation and the joint angles."""
    lock_blend: float = HALF_WAY / 35.0
    lock_fade: float = LN2 / 60.0
    """s (0.048 and 0.012), of a contact point that comes to rest."""
    free_blend: float = HALF_WAY / 14.0
    free_fade: float = LN2 / 20.0
    """s (0.12 and 0.035), of one that is let go."""
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
    steering: Steering,
    pad: np.ndarray,
    yaw: float,
    pacing: np.ndarray,
    springs: np.ndarray,
    goal: np.ndarray,
    dt: float,
) -> tuple[int, bool]:
    """Move the `SPRINGS` and the goal on by a step; the style asked for, and whether the change is abrupt.

    `pacing` holds the factors on speed and turn rate that the body's fatigue asks for.
    """
    left, right = hypot(pad[MOVE_X], pad[MOVE_Y]), hypot(pad[LOOK_X], pad[LOOK_Y])
    full = (steering.walk + (steering.run - steering.walk) * pad[TRIGGER]) * pacing[SPEED]
    running = full > 0.5 * (steering.walk + steering.run) and left > steering.deadzone
    style = CROUCH if pad[BUTTON] > 0.5 else RUN if running else WALK
    if style == CROUCH:
        full = min(full, steering.crouch * pacing[SPEED])
    before = (goal[X], goal[Y], goal[YAW])
    looks, goes = right > steering.deadzone, left > steering.deadzone
    most = min(steering.turn_limit, steering.aside_limit / max(hypot(goal[X], goal[Y]), 1e-3)) * dt
    way = np.arctan2(pad[MOVE_Y], pad[MOVE_X]) if goes else yaw
    facing = np.arctan2(pad[LOOK_Y], pad[LOOK_X]) if looks else way
    if goes:
        heading = np.arctan2(goal[Y], goal[X]) if hypot(goal[X], goal[Y]) > 0 else way
        heading = _followed(heading, springs[WAY], way, most, steering.abrupt_turn)
        goal[X], goal[Y] = full * left * cos(heading), full * left * sin(heading)
    else:
        goal[X], goal[Y] = 0.0, 0.0
    turns = looks or goes
    goal[YAW] = _followed(goal[YAW], springs[FACING], facing, most, steering.abrupt_turn) if turns else yaw
    springs[WAY], springs[FACING] = way, facing
    for k in range(2):
        a, b = VELOCITY + k, VELOCITY_RATE + k
        springs[a], springs[b] = track(springs[a], springs[b], goal[k], steering.path_half_life, dt)
    half_life = steering.turn_half_life / max(pacing[TURN], SLOWEST_TURN)
    gap, springs[HEADING_RATE] = track(wrap(springs[HEADING] - goal[YAW]), springs[HEADING_RATE], 0.0, half_life, dt)
    springs[HEADING] = wrap(goal[YAW] + gap)
    jump = hypot(goal[X] - before[X], goal[Y] - before[Y])
    return style, jump > steering.abrupt_speed or abs(wrap(goal[YAW] - before[YAW])) > steering.abrupt_turn


@njit(cache=True)
def ask(
    steering: Steering, yaw: float, pacing: np.ndarray, springs: np.ndarray, goal: np.ndarray, query: np.ndarray
) -> None:
    """Write the desired trajectory and headings into a query, seen from the character frame."""
    c, s = cos(yaw), sin(yaw)
    half_life = steering.turn_half_life / max(pacing[TURN], SLOWEST_TURN)
    turn = wrap(springs[HEADING] - yaw)
    for k in range(3):
        t = (_FIRST, _SECOND, _THIRD)[k]
        x = travel(springs[VELOCITY], springs[VELOCITY_RATE], goal[X], steering.path_half_life, t)
        y = travel(springs[VELOCITY + 1], springs[VELOCITY_RATE + 1], goal[Y], steering.path_half_life, t)
        query[_TRAJECTORY + 2 * k] = c * x + s * y
        query[_TRAJECTORY + 2 * k + 1] = c * y - s * x
        angle = turn - track(turn, 0.0, 0.0, half_life, t)[0]
        query[_HEADINGS + 2 * k], query[_HEADINGS + 2 * k + 1] = cos(angle), sin(angle)


def in_proportion(capacity: np.ndarray) -> np.ndarray:
    """Ask for speed and turn rate in proportion to the legs' residual capacity."""
    capacity = np.clip(np.asarray(capacity, dtype=float), 0, 1)
    return np.stack([capacity, capacity], axis=-1)


_WALKING = Steering().walk / Steering().run


def with_a_reserve(capacity: np.ndarray) -> np.ndarray:
    """Ask for less by degrees: a run's speed at full strength, walking speed at half of it, nothing at the reserve."""
    share = np.interp(capacity, (RESERVE, WALKS, 1.0), (0.0, _WALKING, 1.0))
    return np.stack([share, share], axis=-1)


Pacing = Callable[[np.ndarray], np.ndarray]
PACINGS: dict[str, Pacing] = {
    "tireless": lambda capacity: np.ones((*np.shape(capacity), 2)),
    "in proportion": in_proportion,
    "with a reserve": with_a_reserve,
}
"""Rules, by name, from the legs' residual capacity (…) to factors (…, 2) on speed and turn rate."""


def pacing_named(name: str) -> Pacing:
    """The rule of that name."""
    if name not in PACINGS:
        raise InputError(f"unknown rule '{name}' for legs that tire; there are: {', '.join(PACINGS)}")
    return PACINGS[name]
