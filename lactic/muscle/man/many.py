"""Muscles of all characters of a CpuWorld: the compiled law, in as many threads as there are cores."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from lactic import fatigue
from lactic.compiling import njit
from lactic.muscle.man import law
from lactic.muscle.man.law import Gains
from lactic.muscle.man.musculature import Strands, musculature
from lactic.muscle.man.single import step
from lactic.rotation import to_matrix


@njit(cache=True, error_model="numpy", nogil=True)
def step_all(
    first: int,
    last: int,
    strands: Strands,
    ipos: np.ndarray,
    xpos: np.ndarray,
    xquat: np.ndarray,
    target: np.ndarray,
    rates: np.ndarray,
    gains: Gains,
    dt: float,
    length: np.ndarray,
    rate: np.ndarray,
    state: np.ndarray,
    force: np.ndarray,
    push: np.ndarray,
) -> None:
    """A physics step of the muscles of characters `first` to `last`; poses and pushes leave MuJoCo's world body out."""
    bodies = xpos.shape[1] + 1
    parts, points = np.zeros((len(strands.body), 2, 3)), np.zeros((len(strands.body), 3))
    place, turn, centre = np.zeros((bodies, 3)), np.zeros((bodies, 9)), np.zeros((bodies, 3))
    wrench = np.zeros((bodies, 6))
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
        step(
            strands,
            place,
            turn,
            centre,
            target[i],
            rates,
            gains,
            dt,
            length[i],
            rate[i],
            state[i],
            force[i],
            parts,
            points,
            wrench,
        )
        push[i] = wrench[1:]


class CompiledMuscles:
    """`Forces` of the muscles of a CpuWorld's characters; arrays are (world, muscle)."""

    def __init__(self, world: Any, rates: np.ndarray, gains: Gains, threads: int = 0) -> None:
        self._world, self._gains, self.rates = world, gains, rates
        self._strands = musculature().strands
        shape = world.count, len(self._strands.rest)
        self.target = np.tile(self._strands.rest, (world.count, 1))
        self.length, self.rate, self.force = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.state = fatigue.fresh(shape)
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
        self.rate[placed] = self.force[placed] = 0.0
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
            self.target,
            self.rates,
            self._gains,
            w.timestep,
            self.length,
            self.rate,
            self.state,
            self.force,
            w.push,
        )
