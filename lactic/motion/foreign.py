"""Moving a clip onto a body that is not ours: its own file says, or its names tell, which body plays which role.

Where limbs point and how pelvis, torso, head and feet are turned, `motion.retarget` finds, as for the humanoid. Hinges
of a foreign body may be any and stand anywhere, so all angles of a frame are fitted together by damped least squares:
bones point as the clip's do, the trunk and the feet turn as the clip's do, and nothing moves without need.
"""

from dataclasses import replace

import mujoco
import numpy as np

from lactic import rotation
from lactic.body import Body, humanoid
from lactic.errors import InputError
from lactic.motion import ground
from lactic.motion.body_clip import BodyClip, skeleton_clip
from lactic.motion.clip import Clip
from lactic.motion.residual import Residual, at_limit, residual
from lactic.motion.retarget import LIMBS, SEAM, orientations
from lactic.motion.roles import NEEDED, ROLES, SIDES, known_roles, leg_length

TURNS = {"pelvis": 1.0, "torso": 1.0, "head": 0.3, "foot": 0.3}
"""What a turn counts against a bone's direction, in radians both; few robots have all hinges of an ankle or a neck."""
STILL, REST = 0.03, 0.01  # what a radian away from the frame before counts, and one away from rest
FIRST, LATER = 60, 12  # steps of the fit in the first frame and in the others
LARGEST_STEP = 0.4  # radians
DONE = 1e-5  # radians of a step below which a frame is fitted


def skeleton(body: Body) -> Clip:
    """The body at rest as a skeleton of one frame, with what its file says of roles."""
    unknown = [role for role in body.roles if role not in ROLES]
    if unknown:
        raise InputError(f"{body.name}: roles: there is no role '{unknown[0]}' (there are: {', '.join(ROLES)})")
    held = skeleton_clip(body, body.rest[None], 30.0, body.name)
    return replace(held, rest=held.rotations[0], roles=dict(body.roles))


def roles_of(body: Body) -> dict[str, int]:
    """Rigid bodies by role, as the body's file says and names tell: a robot's tree, of one hinge a link, misleads."""
    return known_roles(skeleton(body), tree=False)


def missing_roles(body: Body) -> list[str]:
    """Roles that a clip needs and no rigid body plays."""
    found = roles_of(body)
    return [role for role in NEEDED if role not in found]


def onto_foreign(clip: Clip, roles: dict[str, int], body: Body, close: bool) -> tuple[BodyClip, Residual]:
    """The clip on a foreign body, made a seamless cycle with `close`; and what was lost on the way."""
    missing = missing_roles(body)
    if missing:
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        raise InputError(
            f"{body.name}: no body found for {', '.join(missing[:4])}{more}; name them under `roles` in its YAML file"
        )
    own, parts = skeleton(body), roles_of(body)
    targets, directions = orientations(clip, humanoid(), roles)
    fit = _Fit(body, own, parts, set(targets) & set(parts))
    scale = leg_length(own, parts) / leg_length(clip, roles)
    qpos = fit.poses(targets, directions)
    there, _ = clip.globals()
    at, turned = body.places(qpos)
    hips = (there[:, roles["left_thigh"]] + there[:, roles["right_thigh"]]) / 2
    qpos[:, :3] += scale * hips - (at[:, parts["left_thigh"]] + at[:, parts["right_thigh"]]) / 2
    result = BodyClip(body.name, clip.fps, qpos, clip.name)
    result = result.closed() if close else replace(result, cyclic=clip.cyclic and result.gap() < SEAM)
    standing, lifted = ground.stand(body, result.qpos, clip.fps, close)
    result = replace(result, qpos=standing)
    angles = {}
    for limb, (a, b, tip) in fit.bones.items():
        along = at[:, b] - at[:, a] if b is not None else rotation.rotate(turned[:, a], tip)
        angles[limb] = rotation.angle(rotation.between(rotation.normalize(along), directions[limb]))
    stuck = zip(body.joints, at_limit(result).sum(0), strict=True)
    clipped = {name: int(count) for name, count in stuck if count}
    return result, residual(result, angles, parts, there, roles, scale, lifted, clipped)


class _Fit:
    """Angles of one body that bring its parts where they are wished, frame after frame."""

    def __init__(self, body: Body, own: Clip, parts: dict[str, int], turned: set[str]):
        self.model, self.data = body.model, mujoco.MjData(body.model)
        rest_at, rest_turned = own.rest_globals()
        across = rest_at[parts["left_thigh"]] - rest_at[parts["right_thigh"]]
        facing = rotation.about("z", -np.arctan2(-across[0], across[1]))
        self.rest = rotation.multiply(facing, rest_turned)
        self.turns = {
            role: (parts[role], weight)
            for role in sorted(turned)
            for word, weight in TURNS.items()
            if role.endswith(word)
        }
        self.bones: dict[str, tuple[int, int | None, np.ndarray]] = {}
        for side in SIDES:
            for part, end in LIMBS.items():
                j, next_j = parts[f"{side}_{part}"], parts.get(f"{side}_{end}")
                if next_j is None and np.linalg.norm(own.tips[j]) < 1e-3:
                    raise InputError(
                        f"{body.name}: roles: name a {side}_{end}; where the {side}_{part} ends is unknown"
                    )
                self.bones[f"{side}_{part}"] = (j, next_j, own.tips[j])
        self.low = np.r_[np.full(3, -np.inf), body.range[:, 0]]
        self.high = np.r_[np.full(3, np.inf), body.range[:, 1]]

    def poses(self, targets: dict[str, np.ndarray], directions: dict[str, np.ndarray]) -> np.ndarray:
        """Poses (frame, nq), the root's place left at rest."""
        frames = len(targets["pelvis"])
        poses = np.tile(self.model.qpos0, (frames, 1))
        pose = self.model.qpos0.copy()
        pose[3:7] = rotation.multiply(targets["pelvis"][0], self.rest[0])
        for t in range(frames):
            wished = {role: rotation.multiply(targets[role][t], self.rest[j]) for role, (j, _) in self.turns.items()}
            pointing = {limb: directions[limb][t] for limb in self.bones}
            pose = poses[t] = self._frame(pose, wished, pointing, FIRST if t == 0 else LATER, STILL * (t > 0))
        flips = np.cumprod(np.where(np.sum(poses[1:, 3:7] * poses[:-1, 3:7], axis=-1) < 0, -1.0, 1.0))
        poses[1:, 3:7] *= flips[:, None]
        return poses

    def _frame(
        self,
        before: np.ndarray,
        wished: dict[str, np.ndarray],
        pointing: dict[str, np.ndarray],
        steps: int,
        still: float,
    ) -> np.ndarray:
        """The pose of one frame, found from the one before."""
        pose, count = before.copy(), self.model.nv - 3
        for _ in range(steps):
            errors, slopes = self._errors(pose, wished, pointing)
            moved, away = np.zeros(count), np.zeros(count)
            moved[3:], away[3:] = pose[7:] - before[7:], pose[7:] - self.model.qpos0[7:]
            hold = np.r_[np.zeros(3), np.full(count - 3, still**2)]
            rest = np.r_[np.zeros(3), np.full(count - 3, REST**2)]
            gradient = slopes.T @ errors + hold * moved + rest * away
            hessian = slopes.T @ slopes + np.diag(hold + rest + 1e-6)
            angles = np.r_[np.zeros(3), pose[7:]]
            held = ((angles <= self.low) & (gradient > 0)) | ((angles >= self.high) & (gradient < 0))
            hessian[held], hessian[:, held], gradient[held] = 0.0, 0.0, 0.0
            hessian[held, held] = 1.0
            step = np.clip(-np.linalg.solve(hessian, gradient), -LARGEST_STEP, LARGEST_STEP)
            mujoco.mj_integratePos(self.model, pose, np.r_[np.zeros(3), step], 1.0)
            pose[7:] = np.clip(pose[7:], self.low[3:], self.high[3:])
            if np.abs(step).max() < DONE:
                break
        return pose

    def _errors(
        self, pose: np.ndarray, wished: dict[str, np.ndarray], pointing: dict[str, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """How far parts are from what is wished, and how that changes with the root's turn and the angles."""
        model, data = self.model, self.data
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        errors, slopes = [], []
        for limb, (a, b, tip) in self.bones.items():
            start = data.xpos[a + 1]
            end = data.xpos[b + 1] if b is not None else start + rotation.rotate(data.xquat[a + 1], tip)
            there, here = np.zeros((2, 3, model.nv))
            mujoco.mj_jac(model, data, there, None, end, (a if b is None else b) + 1)
            mujoco.mj_jac(model, data, here, None, start, a + 1)
            length = float(np.linalg.norm(end - start))
            along = (end - start) / length
            errors.append(along - pointing[limb])
            slopes.append((np.eye(3) - np.outer(along, along)) @ (there - here)[:, 3:] / length)
        for role, (j, weight) in self.turns.items():
            turn = np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, None, turn, j + 1)
            off = rotation.log(rotation.multiply(data.xquat[j + 1], rotation.conjugate(wished[role])))
            errors.append(weight * off)
            slopes.append(weight * turn[:, 3:])
        return np.concatenate(errors), np.concatenate(slopes)
