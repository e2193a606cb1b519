"""Following a kinematic character: what is seen of it (bergamin2020, Sec. 5.2.1) and what is paid (Sec. 5.2.3).

Pure functions on batches; `sim` is the simulated character, `kin` the kinematic one.
"""

from typing import NamedTuple

import mujoco
import numpy as np
import torch
from torch import Tensor

from lactic import rotation
from lactic.body import Body
from lactic.steer.following import STATES
from lactic.task.skeleton import BodySkeleton, Moving, turn, turn_back

OPEN = ("elbow",)
"""Joint groups that only follow the kinematic pose: the policy does not touch them (Fig. 5.3)."""


def limbs(kin: Tensor, one: Moving, bones: Tensor) -> Tensor:
    """Positions from the centre of mass and velocities of the bones, in the heading frame `kin` (world, 4)."""
    frame = kin[:, None, :].expand(-1, len(bones), -1)
    placed = turn_back(frame, one.at.index_select(1, bones) - one.centre[:, None])
    moving = turn_back(frame, one.speed.index_select(1, bones))
    return torch.cat([placed.flatten(1), moving.flatten(1)], dim=1)


def state(sim: Moving, kin: Moving, asked: Tensor, bones: Tensor, design: str = "errors") -> Tensor:
    """What the policy sees but for its last action and fatigue: 85 numbers, from the kinematic character's frame.

    `asked` is the velocity that the stick asks for, (world, 2) in the world.
    """
    frame = rotation.heading_rotation(kin.turned[:, 0])
    kin_speed, sim_speed = turn_back(frame, kin.drift), turn_back(frame, sim.drift)
    wish = turn_back(frame, torch.nn.functional.pad(asked, (0, 1)))[:, :2]
    own = limbs(frame, sim, bones)
    parts = {"own": sim_speed, "asked": wish, "bones": own, "leader": kin_speed}
    if design == "plain":
        parts |= {"apart": kin_speed, "missing": sim_speed[:, :2], "bones_apart": limbs(frame, kin, bones)}
    elif design == "errors":
        parts |= {"apart": sim_speed - kin_speed, "missing": sim_speed[:, :2] - wish}
        parts["bones_apart"] = own - limbs(frame, kin, bones)
    return torch.cat([parts[name] for name in STATES[design]], dim=1)


class Terms(NamedTuple):
    """The parts of the reward, each in [0, 1], (world,)."""

    fall: Tensor
    position: Tensor
    velocity: Tensor
    local: Tensor
    centre: Tensor


def terms(
    sim: Moving, kin: Moving, points: Tensor, parents: Tensor, head: int, sharp: tuple[float, ...] = (10, 1, 10, 1)
) -> Terms:
    """r_fall, r_pos, r_vel, r_local and r_cm-vel; `points` (body, 6, 3) are fixed to the bodies.

    `sharp` holds the factors of the four exponents: −10/N·Σ, −1/N·Σ, −10/N·Σ and −1.
    """
    count = points.shape[0]
    arms = [
        turn(one.turned[:, :, None].expand(-1, -1, 6, -1), points.expand(len(one.at), -1, -1, -1)) for one in (sim, kin)
    ]
    # the character frame lies on the floor below the root
    own, other = (torch.cat([one.at[..., :2] - one.at[:, :1, :2], one.at[..., 2:]], dim=-1) for one in (sim, kin))
    apart = (own[:, :, None] + arms[0]) - (other[:, :, None] + arms[1])
    speeds = [
        one.speed[:, :, None] + torch.linalg.cross(one.spin[:, :, None].expand_as(arm), arm)
        for one, arm in zip((sim, kin), arms, strict=True)
    ]
    joints = [
        rotation.multiply(rotation.conjugate(one.turned.index_select(1, parents)), one.turned[:, 1:])
        for one in (sim, kin)
    ]
    bent = rotation.angle(rotation.multiply(rotation.conjugate(joints[1]), joints[0]))
    off = (own[:, head] - other[:, head]).norm(dim=1)
    return Terms(
        (1.3 - 1.4 * off).clamp(0.0, 1.0),
        torch.exp(-sharp[0] / count * apart.norm(dim=-1).sum((1, 2))),
        torch.exp(-sharp[1] / count * (speeds[0] - speeds[1]).norm(dim=-1).sum((1, 2))),
        torch.exp(-sharp[2] / count * bent.sum(1)),
        torch.exp(-sharp[3] * (sim.drift - kin.drift).norm(dim=1)),
    )


def filtered(action: Tensor, before: Tensor, beta: float) -> Tensor:
    """The exponentially weighted moving average β·a + (1 − β)·a_prev (Alg. 5.13)."""
    return beta * action + (1.0 - beta) * before


def steered_joints(body: Body, subset: bool = True) -> list[int]:
    """Joints whose targets the policy offsets: all but the open-loop ones, or all."""
    return [k for k, group in enumerate(body.groups) if not (subset and group in OPEN)]


def face_centres(body: Body) -> np.ndarray:
    """Six points of each body (body, 6, 3) in its frame: centres of the faces of the box around its solid shapes."""
    model, made = body.model, []
    for k in range(1, model.nbody):
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] == k]
        solid = [g for g in shapes if model.geom_contype[g] or model.geom_conaffinity[g]]
        for g in solid or shapes:
            reach, at = _half_extent(model, g), model.geom_pos[g]
            low, high = np.minimum(low, at - reach), np.maximum(high, at + reach)
        if not shapes:
            low = high = np.zeros(3)
        middle = (low + high) / 2
        faces = np.tile(middle, (6, 1))
        for axis in range(3):
            faces[2 * axis, axis], faces[2 * axis + 1, axis] = high[axis], low[axis]
        made.append(faces)
    return np.stack(made)


def _half_extent(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """Half the size (3,) of the box along its body's axes that holds a sphere, capsule or box."""
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, model.geom_quat[geom])
    axes, size, shape = matrix.reshape(3, 3), model.geom_size[geom], model.geom_type[geom]
    if shape == mujoco.mjtGeom.mjGEOM_BOX:
        return np.abs(axes) @ size
    length = size[1] if shape == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0
    return np.abs(axes[:, 2]) * length + size[0]


class Score:
    """r_fall·mean(r_pos, r_vel, r_local, r_cm-vel) of simulated against kinematic characters."""

    def __init__(self, body: Body):
        self.skeleton = BodySkeleton(body)
        self.points = torch.tensor(face_centres(body), dtype=torch.float32)
        self.parents, self.head = torch.tensor(self.skeleton.parents[1:]), body.bodies.index("head")

    def __call__(self, *states: np.ndarray) -> np.ndarray:
        """Of qpos and qvel of the simulated and qpos and qvel of the kinematic characters, (character,)."""
        qpos, qvel, other, rate = (torch.tensor(np.array(x), dtype=torch.float32) for x in states)
        sim, kin = self.skeleton.at(qpos, qvel), self.skeleton.at(other, rate)
        found = terms(sim, kin, self.points, self.parents, self.head)
        return (found.fall * torch.stack(found[1:]).mean(0)).numpy()
