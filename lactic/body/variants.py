"""The humanoid with the bones, masses and feet of other people: one structure, so that all fit into one world."""

from functools import cache

import mujoco
import numpy as np

from lactic.body.body import Body
from lactic.body.fitted import person
from lactic.body.humanoid import humanoid, with_joints


@cache
def alike(name: str) -> Body:
    """A body of the humanoid's structure that moves like the person `name`, such as `person-1.60-52`."""
    if name == "humanoid":
        return humanoid()
    return with_joints(name, lambda: _build(person(name)), person(name).scale)


def _build(someone: Body) -> mujoco.MjSpec:
    spec, other, factor = humanoid().spec(), someone.model, someone.scale
    size = float(other.qpos0[2] / humanoid().rest[2])
    for body in spec.bodies[1:]:
        own = other.body(body.name)
        body.pos, body.mass, body.ipos = own.pos, own.mass[0], own.ipos
        body.iquat, body.inertia = own.iquat, own.inertia
        for geom in body.geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_BOX:  # the sole, the one shape that meets the floor while it stands
                sole = _sole(other, own.id)
                geom.pos, geom.size, geom.quat = other.geom_pos[sole], other.geom_size[sole], other.geom_quat[sole]
            else:
                geom.fromto, geom.size = [size * x for x in geom.fromto], [size * x for x in geom.size]
    for actuator in spec.actuators:
        actuator.gainprm[0] *= factor
        actuator.biasprm[1] *= factor
        actuator.biasprm[2] *= factor
        actuator.forcerange = [factor * x for x in actuator.forcerange]
    return spec


def _sole(model: mujoco.MjModel, body: int) -> int:
    """The box of a foot that meets the floor."""
    meets = (model.geom_type == mujoco.mjtGeom.mjGEOM_BOX) & (model.geom_conaffinity != 0)
    return int(np.flatnonzero(meets & (model.geom_bodyid == body))[0])
