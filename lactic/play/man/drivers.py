"""What drives muscle men that are asked for nothing: a clip that they follow, or samples from their prior."""

from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.body import muscle_man
from lactic.brain.catalogue import BrainFolder
from lactic.errors import InputError
from lactic.motion.fetch import cache_folder
from lactic.motion.man import ManLibrary
from lactic.motion.man.clips import velocities
from lactic.play.driver import Asked, Driver
from lactic.play.fall import FallRule
from lactic.play.man.player import MusclePlayer

ASTRAY = 0.5
"""Metres that the height of the head may differ from the clip's: training begins anew there."""


def library_of(folder: BrainFolder, given: str | Path | None = None) -> ManLibrary:
    """The clips that a brain follows: a file, or a folder that holds the library it was trained on."""
    path, name = Path(given or cache_folder()), folder.params().get("library", "man-locomotion.npz")
    return ManLibrary.load(path / name if given is None or path.is_dir() else path)


class Sampling(Asked):
    """Move by codes drawn from the prior at each control step: nobody says what to do (feng2023 Fig. 6)."""

    player: MusclePlayer

    def __init__(
        self,
        player: MusclePlayer,
        start: tuple[np.ndarray, np.ndarray],
        rule: FallRule | None = None,
        seed: int = 0,
    ):
        if player.info.codes is None or not player.info.codes.follows:
            raise InputError(f"{player.info.name}: has no prior to sample from")
        self._random = np.random.default_rng(seed)
        super().__init__(player, lambda: np.zeros_like(player.command), rule, start)

    def step(self) -> None:
        """One control step."""
        self.player.noise[:] = self._random.standard_normal(self.player.noise.shape)
        super().step()


class FollowingMan(Driver):
    """Follow clips of the muscle man, poses (frame, nq) at the control rate, each character its own, and hold the
    last frame."""

    player: MusclePlayer

    def __init__(self, player: MusclePlayer, *clips: np.ndarray):
        if player.info.codes is None or not player.info.codes.follows:
            raise InputError(f"{player.info.name}: follows no clips; ask for none")
        self.player, count = player, player.world.count
        rate = player.info.control_rate
        self._qpos = np.concatenate(clips)
        self._qvel = np.concatenate([velocities(clip, rate) for clip in clips])
        self._xpos, self._xquat = muscle_man().places(self._qpos)
        self._head = muscle_man().bodies.index("head")
        ends = np.cumsum([len(clip) for clip in clips])
        own = np.arange(count) % len(clips)
        self.first, self.last = np.array([0, *ends[:-1]])[own], ends[own] - 1
        self.frame = self.first.copy()
        """(character,): the frame of all clips that each is at, or should be."""
        self.reset()

    @property
    def finished(self) -> np.ndarray:
        """Which have come to their clip's end, (character,)."""
        return self.frame >= self.last

    def reset(self, who: np.ndarray | None = None) -> None:
        """Start again, fresh; those of a mask onto the clip where it is now, over the place where they lie."""
        if who is None:
            self.frame[:] = self.first
        qpos = self._qpos[self.frame].copy()
        if who is not None:
            qpos[:, :2] = self.player.world.qpos[:, :2]
        self.player.place(who, qpos, self._qvel[self.frame], rest=who is None)

    def step(self) -> None:
        """One control step towards the next frame."""
        self.frame = np.minimum(self.frame + 1, self.last)
        at, command = self.frame, self.player.command
        parts = self._qpos[at, :3], self._qvel[at], self._xquat[at].reshape(len(at), -1)
        command[:, 0], command[:, 1:] = 1.0, np.concatenate(parts, axis=1)
        self.player.step(command)

    def error(self) -> np.ndarray:
        """Mean distance of the bodies from the clip's, seen from the roots with the clip's heading, m, (character,)."""
        world, target = self.player.world, self._xpos[self.frame]
        own, meant = (rotation.heading_rotation(q[:, 3:7]) for q in (world.qpos, self._qpos[self.frame]))
        here, there = (
            rotation.rotate_back(turn[:, None], place - place[:, :1] * [1.0, 1.0, 0.0])
            for turn, place in ((own, world.xpos), (meant, target))
        )
        return np.linalg.norm(here - there, axis=2).mean(1)

    def fallen(self) -> np.ndarray:
        """Which have their heads too high or too low for the clip, or lost their state, (character,)."""
        off = np.abs(self.player.world.xpos[:, self._head, 2] - self._xpos[self.frame, self._head, 2])
        return ~(off < ASTRAY) | self.player.world.faulted
