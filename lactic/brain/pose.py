"""Brains that hold poses, made from a params.yaml without training: the smallest character that tires."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from lactic import body as bodies
from lactic import fatigue
from lactic.body import Body, muscle_man
from lactic.brain import arms
from lactic.brain.catalogue import BrainFolder
from lactic.brain.export import export
from lactic.brain.file import BrainInfo
from lactic.brain.module import Brain, PoseSequence
from lactic.errors import InputError

CONTROL_RATE = 30.0
KEYS = ("description", "body", "pinned", "poses", "torque_limit", "fitness", "programme", "seconds")


def make(folder: str | Path) -> Path:
    """Write brain.onnx into a folder whose params.yaml describes poses, or held arms; returns its path."""
    folder = Path(folder)
    params, name, path = BrainFolder(folder).params(), folder.resolve().name, folder / "brain.onnx"
    if params.get("body") == muscle_man().name:
        arms.export_arms(params, name, path)
    else:
        export(*pose_brain(params, name), path)
    return path


def pose_brain(params: dict[str, Any], name: str) -> tuple[Brain, BrainInfo]:
    """The brain and its description that `params` asks for."""
    source = f"{name}/params.yaml"
    for key in params:
        if key not in KEYS:
            raise InputError(f"{source}: '{key}' is not known; there are: {', '.join(KEYS)}")
    body = bodies.get(str(params.get("body", "humanoid")))
    poses = params.get("poses")
    if not isinstance(poses, list) or not poses:
        raise InputError(f"{source}: 'poses' must be a list of poses, each 'joint: degrees'")
    angles = np.stack([_per_joint(body, pose or {}, np.zeros(len(body.joints)), source) for pose in poses])
    low, high = np.degrees(body.range).T
    beyond = np.argwhere((angles < low - 1e-6) | (angles > high + 1e-6))
    if len(beyond):
        pose, joint = beyond[0]
        ends = f"{low[joint]:.0f} to {high[joint]:.0f}"
        raise InputError(f"{source}: {body.joints[joint]}: {angles[pose, joint]:g}: give degrees from {ends}")
    limit = _per_joint(body, params.get("torque_limit", {}), body.torque_limit, source)
    if not (limit > 0).all():
        raise InputError(f"{source}: 'torque_limit' must be above 0 Nm for every joint")
    fitness = fatigue.preset(str(params.get("fitness", fatigue.DEFAULT.name)))
    policy = PoseSequence(torch.tensor(np.radians(angles)))
    brain = Brain(body, policy, torque_limit=torch.tensor(limit), control_dt=1 / CONTROL_RATE)
    info = BrainInfo(
        name=name,
        body=body.name,
        joints=body.joints,
        control_rate=CONTROL_RATE,
        physics_rate=round(1 / body.model.opt.timestep),
        stiffness=tuple(body.stiffness),
        damping=tuple(body.damping),
        torque_limit=tuple(limit),
        fitness=fitness.name,
        rates=tuple(map(tuple, np.asarray(fatigue.rates(fitness, body.groups)).tolist())),
        command=1,
        description=str(params.get("description", "")),
        asks="pose",
        pinned=bool(params.get("pinned", False)),
    )
    return brain, info


def _per_joint(body: Body, entries: dict[str, float], start: np.ndarray, source: str) -> np.ndarray:
    """Values by joint name, or by group for all its joints at once."""
    values = start.copy()
    for name, value in entries.items():
        chosen = [i for i, joint in enumerate(body.joints) if name in (joint, body.groups[i])]
        if not chosen:
            raise InputError(f"{source}: no joint or group '{name}' in body '{body.name}'")
        try:
            values[chosen] = float(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{source}: '{name}: {value}' is not a number") from error
    return values
