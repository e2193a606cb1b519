"""Muscles as a character's strength: in every physics step its legs give the feasible torque nearest to their intent.

The exact projection is used, not the learned one: at one character it is as fast, R is exactly 0 where muscles can give
the torque, and it sees fatigue muscle by muscle, of which a network of (q, q̇, τ) knows nothing. For thousands of
characters on a GPU there is `batch`.
"""

from typing import Any

import numpy as np

from lactic.body import Body
from lactic.errors import InputError
from lactic.muscle import compiled
from lactic.muscle.leg import Leg, shipped_leg

SIDES = ("right", "left")
HINGES: dict[str, tuple[str, float, float]] = {
    "hip_flexion": ("hip_y", -1.0, -1.0),
    "hip_adduction": ("hip_x", 1.0, -1.0),
    "hip_rotation": ("hip_z", 1.0, -1.0),
    "knee_angle": ("knee", -1.0, -1.0),
    "ankle_angle": ("ankle_y", -1.0, -1.0),
}
"""Coordinates of an OpenSim leg: the humanoid's hinge, and its sign on the right and on the left.

OpenSim has x forward, y up, z right, we x forward, y left, z up. Both turn the hip by flexion, then adduction, then
rotation, so its angles are the same but for their signs: OpenSim flexes about +z, our −y. Its knee bends to negative
angles about +z, ours to positive ones about +y; dorsiflexion is positive there and negative here. OpenSim's left leg
has mirrored axes, ours has not. Its ankle axis leans 12° from ours, which is left as it is. Torques have the signs of
their angles. Our ankles' roll and yaw have no counterpart in the five coordinates: they keep their box."""
EFFICIENCY = (0.25, 1.2)
"""Work of shortening and of lengthening muscles for each joule spent (Margaria 1968)."""


class MuscleLimit:
    """The legs' strength in `count` worlds of a body: give it each control step's `drive`, call it in every substep.

    `torque_limit` are the fresh maxima that a drive's limits are shares of, by default the body's. With `enforce` off
    the box stays in force, and muscles only judge what they could not have given.
    """

    def __init__(
        self,
        body: Body,
        timestep: float,
        count: int = 1,
        torque_limit: Any = None,
        enforce: bool = True,
    ) -> None:
        self._loop = loop = compiled("loop")
        self.leg, self.enforce = shipped_leg(), enforce
        self.hinges, self.sign = hinges(body, self.leg)
        self.timestep, joints, muscles = timestep, len(body.joints), len(self.leg.muscles)
        self.fresh = np.array(body.torque_limit if torque_limit is None else torque_limit, np.float64)
        self._qpos, self._qvel = np.zeros((count, 7 + joints)), np.zeros((count, 6 + joints))
        self._drive: Any = tuple(np.zeros((count, joints)) for _ in range(4))
        self._bounds = np.zeros((count, joints, 2))
        self.activation = np.zeros((count, 2, muscles))
        """What the nearest feasible torque took of each muscle at the last substep, as a share of its strength left."""
        shape = count, 2, len(self.leg.coordinates)
        self._joint_totals = np.zeros((*shape, len(loop.JOINT_TOTALS)))
        self._leg_totals = np.zeros((count, 2, len(loop.LEG_TOTALS)))
        self._names = tuple(tuple(body.joints[i] for i in row) for row in self.hinges)

    def drive(self, targets: Any, stiffness: Any, damping: Any, limits: Any) -> None:
        """The PD law of the substeps to come, as for the world; limits over fresh maxima are what fatigue has left."""
        for kept, given in zip(self._drive, (targets, stiffness, damping, limits), strict=True):
            kept[:] = given

    def __call__(self, world: Any) -> None:
        """Before a physics step: bound the legs' actuators of `world` by what their muscles can give in its state."""
        self._qpos[:], self._qvel[:] = world.qpos, world.qvel
        self._loop.limit(
            self.leg.geometry,
            self.hinges,
            self.sign,
            self._qpos,
            self._qvel,
            *self._drive,
            self.fresh,
            self.activation,
            self._bounds,
            self.timestep,
            self._joint_totals,
            self._leg_totals,
        )
        if self.enforce:
            world.bounds[:] = self._bounds

    def report(self, world: int = 0) -> dict[str, Any]:
        """What a leg of muscles could not give of what was intended so far, and what the rest cost."""
        joints, legs = self._joint_totals[world], self._leg_totals[world]
        seconds = max(float(legs[0, 0]), self.timestep)
        rows = []
        for leg in range(2):
            for name, total in zip(self._names[leg], joints[leg], strict=True):
                known = dict(zip(self._loop.JOINT_TOTALS, map(float, total), strict=True))
                rows.append(
                    {
                        "joint": name,
                        "share_of_time": known["corrected_s"] / seconds,
                        "mean_Nm": known["beyond"] / seconds,
                        "most_Nm": known["most_beyond"],
                        "intended_mean_Nm": known["intended"] / seconds,
                        "share_of_torque": known["beyond"] / max(known["intended"], 1e-9),
                        "work_J": known["work"],
                        "absorbed_J": known["absorbed"],
                    }
                )
        whole = dict(zip(self._loop.LEG_TOTALS, map(float, legs.sum(0)), strict=True))
        shortened, lengthened = whole["work"], whole["absorbed"]
        return {
            "leg": self.leg.name,
            "enforced": self.enforce,
            "seconds": float(legs[0, 0]),
            "beyond_share_of_time": whole["beyond_s"] / (2 * seconds),
            "beyond_mean_Nm": whole["beyond"] / (2 * seconds),
            "share_of_torque": float(joints[..., 1].sum() / max(joints[..., 3].sum(), 1e-9)),
            "joints": rows,
            "effort_mean_N": whole["effort"] / seconds,
            "muscle_work_J": shortened,
            "muscle_absorbed_J": lengthened,
            "metabolic_J": shortened / EFFICIENCY[0] + lengthened / EFFICIENCY[1],
            "unsettled": int(whole["unsettled"]),
        }


def hinges(body: Body, leg: Leg) -> tuple[np.ndarray, np.ndarray]:
    """Indices of a body's joints (leg, coordinate), right leg first, and their signs."""
    unknown = [name for name in leg.coordinates if name not in HINGES]
    if unknown:
        raise InputError(f"leg {leg.name}: no hinge is known for coordinate {', '.join(unknown)}")
    names = [[f"{side}_{HINGES[c][0]}" for c in leg.coordinates] for side in SIDES]
    missing = [name for row in names for name in row if name not in body.joints]
    if missing:
        raise InputError(f"body {body.name}: has no {', '.join(missing)}, so muscles of a human leg do not fit it")
    index = np.array([[body.joints.index(name) for name in row] for row in names])
    return index, np.array([[HINGES[c][1 + side] for c in leg.coordinates] for side in range(2)])
