"""Torques of a leg's muscles as CasADi expressions: jiang2019's D(a, q, q̇) (Eq. 1, 2) on the smooth leg.

The same curves as `lactic.muscle.hill`, with their corners rounded off over a small width, since exact Hessians need
slopes everywhere.
"""

import math
from typing import Any

import casadi as ca

from lactic.muscle.hill import GAUSSIANS, PASSIVE_CAP, PASSIVE_SHAPE, PASSIVE_STRAIN, VELOCITY
from lactic.plan.leg import SmoothLeg

ROUND = 1e-3
"""Half width of a rounded corner, of forces over the maximal one and of fibre lengths over the optimal one."""


def above(x: Any, floor: float = 0.0, width: float = ROUND) -> Any:
    """max(x, floor) with a round corner."""
    return floor + 0.5 * ((x - floor) + ca.sqrt((x - floor) ** 2 + width**2))


def muscle_forces(leg: SmoothLeg, q: ca.SX, v: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Forces at full activation and of stretch alone (muscle, 1) in newtons, and moment arms (3, muscle)."""
    lengths = ca.vertcat(*leg.symbolic(q))
    slopes = ca.jacobian(lengths, q)
    speeds = slopes @ v
    active, passive = [], []
    for j in range(len(leg.names)):
        optimal = float(leg.fibre[j])
        along = above((lengths[j] - float(leg.tendon[j])) / optimal, 0.0)
        thick = math.sin(leg.pennation[j])
        length = ca.sqrt(along**2 + thick**2) if thick else along
        cosine = along / length if thick else 1.0
        velocity = speeds[j] * cosine / (float(leg.speed[j]) * optimal)
        pull = sum(h * ca.exp(-0.5 * ((length - c) / (w + g * length)) ** 2) for h, c, w, g in GAUSSIANS)
        d1, d2, d3, d4 = VELOCITY
        brake = above(d1 * ca.asinh(d2 * velocity + d3) + d4)
        stretch = above((ca.exp(PASSIVE_SHAPE * (length - 1) / PASSIVE_STRAIN) - 1) / math.expm1(PASSIVE_SHAPE))
        capped = PASSIVE_CAP - above(PASSIVE_CAP - stretch)
        active.append(float(leg.force[j]) * pull * brake * cosine)
        passive.append(float(leg.force[j]) * capped * cosine)
    return ca.vertcat(*active), ca.vertcat(*passive), -slopes.T


def muscle_torque(leg: SmoothLeg) -> ca.Function:
    """(q, v, a) ↦ torques of hip, knee and ankle, Nm; and the passive part of them."""
    q, v, a = ca.SX.sym("q", 3), ca.SX.sym("v", 3), ca.SX.sym("a", len(leg.names))
    active, passive, arms = muscle_forces(leg, q, v)
    still = arms @ passive
    whole = arms @ (active * a) + still
    return ca.Function("muscles", [q, v, a], [whole, still], ["q", "v", "a"], ["torque", "passive"])
