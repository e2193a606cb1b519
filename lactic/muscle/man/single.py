"""The same law for one character, compiled: a physics step's muscles in one call. `law` says what it does."""

import math

import numpy as np

from lactic.compiling import njit
from lactic.muscle.man.law import LEAST, PASSIVE_CAP, RATE_HALF_LIFE, Gains
from lactic.muscle.man.musculature import Strands


@njit(cache=True, error_model="numpy")
def place_anchors(strands: Strands, xpos: np.ndarray, xmat: np.ndarray, parts: np.ndarray, points: np.ndarray) -> None:
    """Fill the anchors as each of their two bodies carries them (anchor, 2, 3), and blended (anchor, 3)."""
    for a in range(len(points)):
        for i in range(3):
            points[a, i] = 0.0
        for b in range(2):
            body, weight = strands.body[a, b], strands.weight[a, b]
            if weight == 0.0:
                continue
            x, y, z = strands.place[a, b, 0], strands.place[a, b, 1], strands.place[a, b, 2]
            for i in range(3):
                at = xpos[body, i] + xmat[body, 3 * i] * x + xmat[body, 3 * i + 1] * y + xmat[body, 3 * i + 2] * z
                parts[a, b, i] = at
                points[a, i] += weight * at


@njit(cache=True, error_model="numpy")
def path_length(points: np.ndarray, start: int, end: int) -> float:
    """Length of the path through some anchors, m."""
    total = 0.0
    for a in range(start, end - 1):
        x, y, z = points[a + 1, 0] - points[a, 0], points[a + 1, 1] - points[a, 1], points[a + 1, 2] - points[a, 2]
        total += math.sqrt(x * x + y * y + z * z)
    return total


@njit(cache=True, error_model="numpy")
def share_of_force(fibre: float, rate: float) -> tuple[float, float]:
    """Active force at full activation, and passive force, in maximal forces (Eq. 25)."""
    if rate > 0.0:
        speed = 1.5 + 0.5 * (rate - 10.0) / (37.8 * rate + 10.0)
    else:
        speed = max((-10.0 - rate) / (5.0 * rate - 10.0), 0.0)
    passive = 0.0
    if fibre > 1.0:
        passive = min(math.expm1(4.0 * min(fibre - 1.0, 2.0) / 0.6) / math.expm1(4.0), PASSIVE_CAP)
    return math.exp(-((fibre - 1.0) ** 2) / 0.5) * speed, passive


@njit(cache=True, error_model="numpy")
def step(
    strands: Strands,
    xpos: np.ndarray,
    xmat: np.ndarray,
    xipos: np.ndarray,
    target: np.ndarray,
    rates: np.ndarray,
    gains: Gains,
    dt: float,
    length: np.ndarray,
    rate: np.ndarray,
    state: np.ndarray,
    force: np.ndarray,
    parts: np.ndarray,
    points: np.ndarray,
    wrench: np.ndarray,
) -> None:
    """A step of all muscles: `length`, `rate` and `state` of the step before are advanced, the last four are filled.

    `xmat` is (body, 9) as MuJoCo has it, `rates` (muscle, 5).
    """
    place_anchors(strands, xpos, xmat, parts, points)
    wrench[:] = 0.0
    new = 1.0 - 0.5 ** (dt / RATE_HALF_LIFE)
    for k in range(len(force)):
        start, end, rest = strands.start[k], strands.start[k + 1], strands.rest[k]
        now = path_length(points, start, end)
        rate[k] += new * ((now - length[k]) / dt - rate[k])
        length[k] = now
        fibre = (now / rest - strands.tendon[k]) / strands.fibre[k]
        full, passive = share_of_force(fibre, rate[k] / (rest * strands.fibre[k]))

        F, R, r, L, rule = rates[k, 0], rates[k, 1], rates[k, 2], rates[k, 3], rates[k, 4]
        active, resting, fatigued = state[k, 0], state[k, 1], state[k, 2]
        kept, moved = (1.0 - dt * F) * active, min(dt * L, 1.0)
        least, most = max(0.0, kept - moved * active), min(1.0, kept + moved * resting)
        wanted = max(0.0, (gains.stiffness * (now - target[k]) + gains.damping * rate[k]) / rest)
        activation = min(max((wanted - passive) / max(full, LEAST), least), most)
        drive = (activation - kept) / dt
        rested = activation <= least if rule > 0.5 else drive <= 0.0
        recovered = (r * R if rested else R) * fatigued
        state[k, 0] = activation
        state[k, 1] = resting + dt * (recovered - drive)
        state[k, 2] = fatigued + dt * (F * active - recovered)
        force[k] = strands.force[k] * (activation * full + passive)
        for a in range(start, end - 1):
            x, y, z = points[a + 1, 0] - points[a, 0], points[a + 1, 1] - points[a, 1], points[a + 1, 2] - points[a, 2]
            scale = force[k] / max(math.sqrt(x * x + y * y + z * z), 1e-12)
            push(strands, a, parts, xipos, scale * x, scale * y, scale * z, wrench)
            push(strands, a + 1, parts, xipos, -scale * x, -scale * y, -scale * z, wrench)


@njit(cache=True, error_model="numpy")
def push(
    strands: Strands, a: int, parts: np.ndarray, xipos: np.ndarray, x: float, y: float, z: float, wrench: np.ndarray
) -> None:
    """Add a force on an anchor to the wrenches of its bodies."""
    for b in range(2):
        weight, body = strands.weight[a, b], strands.body[a, b]
        if weight == 0.0:
            continue
        fx, fy, fz = weight * x, weight * y, weight * z
        rx, ry, rz = parts[a, b, 0] - xipos[body, 0], parts[a, b, 1] - xipos[body, 1], parts[a, b, 2] - xipos[body, 2]
        wrench[body, 0] += fx
        wrench[body, 1] += fy
        wrench[body, 2] += fz
        wrench[body, 3] += ry * fz - rz * fy
        wrench[body, 4] += rz * fx - rx * fz
        wrench[body, 5] += rx * fy - ry * fx
