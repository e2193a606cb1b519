"""The body of a person: the humanoid's 28 joints, order and names on fitted shapes, so brains and clips go on either.

Stiffness, damping and maximal torques are the humanoid's, scaled by mass times height, as the torques of gravity are.
"""

import re
from functools import cache
from pathlib import Path

import mujoco
import numpy as np

from lactic.body.body import Body, add_position_actuator, world_spec
from lactic.body.humanoid import MASS, actuators, add_joints, pin, with_joints
from lactic.body.mass import MassProperties
from lactic.body.person import MIDLINE, PARENTS, Person
from lactic.body.person_file import BASIS_HEIGHT, load, shipped
from lactic.body.shapes import REFLECT, Capsule, Shape
from lactic.errors import InputError

NAME = re.compile(r"person(?:-(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?))?")
_GROUPS = {
    "torso": "abdomen",
    "head": "neck",
    "upper_arm": "shoulder",
    "forearm": "elbow",
    "thigh": "hip",
    "shin": "knee",
    "foot": "ankle",
}
_LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


def named(name: str) -> Person | None:
    """Whom a body's name means: `person`, `person-1.80-85` (metres, kilograms), or a file of `lactic bodies fit`."""
    found = NAME.fullmatch(name)
    if found:
        return shipped(float(found[1]), float(found[2])) if found[1] else shipped()
    return load(name) if Path(name).suffix in (".yaml", ".yml") else None


@cache
def person(name: str = "person", pinned: bool = False) -> Body:
    """The body of a person by name (see `named`); `pinned` welds the pelvis to the world at standing height."""
    someone = named(name)
    assert someone is not None
    strength = someone.mass * someone.height / (MASS * BASIS_HEIGHT)
    body = with_joints(name, lambda: _build(someone, strength, pinned), strength)
    try:
        _ = body.model
    except ValueError as error:  # MuJoCo knows which masses and shapes cannot be
        raise InputError(f"{name}: no body can be built of it ({str(error).splitlines()[0]}); fit it again") from error
    return body


def _build(someone: Person, strength: float, pinned: bool) -> mujoco.MjSpec:
    spec = world_spec("person")
    spec.compiler.degree = False
    made: dict[str, mujoco.MjsBody] = {}
    for name in MIDLINE:
        _add(spec, made, someone, name, "")
    for side in ("right", "left"):
        for name in _LIMBS:
            _add(spec, made, someone, name, side)
    for name, _, gains in actuators():
        add_position_actuator(spec, name, *(strength * value for value in gains))
    if pinned:
        pin(spec, someone.hip_height)
    return spec


def _add(spec: mujoco.MjSpec, made: dict[str, mujoco.MjsBody], someone: Person, name: str, side: str) -> None:
    """One rigid body with its joints, shapes and mass."""
    segment, parent, left = someone.segments[name], PARENTS[name], side == "left"
    full = f"{side}_{name}" if side else name
    if parent is None:
        body = spec.worldbody.add_body(name=full, pos=[0, 0, someone.hip_height])
        body.add_freejoint(name="root")
    else:
        above = made[parent if parent in MIDLINE else f"{side}_{parent}"]
        body = above.add_body(name=full, pos=segment.offset * REFLECT if left else segment.offset)
    made[full] = body
    if name in _GROUPS:
        add_joints(body, _GROUPS[name], side)
    assert segment.inertia is not None
    _set_inertia(body, segment.inertia.mirrored() if left else segment.inertia)
    for shape, touches in zip(segment.shapes, segment.touches, strict=True):
        _add_geom(body, shape.mirrored() if left else shape, touches)


def _set_inertia(body: mujoco.MjsBody, inertia: MassProperties) -> None:
    body.mass, body.ipos, body.iquat, body.inertia = inertia.mass, inertia.centre, inertia.turn, inertia.moments
    body.explicitinertial = True


def _add_geom(body: mujoco.MjsBody, shape: Shape, touches: bool) -> None:
    skin = {
        "contype": 0,
        "conaffinity": int(touches),
        "condim": 3,
        "friction": [1.0, 0.005, 0.0001],
        "rgba": [0.86, 0.80, 0.74, 1],
    }
    if isinstance(shape, Capsule) and np.linalg.norm(shape.end - shape.start) < 1e-3:  # MuJoCo refuses short ones
        middle = (shape.start + shape.end) / 2
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=middle, size=[shape.radius, 0, 0], **skin)
    elif isinstance(shape, Capsule):
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=[*shape.start, *shape.end], size=[shape.radius, 0, 0], **skin
        )
    else:
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, pos=shape.centre, quat=shape.turn, size=shape.half, **skin)
