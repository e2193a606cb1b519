"""Made-up locomotion of the humanoid with feet that stand: a root on a given way, steps planted along it."""

from functools import cache

import mujoco
import numpy as np

from lactic import body, rotation
from lactic.motion.body_clip import BodyClip
from lactic.steer.limb import limbs_of, reach
from lactic.steer.matching import Database, build
from lactic.steer.tree import move_bodies, tree_of

FPS = 60.0


def walk_along(
    speed: np.ndarray, heading: np.ndarray, height: float = 0.86, name: str = "steps", lean: float = 0.0
) -> BodyClip:
    """A clip whose root has that speed (frame,) along that heading (frame,), with feet planted under it, or so many
    metres behind it."""
    human = body.get("humanoid")
    tree, limbs = tree_of(human), limbs_of(human)
    frames = len(speed)
    xy = np.cumsum(speed[:, None] * np.stack([np.cos(heading), np.sin(heading)], 1), axis=0) / FPS
    busy = np.abs(speed) + 0.3 * np.abs(np.gradient(heading, 1 / FPS))
    phase = np.cumsum(np.where(busy > 0.05, 0.75 + 0.3 * busy, 0.0)) / FPS
    qpos = np.tile(human.rest, (frames, 1))
    qpos[:, :2], qpos[:, 2] = xy, height + 0.01 * np.sin(4 * np.pi * phase)
    qpos[:, 3:7] = rotation.about("z", heading)
    stance = np.interp(np.abs(speed), [1.0, 3.0], [0.55, 0.26])  # share of a cycle that a foot stands
    feet = [_foot(phase + offset, stance, xy, heading, side) for offset, side in ((0.0, 0.09), (0.5, -0.09))]
    qpos[:, :2] += lean * np.stack([np.cos(heading), np.sin(heading)], 1)
    size = len(tree.parents)
    scratch = np.zeros((size, 3)), np.zeros((size, 4)), np.zeros((size, 3)), np.zeros((size, 3))
    for t in range(frames):
        for side in ("left", "right"):
            for joint, angle in (("hip_y", -0.3), ("knee", 0.6), ("ankle_y", -0.3)):
                qpos[t, 7 + human.joints.index(f"{side}_{joint}")] = angle
        for k in range(2):
            move_bodies(tree, qpos[t], np.zeros(human.model.nv), *scratch)
            at, turned = scratch[0], scratch[1]
            place, yaw = feet[k][0][t], feet[k][1][t]
            ankle = place + np.array([0, 0, 0.068])
            reach(tree, limbs, k, qpos[t], at[limbs.base[k]], turned[0], ankle, rotation.about("z", yaw))
    return BodyClip("humanoid", FPS, qpos, name)


def _foot(
    phase: np.ndarray, stance: np.ndarray, xy: np.ndarray, heading: np.ndarray, side: float
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (frame, 3) and yaws (frame,) of a foot that stands for a share of each cycle, else swings."""
    frames = np.arange(len(phase))

    def planted(cycle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        middle = np.interp(cycle + stance / 2, phase, frames)
        at = np.stack([np.interp(middle, frames, xy[:, k]) for k in range(2)], 1)
        yaw = np.interp(middle, frames, heading)
        return at + side * np.stack([-np.sin(yaw), np.cos(yaw)], 1), yaw

    cycle = np.floor(phase)
    (here, yaw), (there, next_yaw) = planted(cycle), planted(cycle + 1)
    part = np.clip((phase - cycle - stance) / (1 - stance), 0, 1)
    share = part**3 * (10 - 15 * part + 6 * part**2)
    at = here + share[:, None] * (there - here)
    return np.column_stack([at, 0.3 * (part * (1 - part)) ** 1.5]), yaw + share * (next_yaw - yaw)


def ramp(start: float, end: float, seconds: float, at: float, over: float) -> np.ndarray:
    """A value that goes from start to end, beginning at a second and taking `over` of them."""
    t = np.arange(round(seconds * FPS)) / FPS
    part = np.clip((t - at) / over, 0, 1)
    return start + (end - start) * part**2 * (3 - 2 * part)


def locomotion(crouch: bool = True) -> list[BodyClip]:
    """Standing, walks and runs straight and on circles, starts, stops, quick turns, a crouched walk."""
    still, clips = np.zeros(round(4 * FPS)), []
    clips.append(walk_along(still, still, name="stand"))
    for speed, kind in ((1.4, "walk"), (3.2, "run")):
        steady = np.full(round(5 * FPS), speed)
        for rate in (0.0, 0.8, 2.0):
            clips.append(walk_along(steady, rate * np.arange(len(steady)) / FPS, name=f"{kind}_{rate}"))
        for angle in (0.8, 1.6, 3.1):
            turn = ramp(0, angle, 5, 1.5, 0.35 + 0.15 * angle)
            slow = 1 - 0.6 * np.abs(np.gradient(turn, 1 / FPS)) / 6
            clips.append(walk_along(speed * slow, turn, name=f"{kind}_turn_{angle}"))
        clips.append(walk_along(ramp(0, speed, 5, 1, 0.5), np.zeros(round(5 * FPS)), name=f"{kind}_start"))
        clips.append(walk_along(ramp(speed, 0, 5, 2, 0.5), np.zeros(round(5 * FPS)), name=f"{kind}_stop"))
    clips.append(walk_along(ramp(1.4, 3.2, 5, 1.5, 0.8), np.zeros(round(5 * FPS)), name="walk_to_run"))
    if crouch:
        for rate in (0.0, 1.0):
            t = np.arange(round(5 * FPS)) / FPS
            clips.append(walk_along(np.full(len(t), 0.8), rate * t, height=0.66, name=f"crouch_{rate}"))
        clips.append(walk_along(still, still, height=0.66, name="crouch_still"))
    return clips


@cache
def steps_database(crouch: bool = True) -> Database:
    """A database of all that, made once."""
    return build(locomotion(crouch))


def static_torque(human, qpos):
    """Torque of each joint that holds a pose while both feet carry half the weight, below the centre of mass."""
    model, data = human.model, mujoco.MjData(human.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    torque, slope = data.qfrc_bias.copy(), np.zeros((3, model.nv))
    feet = [model.body(name).id for name in human.feet]
    off = data.subtree_com[1] - data.xipos[feet].mean(axis=0)
    for foot in feet:
        mujoco.mj_jac(model, data, slope, None, np.append((data.xipos[foot] + off)[:2], 0.0), foot)
        torque -= slope.T @ [0.0, 0.0, 9.81 * model.body_subtreemass[1] / 2]
    return torque[6:]
