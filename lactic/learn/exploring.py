"""What a policy explores by: parts of the action with a noise of their own, and a part that learns alone."""

from math import log

import torch
from torch import Tensor

from lactic.errors import InputError
from lactic.learn.config import LearnSettings
from lactic.learn.networks import Actor
from lactic.task.task import Task


def explore(task: Task, actor: Actor, learn: LearnSettings) -> Tensor:
    """Set an actor's noise, part by part, and tell its task what that does to joints; 1 for the actions that explore, 0
    for others, (action,)."""
    noise, parts = actor.log_deviation.data, task.action.layout
    asks = task.action.torque(task.stiffness[0], task.fresh_limit).cpu()
    if learn.torque_noise:
        noise[parts["joints"]] = (learn.torque_noise / asks).log()
    if learn.clock_noise:
        if "clock" not in parts:
            raise InputError(f"learn.clock_noise: a task of kind '{task.settings.kind}' has no clock")
        noise[parts["clock"]] = log(learn.clock_noise)
    if learn.only and learn.only not in parts:
        raise InputError(f"learn.only: the action has no part '{learn.only}'; there are: {', '.join(parts)}")
    explores = torch.zeros(task.action.size)
    explores[parts[learn.only] if learn.only else slice(None)] = 1.0
    if learn.only:
        actor.network[:-1].requires_grad_(False)
    shaken = task.settings.fatigue.noiseless * explores * noise.exp()
    task.noise.copy_(shaken[parts["joints"]] * asks)
    return explores
