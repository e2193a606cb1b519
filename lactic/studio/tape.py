"""The last minute of one actor: a ring of frames that the stage shows and every export is cut from."""

from typing import Any

import numpy as np

from lactic.play.driver import Driver, Look, Recorder

SECONDS = 60.0
"""How far back one can scrub."""


class Tape(Recorder):
    """A recorder that also keeps what the stage shows: velocities, places of bodies, and pushes."""

    qvel: np.ndarray
    xpos: np.ndarray
    xquat: np.ndarray
    push: np.ndarray
    """Force of the push that acted, N."""
    pushed: np.ndarray
    """The body it acted on."""
    clip_xpos: np.ndarray
    """Where the motion has the bodies that is followed. These and the next are only there where one is."""
    clip_xquat: np.ndarray
    clock: np.ndarray
    """How fast it runs, beside its own pace."""
    away: np.ndarray
    """Whether the character has lost it and is led back."""
    lost: np.ndarray
    """How often it has lost it so far."""

    def __init__(self, driver: Driver, begin: int = 0, **more: Look):
        world = driver.player.world
        given: list[Any] = [0.0, np.zeros(3), 0]
        self._given = given  # looked at without `self`: a tape that nobody needs is gone at once
        super().__init__(
            driver,
            max(2, round(SECONDS * driver.player.info.control_rate)),
            begin,
            time=lambda: given[0],
            push=lambda: given[1],
            pushed=lambda: given[2],
            qvel=lambda: world.qvel[0],
            xpos=lambda: world.xpos[0],
            xquat=lambda: world.xquat[0],
            **more,
        )

    def record(self, second: float, push: np.ndarray, pushed: int) -> None:
        """Step the actor, and keep the frame with its time on the stage's clock and the push that acts."""
        self._given[:] = second, push, pushed
        self.step()

    def clear(self) -> None:
        """Forget everything and count from 0 again."""
        self.begin = self.count = 0
        self.cuts = []

    def tint(self, frame: int) -> np.ndarray:
        """How tired each rigid body's parent joint is, (body,)."""
        return self.player.body.weakest(self.fatigue[self.slot(frame), :, 2])
