"""A body is a value: a MuJoCo description with the names and strengths the rest of the house needs."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import mujoco
import numpy as np

from lactic.body import strength


@dataclass(frozen=True, eq=False)
class Body:
    """A character: its MuJoCo spec, joints in actuator order, symmetry, regions, gains and maximal torques."""

    name: str
    spec: Callable[[], mujoco.MjSpec] = field(repr=False)
    """Builds a new, editable MjSpec of the character standing on a floor."""
    joints: tuple[str, ...]
    """Actuated hinges; joint i is actuator i, qpos[7 + i] and qvel[6 + i]."""
    groups: tuple[str, ...]
    """Anatomical group of each joint (shoulder, knee, …): what fitness tables are keyed by."""
    regions: dict[str, tuple[str, ...]]
    """Named parts of the body a person would point at, each a set of joints."""
    key_bodies: tuple[str, ...]
    feet: tuple[str, ...]
    stiffness: np.ndarray
    damping: np.ndarray
    torque_limit: np.ndarray
    """Maximal torque per joint in Nm when fresh."""
    scale: float = 1.0
    """How strong it is beside the body that its tables are for: mass times height over that body's. Gains and limits
    are so many times as large, and a brain made for that body is played so."""
    unit: str = "Nm"
    """Of what its joints give; a body whose joints stand for muscles gives N."""
    roles: dict[str, str | None] = field(default_factory=dict)
    """What an own body's file says of its rigid bodies: the one that plays a role, such as left_thigh, in a clip; None
    where there is none. Names tell the others (`motion.roles`)."""

    def of_strength(self, table: str) -> "Body":
        """The same body with the torque limits of another table (`body.strength.TABLES`)."""
        return replace(self, torque_limit=self.scale * strength.limits(table, self.joints))

    def limited(self, torque_limit: np.ndarray) -> "Body":
        """The same body with other torque limits. It shares the compiled model."""
        made = replace(self, torque_limit=torque_limit)
        vars(made)["model"] = self.model
        return made

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled model."""
        return self.spec().compile()

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the rigid bodies, the world left out; index i is MuJoCo's body i + 1."""
        return tuple(self.model.body(i).name for i in range(1, self.model.nbody))

    @cached_property
    def range(self) -> np.ndarray:
        """Joint limits in radians, (joint, 2)."""
        return np.array([self.model.joint(name).range for name in self.joints])

    @cached_property
    def rest(self) -> np.ndarray:
        """The rest pose as qpos: standing, joints at zero."""
        return self.model.qpos0.copy()

    @cached_property
    def mirror(self) -> np.ndarray:
        """For each joint the index of its mirror image (itself on the midline)."""
        return np.array([self.joints.index(mirrored(name)) for name in self.joints])

    @cached_property
    def mirror_sign(self) -> np.ndarray:
        """Sign of each joint angle under reflection in the x–z plane: rotations about y keep it."""
        across = np.array([self.model.joint(name).axis[1] for name in self.joints])
        return np.where(np.abs(across) > 0.5, 1.0, -1.0)

    @cached_property
    def parent_joints(self) -> tuple[tuple[int, ...], ...]:
        """For each rigid body the joints that carry it: what colours it when they tire."""
        model, carried = self.model, []
        for i in range(1, model.nbody):
            at = i
            while at > 0 and not any(model.joint(name).bodyid[0] == at for name in self.joints):
                at = model.body_parentid[at]
            carried.append(tuple(k for k, name in enumerate(self.joints) if at and model.joint(name).bodyid[0] == at))
        return tuple(carried)

    def weakest(self, spent: np.ndarray) -> np.ndarray:
        """Of values (…, joint) the largest among the joints that carry each rigid body, (…, body); 0 where none do."""
        columns = [spent[..., list(k)].max(-1) if k else np.zeros(spent.shape[:-1]) for k in self.parent_joints]
        return np.stack(columns, -1)

    def places(self, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (pose, body, 3) and rotations (pose, body, 4) of the rigid bodies in poses, by MuJoCo."""
        model, data, count = self.model, mujoco.MjData(self.model), self.model.nbody - 1
        at, turned = np.empty((len(qpos), count, 3)), np.empty((len(qpos), count, 4))
        for k, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            at[k], turned[k] = data.xpos[1:], data.xquat[1:]
        return at, turned


def mirrored(name: str) -> str:
    """The name with left and right exchanged."""
    if name.startswith("left_"):
        return "right_" + name.removeprefix("left_")
    if name.startswith("right_"):
        return "left_" + name.removeprefix("right_")
    return name


def world_spec(name: str) -> mujoco.MjSpec:
    """An empty world: gravity, a floor, physics at 120 Hz with PD integrated implicitly."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.option.timestep = 1 / 120
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.iterations = 10  # Newton converges in 2 to 4; the cap bounds the worst world of a large batch
    spec.option.ls_iterations = 20
    spec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 1],
        contype=1,
        conaffinity=0,
        condim=3,
        friction=[1.0, 0.005, 0.0001],
        rgba=[0.85, 0.86, 0.88, 1],
    )
    spec.worldbody.add_light(pos=[0, 0, 4], dir=[0, 0, -1], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    return spec


def add_position_actuator(spec: mujoco.MjSpec, joint: str, stiffness: float, damping: float, limit: float) -> None:
    """Drive `joint` by a PD law whose force the engine clips to ±limit in every substep."""
    actuator = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    actuator.gainprm[0] = stiffness
    actuator.biasprm[1] = -stiffness
    actuator.biasprm[2] = -damping
    actuator.forcelimited = True
    actuator.forcerange = [-limit, limit]
