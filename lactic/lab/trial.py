"""Episodes of one brain with everything recorded, to be measured afterwards."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lactic import fatigue
from lactic.brain.catalogue import BrainFolder
from lactic.fatigue import Fitness
from lactic.lab.episodes import Ask, Episodes
from lactic.lab.take import Take

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
    episodes = Episodes(folder, ask, threads)
    player, world, trial = episodes.player, episodes.world, _empty(episodes)
    for k in episodes:
        if k % round(trial.fps) == 0:
            progress(k / episodes.frames)
        trial.qpos[k], trial.xpos[k], trial.clearance[k] = world.qpos, world.xpos, episodes.clearance
        outputs = episodes.step()
        trial.command[k] = player.command
        trial.load[k], trial.torque[k] = outputs["load"], world.force
        trial.active[k], trial.spent[k] = outputs["fatigue_next"][..., 0], outputs["fatigue_next"][..., 2]
    progress(1.0)
    trial.faults = world.faults
    for name in ("qpos", "xpos", "clearance", "load", "active", "spent", "torque", "command"):
        setattr(trial, name, getattr(trial, name)[: episodes.done])
    return trial


def _empty(episodes: Episodes) -> Trial:
    body, info, frames = episodes.body, episodes.info, episodes.frames

    def array(*size: int, dtype: type = np.float32) -> np.ndarray:
        return np.zeros((frames, episodes.count, *size), dtype)

    parts, joints = len(body.bodies), len(body.joints)
    # three digits are enough for shares and torques: two minutes of 256 episodes then take half a gigabyte
    load, active, spent, torque = (array(joints, dtype=np.float16) for _ in range(4))
    return Trial(
        body=body,
        fps=info.control_rate,
        qpos=array(body.model.nq),
        xpos=array(parts, 3),
        clearance=array(parts),
        fell_at=episodes.fell_at,
        load=load,
        active=active,
        spent=spent,
        torque=torque,
        command=array(info.command),
        torque_limit=body.torque_limit.astype(np.float32),
        frames=frames,
    )


def body_of(F: float, R: float, r: float, time_scale: float = 1.0) -> Fitness:
    """A body with these rates, named as the papers write it: (1, 0.01, 1)."""
    return Fitness(f"({F:g}, {R:g}, {r:g})", F, R, r, time_scale=time_scale)


OFF = fatigue.preset("off")
TIRED = fatigue.preset("cheema2023")


def made_for(folder: BrainFolder) -> Fitness:
    """The fitness that a character was trained with; the paper's where its params.yaml names none."""
    named = ((folder.params().get("task") or {}).get("fatigue") or {}).get("fitness")
    return fatigue.preset(named) if named else TIRED


RECOVERING = body_of(1, 0.06, 1)
"""Tires as fast and recovers six times faster (cheema2023 Fig. 11, middle)."""
