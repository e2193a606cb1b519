"""Many episodes of one brain side by side on the CPU, everything recorded: deterministic, with fixed seeds."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lactic import fatigue
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.fatigue import Fitness
from lactic.lab.command import commands
from lactic.lab.take import Soles, Take
from lactic.play.fall import FallRule
from lactic.play.player import Player
from lactic.play.start import start_states

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


@dataclass
class Trial(Take):
    """A take with what happened inside the body; frame k holds the state and what the control step from there did."""

    load: np.ndarray
    """Intended torque over the fresh maximum, (frame, episode, joint)."""
    active: np.ndarray
    """MA."""
    spent: np.ndarray
    """MF."""
    torque: np.ndarray
    """What the engine gave in the last substep, Nm."""
    command: np.ndarray
    torque_limit: np.ndarray
    """Fresh maximal torque of each joint, Nm."""
    frames: int
    """Frames asked for; fewer were run if every episode fell."""
    faults: int = 0

    @property
    def capacity(self) -> np.ndarray:
        """Residual capacity RC of each joint, (frame, episode, joint)."""
        return 1.0 - self.spent

    @property
    def stood(self) -> np.ndarray:
        """Which episodes lasted to the end without a fall, (episode,)."""
        return self.fell_at >= self.frames

    @property
    def bytes(self) -> int:
        """Memory it holds."""
        return sum(v.nbytes for v in vars(self).values() if isinstance(v, np.ndarray))


def run(
    folder: BrainFolder, ask: Ask, threads: int = 0, progress: Callable[[float], None] = lambda share: None
) -> Trial:
    """Play a brain as asked; `progress` hears the share done, about once a simulated second."""
    threads = threads or os.cpu_count() or 1
    params = folder.params()
    player = Player(folder.load(threads), ask.fitness, ask.episodes, threads)
    info, body, world = player.info, player.body, player.world
    rule = FallRule.of(params, body.bodies, str(folder.path / "params.yaml"))
    qpos, qvel = start_states(folder, player.body, ask.episodes, ask.seed)
    world.reset(qpos=qpos, qvel=qvel)
    for region, spent in ask.spent:
        if region not in body.regions:
            raise InputError(f"region '{region}' of {body.name} is unknown; there are: {', '.join(body.regions)}")
        player.exhaust(body.regions[region], spent)
    command = commands(info, params, qpos, ask.turn_every, ask.seed, ask.fitness.time_scale)
    frames = max(1, round(ask.seconds * info.control_rate))
    soles = Soles(body)
    trial = _empty(player, frames)
    pending, done = sorted(ask.changes, key=lambda change: change[0]), frames
    for k in range(frames):
        while pending and player.second >= pending[0][0] - 1e-9:
            player.set_fitness(pending.pop(0)[1])
        trial.qpos[k], trial.xpos[k] = world.qpos, world.xpos
        trial.clearance[k] = soles(world.xpos, world.xquat)
        fallen = rule.broken(trial.xpos[k], trial.clearance[k]) | world.faulted
        trial.fell_at[fallen & (trial.fell_at == frames)] = k
        if k % round(info.control_rate) == 0:
            progress(k / frames)
            if (trial.fell_at < k - info.control_rate).all():  # a second on the floor, for pictures
                done = k
                break
        trial.command[k] = command(player.second)
        outputs = player.step(trial.command[k])
        trial.load[k], trial.torque[k] = outputs["load"], world.force
        trial.active[k], trial.spent[k] = outputs["fatigue_next"][..., 0], outputs["fatigue_next"][..., 2]
    progress(1.0)
    trial.faults = world.faults
    for name in ("qpos", "xpos", "clearance", "load", "active", "spent", "torque", "command"):
        setattr(trial, name, getattr(trial, name)[:done])
    return trial


def _empty(player: Player, frames: int) -> Trial:
    body, info, episodes = player.body, player.info, player.world.count

    def array(*size: int) -> np.ndarray:
        return np.zeros((frames, episodes, *size), np.float32)

    parts, joints = len(body.bodies), len(body.joints)
    return Trial(
        body=body, fps=info.control_rate, qpos=array(body.model.nq), xpos=array(parts, 3), clearance=array(parts),
        fell_at=np.full(episodes, frames), load=array(joints), active=array(joints), spent=array(joints),
        torque=array(joints), command=array(info.command), torque_limit=np.array(info.torque_limit, np.float32),
        frames=frames)  # fmt: skip


def body_of(F: float, R: float, r: float, time_scale: float = 1.0) -> Fitness:
    """A body with these rates, named as the papers write it: (1, 0.01, 1)."""
    return Fitness(f"({F:g}, {R:g}, {r:g})", F, R, r, time_scale=time_scale)


OFF = fatigue.preset("off")
TIRED = fatigue.preset("cheema2023")
RECOVERING = body_of(1, 0.06, 1)
"""Tires as fast and recovers six times faster (cheema2023 Fig. 11, middle)."""
