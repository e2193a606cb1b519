"""Two-bone inverse kinematics on hinges (bergamin2020, Sec. 3.3): legs and arms that reach for a point.

A limb is a ball of three hinges (hip, shoulder), one hinge (knee, elbow) and, for a leg, three more (ankle). The hinge
bends until the distance is right, then the whole limb turns by the shortest rotation that brings its tip to the target.
Close to full stretch the bend would change infinitely fast, so there the distance yields by millimetres instead; where
nothing has to be corrected, nothing is changed.
"""

from math import acos, sqrt
from math import exp as exponential
from typing import NamedTuple

import numpy as np

from lactic.body import Body
from lactic.compiling import njit
from lactic.errors import InputError
from lactic.steer.compiled import (
    Quaternion,
    Vector,
    about,
    between,
    conjugate,
    dot,
    multiply,
    rotate,
    to_euler,
)
from lactic.steer.matching.labels import ball_of_foot
from lactic.steer.tree import Tree, tree_of

SOFT = 0.015
"""1 − cos(bend) below which a limb counts as stretched: about 10°."""
STRAIGHT = 0.15
"""Bend in radians from which stretching slows down."""


class Limbs(NamedTuple):
    """The limbs that contacts are locked with: (limb,) indices of bodies and first hinges, lengths, contact points."""

    base: np.ndarray
    hinge: np.ndarray
    tip: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    sign: np.ndarray
    """Whether the hinge bends to positive (knee) or negative angles (elbow)."""
    wrist: np.ndarray
    """Whether the tip has three hinges of its own to keep its rotation with."""
    point: np.ndarray
    """The point that stays put, in the tip's frame (limb, 3): the ball of the foot, the wrist."""


def limbs_of(body: Body) -> Limbs:
    """The limbs that end in the body's key bodies: left and right foot, then the others."""
    tree, model = tree_of(body), body.model
    feet = sorted(body.feet)
    tips = [*feet, *(name for name in sorted(body.key_bodies) if name not in feet)]
    rows, points = [], []
    for name in tips:
        tip = body.bodies.index(name)
        hinge = int(tree.parents[tip])
        base = int(tree.parents[hinge])
        straight = np.allclose(tree.offsets[[hinge, tip]][:, :2], 0)
        if not (straight and tree.many[base] == 3 and tree.many[hinge] == 1 and tree.axes[tree.first[hinge]] == 1):
            raise InputError(f"body '{body.name}': {name} does not end a limb of three hinges, one about y, and a tip")
        low, high = body.range[tree.first[hinge]]
        points.append(ball_of_foot(model, tip) if name in body.feet else np.zeros(3))
        lengths = -tree.offsets[hinge, 2], -tree.offsets[tip, 2]
        rows.append((base, hinge, tip, *lengths, 1.0 if high > -low else -1.0, tree.many[tip] == 3))
    names = ("base", "hinge", "tip", "upper", "lower", "sign", "wrist")
    columns = {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return Limbs(**columns, point=np.array(points))


@njit(cache=True)
def bend(upper: float, lower: float, distance: float) -> float:
    """The angle between two bones whose ends are `distance` apart, softened close to full stretch."""
    short = 1 - (distance * distance - upper * upper - lower * lower) / (2 * upper * lower)
    short = 0.5 * (short + sqrt(short * short + SOFT * SOFT))
    return acos(max(1 - short, -1.0))


@njit(cache=True)
def reach(
    tree: Tree,
    limbs: Limbs,
    k: int,
    qpos: np.ndarray,
    root: Vector,
    parent: Quaternion,
    goal: Vector,
    keep: Quaternion,
) -> None:
    """Turn the angles of limb k in `qpos` until its tip is at `goal`, and has the world rotation `keep` if it can.

    `root` is the position of the limb's first joint and `parent` the rotation of the body that carries it.
    """
    base, hinge, tip = limbs.base[k], limbs.hinge[k], limbs.tip[k]
    first, knee = 7 + tree.first[base], 7 + tree.first[hinge]
    upper, lower = limbs.upper[k], limbs.lower[k]
    i, j, l = tree.axes[first - 7], tree.axes[first - 6], tree.axes[first - 5]
    local = multiply(multiply(about(i, qpos[first]), about(j, qpos[first + 1])), about(l, qpos[first + 2]))
    turned = multiply(parent, local)
    before = _span(turned, qpos[knee], upper, lower)
    wanted = (goal[0] - root[0], goal[1] - root[1], goal[2] - root[2])
    change = bend(upper, lower, sqrt(dot(wanted, wanted))) - bend(upper, lower, sqrt(dot(before, before)))
    angle = abs(qpos[knee]) + change
    straight = max(min(STRAIGHT, abs(qpos[knee])), 1e-6)
    if angle < straight:  # a stretch that would go on beyond straight only approaches it
        angle = straight * exponential(angle / straight - 1)
    angle *= limbs.sign[k]
    angle = min(max(angle, tree.low[knee - 7]), tree.high[knee - 7])
    after = _span(turned, angle, upper, lower)
    turned = multiply(between(before, wanted), multiply(between(after, before), turned))
    _hinges(tree, first, multiply(conjugate(parent), turned), qpos)
    qpos[knee] = angle
    if limbs.wrist[k]:
        _hinges(tree, 7 + tree.first[tip], multiply(conjugate(multiply(turned, about(1, angle))), keep), qpos)


@njit(cache=True)
def _span(turned: Quaternion, angle: float, upper: float, lower: float) -> Vector:
    """From the limb's first joint to its tip."""
    a = rotate(turned, (0.0, 0.0, -upper))
    b = rotate(multiply(turned, about(1, angle)), (0.0, 0.0, -lower))
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@njit(cache=True)
def _hinges(tree: Tree, first: int, local: Quaternion, qpos: np.ndarray) -> None:
    """Write a rotation into three hinges: of the two equal triples the one closer to the angles that are there."""
    x, y, z = to_euler(local, tree.axes[first - 7], tree.axes[first - 6], tree.axes[first - 5])
    near = (_close(x, qpos[first]), _close(y, qpos[first + 1]), _close(z, qpos[first + 2]))
    far = (_close(x + np.pi, qpos[first]), _close(np.pi - y, qpos[first + 1]), _close(z + np.pi, qpos[first + 2]))
    apart_near, apart_far = 0.0, 0.0
    for k in range(3):
        apart_near += abs(near[k] - qpos[first + k])
        apart_far += abs(far[k] - qpos[first + k])
    best = near if apart_near <= apart_far else far
    for k in range(3):
        qpos[first + k] = min(max(best[k], tree.low[first - 7 + k]), tree.high[first - 7 + k])


@njit(cache=True)
def _close(angle: float, other: float) -> float:
    """The same angle, whole turns moved to be nearest to the other."""
    return angle - 2 * np.pi * np.round((angle - other) / (2 * np.pi))
