"""Many muscle men at once: actions in, physics steps with their muscles, fatigue out; on the CPU or on a GPU."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device, to_device

from lactic import fatigue
from lactic.body import muscle_man
from lactic.fatigue import Fitness
from lactic.muscle import compiled
from lactic.muscle.man.law import Gains
from lactic.muscle.man.musculature import musculature
from lactic.world import CpuWorld, World

SUBSTEPS = 6
"""Physics steps of 120 Hz in a control step of 20 Hz (feng2023 C.1)."""
CONTACTS, ROWS = 48, 208
"""What a WarpWorld allocates per world. Measured on 96 characters dropped in random poses, limp or with random targets:
at most 38 contacts and 153 rows. `buffer_sizes` gives 72 and 288 for 23 boxes, and empty rows cost threads."""


class MuscleMen:
    """A world of muscle men whose muscles act in every physics step.

    All arrays are batch first and live: NumPy in float64 around a CpuWorld, torch in float32 around a WarpWorld. Those
    of muscles may be strided views. Lengths, rates and forces are of the last physics step.
    """

    def __init__(
        self, world: World, fitness: Fitness, gains: Gains | None = None, substeps: int = SUBSTEPS, threads: int = 0
    ) -> None:
        self.world, self.substeps, self.muscles = world, substeps, musculature()
        rates = fatigue.rates(fitness, ["whole body"] * len(self.muscles.names))
        if isinstance(world.qpos, np.ndarray):
            self.forces: Any = compiled("man.many").CompiledMuscles(world, rates, gains or Gains(), threads)
        else:
            from lactic.muscle.man.gpu import WarpMuscles

            self.forces = WarpMuscles(world, rates, gains or Gains())
        self.count = world.count
        self.qpos, self.qvel, self.xpos, self.xquat = world.qpos, world.qvel, world.xpos, world.xquat
        self.fatigue = self.forces.state
        """(world, muscle, 3): MA, MR, MF; may be written between steps."""
        self.activation = self.fatigue[..., 0]
        self.lengths, self.rates_of_length, self.force = self.forces.length, self.forces.rate, self.forces.force
        """(world, muscle): m, m/s, N."""
        self.push = self.forces.outside
        """(world, body, 6): force and torque on the bodies beside their muscles', until overwritten or reset."""
        self.rates = self.forces.rates
        """(muscle, 5): F, R, r, L, rule; may be written between steps."""
        self.rest = self.forces.target[:1] * 1.0
        """(1, muscle): lengths in the rest pose, m."""

    @property
    def timestep(self) -> float:
        """Seconds of a control step."""
        return self.substeps * self.world.timestep

    @property
    def faulted(self) -> Any:
        """Where the last step lost the state and reset the character, (world,)."""
        return self.world.faulted

    def step(self, action: Any, substeps: int | None = None) -> None:
        """A control step, or so many physics steps: muscles aim at (1 + action) rest lengths (feng2023 Eq. 11)."""
        self.forces.target[:] = (1.0 + action) * self.rest
        self.world.step(self.substeps if substeps is None else substeps)

    def reset(self, ids: Any = None, qpos: Any = None, qvel: Any = None, fatigue: Any = None) -> None:
        """Place the characters `ids`: indices with a row each, or a mask with a row for every character.

        All characters, the rest pose, no velocity and fresh muscles unless given; `fatigue` is (row, muscle, 3).
        """
        self.world.reset(ids, qpos, qvel)
        if fatigue is None:
            return
        xp = array_namespace(self.fatigue)
        given = xp.asarray(fatigue, dtype=self.fatigue.dtype, device=device(self.fatigue))
        if ids is None:
            self.fatigue[...] = given
        elif ids.dtype == xp.bool:
            self.fatigue[...] = xp.where(ids[:, None, None], given, self.fatigue)  # which waits for no device
        else:
            self.fatigue[ids] = given

    def exhaust(self, names: Iterable[str], spent: float = 1.0) -> None:
        """Set the fatigued fraction MF of muscles or groups by name now, in all characters (0 refreshes them)."""
        chosen, shares = self.muscles.spent(names, spent)
        for k, share in enumerate(shares):
            self.fatigue[:, chosen, k] = share

    def remember(self) -> dict[str, np.ndarray]:
        """Copies of what the next step depends on, by name."""
        own = {name: getattr(self.forces, name) for name in ("length", "rate", "state", "outside")}
        return self.world.remember() | {
            f"muscle {name}": np.asarray(to_device(value, "cpu")).copy() for name, value in own.items()
        }

    def recall(self, arrays: dict[str, np.ndarray]) -> None:
        """Bring back what `remember` gave."""
        self.world.recall(arrays)
        xp = array_namespace(self.fatigue)
        for name in ("length", "rate", "state", "outside"):
            getattr(self.forces, name)[...] = xp.asarray(arrays[f"muscle {name}"], dtype=self.fatigue.dtype)


def muscle_men(count: int, fitness: Fitness, where: str | None = None, **options: Any) -> MuscleMen:
    """`count` muscle men: in a CpuWorld, or in a WarpWorld on a device such as "cuda" or "cpu"."""
    if where is None:
        return MuscleMen(CpuWorld(muscle_man(), count, substeps=SUBSTEPS), fitness, **options)
    from lactic.world.gpu import WarpWorld

    world = WarpWorld(muscle_man(), count, where, substeps=SUBSTEPS, nconmax=CONTACTS, njmax=ROWS)
    return MuscleMen(world, fitness, **options)
