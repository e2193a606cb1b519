"""Simulations on the CPU: `mujoco.batch`, bitwise reproducible at any number of threads."""

import math
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch, SimulationError

from lactic.body import Body
from lactic.world.fault import DRIVE, OVERFLOW, STATE, dump, fault_from
from lactic.world.interface import HISTORY, LARGEST, SUBSTEPS, Forces
from lactic.world.models import differing, joint_addresses, sensing

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_NONE = int(mujoco.mjtStage.mjSTAGE_NONE)
_WARN = mujoco.mjtWarning
_FULL = [int(_WARN.mjWARN_CONTACTFULL), int(_WARN.mjWARN_CNSTRFULL)]
_BAD_STATE = [int(_WARN.mjWARN_BADQPOS), int(_WARN.mjWARN_BADQVEL), int(_WARN.mjWARN_BADQACC)]
_BAD_CTRL = int(_WARN.mjWARN_BADCTRL)


class CpuWorld:
    """`World` of NumPy views in float64.

    Always deterministic: results depend on the inputs alone, not on the number of threads. One MjData per world is kept
    (0.3 MB for the humanoid): the kinematics refreshed at the end of a step then serve the next one and cost nothing.
    Where `variants` are given, world i has the body variants[i % their number], which differs from `body` in numbers
    alone. Torque is averaged over the last `substeps` physics steps.
    """

    def __init__(
        self,
        body: Body,
        count: int = 1,
        threads: int = 0,
        contacts: bool = False,
        dump: str | Path | None = None,
        substeps: int = SUBSTEPS,
        variants: Sequence[Body] = (),
    ) -> None:
        model = sensing(body, substeps, contacts)
        # a lost state stays visible to us, where MuJoCo would go back to the rest pose without a word
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
        threads = min(threads or os.cpu_count() or 1, count)
        self.body, self.count, self.timestep = body, count, float(model.opt.timestep)
        self.variants = tuple(variants) or (body,)
        self.dump = None if dump is None else Path(dump)
        self._model, self._batch = model, Batch(model, count, threads, persistent=True)
        bind, expand = self._batch.bind, self._batch.expand
        numbers = differing(model, [sensing(other, substeps, contacts) for other in variants], count)
        for name, values in numbers.items():
            expand(name)[:] = values
        self._rest = np.broadcast_to(numbers.get("qpos0", model.qpos0), (count, model.nq))
        self.qpos, self.qvel, self.force = bind("qpos"), bind("qvel"), bind("actuator_force")
        self.xpos, self.xquat = bind("xpos")[:, 1:], bind("xquat")[:, 1:]
        self.push = bind("xfrc_applied")[:, 1:]
        # MuJoCo keeps a ring of each sensor's last values: a row has a note, a cursor, times, and values at its end
        ring = bind("history").reshape(count, model.nu, model.nhistory // max(model.nu, 1) or substeps)[
            :, :, -substeps:
        ]
        self._given, self._sizes = ring.transpose(2, 0, 1), np.zeros((substeps, count, model.nu))
        self.torque = np.zeros((count, model.nu))
        self.faulted = np.zeros(count, bool)
        felt = bind("sensordata")[:, model.nu :].reshape(count, -1, 4) if contacts else None
        self._felt = felt
        self._touch = None if felt is None else felt[..., 0]
        self._targets = bind("ctrl")
        gain, bias, bounds = expand("actuator_gainprm"), expand("actuator_biasprm"), expand("actuator_forcerange")
        self._gain, self._bias_angle, self._bias_speed = gain[:, :, 0], bias[:, :, 1], bias[:, :, 2]
        self.bounds, self._low, self._high = bounds, bounds[:, :, 0], bounds[:, :, 1]
        self._joints = joint_addresses(model)
        # time, qpos and qvel lead each row of the batch's state
        self._state = self._batch.state[:, : 1 + model.nq + model.nv]
        self._warnings = self._batch.warning[:, 1:, 1]  # all but the one about inertia
        width = self._state.shape[1]
        self._past = np.full((HISTORY, count, width + 2 * model.nu), -1.0)
        parts = np.split(self._past, [width, width + model.nu], axis=2)
        self._past_state, self._past_targets, self._past_limits = parts
        self._steps, self._faults = 0, 0
        self._forces: Forces | None = None
        self._home = np.empty((count, model.nq + model.nv))
        self._log = mujoco.MjLogConfig.get()
        self._silent = mujoco.MjLogConfig.get()
        self._silent.logto_file = self._silent.logto_console = False
        self.drive(model.qpos0[self._joints], body.stiffness, body.damping, body.torque_limit)
        self.reset()

    @property
    def touch(self) -> np.ndarray:
        """Number of contacts of each body with the ground at the start of the last substep, (world, body)."""
        if self._touch is None:
            raise RuntimeError("this world does not sense contacts: make it with contacts=True")
        return self._touch

    @property
    def ground(self) -> np.ndarray:
        """Force of the ground on each body in the last substep, (world, body, 3), N, in the world's frame."""
        if self._felt is None:
            raise RuntimeError("this world does not sense contacts: make it with contacts=True")
        return -self._felt[..., 1:]

    @property
    def faults(self) -> int:
        """How many worlds were lost and reset so far."""
        return self._faults

    @cached_property
    def gravity(self) -> np.ndarray:
        """Acceleration of each world's fall, (world, 3), m/s²; may be written."""
        return self._batch.expand("opt.gravity")

    def drive(self, targets: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, limits: np.ndarray) -> None:
        """Set each joint's target angle, PD gains and largest torque (all finite), (world, joint)."""
        self._targets[:] = targets
        self._gain[:] = stiffness
        np.negative(stiffness, out=self._bias_angle)
        np.negative(damping, out=self._bias_speed)
        np.negative(limits, out=self._low)
        self._high[:] = limits
        self._driven = True  # so bounds are looked at

    def aim(self, targets: np.ndarray) -> None:
        """Set each joint's target angle alone, (world, joint)."""
        self._targets[:] = targets

    def step(self, substeps: int = 4, before: Callable[[Any], None] | None = None) -> None:
        """Advance all worlds, refresh the kinematics, and reset the worlds whose state was lost.

        `before` is called with this world ahead of every physics step, and may write `bounds`.
        """
        if self.dump is not None:
            row = self._steps % HISTORY
            self._past_state[row] = self._state
            self._past_targets[row] = self._targets
            self._past_limits[row] = self._high
            self._steps += 1
        if np.count_nonzero(self.faulted):  # which takes a sixth of the time of any()
            self.faulted[:] = False
        stuck: list[int] = []
        mujoco.MjLogConfig.set(self._silent)  # faults are counted and dumped; MUJOCO_LOG.TXT adds nothing
        try:
            for count in (substeps,) if before is None and self._forces is None else (1,) * substeps:
                if before is not None:
                    before(self)
                if self._forces is not None:
                    self._forces.apply()
                try:
                    self._batch.step(nstep=count, stage=_VEL)
                except SimulationError as error:  # the other worlds go on
                    stuck.extend(error.ids)
        finally:
            mujoco.MjLogConfig.set(self._log)
        # a sum is finite only if every term is: one pass, nothing allocated
        healthy = math.isfinite(self._state.sum())
        if self._driven or before is not None:
            healthy = healthy and math.isfinite(self.bounds.sum())
            self._driven = False
        np.abs(self._given, out=self._sizes)
        np.add.reduce(self._sizes, axis=0, out=self.torque)
        self.torque *= 1.0 / len(self._sizes)
        if stuck or not healthy or np.count_nonzero(self._warnings):
            self._recover(stuck)

    def exert(self, forces: Forces) -> None:
        """Let `forces` push the bodies from now on."""
        self._forces = forces
        forces.settle(np.arange(self.count))

    def reset(
        self, ids: np.ndarray | None = None, qpos: np.ndarray | None = None, qvel: np.ndarray | None = None
    ) -> None:
        """Place the worlds `ids`: indices with one row each, or a boolean mask with a row for every world."""
        chosen = np.arange(self.count) if ids is None else np.asarray(ids)
        masked = chosen.dtype == bool
        if masked:
            chosen = np.flatnonzero(chosen)
        if not len(chosen):
            return
        rows = self.count if masked else len(chosen)
        rest = self._rest if masked else self._rest[chosen]
        poses = np.broadcast_to(rest if qpos is None else qpos, (rows, self._model.nq))
        speeds = np.broadcast_to(0.0 if qvel is None else qvel, (rows, self._model.nv))
        order = chosen if masked else np.argsort(chosen)
        self._place(chosen if masked else chosen[order], poses[order], speeds[order])

    def check(self) -> int:
        """Return `faults`; here they are known at once."""
        return self._faults

    def remember(self) -> dict[str, np.ndarray]:
        """Copies of everything the next step depends on, gains and targets excepted: `drive` sets those."""
        return {"state": np.array(self._batch.state), "home": self._home.copy(), "torque": self.torque.copy()}

    def recall(self, arrays: dict[str, np.ndarray]) -> None:
        """Bring back what `remember` gave, in a world of the same body and size: it goes on bit for bit."""
        self._batch.state[:] = arrays["state"]
        self._home[:] = arrays["home"]
        self._batch.forward(stage=_VEL)
        self.torque[:] = arrays["torque"]

    def _place(self, ids: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self._batch.reset(ids, stage=_NONE)  # also clears time, pushes, warm start, force and touch
        self._home[ids] = np.concatenate([qpos, qvel], axis=1)
        self.qpos[ids], self.qvel[ids] = qpos, qvel
        self._targets[ids] = qpos[:, self._joints]
        self.torque[ids] = 0.0
        self._batch.forward(ids, stage=_VEL)
        if self._forces is not None:
            self._forces.settle(ids)

    def _recover(self, stuck: list[int]) -> None:
        """Explain, count and reset the worlds that were lost."""
        counters = self._batch.warning[:, :, 1]
        lost = ~(np.abs(self._state) < LARGEST).all(1) | counters[:, _BAD_STATE].any(1)
        gains = np.concatenate([self._gain, -self._bias_speed, self._high, self._targets], axis=1)
        misled = ~np.isfinite(gains).all(1) | (counters[:, _BAD_CTRL] > 0)
        full = counters[:, _FULL].any(1)
        full[stuck] = True  # MuJoCo raises only where its memory ran out
        bits = STATE * lost + DRIVE * misled + OVERFLOW * full
        ids = np.flatnonzero(bits)
        self.faulted[ids] = True
        self._faults += len(ids)
        if self.dump is not None:
            past = np.roll(self._past, -(self._steps % HISTORY), axis=0)
            for i in ids:
                fault = fault_from(
                    self.body,
                    self._model,
                    int(i),
                    int(bits[i]),
                    past[:, i],
                    gains[i, : 2 * self._model.nu],
                    self.push[i],
                    self._state[i, 1:],
                )
                if dump(self.dump, fault) is None:
                    break
        home = self._home[ids]
        rest = np.concatenate([self._rest[ids], np.zeros((len(ids), self._model.nv))], axis=1)
        home = np.where(np.isfinite(home).all(1, keepdims=True), home, rest)
        self._gain[ids], self._bias_angle[ids], self._bias_speed[ids] = (
            self.body.stiffness,
            -self.body.stiffness,
            -self.body.damping,
        )
        self._low[ids], self._high[ids] = -self.body.torque_limit, self.body.torque_limit
        if len(ids):
            self._place(ids, home[:, : self._model.nq], home[:, self._model.nq :])
