"""Standing where the feet are, so that the joints carry least.

Hips above the ankles, the line between them turned as that between the feet is: then the floor's pressure passes
through all joints of a leg, and next to nothing has to be held.
"""

import mujoco
import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.errors import InputError
from lactic.motion.standing import standing

BEND = 0.005
"""Radians that knees are bent by: a straight leg could not be shortened."""
PLACE, TURN, CENTRE = 100.0, 30.0, 30.0
"""What a metre of a foot, a radian of it and a metre of the centre of mass count beside a radian of a knee."""
DAMPING, LARGEST = 1e-3, 0.2  # of a step that solves for the pose, and its largest change of a joint
PRESSED = [2, 3, 4]  # of a foot's force and torque: how much it is pressed on, and where; by friction it would creep


class Stances:
    """Finds how one body is to stand, and what its joints carry; it has two legs of hips, knees and ankles."""

    def __init__(self, body: Body):
        self.body, self.model, self.data = body, body.model, mujoco.MjData(body.model)
        if len(body.feet) != 2 or not {"left leg", "right leg"} <= set(body.regions):
            raise InputError(f"body '{body.name}' does not stand on two legs")
        self._feet = [self.model.body(name).id for name in sorted(body.feet)]  # left, right
        legs = [body.joints.index(name) for side in ("left leg", "right leg") for name in body.regions[side]]
        self._legs = np.array(legs)
        self._knees = np.array([k for k in legs if body.groups[k] == "knee"])
        self._free = np.concatenate([[0, 1, 2], 6 + self._legs])
        self.ideal = standing(body, seconds=0.0, sway=0.0).qpos[0]
        """The pose (nq,) with its feet side by side, in which nothing is carried."""
        self._move(self.ideal)
        middle = self.data.xpos[self._feet].mean(axis=0)
        self._height = float(middle[2])
        self._ahead = float((self.data.subtree_com[1] - middle)[0])  # the feet's own weight lies ahead of the ankles

    def _move(self, qpos: np.ndarray) -> None:
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def off_the_floor(self, qpos: np.ndarray) -> tuple[float, float]:
        """How far the feet are from lying flat on the floor: metres, and the sine of their tilt."""
        self._move(qpos)
        tilt = self.data.xmat[self._feet].reshape(2, 3, 3)[:, 2, :2]
        return float(np.abs(self.data.xpos[self._feet, 2] - self._height).max()), float(np.abs(tilt).max())

    def upright(self, qpos: np.ndarray, tries: int = 12) -> tuple[np.ndarray, float]:
        """The pose (nq,) that stands upright on the feet of `qpos`, its centre of mass between them; and by how much a
        foot misses its place, in metres."""
        model, data = self.model, self.data
        self._move(qpos)
        places = data.xpos[self._feet].copy()
        places[:, 2] = self._height
        ahead = data.xmat[self._feet].reshape(2, 3, 3)[:, :2, 0]
        turns = rotation.about("z", np.arctan2(ahead[:, 1], ahead[:, 0]))
        between = places[0] - places[1]
        pose = self.body.rest.copy()
        yaw = np.arctan2(-between[0], between[1])
        centre = places.mean(axis=0)[:2] + self._ahead * np.array([np.cos(yaw), np.sin(yaw)])
        pose[:3], pose[3:7] = qpos[:3], rotation.about("z", yaw)
        pose[7 + self._legs] = qpos[7 + self._legs]
        for _ in range(tries):
            self._move(pose)
            slopes, missing = self._wrong(places, turns, centre)
            slopes.append(np.eye(model.nv)[6 + self._knees])
            missing.append(BEND - pose[7 + self._knees])
            a, b = np.concatenate(slopes)[:, self._free], np.concatenate(missing)
            step = np.linalg.solve(a.T @ a + DAMPING * np.eye(len(self._free)), a.T @ b).clip(-LARGEST, LARGEST)
            pose[:3] += step[:3]
            pose[7 + self._legs] += step[3:]
            pose[7:] = pose[7:].clip(*self.body.range.T)
        self._move(pose)
        return pose, float(np.linalg.norm(data.xpos[self._feet] - places, axis=1).max())

    def _wrong(
        self, places: np.ndarray, turns: np.ndarray, centre: np.ndarray
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """What feet and centre of mass miss, and how that changes with the pose."""
        model, data, slopes, missing = self.model, self.data, [], []
        back, gap, angle = np.zeros(4), np.zeros(4), np.zeros(3)
        for foot, place, turn in zip(self._feet, places, turns, strict=True):
            slope, spin = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, slope, spin, data.xpos[foot], foot)
            mujoco.mju_negQuat(back, data.xquat[foot])
            mujoco.mju_mulQuat(gap, turn, back)
            mujoco.mju_quat2Vel(angle, gap, 1.0)
            slopes += [PLACE * slope, TURN * spin]
            missing += [PLACE * (place - data.xpos[foot]), TURN * angle]
        slope = np.zeros((3, model.nv))
        mujoco.mj_jacSubtreeCom(model, data, slope, 1)
        slopes.append(CENTRE * slope[:2])
        missing.append(CENTRE * (centre - data.subtree_com[1][:2]))
        return slopes, missing

    def least(self, qpos: np.ndarray, strength: np.ndarray | None = None) -> np.ndarray:
        """The torques (joint,) that hold a pose while the floor carries both feet as costs least, for joints that can
        give `strength`; by default that of a fresh body."""
        model, data = self.model, self.data
        self._move(qpos)
        data.qvel[:] = 0.0
        mujoco.mj_comVel(model, data)
        weight, pressed = np.zeros(model.nv), []
        mujoco.mj_rne(model, data, 0, weight)
        for foot in self._feet:
            slope, spin = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, slope, spin, data.xpos[foot] * [1, 1, 0], foot)
            pressed.append(np.concatenate([slope, spin])[PRESSED])
        c, limit = np.concatenate(pressed), self.body.torque_limit if strength is None else strength
        a, b, root = c[:, 6:].T / limit[:, None], weight[6:] / limit, c[:, :6].T
        # least squares of the loads, with the root's own balance kept
        system = np.block([[a.T @ a, root.T], [root, np.zeros((6, 6))]])
        pressure = np.linalg.lstsq(system, np.concatenate([a.T @ b, weight[:6]]), rcond=1e-13)[0][: len(c)]
        return weight[6:] - c[:, 6:].T @ pressure
