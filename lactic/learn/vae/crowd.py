"""Muscle men that follow clips in the true simulation, and the buffer of what they did (feng2023 Alg. 1)."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from lactic.body import muscle_man
from lactic.learn.vae.muscles import TorchMuscles
from lactic.learn.vae.reference import ManReference, TiredStarts
from lactic.learn.vae.settings import VaeSettings
from lactic.learn.vae.state import ManState, Skeleton
from lactic.muscle.man.men import MuscleMen

HEAD = muscle_man().bodies.index("head")


class After(NamedTuple):
    """What a control step led to, before anybody was placed again, (world, …)."""

    state: ManState
    activation: Tensor  # (world, muscle)
    lost: Tensor  # which went astray
    over: Tensor  # which are placed again


class Crowd:
    """Muscle men, each with a frame of a clip that it is to reach next."""

    def __init__(
        self,
        men: MuscleMen,
        skeleton: Skeleton,
        muscles: TorchMuscles,
        reference: ManReference,
        starts: TiredStarts,
        settings: VaeSettings,
    ):
        self.men, self.skeleton, self.muscles = men, skeleton, muscles
        self.reference, self.starts, self.settings = reference, starts, settings
        self.device, self.count = muscles.rest.device, men.count
        self.frame = reference.draw(men.count)
        """(world,): the frame of the clip that a character is at, or should be."""
        self.age = torch.zeros(men.count, dtype=torch.long, device=self.device)
        """(world,): control steps since it was placed."""
        self.place(torch.ones(men.count, dtype=torch.bool, device=self.device))

    def _tensor(self, values: Any) -> Tensor:
        if isinstance(values, np.ndarray):
            return torch.tensor(values, dtype=torch.float32, device=self.device)
        return values.to(torch.float32)

    def _native(self, values: Tensor) -> Any:
        return values.cpu().numpy() if isinstance(self.men.qpos, np.ndarray) else values

    def state(self) -> ManState:
        """Where everybody is now."""
        fatigue = self.muscles.fatigue(self._tensor(self.men.fatigue))
        qpos, qvel, xquat = (self._tensor(x) for x in (self.men.qpos, self.men.qvel, self.men.xquat))
        return ManState(*(part.clone() for part in self.skeleton.sensed(qpos, qvel, xquat, fatigue)))

    def place(self, which: Tensor) -> None:
        """Put the characters of a mask (world,) into random frames of clips, at random points of the fatigue curve."""
        frame = self.reference.draw(self.count)
        self.frame.copy_(torch.where(which, frame, self.frame))
        self.age.mul_(~which)
        qpos = self.reference.qpos[self.frame]
        given = qpos, self.reference.qvel[self.frame], self.starts.draw(self.count)
        self.men.reset(self._native(which), *(self._native(part) for part in given))

    def goal(self) -> Tensor:
        """(world,): the frame to reach in this control step."""
        return torch.minimum(self.frame + 1, self.reference.last[self.frame])

    def act(self, action: Tensor) -> None:
        """A control step of the simulation; activations are elicited anew in each of its physics steps (Fig. 12)."""
        if self.settings.control != "activation":
            self.men.step(self._native(action))
            return
        for _ in range(self.men.substeps):
            now = self._tensor(self.men.lengths), self._tensor(self.men.rates_of_length)
            self.men.step(self._native(self.muscles.eliciting(*now, action)), substeps=1)

    def astray(self, height: Tensor, off: Tensor) -> Tensor:
        """Who is lost (world,), by the height of heads and how far that is from the clip's; NaN counts too."""
        return ~(off < self.settings.astray)

    def step(self, action: Tensor) -> dict[str, Tensor]:
        """A control step; those that went astray, or were at it for long, are placed again. Returns sums to count."""
        self.act(action)
        self.frame.copy_(self.goal())
        self.age.add_(1)
        state = self.state()
        height = self.skeleton.places(state)[:, HEAD, 2] + state.root[:, 2]
        off = (height - self.reference.views.height[self.frame, HEAD]).abs()
        lost = self.astray(height, off) | self._mask(self.men.faulted)
        old = self.age >= self.settings.episode
        over = lost | old
        self.after = After(state, self._tensor(self.men.activation).clone(), lost, over)
        counts = {
            "lost": lost.sum(),
            "ended": over.sum(),
            "lasted": (self.age * over).sum(),
            "off": off.nan_to_num(0).sum(),
        }
        # the end of a clip, or chance: another one from now on, wherever the character is
        jump = (torch.rand(self.count, device=self.device) < self.settings.switch) | (
            self.frame >= self.reference.last[self.frame]
        )
        self.frame.copy_(torch.where(jump, self.reference.draw(self.count), self.frame))
        self.place(over)
        return counts

    def _mask(self, values: Any) -> Tensor:
        return torch.tensor(values, device=self.device) if isinstance(values, np.ndarray) else values.bool()


class Buffer:
    """The last control steps of every character, oldest first: states, actions, frames to reach, ages."""

    def __init__(self, kept: int, state: ManState, muscles: int):
        count, device = len(state.root), state.root.device
        self.kept, self.count = kept, count
        self.state = ManState(*(torch.zeros(kept, *part.shape, device=device) for part in state))
        self.action = torch.zeros(kept, count, muscles, device=device)
        self.goal = torch.zeros(kept, count, dtype=torch.long, device=device)
        self.age = torch.full((kept, count), -1, dtype=torch.long, device=device)
        """Steps since the character was placed; −1 where nothing was written yet."""

    def forget(self, steps: int) -> None:
        """Make room for so many steps at the end."""
        for part in (*self.state, self.action, self.goal, self.age):
            part[:-steps] = part[steps:].clone()

    def write(self, back: int, state: ManState, action: Tensor, goal: Tensor, age: Tensor) -> None:
        """Fill the row that is `back` before the end (1 is the last)."""
        for held, now in zip((*self.state, self.action, self.goal, self.age), (*state, action, goal, age), strict=True):
            held[-back] = now

    def draw(self, batch: int, window: int) -> tuple[Tensor, Tensor]:
        """First row and world (batch,) of windows in which nobody was placed anew, with a state after them."""
        whole = (self.age[window:] >= window).flatten()
        ends = torch.cumsum(whole.to(torch.float64) + 1e-12, 0)
        at = torch.searchsorted(ends, torch.rand(batch, dtype=torch.float64, device=ends.device) * ends[-1])
        at = at.clamp(max=len(ends) - 1)
        return torch.div(at, self.count, rounding_mode="floor"), at % self.count
