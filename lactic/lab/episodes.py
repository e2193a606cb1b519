"""Many episodes of one brain side by side on the CPU, step by step: deterministic, with fixed seeds."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab.command import commands, stepped
from lactic.lab.start import distinct_starts
from lactic.lab.take import Soles
from lactic.play.fall import FallRule
from lactic.play.player import Player

EPISODES = 256


@dataclass(frozen=True)
class Ask:
    """What a trial is: how long, in which body, how many episodes."""

    seconds: float
    fitness: Fitness
    changes: tuple[tuple[float, Fitness], ...] = ()
    """Another fitness from each of these seconds on."""
    episodes: int = EPISODES
    seed: int = 0
    spent: tuple[tuple[str, float], ...] = ()
    """Regions of the body that start fatigued, each with its MF; all else is fresh."""
    turn_every: float | None = None
    """Seconds between new random directions, for characters that take one; straight on otherwise."""
    commands: tuple[tuple[float, ...], ...] = ()
    """Rows of a second and the command from then on; what the character is usually asked for where there are none."""
    standing: bool = False
    """Start standing rather than in states of the brain's own."""
    body: str | None = None
    """Another body with the same joints."""


class Episodes:
    """A brain in many worlds as asked: iterate over the frames, and in each look at the state, then `step`."""

    def __init__(self, folder: BrainFolder, ask: Ask, threads: int = 0):
        threads = threads or os.cpu_count() or 1
        params = folder.params()
        self.player = player = Player(folder.load(threads), ask.fitness, ask.episodes, threads, body=ask.body)
        self.info, self.body, self.world = player.info, player.body, player.world
        self.count = ask.episodes
        self._rule = FallRule.of(params, self.body.bodies, str(folder.path / "params.yaml"))
        self.start = distinct_starts(folder, self.body, ask.episodes, ask.seed, ask.standing)
        self.world.reset(None, *self.start)
        for region, spent in ask.spent:
            if region not in self.body.regions:
                there = ", ".join(self.body.regions)
                raise InputError(f"region '{region}' of {self.body.name} is unknown; there are: {there}")
            player.exhaust(self.body.regions[region], spent)
        if ask.commands:
            self._commands = stepped(ask.commands, self.info)
        else:
            self._commands = commands(
                self.info, params, self.start[0], ask.turn_every, ask.seed, ask.fitness.time_scale
            )
        self.frames = max(1, round(ask.seconds * self.info.control_rate))
        self.fell_at = np.full(ask.episodes, self.frames)
        """Frame at which each episode was over by a fall; the number of frames where it was not."""
        self.done = 0
        """Frames that were played."""
        self.fallen = np.zeros(ask.episodes, bool)
        """Which are down in this frame."""
        self._soles, self._get_up = Soles(self.body), False
        self._pending = sorted(ask.changes, key=lambda change: change[0])

    def __iter__(self) -> Iterator[int]:
        """The frames, until all are over or every episode has lain on the floor for a second."""
        rate = self.info.control_rate
        for k in range(self.frames):
            while self._pending and self.player.second >= self._pending[0][0] - 1e-9:
                self.player.set_fitness(self._pending.pop(0)[1])
            self.clearance = self._soles(self.world.xpos, self.world.xquat)
            self.fallen = self._rule.broken(self.world.xpos, self.clearance) | self.world.faulted
            self.fell_at[self.fallen & (self.fell_at == self.frames)] = k
            over = (self.fell_at < k - rate).all() and not self._get_up  # a second on the floor, for pictures
            if k % round(rate) == 0 and over:
                break
            yield k
            self.done = k + 1

    def step(self, command: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """A control step under a command, or the one that was asked for; returns the brain's outputs."""
        return self.player.step(self.command() if command is None else command)

    def command(self) -> np.ndarray:
        """What is asked for now, (character, size), or (size,) for all alike."""
        return self._commands(self.player.second)

    def stand_up(self) -> None:
        """Put those that are down back into their start state where they lie, as tired as they are."""
        self._get_up = True
        if self.fallen.any():
            qpos, qvel = self.start[0].copy(), self.start[1]
            qpos[:, :2] = self.world.qpos[:, :2]
            self.world.reset(self.fallen, qpos, qvel)
