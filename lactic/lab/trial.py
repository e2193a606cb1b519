"""Episodes of one brain with everything recorded, to be measured afterwards."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lactic import fatigue
from lactic.brain.catalogue import BrainFolder
from lactic.fatigue import Fitness
from lactic.lab.episodes import Ask, Episodes
from lactic.lab.take import Take
from lactic.motion.ground import Soles
from lactic.play.driver import Collector

TIRED_SECONDS = 120.0
"""How long tired characters are looked at: they tire within seconds, and what matters is how they go on."""


@dataclass
class Trial(Take):
    """A take with what happened inside the body; frame k holds the state and what the control step from there did."""

    load: np.ndarray
    """Load TL as the brain counts it, (frame, episode, joint), float16 as the next three."""
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
        return 1.0 - self.spent.astype(np.float32)

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
    episodes = Episodes(folder, ask, threads, progress)
    player, world, body, soles = episodes.player, episodes.world, episodes.body, Soles(episodes.body)
    before = {
        "qpos": lambda: world.qpos.astype(np.float32),
        "xpos": lambda: world.xpos.astype(np.float32),
        "clearance": lambda: soles(world.xpos, world.xquat).astype(np.float32),
    }
    # three digits are enough for shares and torques: two minutes of 256 episodes then take half a gigabyte
    after = {
        "load": lambda: player.outputs["load"].astype(np.float16),
        "active": lambda: player.fatigue[..., 0].astype(np.float16),
        "spent": lambda: player.fatigue[..., 2].astype(np.float16),
        "torque": lambda: world.force.astype(np.float16),
        "command": lambda: player.command,
    }
    kept = Collector(episodes, episodes.frames, before, after)
    for _ in episodes:
        kept.step()
    return Trial(
        body=body,
        fps=episodes.info.control_rate,
        fell_at=episodes.fell_at,
        torque_limit=body.torque_limit.astype(np.float32),
        frames=episodes.frames,
        faults=world.faults,
        **kept.arrays(),
    )


def body_of(F: float, R: float, r: float, time_scale: float = 1.0) -> Fitness:
    """A body with these rates, named as the papers write it: (1, 0.01, 1)."""
    return Fitness(f"({F:g}, {R:g}, {r:g})", F, R, r, time_scale=time_scale)


OFF = fatigue.preset("off")
TIRING = fatigue.preset("cheema2023")
AS_THEY_ARE = body_of(0, 0, 0)
"""Nothing tires and nothing recovers, so that what is exhausted stays so."""


def own_fitness(folder: BrainFolder) -> Fitness:
    """The fitness that a brain was made for."""
    return fatigue.preset(folder.load().info.fitness)


RECOVERING = body_of(1, 0.06, 1)
"""Tires as fast and recovers six times faster (cheema2023 Fig. 11, middle)."""
