"""One muscle man in MuJoCo: actions in, physics steps with their muscles, fatigue out."""

from collections.abc import Iterable

import mujoco
import numpy as np

from lactic import fatigue
from lactic.fatigue import Fitness
from lactic.muscle import compiled
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature


class MuscleDrive:
    """The muscles of a character in a model of the muscle man; one `data` at a time, reset before another one."""

    def __init__(self, model: mujoco.MjModel, fitness: Fitness, gains: law.Gains | None = None) -> None:
        self.model, self.muscles, self.gains = model, musculature(), gains or law.Gains()
        strands, count = self.muscles.strands, len(self.muscles.names)
        self._step = compiled("man.single").step
        self.rates = fatigue.rates(fitness, ["whole body"] * count)
        """(muscle, 5): F, R, r, L, rule."""
        self.state = fatigue.fresh((count,))
        """(muscle, 3): MA, MR, MF. MA is the activation."""
        self.force, self.length, self.rate = np.zeros(count), strands.rest.copy(), np.zeros(count)
        self.points = np.zeros((len(strands.body), 3))
        """Anchors in the world at the last physics step, m."""
        self._parts = np.zeros((len(strands.body), 2, 3))

    def reset(self, data: mujoco.MjData) -> None:
        """Begin fresh in the pose of `data`, with lengths that do not change yet."""
        mujoco.mj_kinematics(self.model, data)
        strands = self.muscles.strands
        self.length[:] = law.lengths(strands, law.anchors(strands, data.xpos, data.xmat.reshape(-1, 3, 3)))
        self.rate[:] = 0.0
        self.state[:] = fatigue.fresh((len(self.force),))

    def exhaust(self, names: Iterable[str], spent: float = 1.0) -> None:
        """Set the fatigued fraction MF of muscles or groups by name now (0 refreshes them)."""
        chosen, shares = self.muscles.spent(names, spent)
        self.state[chosen] = shares

    def step(self, data: mujoco.MjData, action: np.ndarray, substeps: int = 6) -> None:
        """A control step: muscles aim at (1 + action) times their rest lengths (Eq. 11) in each physics step."""
        strands = self.muscles.strands
        target = (1.0 + np.asarray(action, float)) * strands.rest
        for _ in range(substeps):
            mujoco.mj_step1(self.model, data)  # kinematics of this very moment; nothing is computed twice
            self._step(
                strands,
                data.xpos,
                data.xmat,
                data.xipos,
                target,
                self.rates,
                self.gains,
                self.model.opt.timestep,
                self.length,
                self.rate,
                self.state,
                self.force,
                self._parts,
                self.points,
                data.xfrc_applied,
            )
            mujoco.mj_step2(self.model, data)
