"""Characters that follow a motion: the host of a brain that tells how fast the motion shall run on."""

from dataclasses import replace

import numpy as np

from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.timeline import NEAR, Aimed, aimed, carry, halted, run_on, told
from lactic.play.driver import Driver
from lactic.play.player import Player

LOST = 0.5
"""Metres of mean body error at which a motion is lost (tired_actor: failure)."""


class Tracked(Driver):
    """Follow clips of the player's body, each character its own, from the first frame to the last, and hold that.

    Where `strict`, motions run as they were recorded, and wait for nobody.
    """

    def __init__(self, player: Player, *motions: BodyClip, strict: bool = False):
        if player.info.tracking is None:
            raise InputError(f"{player.brain.path}: does not follow motions")
        for motion in motions:
            if motion.body.joints != player.info.joints:
                raise InputError(f"clip '{motion.name}': a motion of '{motion.body_name}', not of '{player.info.body}'")
        self.player, self.about, count = player, player.info.tracking, player.world.count
        self.targets = [player.body.bodies.index(name) for name in self.about.targets]
        """Numbers of the bodies that the brain is told of; none where it is told whole poses."""
        if strict:
            self.about = replace(self.about, waits=False)
        clips = [motion.resample(player.info.control_rate) for motion in motions]
        tables = [(clip.qpos, clip.qvel(), *clip.positions()) for clip in clips]
        self.frames = Aimed(*(np.concatenate(column).astype(np.float32) for column in zip(*tables, strict=True)))
        ends = np.cumsum([clip.frames for clip in clips])
        own = np.arange(count) % len(clips)
        self.first, self.last = np.array([0, *ends[:-1]])[own], ends[own] - 1
        self.frame, self.part = self.first.copy(), np.zeros(count, np.float32)
        self.place = np.zeros((count, 2), np.float32)
        self.clock = np.ones(count, np.float32)
        """How fast each motion ran in the last step, beside its own pace."""
        self.down, self.lain = np.zeros(count, bool), np.zeros(count)
        """Which lost the motion and are getting up, while it stands still over them; and for how many seconds."""
        self.reset()

    @property
    def time(self) -> np.ndarray:
        """Seconds of the motion that have gone by, (character,)."""
        return (self.frame - self.first + self.part) / self.player.info.control_rate

    @property
    def finished(self) -> np.ndarray:
        """Which have come to the motion's end, (character,)."""
        return self.frame >= self.last

    def moment(self, ahead: int | np.ndarray = 0) -> Aimed:
        """Where the motion is now, or frames ahead of it, (character, …)."""
        frame = np.minimum(self.frame + ahead * ~self.down, self.last)
        waiting = (self.part, self.place) if self.about.waits else ()
        return halted(aimed(self.frames, frame, self.last, *waiting), self.down)

    def reset(self, who: np.ndarray | None = None) -> None:
        """Start again; those of a mask are put onto the motion where it is now, over the place where they lie."""
        if who is None:
            self.frame[:], self.part[:], self.place[:], self.down[:] = self.first, 0.0, 0.0, False
        elif self.about.waits:
            gap = self.player.world.qpos[:, :2] - self.moment().qpos[:, :2]
            self.place += who[:, None] * gap
            self.down &= ~who
        now = self.moment()
        self.player.world.reset(who, now.qpos.astype(float), now.qvel.astype(float))

    def take_after(self, other: "Tracked") -> None:
        """Be where others are that follow the same motions, and go on as they would."""
        for mine, theirs in zip(self.progress(), other.progress(), strict=True):
            mine[:] = theirs
        self.player.world.reset(None, other.player.world.qpos, other.player.world.qvel)

    def progress(self) -> tuple[np.ndarray, ...]:
        """How far each has come, as arrays that may be written to."""
        return self.frame, self.part, self.place, self.clock, self.down, self.lain

    def step(self) -> None:
        """One control step; the motion runs on as the brain says."""
        player = self.player
        player.command[:] = told(
            self.moment, self.about.later, self.targets, self.frame - self.first if self.about.held else None
        )
        outputs = player.step(player.command)
        if self.about.waits:
            self.clock = self.paced(outputs["clock"][:, 0]) * ~self.down
        self.frame, self.part = run_on(self.frame, self.part, self.clock, self.last)
        if self.about.waits:
            gap = player.world.qpos[:, :2].astype(np.float32) - self.moment().qpos[:, :2]
            carried = carry(self.place, gap, self.about.leash)
            self.place = np.where(self.down[:, None], self.place + gap, carried)
            error = self.error()
            self.down = np.where(self.down, error > NEAR, (error > LOST) & (self.about.rises > 0))
            self.lain = (self.lain + player.dt) * self.down

    def lie(self, qpos: np.ndarray) -> None:
        """Put all characters onto the floor in such poses (character, nq), their motions above them."""
        self.player.world.reset(None, qpos, np.zeros_like(self.player.world.qvel))
        self.place += (qpos[:, :2] - self.moment().qpos[:, :2]).astype(np.float32)
        self.down[:], self.lain[:] = True, 0.0

    def paced(self, asked: np.ndarray) -> np.ndarray:
        """How fast motions run whose brains asked for a pace, (character,)."""
        return asked

    def error(self) -> np.ndarray:
        """Mean distance of the bodies that the brain is told of from where the motion has them, m, (character,)."""
        off = self.player.world.xpos - self.moment().xpos
        return np.linalg.norm(off[:, self.targets] if self.targets else off, axis=2).mean(1)

    def fallen(self) -> np.ndarray:
        """Which have lost the motion and do not get up, or lost their state, (character,)."""
        lost = np.where(self.down, self.lain > self.about.rises, self.error() > LOST)
        return lost | self.player.world.faulted
