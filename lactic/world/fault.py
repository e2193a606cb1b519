"""What is kept of a simulation that was lost: a file that says how it came to it."""

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.files import load_arrays, save_arrays

STATE, DRIVE, OVERFLOW = 1, 2, 4
_REASONS = {
    DRIVE: "a target, gain or torque limit was not finite",
    OVERFLOW: "the contact or constraint buffer was too small (raise nconmax or njmax)",
    STATE: "the state became non-finite or larger than 1e10",
}
MOST_FILES = 20
"""A run that goes wrong everywhere fills no disk."""
FAST = {"rad/s": 100.0, "m/s": 50.0}
"""Speeds no body reaches: knees in sprinting stay below 25 rad/s."""


def reason_text(bits: int) -> str:
    """The causes set in `bits`, the likeliest first."""
    return "; ".join(text for bit, text in _REASONS.items() if bits & bit)


@dataclass(frozen=True)
class Fault:
    """The last control steps of one lost world. Row t holds the state before step t and what drove that step."""

    body: str
    reason: str
    world: int
    substep: float
    """Seconds of a physics substep."""
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    dofs: tuple[str, ...]
    """Name of each entry of qvel."""
    movers: tuple[str, ...]
    """The body each entry of qvel moves."""
    time: np.ndarray
    """Seconds since the world's reset, (step,)."""
    qpos: np.ndarray
    qvel: np.ndarray
    targets: np.ndarray
    limits: np.ndarray
    stiffness: np.ndarray
    """Of the step that failed, (joint,)."""
    damping: np.ndarray
    push: np.ndarray
    after_qpos: np.ndarray
    """The state that was found lost."""
    after_qvel: np.ndarray


_SCALARS = {"body": str, "reason": str, "world": int, "substep": float}
_WORDS = ("bodies", "joints", "dofs", "movers")


def fault_from(
    body: Body,
    model: mujoco.MjModel,
    world: int,
    bits: int,
    rows: np.ndarray,
    gains: np.ndarray,
    push: np.ndarray,
    after: np.ndarray,
) -> Fault:
    """A Fault from one world's `rows` [time, qpos, qvel, targets, limits], oldest first, unused ones at time −1."""
    rows = rows[rows[:, 0] >= 0]
    restarts = np.flatnonzero(np.diff(rows[:, 0]) <= 0)
    if len(restarts):  # what came before the last reset belongs to another episode
        rows = rows[restarts[-1] + 1 :]
    nq, nv, nu = model.nq, model.nv, model.nu
    time, qpos, qvel, targets, limits = np.split(rows, np.cumsum([1, nq, nv, nu]), axis=1)
    return Fault(
        body=body.name,
        reason=reason_text(bits),
        world=world,
        substep=model.opt.timestep,
        bodies=tuple(body.bodies),
        joints=tuple(body.joints),
        dofs=_dof_names(model),
        movers=tuple(model.body(i).name for i in model.dof_bodyid),
        time=time[:, 0],
        qpos=qpos,
        qvel=qvel,
        targets=targets,
        limits=limits,
        stiffness=gains[:nu],
        damping=gains[nu:],
        push=push.reshape(-1, 6),
        after_qpos=after[:nq],
        after_qvel=after[nq:],
    )


def _dof_names(model: mujoco.MjModel) -> tuple[str, ...]:
    names = []
    for i in range(model.njnt):
        joint = model.joint(i)
        if joint.type[0] == mujoco.mjtJoint.mjJNT_FREE:
            names += [f"{joint.name} {way} {axis}" for way in ("velocity", "rotation") for axis in "xyz"]
        elif joint.type[0] == mujoco.mjtJoint.mjJNT_BALL:
            names += [f"{joint.name} rotation {axis}" for axis in "xyz"]
        else:
            names.append(joint.name)
    return tuple(names)


def dump(folder: Path, fault: Fault) -> Path | None:
    """Save `fault` under the next free number in `folder`; None once there are MOST_FILES."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(MOST_FILES):
        path = folder / f"fault-{number}.npz"
        if not path.exists():
            save(path, fault)
            return path
    return None


def save(path: str | Path, fault: Fault) -> None:
    """Write `fault` as named arrays (npz)."""
    save_arrays(path, {field.name: np.asarray(getattr(fault, field.name)) for field in fields(fault)})


def load(path: str | Path) -> Fault:
    """Read a file written by `save`."""
    arrays: dict[str, Any] = load_arrays(path, "no such file", "not a fault file")
    missing = [field.name for field in fields(Fault) if field.name not in arrays]
    if missing:
        raise InputError(f"{path}: not a fault file (no '{missing[0]}' in it)")
    shapes = _shapes(arrays)
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind != "f":
            raise InputError(f"{path}: '{name}' should be numbers of shape {shape}")
    if arrays["movers"].size != arrays["dofs"].size:
        raise InputError(f"{path}: 'movers' should name a body for each of 'dofs'")
    values: dict[str, Any] = {name: tuple(map(str, arrays[name].reshape(-1))) for name in _WORDS}
    try:
        values |= {name: made(arrays[name]) for name, made in _SCALARS.items()}
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: not a fault file ({error})") from error
    return Fault(**values, **{name: arrays[name] for name in shapes})


def _shapes(arrays: dict[str, np.ndarray]) -> dict[str, tuple[int, ...]]:
    """What the numbers of a fault file should look like, by the names and the times in it."""
    steps, bodies, nu, nv, nq = (arrays[name].size for name in ("time", "bodies", "joints", "dofs", "after_qpos"))
    rows = {"time": (), "qpos": (nq,), "qvel": (nv,), "targets": (nu,), "limits": (nu,)}
    ends = {"stiffness": (nu,), "damping": (nu,), "push": (bodies, 6), "after_qpos": (nq,), "after_qvel": (nv,)}
    return {**{name: (steps, *row) for name, row in rows.items()}, **ends}


def describe(path: str | Path) -> list[str]:
    """What happened, in lines a person can read: the cause, what blew up first, and the last steps as a table."""
    fault = load(path)
    units = ["m/s" if " velocity " in name else "rad/s" for name in fault.dofs]
    lines = [f"{Path(path).name}: {fault.body}, world {fault.world}", f"cause: {fault.reason}"]
    lines += _bad_inputs(fault)
    lines.append(f"first: {_culprit(fault, units)}")
    lost = [name for name, value in zip(fault.dofs, fault.after_qvel, strict=True) if not np.isfinite(value)]
    if lost:
        shown = ", ".join(lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        lines.append(f"speeds non-finite at the end: {shown}")
    rooted = any(" velocity " in name for name in fault.dofs)
    lines.append(f"{'time s':>8} {'height m':>9}  fastest")
    for step in range(len(fault.time)):
        height = f"{fault.qpos[step, 2]:9.2f}" if rooted else f"{'–':>9}"
        lines.append(f"{fault.time[step]:8.3f} {height}  {_fastest(fault, step, units)}")
    return lines


def _bad_inputs(fault: Fault) -> list[str]:
    lines = []
    given = {
        "targets": fault.targets[-1:],
        "limits": fault.limits[-1:],
        "stiffness": fault.stiffness[None],
        "damping": fault.damping[None],
    }
    for name, rows in given.items():
        bad = [joint for joint, finite in zip(fault.joints, np.isfinite(rows).all(0), strict=True) if not finite]
        if bad:
            lines.append(f"{name} not finite: {', '.join(bad)}")
    bad = [body for body, finite in zip(fault.bodies, np.isfinite(fault.push).all(1), strict=True) if not finite]
    if bad:
        lines.append(f"push not finite: {', '.join(bad)}")
    return lines


def _culprit(fault: Fault, units: list[str]) -> str:
    """The first degree of freedom to pass a speed no body reaches, else the fastest at the end."""
    bounds = np.array([FAST[unit] for unit in units])
    states = np.vstack([fault.qvel, fault.after_qvel[None]])
    with np.errstate(invalid="ignore"):
        excess = np.abs(states) / bounds
    excess = np.where(np.isfinite(excess), excess, math.inf)
    for step, row in enumerate(excess):
        if row.max(initial=0) > 1:
            dof = int(row.argmax())
            left = len(fault.time) - step
            when = f"{left} step{'s' if left != 1 else ''} before the end" if left else "in the last step"
            if np.isinf(row[dof]) and np.isinf(row).sum() > 1:
                before = _fastest(fault, step - 1, units) if step else "nothing is known of before"
                return f"several at once, {when}; fastest before: {before}"
            return f"{fault.dofs[dof]} of {fault.movers[dof]}, {states[step, dof]:.3g} {units[dof]}, {when}"
    return f"nothing was too fast; fastest at the end: {_fastest(fault, len(fault.time), units)}"


def _fastest(fault: Fault, step: int, units: list[str]) -> str:
    speeds = np.vstack([fault.qvel, fault.after_qvel[None]])[step]
    if not np.isfinite(speeds).any():
        return "no finite speed"
    relative = np.abs(np.where(np.isfinite(speeds), speeds, 0)) / [FAST[unit] for unit in units]
    dof = int(relative.argmax())
    return f"{fault.dofs[dof]} {speeds[dof]:.3g} {units[dof]}"
