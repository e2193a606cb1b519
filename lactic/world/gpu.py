"""Simulations on a GPU: `mujoco_warp`, its substeps captured in a CUDA graph; plain launches on Warp's CPU device."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import torch
import warp as wp
from torch import Tensor

from lactic.body import Body
from lactic.errors import InputError
from lactic.world import kernels
from lactic.world.fault import dump, fault_from
from lactic.world.interface import HISTORY, LARGEST, SUBSTEPS, Forces
from lactic.world.models import PHYSICAL, buffer_sizes, differing, joint_addresses

wp.config.log_level = max(wp.config.log_level, wp.LOG_WARNING)

SLOTS = 4
"""Faults explained in full between two checks; the others are only counted."""
CHECK_EVERY = 300
"""Control steps between the checks that `step` makes by itself: one device synchronisation in ten simulated seconds."""
_TOO_SMALL = int(
    mjw.OverflowType.NEFC
    | mjw.OverflowType.NJMAX_NNZ
    | mjw.OverflowType.BROADPHASE
    | mjw.OverflowType.NARROWPHASE
    | mjw.OverflowType.CCD
)
_DRIVES = ("actuator_gainprm", "actuator_biasprm", "actuator_forcerange")
"""What `drive` writes, of each world on its own."""


class WarpWorld:
    """`World` of torch views in float32 on `device` ("cuda", "cuda:1", or "cpu" for Warp's CPU device).

    `drive`, `step` and `reset` never wait for the GPU: lost worlds are found, reset and marked in `faulted` on the
    device. They reach `faults` and the `dump` folder at the next `check`, which `step` makes every CHECK_EVERY steps.
    `variants` and `substeps` are as in CpuWorld.

    `deterministic` switches on all that mujoco_warp has for it: contacts and constraint rows in canonical order, atomic
    sums in a fixed one. Runs with the same software, world count and model of GPU are then meant to be bitwise equal,
    at some cost in speed; that is mujoco_warp's promise from run to run, not between models of GPU. Without it, runs on
    a GPU differ in the last bits from the first contact on. Warp's CPU device is serial and repeats itself either way.
    """

    def __init__(
        self,
        body: Body,
        count: int,
        device: str = "cuda",
        contacts: bool = False,
        dump: str | Path | None = None,
        deterministic: bool = False,
        nconmax: int | None = None,
        njmax: int | None = None,
        substeps: int = SUBSTEPS,
        variants: Sequence[Body] = (),
    ) -> None:
        model = body.model
        numbers = differing(model, [other.model for other in variants], count)
        sized = buffer_sizes(model)
        self.body, self.count, self.timestep = body, count, float(model.opt.timestep)
        self.variants = tuple(variants) or (body,)
        self.dump = None if dump is None else Path(dump)
        if device not in (known := [str(each) for each in wp.get_devices()]) + ["cuda"] * wp.is_cuda_available():
            raise InputError(f"device {device}: not on this machine; there are: {', '.join(known)}")
        self._device = wp.get_device(device)
        self._contacts = contacts
        with wp.ScopedDevice(self._device):
            own = {name: values for name, values in numbers.items() if name in PHYSICAL}
            self._m = mjw.put_model(model, batch_sizes=dict.fromkeys((*_DRIVES, *own), count))
            for name, values in own.items():
                field = wp.to_torch(getattr(self._m, name)).view(count, -1)
                field.copy_(torch.as_tensor(values.reshape(count, -1), dtype=torch.float32))
            self._m.opt.warn_overflow = False  # counted by `judge`; printing from kernels is slow
            if deterministic:
                self._m.opt.deterministic = mjw.DeterminismType.ALL
            self._d = mjw.make_data(model, nworld=count, nconmax=nconmax or sized[0], njmax=njmax or sized[1])
            self._allocate(model, substeps)
        m, d, view = self._m, self._d, wp.to_torch
        self.qpos, self.qvel, self.force = view(d.qpos), view(d.qvel), view(d.actuator_force)
        self.xpos, self.xquat = view(d.xpos)[:, 1:], view(d.xquat)[:, 1:]
        self.torque, self.push = view(self._torque), view(d.xfrc_applied)[:, 1:]
        self.faulted, self._touch_view = view(self._faulted), view(self._touch)
        self._tally_view, self._targets = view(self._tally), view(d.ctrl)
        gain, bias, bounds = (view(getattr(m, name)) for name in _DRIVES)
        self._gain, self._bias_angle, self._bias_speed = gain[:, :, 0], bias[:, :, 1], bias[:, :, 2]
        self.bounds, self._low, self._high = bounds, bounds[:, :, 0], bounds[:, :, 1]
        self._to_choose, self._to_pose, self._to_speed = view(self._chosen), view(self._pose), view(self._speed)
        # the same memory as floats, for the kernels
        self._drives = tuple(map(wp.from_torch, (gain, bias, bounds)))
        self._pushes = wp.from_torch(view(d.xfrc_applied))
        self._everyone = torch.ones_like(self.faulted)
        self._graphs: dict[Any, Any] = {}
        self._steps, self._faults = 0, 0
        self._forces: Forces | None = None
        rest = torch.as_tensor(numbers.get("qpos0", model.qpos0), dtype=torch.float32, device=self.qpos.device)
        self._rest = rest.expand(count, -1)
        self._still = torch.zeros_like(self.qvel[0])
        # one plain run loads every kernel, which must not happen while a graph is captured
        with wp.ScopedDevice(self._device):
            self._program(1)
        self._tally.zero_()
        self._past.fill_(-1.0)
        self.reset()

    def _allocate(self, model: mujoco.MjModel, substeps: int) -> None:
        """The arrays of this room: a ring of past states, slots for faults, poses to be placed."""
        n, nq, nv, nu, others = self.count, model.nq, model.nv, model.nu, model.nbody - 1
        width = 1 + nq + nv + 2 * nu
        self._touch = wp.zeros((n, others), dtype=float)
        self._torque, self._given = wp.zeros((n, nu), dtype=float), wp.zeros((n, nu, substeps), dtype=float)
        self._faulted, self._chosen = wp.zeros(n, dtype=bool), wp.zeros(n, dtype=bool)
        self._pose, self._speed = wp.zeros((n, nq), dtype=float), wp.zeros((n, nv), dtype=float)
        self._home: Any = wp.array(np.tile(np.r_[model.qpos0, np.zeros(nv)], (n, 1)), dtype=float)
        self._rest_pose: Any = wp.array(model.qpos0, dtype=float)
        self._joints: Any = wp.array(joint_addresses(model), dtype=int)
        nominal = np.stack([self.body.stiffness, self.body.damping, self.body.torque_limit])
        self._nominal: Any = wp.array(nominal, dtype=float)
        self._past = wp.full((HISTORY, n, width), -1.0, dtype=float)
        self._tally = wp.zeros(3, dtype=int)
        self._slots = (
            wp.zeros((SLOTS, 3), dtype=int),
            wp.zeros((SLOTS, HISTORY, width), dtype=float),
            wp.zeros((SLOTS, 2 * nu), dtype=float),
            wp.zeros((SLOTS, 6 * others), dtype=float),
            wp.zeros((SLOTS, nq + nv), dtype=float),
        )

    @property
    def touch(self) -> Tensor:
        """Number of contacts of each body with the ground at the start of the last substep, (world, body)."""
        if not self._contacts:
            raise RuntimeError("this world does not sense contacts: make it with contacts=True")
        return self._touch_view

    @property
    def faults(self) -> int:
        """How many worlds were lost and reset so far, as of the last `check`."""
        return self._faults

    def drive(self, targets: Tensor, stiffness: Tensor, damping: Tensor, limits: Tensor) -> None:
        """Set each joint's target angle, PD gains and largest torque (all finite), (world, joint)."""
        self._targets.copy_(targets)
        self._gain.copy_(stiffness)
        self._bias_angle.copy_(stiffness).neg_()
        self._bias_speed.copy_(damping).neg_()
        self._high.copy_(limits)
        self._low.copy_(limits).neg_()

    def step(self, substeps: int = 4, before: Callable[[Any], None] | None = None) -> None:
        """Advance all worlds, refresh the kinematics, and reset the worlds whose state was lost.

        `before` is called with this world ahead of every physics step, and may write `bounds` without waiting for the
        device; the physics between is then one graph a substep.
        """
        if before is None:
            self._run(substeps, lambda: self._program(substeps))
        else:
            self._run("begin", self._begin)
            for _ in range(substeps):
                before(self)
                self._run("advance", self._advance)
            self._run("end", self._end)
        self._steps += 1
        if self._steps % CHECK_EVERY == 0:
            self.check()

    def exert(self, forces: Forces) -> None:
        """Let `forces` push the bodies from now on; what they launch goes into the graphs."""
        self._forces = forces
        # mujoco_warp calls this once positions and velocities are current, so nothing is computed twice
        self._m.callback.control = lambda m, d: forces.apply()
        self._graphs.clear()
        with wp.ScopedDevice(self._device):
            forces.apply()  # loads its kernels
            self._placing()
        self.reset()

    def reset(self, ids: Tensor | None = None, qpos: Tensor | None = None, qvel: Tensor | None = None) -> None:
        """Place the worlds `ids`: indices with one row each, or a boolean mask with a row for every world."""
        where = self.qpos.device
        pose = self._rest if qpos is None else torch.as_tensor(qpos, dtype=torch.float32, device=where)
        speed = self._still if qvel is None else torch.as_tensor(qvel, dtype=torch.float32, device=where)
        chosen = self._everyone if ids is None else torch.as_tensor(ids, device=where)
        if chosen.dtype == torch.bool:
            self._to_choose.copy_(chosen)
            self._to_pose.copy_(pose)
            self._to_speed.copy_(speed)
        else:  # nothing here waits for the device, as indexing with a mask or a Python number would
            self._to_choose.zero_().index_fill_(0, chosen, True)
            self._to_pose[chosen] = pose[chosen] if qpos is None else pose
            self._to_speed[chosen] = speed
        self._run("reset", self._placing)

    def check(self) -> int:
        """Wait for the device, write the files of new faults and return `faults`."""
        tally = self._tally_view.cpu().numpy()  # through torch, to come after what its stream still does
        self._faults = int(tally[kernels.FAULTS])
        kept = min(int(tally[kernels.FILLED]), SLOTS)
        if kept:
            info, past, gains, push, after = (wp.to_torch(slot).cpu().numpy().copy() for slot in self._slots)
            self._tally_view[kernels.FILLED] = 0
            for i in range(kept if self.dump is not None else 0):
                world, bits, step = (int(x) for x in info[i])
                rows = np.roll(past[i], -((step + 1) % HISTORY), axis=0)
                fault = fault_from(self.body, self.body.model, world, bits, rows, gains[i], push[i], after[i])
                dump(self.dump, fault)  # type: ignore[arg-type]
        return self._faults

    def remember(self) -> dict[str, np.ndarray]:
        """Copies of the state and of the solver's memory of the last step."""
        return {name: wp.to_torch(array).cpu().numpy().copy() for name, array in self._kept().items()}

    def recall(self, arrays: dict[str, np.ndarray]) -> None:
        """Bring back what `remember` gave, in a world of the same body and size."""
        self.reset(None, torch.as_tensor(arrays["qpos"]), torch.as_tensor(arrays["qvel"]))
        for name, array in self._kept().items():
            wp.to_torch(array).copy_(torch.as_tensor(arrays[name]))

    def _kept(self) -> dict[str, Any]:
        d = self._d
        engine = {"qpos": d.qpos, "qvel": d.qvel, "time": d.time, "warmstart": d.qacc_warmstart}
        return {**engine, "home": self._home, "torque": self._torque, "given": self._given}

    def _run(self, key: Any, work: Callable[[], None]) -> None:
        """Do `work`: on a GPU as a graph captured the first time, in the order of torch's own stream."""
        with wp.ScopedDevice(self._device):
            if not self._device.is_cuda:
                work()
                return
            if key not in self._graphs:
                with wp.ScopedCapture() as capture:
                    work()
                self._graphs[key] = capture.graph
            # Warp's own stream is ordered with CUDA's default one, which torch uses unless told otherwise
            stream = torch.cuda.current_stream(self.qpos.device)
            wp.capture_launch(self._graphs[key], stream=wp.stream_from_torch(stream) if stream.cuda_stream else None)

    def _program(self, substeps: int) -> None:
        """One control step."""
        self._begin()
        for _ in range(substeps):
            self._advance()
        self._end()

    def _begin(self) -> None:
        d, size = self._d, (self.count, self._past.shape[2])
        wp.launch(kernels.remember, size, [self._tally, d.time, d.qpos, d.qvel, d.ctrl, self._drives[2]], [self._past])

    def _advance(self) -> None:
        mjw.step(self._m, self._d)
        wp.launch(kernels.feel_torque, self._torque.shape, [self._d.actuator_force], [self._given, self._torque])

    def _end(self) -> None:
        m, d, n = self._m, self._d, self.count
        if self._contacts:
            self._touch.zero_()
            given = [d.nacon, d.contact.geom, d.contact.worldid, m.geom_bodyid, m.body_weldid]
            wp.launch(kernels.feel, d.naconmax, given, [self._touch])
        given = [d.qpos, d.qvel, d.ctrl, *self._drives, self._pushes, d.overflow, self._past]
        found = [self._faulted, self._tally, *self._slots]
        wp.launch(kernels.judge, n, [LARGEST, _TOO_SMALL, *given], found)
        wp.launch(kernels.count_step, 1, [self._tally])
        given = [self._faulted, self._rest_pose, self._nominal, self._home]
        wp.launch(kernels.go_home, n, given, [self._chosen, self._pose, self._speed, *self._drives])
        self._placing()

    def _placing(self) -> None:
        d = self._d
        given = [self._chosen, self._pose, self._speed, self._joints]
        state = [d.time, d.qpos, d.qvel, d.ctrl, d.qacc_warmstart, d.qacc, self._pushes, d.actuator_force]
        wp.launch(kernels.place, self.count, given, [*state, self._torque, self._given, self._touch, self._home])
        mjw.kinematics(self._m, d)
        if self._forces is not None:
            self._forces.settle(self._chosen)
