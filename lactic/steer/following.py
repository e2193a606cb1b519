"""What a brain that follows a kinematic character is told: `lactic.task.steering.follow.state` compiled, without torch.

A command is the kinematic pose as joint targets, the last offsets of the joints steered, and the state (bergamin2020,
Sec. 5.2.1), which sees both characters from the kinematic one's heading frame.
"""

from math import cos, sin
from typing import NamedTuple

import numpy as np

from lactic.body import Body
from lactic.brain.layout import Layout
from lactic.compiling import njit
from lactic.steer.compiled import cross, heading, rotate
from lactic.steer.tree import LeaderPose, Tree, move_bodies

BONES = ("left_foot", "right_foot", "torso", "head", "left_forearm", "right_forearm")
"""Bodies that the state tells of."""
_BONES = 6 * len(BONES)
STATES = {
    "errors": Layout(leader=3, own=3, apart=3, asked=2, missing=2, bones=_BONES, bones_apart=_BONES),
    "plain": Layout(leader=3, own=3, apart=3, asked=2, missing=2, bones=_BONES, bones_apart=_BONES),
    "blind": Layout(own=3, asked=2, bones=_BONES),
}
"""The parts of a state by its design: velocities of both characters' centres of mass and between them, the velocity
asked for and what is missing of it, and bones. With differences to the kinematic character, with that character itself
in their places, or without it (Fig. 5.16a)."""
_LEADER, _OWN, _APART, _ASKED, _MISSING, _LIMBS, _LIMBS_APART = (part.start for part in STATES["errors"].values())
_BLIND_OWN, _BLIND_ASKED, _BLIND_LIMBS = (part.start for part in STATES["blind"].values())
ERRORS, PLAIN, BLIND = range(3)
ROUNDING = 1e-6
"""rad: what float32 makes of targets that were left alone."""


def command_layout(joints: int, offsets: int, state: str, rests: bool = True) -> Layout:
    """The parts of a command: open-loop targets, last offsets, the state, and how far the character rests."""
    return Layout(targets=joints, offsets=offsets, state=STATES[state].size, rest=int(rests))


class Weights(NamedTuple):
    """What the centre of mass is found from, and the bones."""

    share: np.ndarray
    """Of the mass, (body,)."""
    inside: np.ndarray
    """Each body's own centre of mass in its frame, (body, 3)."""
    bones: np.ndarray


def weights_of(body: Body) -> Weights:
    """Masses and bones of a body."""
    mass = body.model.body_mass[1:]
    bones = np.array([body.bodies.index(name) for name in BONES], dtype=np.int64)
    return Weights(mass / mass.sum(), np.ascontiguousarray(body.model.body_ipos[1:]), bones)


@njit(cache=True)
def _centre(
    weights: Weights, at: np.ndarray, turned: np.ndarray, speed: np.ndarray, spin: np.ndarray, out: np.ndarray
) -> None:
    """Centre of mass and its velocity into out (2, 3)."""
    out[:] = 0.0
    for k in range(len(weights.share)):
        lever = rotate(turned[k], weights.inside[k])
        carried = cross(spin[k], lever)
        for i in range(3):
            out[0, i] += weights.share[k] * (at[k, i] + lever[i])
            out[1, i] += weights.share[k] * (speed[k, i] + carried[i])


@njit(cache=True)
def _limbs(
    weights: Weights, c: float, s: float, at: np.ndarray, speed: np.ndarray, centre: np.ndarray, out: np.ndarray
) -> None:
    """Bones from the centre of mass, then their velocities, in the frame whose yaw has cosine c and sine s."""
    count = len(weights.bones)
    for b in range(count):
        k = weights.bones[b]
        x, y, z = at[k, 0] - centre[0], at[k, 1] - centre[1], at[k, 2] - centre[2]
        out[3 * b], out[3 * b + 1], out[3 * b + 2] = c * x + s * y, c * y - s * x, z
        u, v, w, j = speed[k, 0], speed[k, 1], speed[k, 2], 3 * (count + b)
        out[j], out[j + 1], out[j + 2] = c * u + s * v, c * v - s * u, w


@njit(cache=True)
def write_state(
    tree: Tree,
    weights: Weights,
    design: int,
    qpos: np.ndarray,
    qvel: np.ndarray,
    pose: LeaderPose,
    goal: np.ndarray,
    out: np.ndarray,
) -> None:
    """States (character, size) of simulated characters at qpos and qvel beside a kinematic `pose`, with the velocity
    asked for; `design` is the place among `STATES`."""
    parts, wide = len(tree.parents), 6 * len(weights.bones)
    own_at, own_turned = np.empty((parts, 3)), np.empty((parts, 4))
    own_speed, own_spin = np.empty((parts, 3)), np.empty((parts, 3))
    mine, other, own, its = np.empty((2, 3)), np.empty((2, 3)), np.empty(wide), np.empty(wide)
    for i in range(len(qpos)):
        move_bodies(tree, qpos[i], qvel[i], own_at, own_turned, own_speed, own_spin)
        _centre(weights, own_at, own_turned, own_speed, own_spin, mine)
        _centre(weights, pose.positions[i], pose.rotations[i], pose.velocities[i], pose.spins[i], other)
        yaw = heading(pose.rotations[i, 0])
        c, s = cos(yaw), sin(yaw)
        u = (c * mine[1, 0] + s * mine[1, 1], c * mine[1, 1] - s * mine[1, 0], mine[1, 2])
        v = (c * other[1, 0] + s * other[1, 1], c * other[1, 1] - s * other[1, 0], other[1, 2])
        wish = (c * goal[i, 0] + s * goal[i, 1], c * goal[i, 1] - s * goal[i, 0])
        _limbs(weights, c, s, own_at, own_speed, mine[0], own)
        _limbs(weights, c, s, pose.positions[i], pose.velocities[i], other[0], its)
        row = out[i]
        if design == BLIND:
            for k in range(3):
                row[_BLIND_OWN + k] = u[k]
            row[_BLIND_ASKED], row[_BLIND_ASKED + 1] = wish
            row[_BLIND_LIMBS : _BLIND_LIMBS + wide] = own
        else:
            told = design == ERRORS
            for k in range(3):
                row[_LEADER + k], row[_OWN + k] = v[k], u[k]
                row[_APART + k] = u[k] - v[k] if told else v[k]
            for k in range(2):
                row[_ASKED + k], row[_MISSING + k] = wish[k], u[k] - wish[k] if told else u[k]
            for k in range(wide):
                row[_LIMBS + k], row[_LIMBS_APART + k] = own[k], own[k] - its[k] if told else its[k]


@njit(cache=True)
def aim(lead: np.ndarray, qpos: np.ndarray, qvel: np.ndarray, targets: np.ndarray) -> None:
    """Open-loop targets (character, joint) of a kinematic pose, which lead it by its own velocity."""
    for i in range(len(qpos)):
        for j in range(len(lead)):
            targets[i, j] = qpos[i, 7 + j] + lead[j] * qvel[i, 6 + j]


@njit(cache=True)
def pack_command(
    tree: Tree,
    weights: Weights,
    design: int,
    places: np.ndarray,
    lead: np.ndarray,
    qpos: np.ndarray,
    qvel: np.ndarray,
    pose: LeaderPose,
    goal: np.ndarray,
    offsets: np.ndarray,
    told_targets: np.ndarray,
    told_offsets: np.ndarray,
    told_state: np.ndarray,
) -> None:
    """Write the parts of a command: open-loop targets, last offsets of the joints at `places`, state."""
    aim(lead, pose.qpos, pose.qvel, told_targets)
    for i in range(len(offsets)):
        for k in range(len(places)):
            told_offsets[i, k] = offsets[i, places[k]]
    write_state(tree, weights, design, qpos, qvel, pose, goal, told_state)


@njit(cache=True)
def read_offsets(told_targets: np.ndarray, targets: np.ndarray, offsets: np.ndarray, before: np.ndarray) -> None:
    """Find the offsets in what a brain wants: what it adds to the pose is the filtered action."""
    for i in range(len(targets)):
        for j in range(targets.shape[1]):
            before[i, j] = offsets[i, j]
            offset = targets[i, j] - told_targets[i, j]
            offsets[i, j] = offset if abs(offset) >= ROUNDING else 0.0


@njit(cache=True)
def hold_action(
    smooth: float,
    lead: np.ndarray,
    qpos: np.ndarray,
    qvel: np.ndarray,
    offsets: np.ndarray,
    before: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Targets of the next frame, with the action held: the filter goes on, and the pose has moved."""
    aim(lead, qpos, qvel, targets)
    for i in range(len(offsets)):
        for j in range(offsets.shape[1]):
            now = offsets[i, j]
            offsets[i, j] = now + (1.0 - smooth) * (now - before[i, j])
            before[i, j] = now
            targets[i, j] += offsets[i, j]
