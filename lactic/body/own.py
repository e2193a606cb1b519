"""Own bodies: any MJCF or URDF file with one floating character of hinges, and a YAML file that says what it cannot.

What the YAML does not say is derived, and `lactic bodies check` tells how.
"""

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import mujoco
import numpy as np

from lactic.body.body import Body, add_position_actuator
from lactic.body.own_scene import OwnFile, chosen, compiled, is_own, read, scene
from lactic.errors import InputError

WORDS = {
    "hip": "hip thigh yaw",
    "knee": "knee shin calf",
    "ankle": "ankle foot toe",
    "abdomen": "abdomen waist spine torso",
    "neck": "neck head",
    "shoulder": "shoulder",
    "elbow": "elbow forearm",
}
"""Words in a joint's name that tell its group; any other is general."""
TRUNK = 0.4
"""Metres: a joint that carries the body is taken to have at least this lever."""
ARMS = 4.0
"""Times the weight of what hangs on it that a joint which carries nothing else can hold out."""
NEAR = 0.03
"""Metres above the lowest point within which a body is a foot."""
GRAVITY = 9.81
LARGEST = 1e9
"""Beyond this, no strength or gain is meant."""


def _numbers(joints: tuple[str, ...], said: Any, derived: np.ndarray, file: OwnFile, what: str) -> np.ndarray:
    """A number for each joint: one for all, by pattern, or as derived."""
    if said is None:
        return derived
    table = said if isinstance(said, dict) else {"*": said}
    made = derived.copy()
    for pattern, value in table.items():
        hit = [k for k, name in enumerate(joints) if fnmatchcase(name, str(pattern))]
        if not hit or isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < LARGEST:
            raise InputError(f"{file.name}: {what}: {pattern}: {str(value)[:40]} is no joint's positive number")
        made[hit] = value
    return made


def _group(name: str) -> str:
    words = re.findall("[a-z]+", name.lower())
    return next((group for group, known in WORDS.items() if any(word in known.split() for word in words)), "general")


@cache
def own(name: str) -> Body:
    """The body of such a file."""
    return examined(name)[0]


def examined(name: str) -> tuple[Body, list[str]]:
    """The body of such a file, and what was derived, changed and left out."""
    file = read(name)
    model = compiled(scene(file), file)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    joints = tuple(model.joint(k).name for k in range(1, model.njnt))
    bodies = [model.body(k).name for k in range(1, model.nbody)]
    if not all(joints) or not all(bodies):
        raise InputError(f"{name}: every joint and body needs a name in {file.model.name}")
    low = _lowest(model, data)
    feet = [bodies[k] for k in np.flatnonzero(low <= low.min() + NEAR)]
    if file.said.get("feet") is not None:
        feet = chosen(bodies, file.said["feet"], file, "feet")
    else:
        file.notes.append(f"feet derived: {', '.join(feet)} are lowest at rest")
    limit = _strength(model, data, feet, file)
    limit = _numbers(joints, file.said.get("strength"), limit, file, "strength")
    stiffness = _numbers(joints, file.said.get("stiffness"), _stiffness(model, data, feet, limit), file, "stiffness")
    damping = _numbers(joints, file.said.get("damping"), 0.1 * stiffness, file, "damping")
    groups = [_group(joint) for joint in joints]
    for group, patterns in (file.said.get("groups") or {}).items():
        for joint in chosen(list(joints), patterns, file, f"groups: {group}"):
            groups[joints.index(joint)] = str(group)
    regions: dict[str, tuple[str, ...]] = {}
    for joint in joints:
        at = int(model.joint(joint).bodyid[0])
        while model.body_parentid[at] > 1:
            at = int(model.body_parentid[at])
        limb = model.body(at).name.replace("_", " ")
        regions[limb] = (*regions.get(limb, ()), joint)
    lift = float(model.body(1).pos[2] - low.min())

    def spec() -> mujoco.MjSpec:
        made = scene(read(name))
        made.body(bodies[0]).pos[2] = lift
        for k, joint in enumerate(joints):
            hinge = made.joint(joint)
            if not np.diff(hinge.range)[0]:
                hinge.range = np.degrees([-np.pi, np.pi]) if made.compiler.degree else [-np.pi, np.pi]
            hinge.limited, hinge.stiffness = True, np.zeros_like(hinge.stiffness)
            hinge.actfrclimited = False
            hinge.armature = max(float(hinge.armature), damping[k] / 240)
            add_position_actuator(made, joint, stiffness[k], damping[k], limit[k])
            motor = made.actuator(joint)  # without the defaults of the file's own
            motor.ctrllimited, motor.ctrlrange, motor.dyntype = False, [0, 0], mujoco.mjtDyn.mjDYN_NONE
            motor.actlimited, motor.gear = False, [1, 0, 0, 0, 0, 0]
        return made

    compiled(spec(), file)
    keys = chosen(bodies, file.said.get("key_bodies"), file, "key_bodies") if "key_bodies" in file.said else feet
    body = Body(name, spec, joints, tuple(groups), regions, tuple(keys), tuple(feet), stiffness, damping, limit)
    return replace(body, roles=_roles(file, bodies)), file.notes


def _roles(file: OwnFile, bodies: list[str]) -> dict[str, str | None]:
    """Which body plays which role in a clip, as far as the file says."""
    said = file.said.get("roles") or {}
    if not isinstance(said, dict) or not all(isinstance(role, str) for role in said):
        raise InputError(f"{file.name}: roles must be lines such as 'left_thigh: BODY'")
    for role, body in said.items():
        if body is not None and body not in bodies:
            raise InputError(f"{file.name}: roles: {role}: no body '{body}'; there are: {', '.join(bodies)}")
    return said


def _lowest(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Height of each rigid body's lowest solid point, (body,); infinite where it has none."""
    low = np.full(model.nbody - 1, np.inf)
    for k in np.flatnonzero(model.geom_conaffinity):
        axes, size = data.geom_xmat[k].reshape(3, 3), model.geom_aabb[k]
        reach = float(np.abs(axes[2]) @ size[3:]) - float(axes[2] @ size[:3])
        low[model.geom_bodyid[k] - 1] = min(low[model.geom_bodyid[k] - 1], data.geom_xpos[k, 2] - reach)
    return low


def _strength(model: mujoco.MjModel, data: mujoco.MjData, feet: list[str], file: OwnFile) -> np.ndarray:
    """The file's own torque limits, or of weight and lever."""
    own = np.abs(model.jnt_actfrcrange[1:]).max(1) * model.jnt_actfrclimited[1:]
    if "strength" not in file.said:
        said = f"strength of the model: {int((own > 0).sum())} joints; " if own.any() else ""
        file.notes.append(f"{said}strength derived of weight and lever: {int((own == 0).sum())} joints")
    made, mass = [], float(model.body_mass.sum())
    for k in range(1, model.njnt):
        inside = _inside(model, k)
        lever = max(float(np.linalg.norm(data.xipos[b] - data.xanchor[k])) for b in inside)
        carries = _carries(model, k, feet)
        hung = ARMS * float(model.body_mass[inside].sum()) * GRAVITY * lever
        made.append(max(0.5 * mass * GRAVITY * max(lever, TRUNK) if carries else hung, 1.0))
    return np.where(own > 0, own, made)


def _stiffness(model: mujoco.MjModel, data: mujoco.MjData, feet: list[str], limit: np.ndarray) -> np.ndarray:
    """As many Nm/rad as the joint has Nm, and at least twice what keeps all that stands on it from tipping over."""
    height, made = float(data.subtree_com[1, 2] - _lowest(model, data).min()), []
    for k in range(1, model.njnt):
        moved = int(model.jnt_bodyid[k])
        above = float(np.linalg.norm(data.subtree_com[moved] - data.xanchor[k]))
        mass, lever = (
            (model.body_subtreemass[1], height) if _carries(model, k, feet) else (model.body_subtreemass[moved], above)
        )
        made.append(2.0 * mass * GRAVITY * lever)
    return np.maximum(limit, made)


def _carries(model: mujoco.MjModel, joint: int, feet: list[str]) -> bool:
    return any(model.body(b).name in feet for b in _inside(model, joint))


def _inside(model: mujoco.MjModel, joint: int) -> list[int]:
    """The rigid bodies that a joint moves."""
    return [b for b in range(1, model.nbody) if int(model.jnt_bodyid[joint]) in _ancestors(model, b)]


def _ancestors(model: mujoco.MjModel, body: int) -> list[int]:
    found = [body]
    while found[-1] > 0:
        found.append(int(model.body_parentid[found[-1]]))
    return found


__all__ = ["examined", "is_own", "own"]
