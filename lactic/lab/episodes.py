"""Many episodes of one brain side by side on the CPU, step by step: deterministic, with fixed seeds."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.brain.catalogue import BrainFolder
from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.motion.ground import clearance
from lactic.play.driver import Asked
from lactic.play.fall import FallRule
from lactic.play.player import Player
from lactic.play.programme import Programme
from lactic.play.start import stored_states

EPISODES = 256
ANGLE, RATE = 0.05, 0.5
"""Standard deviations of the disturbance: rad of the joints and of the root's turn, rad/s of their velocities."""
FAR = 1000.0
"""A goal this far ahead (m) is never reached: what is measured is speed, not arriving."""
RUN, WALK = 3.5, 1.4
"""m/s asked of characters that take a velocity: on and on, and where they are to turn."""
Commands = Callable[[float], np.ndarray]
"""Second to commands: (episode, size), or (size,) for all alike."""


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


class Episodes(Asked):
    """A brain in many worlds as asked: iterate over the frames, and step in each."""

    def __init__(
        self, folder: BrainFolder, ask: Ask, threads: int = 0, progress: Callable[[float], None] = lambda share: None
    ):
        threads = threads or os.cpu_count() or 1
        player = Player(folder.load(threads), ask.fitness, ask.episodes, threads, body=ask.body)
        self.info, self.body, self.world, self.count = player.info, player.body, player.world, ask.episodes
        start = distinct_starts(folder, self.body, ask.episodes, ask.seed, ask.standing)
        told = commands(folder, self.info, ask, start[0])
        super().__init__(player, lambda: told(player.second), FallRule.of(folder, self.body), start)
        for region, spent in ask.spent:
            if region not in self.body.regions:
                there = ", ".join(self.body.regions)
                raise InputError(f"region '{region}' of {self.body.name} is unknown; there are: {there}")
            player.exhaust(self.body.regions[region], spent)
        self.frames = max(1, round(ask.seconds * self.info.control_rate))
        self.fell_at = np.full(ask.episodes, self.frames)
        """Frame at which each episode was over by a fall; the number of frames where it was not."""
        self.down = np.zeros(ask.episodes, bool)
        """Which are down in this frame."""
        self.get_up = False
        """Whether those that are down are put back onto their feet."""
        self._progress = progress
        self._pending = sorted(ask.changes, key=lambda change: change[0])

    def __iter__(self) -> Iterator[int]:
        """The frames, until all are over or every episode has lain on the floor for a second."""
        rate = self.info.control_rate
        for k in range(self.frames):
            while self._pending and self.player.second >= self._pending[0][0] - 1e-9:
                self.player.set_fitness(self._pending.pop(0)[1])
            self.down = self.fallen()
            self.fell_at[self.down & (self.fell_at == self.frames)] = k
            if k % round(rate) == 0:
                self._progress(k / self.frames)
                if (self.fell_at < k - rate).all() and not self.get_up:  # a second on the floor, for pictures
                    break
            if self.get_up:
                self.reset(self.down)
            yield k
        self._progress(1.0)


def commands(folder: BrainFolder, info: BrainInfo, ask: Ask, qpos: np.ndarray) -> Commands:
    """The rows asked for, for all alike; else straight on for characters with a velocity or goal, or with `turn_every`
    in a new random direction so often; else the character's own programme. `qpos` (episode, nq) are the start states.
    """
    if ask.commands:
        table = np.array(ask.commands, dtype=float)
        if table.ndim != 2 or table.shape[1] != 1 + info.command or (np.diff(table[:, 0]) <= 0).any():
            raise InputError(f"{info.name}: takes commands of {info.command} numbers, in rows of increasing seconds")
        return lambda second: table[max(int(np.searchsorted(table[:, 0], second + 1e-9, "right")) - 1, 0), 1:]
    if info.asks not in ("velocity", "goal"):
        programme = Programme.of(folder.params().get("programme", []), info.command, info.usual_command)
        return lambda second: programme.at(second, ask.fitness.time_scale)
    facing, every = rotation.heading(np.asarray(qpos[:, 3:7], float)), ask.turn_every
    goal = info.asks == "goal"
    reach = FAR if goal else RUN if every is None else WALK
    start = np.asarray(qpos[:, :2], float) if goal else np.zeros((len(qpos), 2))

    def at(second: float) -> np.ndarray:
        turn = facing
        if every is not None and second >= every - 1e-9:
            block = int(second / every + 1e-9)
            turn = np.random.default_rng((ask.seed, block)).uniform(-np.pi, np.pi, len(qpos))
        return start + reach * np.stack([np.cos(turn), np.sin(turn)], -1)

    return at


def distinct_starts(
    folder: BrainFolder, body: Body, count: int, seed: int, standing: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """States (count, nq) and (count, nv), no two alike: the brain's own, each drawn as often as any other, disturbed.

    Brains without stored states start in the rest pose, and so do all if `standing`. The lowest point stays as high
    above the floor as it was, and never below it.
    """
    rng = np.random.default_rng(seed)
    stored = None if standing else stored_states(folder, body)
    if stored is None:
        stored = body.rest[None], np.zeros((1, body.model.nv))
    rounds = [rng.permutation(len(stored[0])) for _ in range(-(-count // len(stored[0])))]
    chosen = np.concatenate(rounds)[:count]
    qpos, qvel = stored[0][chosen], stored[1][chosen]
    qpos[:, :2] = 0.0
    return disturbed(body, qpos, qvel, rng)


def disturbed(
    body: Body, qpos: np.ndarray, qvel: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The states with normal noise on joints and root, joints within their range, feet back on the floor."""
    count, joints = len(qpos), len(body.joints)
    before = clearance(body, qpos).min(1)
    qpos, qvel = qpos.copy(), qvel.copy()
    qpos[:, 7:] = np.clip(qpos[:, 7:] + rng.normal(0.0, ANGLE, (count, joints)), *body.range.T)
    qpos[:, 3:7] = rotation.multiply(qpos[:, 3:7], rotation.exp(rng.normal(0.0, ANGLE, (count, 3))))
    qvel[:, 3:] += rng.normal(0.0, RATE, (count, qvel.shape[1] - 3))
    # in the air a body stays as high; on the floor, soles that the noise pushed into it would throw the body up
    qpos[:, 2] += np.maximum(before, 0.0) - clearance(body, qpos).min(1)
    return qpos, qvel
