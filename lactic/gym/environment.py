"""A task as Gymnasium sees it: the same class, reward and fatigue as in training."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from torch import Tensor

from lactic.gym import shipped
from lactic.learn import config
from lactic.learn.run import transfer
from lactic.learn.trainer import make_world
from lactic.task.registry import TASKS
from lactic.task.task import StepOutcome, Task


class TaskEpisodes:
    """TaskEpisodes of a recipe's task in `count` worlds, their random numbers from one seed.

    The body tires where the recipe has a second stage for that, or as `tires` says. Start states are of motion that
    ships; `clips` names a folder of clips as training uses them. `changes` are settings by place, such as
    {"task.episode": 600}.
    """

    def __init__(
        self,
        recipe: str,
        count: int,
        *,
        tires: bool | None = None,
        device: str = "cpu",
        clips: str | Path | None = None,
        changes: Mapping[str, Any] | None = None,
    ):
        settings = config.read(recipe)
        settings = transfer(settings) if tires or (tires is None and settings.transfer) else settings
        if not settings.task.task_weight:  # style is the learner's own: what it paid alone is paid by the task here
            settings = config.changed(settings, {"task.task_weight": 1.0})
        settings = config.changed(settings, changes or {})
        asked = dataclasses.replace(settings.task, persons=settings.task.persons[:count])
        settings = dataclasses.replace(settings, worlds=count, device=device, task=asked)
        kind = TASKS[asked.kind]
        reference = shipped.reference(asked, settings.name) if clips is None else kind.reference_of(asked, Path(clips))
        self.settings = settings
        self.task: Task = kind(make_world(settings), reference, asked)
        self.generator = torch.Generator(self.task.device)
        self.generator.seed()
        self.reached: dict[str, Tensor] = {}
        """What `told` said in the state reached, before episodes started again."""
        self._first = {name: value.clone() for name, value in self.task.state().items()}
        self._modules = {name: module.state_dict() for name, module in self.task.modules().items()}
        self._modules = {name: {k: v.clone() for k, v in held.items()} for name, held in self._modules.items()}

    @torch.no_grad()
    def begin(self, seed: int | None = None) -> None:
        """Start every episode; with a seed, also forget what earlier ones taught the task about its starts."""
        task = self.task
        if seed is not None:
            self.generator.manual_seed(seed)
            for name, value in task.state().items():
                value.copy_(self._first[name])
            for name, module in task.modules().items():
                module.load_state_dict(self._modules[name])
        task.begin(self._chance())
        task.age.zero_()

    @torch.no_grad()
    def step(self, action: Any) -> StepOutcome:
        """One control step; episodes that are over have started again when it returns."""
        task = self.task
        task.decide(torch.as_tensor(action, dtype=torch.float32, device=task.device))
        before = (lambda _: task.before()) if task.interferes else None
        task.arena.step(task.settings.substeps, before)
        self.reached = {name: value.clone() for name, value in self.told().items()}
        outcome = task.judge(self._chance())
        task.restart()
        return outcome

    def _chance(self) -> Tensor:
        task = self.task
        return torch.rand(task.count, task.chance, generator=self.generator, device=task.device)

    def spaces(self) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
        """Of what one world's policy sees, and of its actions."""
        seen = gymnasium.spaces.Box(-np.inf, np.inf, (self.task.observer.size,), np.float32)
        return seen, gymnasium.spaces.Box(-1.0, 1.0, (self.task.action.size,), np.float32)

    def told(self) -> dict[str, Tensor]:
        """MF of each joint, and the torque in Nm that each could give in the last step, (world, joint) each."""
        return {"fatigue": self.task.fatigue[..., 2], "limits": self.task.limits}


class TaskEnvironment(gymnasium.Env[np.ndarray, np.ndarray]):
    """One episode at a time."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, recipe: str, render_mode: None = None, **options: Any):
        self.episodes, self.render_mode = TaskEpisodes(recipe, 1, **options), render_mode
        self.observation_space, self.action_space = self.episodes.spaces()

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode."""
        super().reset(seed=seed)
        self.episodes.begin(seed)
        return _numpy(self.episodes.task.observation()[0]), self._info(self.episodes.told())

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One control step."""
        made = self.episodes.step(np.asarray(action)[None])
        fell, done = bool(made.fell[0]), bool(made.done[0])
        paid, info = float(made.reward[0] * made.ease[0]), self._info(self.episodes.reached)
        return _numpy(made.observation[0]), paid, fell, done and not fell, info

    def _info(self, told: dict[str, Tensor]) -> dict[str, Any]:
        return {name: _numpy(value[0]) for name, value in told.items()}


class TaskEnvironments(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many episodes side by side; one that is over starts again in the same step.

    NumPy arrays, or with `tensors` torch tensors on the world's device, which are never copied to the host.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, recipe: str, num_envs: int = 1, render_mode: None = None, tensors: bool = False, **options: Any):
        self.num_envs, self.render_mode, self._give = num_envs, render_mode, _copy if tensors else _numpy
        self.episodes = TaskEpisodes(recipe, num_envs, **options)
        self.single_observation_space, self.single_action_space = self.episodes.spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = self._give(torch.ones(num_envs, dtype=torch.bool, device=self.episodes.task.device))

    def reset(self, *, seed: Any = None, options: dict | None = None) -> tuple[Any, dict[str, Any]]:
        """Start all episodes; of a list of seeds the first one counts."""
        first = seed[0] if isinstance(seed, list | tuple) else seed
        super().reset(seed=first)
        self.episodes.begin(first)
        return self._give(self.episodes.task.observation()), self._info()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One control step of all worlds."""
        made, give = self.episodes.step(actions), self._give
        info = self._info()
        if bool(made.done.any()):
            last = {name: give(value) for name, value in self.episodes.reached.items()}
            over = give(made.done)
            info |= {"final_obs": give(made.observation), "_final_obs": over, "final_info": last, "_final_info": over}
        shown, reward = give(self.episodes.task.observation()), give(made.reward * made.ease)
        return shown, reward, give(made.fell), give(made.done & ~made.fell), info

    def _info(self) -> dict[str, Any]:
        told = {name: self._give(value) for name, value in self.episodes.told().items()}
        return {**told, **{f"_{name}": self._all for name in told}}


def _numpy(tensor: Tensor) -> np.ndarray:
    return np.array(tensor.detach().cpu().numpy())


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()
