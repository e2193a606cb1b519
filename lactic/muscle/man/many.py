"""Muscles of all characters of a CpuWorld, compiled, in as many threads as there are cores. `law` says what they do."""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from lactic import fatigue
from lactic.compiling import njit
from lactic.muscle.man import law
from lactic.muscle.man.law import LEAST, PASSIVE_CAP, RATE_HALF_LIFE, Gains
from lactic.muscle.man.musculature import Strands, musculature
from lactic.rotation import to_matrix


class MuscleArrays(NamedTuple):
    """What muscles are told and what they are, (world, muscle)."""

    target: np.ndarray  # m
    length: np.ndarray  # m
    rate: np.ndarray  # m/s
    state: np.ndarray  # (world, muscle, 3): MA, MR, MF
    force: np.ndarray  # N


class Placed(NamedTuple):
    """One character's bodies, MuJoCo's world body first, and its anchors; filled for each character in turn."""

    place: np.ndarray  # (body, 3)
    turn: np.ndarray  # (body, 9), as MuJoCo has it
    centre: np.ndarray  # (body, 3): of mass
    wrench: np.ndarray  # (body, 6)
    parts: np.ndarray  # (anchor, 2, 3): as each of their two bodies carries them
    points: np.ndarray  # (anchor, 3): blended


@njit(cache=True, error_model="numpy")
def place_anchors(strands: Strands, placed: Placed) -> None:
    """Fill the anchors from the bodies."""
    xpos, xmat, points = placed.place, placed.turn, placed.points
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
                placed.parts[a, b, i] = at
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
    strands: Strands, placed: Placed, held: MuscleArrays, i: int, rates: np.ndarray, gains: Gains, dt: float
) -> None:
    """A step of all muscles of character `i`, whose bodies are placed: fills their wrenches. `rates` is (muscle, 5)."""
    length, rate, state, force, points = held.length[i], held.rate[i], held.state[i], held.force[i], placed.points
    place_anchors(strands, placed)
    placed.wrench[:] = 0.0
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
        wanted = max(0.0, (gains.stiffness * (now - held.target[i, k]) + gains.damping * rate[k]) / rest)
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
            push(strands, a, placed, scale * x, scale * y, scale * z)
            push(strands, a + 1, placed, -scale * x, -scale * y, -scale * z)


@njit(cache=True, error_model="numpy")
def push(strands: Strands, a: int, placed: Placed, x: float, y: float, z: float) -> None:
    """Add a force on an anchor to the wrenches of its bodies."""
    parts, xipos, wrench = placed.parts, placed.centre, placed.wrench
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


@njit(cache=True, error_model="numpy", nogil=True)
def step_all(
    first: int,
    last: int,
    strands: Strands,
    ipos: np.ndarray,
    xpos: np.ndarray,
    xquat: np.ndarray,
    held: MuscleArrays,
    rates: np.ndarray,
    gains: Gains,
    dt: float,
    outside: np.ndarray,
    push: np.ndarray,
) -> None:
    """A physics step of the muscles of characters `first` to `last`; poses and pushes leave MuJoCo's world body out."""
    bodies, anchors = xpos.shape[1] + 1, len(strands.body)
    place, turn, centre = np.zeros((bodies, 3)), np.zeros((bodies, 9)), np.zeros((bodies, 3))
    placed = Placed(place, turn, centre, np.zeros((bodies, 6)), np.zeros((anchors, 2, 3)), np.zeros((anchors, 3)))
    for i in range(first, last):
        for b in range(1, bodies):
            w, x, y, z = xquat[i, b - 1, 0], xquat[i, b - 1, 1], xquat[i, b - 1, 2], xquat[i, b - 1, 3]
            turn[b, 0], turn[b, 1], turn[b, 2] = w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)
            turn[b, 3], turn[b, 4], turn[b, 5] = 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)
            turn[b, 6], turn[b, 7], turn[b, 8] = 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z
            for k in range(3):
                place[b, k] = xpos[i, b - 1, k]
                centre[b, k] = place[b, k]
                for j in range(3):
                    centre[b, k] += turn[b, 3 * k + j] * ipos[b, j]
        step(strands, placed, held, i, rates, gains, dt)
        push[i] = placed.wrench[1:] + outside[i]


class CompiledMuscles:
    """`Forces` of the muscles of a CpuWorld's characters; arrays are (world, muscle)."""

    def __init__(self, world: Any, rates: np.ndarray, gains: Gains, threads: int = 0) -> None:
        self._world, self._gains, self.rates = world, gains, rates
        self._strands = musculature().strands
        shape = world.count, len(self._strands.rest)
        self.target = np.tile(self._strands.rest, (world.count, 1))
        self.length, self.rate, self.force = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.state = fatigue.fresh(shape)
        self._held = MuscleArrays(self.target, self.length, self.rate, self.state, self.force)
        self.outside = np.zeros_like(world.push)
        self._ipos = world.body.model.body_ipos
        threads = min(threads or os.cpu_count() or 1, world.count)
        self._bounds = np.linspace(0, world.count, threads + 1).astype(int)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        world.exert(self)

    def settle(self, placed: np.ndarray) -> None:
        """Fresh muscles of the lengths that the pose gives them."""
        turns = to_matrix(self._world.xquat[placed])
        # MuJoCo's world body carries no muscle
        around = np.pad(self._world.xpos[placed], ((0, 0), (1, 0), (0, 0)))
        points = law.anchors(self._strands, around, np.pad(turns, ((0, 0), (1, 0), (0, 0), (0, 0))))
        self.length[placed] = law.lengths(self._strands, points)
        self.rate[placed] = self.force[placed] = self.outside[placed] = 0.0
        self.state[placed] = fatigue.fresh((self.length.shape[1],))

    def apply(self) -> None:
        """A physics step of all muscles."""
        if self._pool is None:
            self._part(0)
        else:  # characters do not meet, so the number of threads changes nothing
            list(self._pool.map(self._part, range(len(self._bounds) - 1)))

    def _part(self, k: int) -> None:
        w = self._world
        step_all(
            int(self._bounds[k]),
            int(self._bounds[k + 1]),
            self._strands,
            self._ipos,
            w.xpos,
            w.xquat,
            self._held,
            self.rates,
            self._gains,
            w.timestep,
            self.outside,
            w.push,
        )
