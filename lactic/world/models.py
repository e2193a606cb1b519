"""Models as worlds need them: with sensors, with room for contacts, and side by side with others of their structure."""

from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco.batch import MODEL_FIELDS

from lactic.body import Body
from lactic.errors import InputError

SIZES = ("nq", "nv", "nu", "nbody", "ngeom", "njnt", "nsensor")
PHYSICAL = (
    "qpos0",
    "qpos_spring",
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_subtreemass",
    "body_inertia",
    "body_invweight0",
    "jnt_pos",
    "jnt_range",
    "dof_armature",
    "dof_damping",
    "dof_invweight0",
    "geom_size",
    "geom_aabb",
    "geom_rbound",
    "geom_pos",
    "geom_quat",
    "geom_friction",
    "actuator_acc0",
)
"""What the physics of a body with other bones and masses depends on."""
_NET_FORCE = 3  # of a contact sensor: the sum over its contacts, in the world's frame
_FOUND_AND_FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND) | 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)


def differing(model: mujoco.MjModel, variants: Sequence[mujoco.MjModel], count: int) -> dict[str, np.ndarray]:
    """The fields in which `variants` differ from `model`, (world, …) each: world i is variants[i % their number]."""
    for other in variants:
        if any(getattr(other, size) != getattr(model, size) for size in SIZES):
            raise InputError("bodies side by side in one world must have the same bodies, joints and shapes")
        if (other.geom_type != model.geom_type).any():
            raise InputError("bodies side by side in one world must have shapes of the same kinds")
    found = {}
    for name in MODEL_FIELDS:
        if name.startswith("opt."):
            continue
        own = np.asarray(getattr(model, name))
        if any(not np.array_equal(np.asarray(getattr(other, name)), own) for other in variants):
            found[name] = np.stack([np.asarray(getattr(variants[i % len(variants)], name)) for i in range(count)])
    return found


def buffer_sizes(model: mujoco.MjModel) -> tuple[int, int]:
    """Contacts and constraint rows to allocate per world, (nconmax, njmax).

    Measured on humanoids dropped thrashing in random poses: at most 25 contacts and 100 rows (34 and 136 with
    self-collision), of 42 contacts if every collider lay flat on the floor; the ant 8 of 17. Three quarters of that
    bound, and three quarters of a contact for each self-colliding geom, leave a margin of 1.3 to 1.4. Contacts are
    pooled over the worlds, rows are not: four a contact (pyramidal cones), half the joints at a limit, six a weld.
    """
    kinds = mujoco.mjtGeom
    on_plane = {int(kinds.mjGEOM_SPHERE): 1, int(kinds.mjGEOM_CAPSULE): 2, int(kinds.mjGEOM_ELLIPSOID): 1}
    solid = (model.geom_contype | model.geom_conaffinity) != 0
    moving = np.flatnonzero(solid & (model.geom_bodyid > 0))
    floor = sum(on_plane.get(int(kind), 4) for kind in model.geom_type[moving])
    tangled = int((model.geom_contype[moving] != 0).sum())
    contacts = 0.75 * floor + 0.75 * tangled
    rows = 4 * contacts + 0.5 * model.jnt_limited.sum() + 6 * model.neq
    return 8 * int(np.ceil(contacts / 8)), 8 * int(np.ceil(rows / 8))


def sensing(body: Body, substeps: int, contacts: bool) -> mujoco.MjModel:
    """The body's model with a sensor of each actuator's force that remembers its last values; with `contacts` also one
    contact sensor for each rigid body against the world."""
    spec, kinds, objects = body.spec(), mujoco.mjtSensor, mujoco.mjtObj
    for name in body.joints:
        spec.add_sensor(
            name=f"torque {name}",
            type=kinds.mjSENS_ACTUATORFRC,
            objtype=objects.mjOBJ_ACTUATOR,
            objname=name,
            nsample=substeps,
        )
    for name in body.bodies if contacts else ():
        sensor = spec.add_sensor(
            name=f"touch {name}",
            type=kinds.mjSENS_CONTACT,
            objtype=objects.mjOBJ_BODY,
            objname=name,
            reftype=objects.mjOBJ_BODY,
            refname="world",
        )
        # what to report, all contacts together, one slot; asking for the force too delays the answer until they acted
        sensor.intprm[:3] = (_FOUND_AND_FORCE, _NET_FORCE, 1)
    return spec.compile()


def joint_addresses(model: mujoco.MjModel) -> np.ndarray:
    """Where in qpos the joint of each actuator is."""
    return model.jnt_qposadr[model.actuator_trnid[:, 0]]
