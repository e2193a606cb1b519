"""States of a character's own motion to start from, so that a brain ships without any frame of a clip."""

import numpy as np
import torch

from lactic import fatigue as law
from lactic.brain.module import Brain
from lactic.errors import InputError
from lactic.task.observe import COMMANDS
from lactic.task.registry import TASKS
from lactic.task.settings import TaskSettings
from lactic.world.cpu import CpuWorld

COUNT = 64  # states kept
WARM_UP, STEPS = 45, 120  # control steps: what the first second and a half still owes to the clip is left out


@torch.no_grad()
def own_states(brain: Brain, starts: dict[str, list], task: TaskSettings) -> tuple[np.ndarray, np.ndarray]:
    """Let the character move from `starts`, fresh, and sample what it does: qpos (S, nq) and qvel (S, nv)."""
    body, joints = brain.body, len(brain.body.joints)
    count = len(starts["qpos"])
    world = CpuWorld(body, count, substeps=task.substeps)
    world.reset(None, np.array(starts["qpos"]), np.array(starts["qvel"]))
    watched = [body.bodies.index(name) for name in task.fall.bodies]
    tired = law.fresh((count, joints), torch.zeros(1))
    fitness = torch.tensor([0.0, 0.0, 0.0, 10.0, 0.0]).expand(count, joints, 5)  # motor units answer, nothing tires
    command = torch.zeros(count, COMMANDS[TASKS[task.kind].command_kind].size)
    standing, seen = np.ones(count, bool), []
    for step in range(STEPS):
        senses = (world.qpos, world.qvel, world.xpos, world.torque)
        state = (torch.tensor(np.array(x), dtype=torch.float32) for x in senses)
        out = brain(*state, command, tired, fitness)
        tired = out.fatigue
        world.drive(*(x.numpy() for x in (out.targets, out.stiffness, out.damping, out.limits)))
        world.step(task.substeps)
        standing &= (world.xpos[:, watched, 2] >= task.fall.height).all(1)
        if step >= WARM_UP:
            seen += [(world.qpos[i].copy(), world.qvel[i].copy()) for i in np.flatnonzero(standing)]
    if not seen:
        raise InputError("the character falls within two seconds of every start: train it longer before exporting it")
    chosen = np.random.default_rng(0).choice(len(seen), min(COUNT, len(seen)), replace=False)
    return np.stack([seen[i][0] for i in chosen]), np.stack([seen[i][1] for i in chosen])
