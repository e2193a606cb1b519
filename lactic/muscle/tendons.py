"""Muscles of a MuJoCo body as a second source of torque limits: its tendons, moment arms and its own muscle curves.

MuJoCo's muscles pull −(gain·a + bias) along their tendons: linear in the activation, as in jiang2019 (Eq. 1), with
other curves than `hill` (lengths scaled to an operating range, no pennation). So `exact.correction` and `exact.effort`
hold for them too. Bodies such as myo-sim's legs let joints follow others by equality constraints (a knee that glides as
it bends): these are solved here, and moment arms are taken along.
"""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from lactic.errors import InputError
from lactic.muscle.hill import Pull

_MUSCLE = int(mujoco.mjtGain.mjGAIN_MUSCLE), int(mujoco.mjtBias.mjBIAS_MUSCLE)
_SCALAR = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
_PROBES = 16  # poses that tell whether a muscle acts on the joints at all
_ACTS = 1e-6  # m; a smaller moment arm is none


class TendonLimb:
    """The muscles of a MuJoCo model that act on some hinges or slides; all other joints rest at `rest` (or qpos0)."""

    def __init__(self, model: mujoco.MjModel, joints: Sequence[str], rest: np.ndarray | None = None) -> None:
        self.coordinates, self._model, self._data = tuple(joints), model, mujoco.MjData(model)
        self._rest = np.array(model.qpos0 if rest is None else rest, np.float64)
        if self._rest.shape != (model.nq,) or not np.isfinite(self._rest).all():
            raise InputError(f"rest: needs {model.nq} finite numbers, the model's qpos")
        ids = [_joint(model, name) for name in joints]
        self._at, self._dof = model.jnt_qposadr[ids], model.jnt_dofadr[ids]
        self.range = np.array([model.jnt_range[i] if model.jnt_limited[i] else (-np.pi, np.pi) for i in ids])
        self._followers = _followers(model, ids)
        self._muscles = self._acting()
        self.names = tuple(model.actuator(i).name for i in self._muscles)
        prm = model.actuator_gainprm[self._muscles]
        peak = np.where(prm[:, 2] < 0, prm[:, 3] / model.actuator_acc0[self._muscles], prm[:, 2])  # as MuJoCo takes it
        self.force = np.ascontiguousarray(peak)

    def arms(self, q: Any) -> tuple[np.ndarray, np.ndarray]:
        """Lengths (pose, muscle) and moment arms W = −∂length/∂q (pose, coordinate, muscle), m."""
        placed = [self._place(pose) for pose in self._checked("q", q)]
        return np.array([length for length, _ in placed]), np.array([arms for _, arms in placed])

    def pull(self, q: Any, qd: Any) -> Pull:
        """Torques the muscles can give at coordinates and velocities (state, coordinate), by MuJoCo's own curves."""
        poses, speeds = self._checked("q", q), self._checked("qd", qd)
        if len(poses) != len(speeds):
            raise InputError(f"q, qd: {len(poses)} poses but {len(speeds)} velocities")
        model, data = self._model, self._data
        active, passive = np.empty((*poses.shape, len(self.names))), np.empty(poses.shape)
        for k in range(len(poses)):
            _, arms = self._place(poses[k])
            data.actuator_velocity[self._muscles] = -speeds[k] @ arms
            pulls = []
            for level in (0.0, 1.0):
                data.act[:], data.ctrl[:] = level, level  # equal: an actuator that looks a step ahead sees no change
                mujoco.mj_fwdActuation(model, data)
                pulls.append(-data.actuator_force[self._muscles])
            active[k], passive[k] = arms * (pulls[1] - pulls[0]), arms @ pulls[0]
        return Pull(active, passive)

    def _place(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Put the body into a pose; lengths (muscle,) and moment arms (coordinate, muscle)."""
        model, data = self._model, self._data
        data.qpos[:] = self._rest
        data.qpos[self._at] = pose
        along = np.zeros((len(pose), model.nv))  # how each coordinate moves all joints
        along[np.arange(len(pose)), self._dof] = 1.0
        for joint, leader, poly in self._followers:
            if leader < 0:
                data.qpos[model.jnt_qposadr[joint]] = model.qpos0[model.jnt_qposadr[joint]] + poly[0]
                continue
            at, ahead = model.jnt_qposadr[joint], model.jnt_qposadr[leader]
            x = data.qpos[ahead] - model.qpos0[ahead]
            data.qpos[at] = model.qpos0[at] + np.polyval(poly[::-1], x)
            slope = np.polyval(np.polyder(poly[::-1]), x)
            along[:, model.jnt_dofadr[joint]] = slope * along[:, model.jnt_dofadr[leader]]
        for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon, mujoco.mj_transmission):
            stage(model, data)
        dense = np.zeros((model.nu, model.nv))
        mujoco.mju_sparse2dense(dense, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind)
        return data.actuator_length[self._muscles].copy(), -along @ dense[self._muscles].T

    def _acting(self) -> np.ndarray:
        """Actuators that are muscles and have a moment arm somewhere."""
        model = self._model
        kinds = np.stack([model.actuator_gaintype, model.actuator_biastype], 1) == _MUSCLE
        self._muscles = np.flatnonzero(kinds.all(1))
        if not len(self._muscles):
            raise InputError("the MuJoCo model has no muscles (actuators with gaintype and biastype muscle)")
        limited = [model.actuator(i).name for i in self._muscles if model.actuator_forcelimited[i]]
        if limited:
            raise InputError(f"muscle {limited[0]}: has a forcerange, beyond which its pull is not linear")
        rng, most = np.random.default_rng(0), np.zeros(len(self._muscles))
        for _ in range(_PROBES):
            pose = rng.uniform(self.range[:, 0], self.range[:, 1])
            most = np.maximum(most, np.abs(self._place(pose)[1]).max(0))
        if not (most > _ACTS).any():
            raise InputError(f"no muscle of the MuJoCo model acts on {', '.join(self.coordinates)}")
        return self._muscles[most > _ACTS]

    def _checked(self, name: str, values: Any) -> np.ndarray:
        found = np.asarray(values, np.float64)
        if found.ndim != 2 or found.shape[1] != len(self.coordinates):
            raise InputError(f"{name}: shape {found.shape}, but needs (pose, {len(self.coordinates)})")
        broken = np.asarray(~np.isfinite(found).all(1))
        if broken.any():
            raise InputError(f"{name}: not finite in state {broken.argmax()} ({broken.sum()} of {len(broken)} states)")
        return found


def _joint(model: mujoco.MjModel, name: str) -> int:
    found = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    if found < 0:
        there = ", ".join(model.joint(i).name for i in range(model.njnt))
        raise InputError(f"the MuJoCo model has no joint {name}; it has {there}")
    if model.jnt_type[found] not in _SCALAR:
        raise InputError(f"joint {name}: neither a hinge nor a slide, so it has no single coordinate")
    return int(found)


def _followers(model: mujoco.MjModel, leaders: list[int]) -> list[tuple[int, int, np.ndarray]]:
    """Joints that equality constraints tie to one (or to none: −1), leaders before their followers."""
    known = {
        int(model.eq_obj1id[i]): (int(model.eq_obj2id[i]), model.eq_data[i, :5].copy())
        for i in range(model.neq)
        if model.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT and model.eq_active0[i]
    }
    for joint in leaders:
        if joint in known:
            raise InputError(f"joint {model.joint(joint).name}: follows another by an equality constraint")
    ordered: list[int] = []

    def visit(joint: int, seen: tuple[int, ...]) -> None:
        if joint in seen:
            raise InputError(f"joint {model.joint(joint).name}: follows itself by equality constraints")
        if joint in known and joint not in ordered:
            visit(known[joint][0], (*seen, joint))
            ordered.append(joint)

    for joint in known:
        visit(joint, ())
    return [(joint, *known[joint]) for joint in ordered]
