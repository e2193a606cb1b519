"""Characters that follow a motion: the host of a brain that tells how fast the motion shall run on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.motion.library.rises import stored_rises, stored_worth
from lactic.motion.rising import LIES, Rises
from lactic.motion.timeline import NEAR, Aimed, aimed, calmed, carry, paced, run_on, stand_of, stillness, told
from lactic.play.driver import Driver
from lactic.play.player import Player

LOST = 0.5
"""Metres of mean body error at which a motion is lost (tired_actor: failure)."""


def tables_of(clip: BodyClip) -> tuple[np.ndarray, ...]:
    """What is known of each frame of a clip: a table for each field of `Aimed`."""
    return clip.qpos, clip.qvel(), *clip.positions()


class Tracked(Driver):
    """Follow clips of the player's body, each character its own, from the first frame to the last, and hold that.

    Where `strict`, motions run as recorded and never wait. Else a body that loses its motion while it is up is
    led to its feet by one of `rises`, by default those beside its brain, from where it lies; there its own motion goes
    on, turned as the body is. Without any, or where the motion itself lies on the floor, it stands still over the body.
    """

    def __init__(
        self, player: Player, *motions: BodyClip, strict: bool = False, rises: Sequence[BodyClip] | None = None
    ):
        if player.info.tracking is None:
            raise InputError(f"{player.brain.path}: does not follow motions")
        for motion in motions:
            if motion.body.joints != player.info.joints:
                raise InputError(f"clip '{motion.name}': a motion of '{motion.body_name}', not of '{player.info.body}'")
        self.player, self.about, count = player, player.info.tracking, player.world.count
        self.targets = [player.body.bodies.index(name) for name in self.about.targets]
        """Numbers of the bodies that the brain is told of; none where it is told whole poses."""
        self.waiting = np.full(count, float(self.about.waits and not strict), np.float32) if self.about.heeds else None
        """What the brain is told of it: 1 where motions wait."""
        if strict:
            self.about = replace(self.about, waits=False)
        rate = player.info.control_rate
        clips = [motion.resample(rate) for motion in motions]
        worth = None
        if rises is None and self.about.waits:
            rises, worth = stored_rises(player.brain.path.parent, player.body), stored_worth(player.brain.path.parent)
        self.rises = Rises([motion.resample(rate) for motion in rises], worth) if rises else None
        self.slot = self.rises.longest if self.rises else 0
        """Frames of the motion that may lead a character up; they lie behind all others, a slot for each."""
        spare = replace(clips[0], qpos=np.tile(clips[0].qpos[:1], (max(count * self.slot, 1), 1)))
        tables = [tables_of(clip) for clip in (*clips, spare)]
        self.frames = Aimed(*(np.concatenate(column).astype(np.float32) for column in zip(*tables, strict=True)))
        ends = np.cumsum([clip.frames for clip in clips])
        own = np.arange(count) % len(clips)
        self.first, self.last = np.array([0, *ends[:-1]])[own], ends[own] - 1
        self.frame, self.part = self.first.copy(), np.zeros(count, np.float32)
        self.place = np.zeros((count, 2), np.float32)
        self.clock, self.pace = (np.ones(count, np.float32) for _ in range(2))
        """How fast each one's own motion ran in the last step, and what leads it runs now, beside its own pace."""
        self.here = self.place.copy()
        """Where the root of what leads each is over the floor."""
        self.stand = stand_of(player.body)
        """What a motion that is stopped becomes."""
        self.turn = np.zeros(count, np.float32)
        """How far each motion was turned about z."""
        self.down, self.lain = np.zeros(count, bool), np.zeros(count)
        """Which lost the motion and are getting up, while it waits; and for how many seconds."""
        self.low = LIES * player.body.places(player.body.rest[None])[0][..., 2].mean()
        self.led = np.zeros(count, bool)
        """Which are led by a rising motion; then come where that is, where it ends, and how far it was carried."""
        self.led_frame, self.led_last, self.led_part = self.first.copy(), self.last.copy(), self.part.copy()
        self.led_place = self.place.copy()
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
        """What leads each, now or frames ahead of it, as calm as it is slow, (character, …)."""
        found = self._at(ahead, self.led)
        return calmed(found, self.here, self.pace, self.stand) if self.about.waits else found

    def own(self) -> Aimed:
        """Where each one's own motion is now, whatever leads it and however slow it is, (character, …)."""
        return self._at(0, np.zeros_like(self.led))

    def _at(self, ahead: int | np.ndarray, led: np.ndarray) -> Aimed:
        """Where the own motions are, or frames ahead of it, and of those of a mask the motions that lead them up."""
        last = np.where(led, self.led_last, self.last)
        frame = np.minimum(np.where(led, self.led_frame + ahead, self.frame + ahead * ~self.down), last)
        if not self.about.waits:
            return aimed(self.frames, frame, last)
        part, turn = np.where(led, self.led_part, self.part), self.turn * ~led
        place = np.where(led[:, None], self.led_place, self.place)
        return aimed(self.frames, frame, last, part, place, turn if turn.any() else None)

    def reset(self, who: np.ndarray | None = None) -> None:
        """Start again; those of a mask are put onto the motion where it is now, over the place where they lie."""
        if who is None:
            self.frame[:], self.part[:], self.place[:], self.turn[:], self.down[:] = self.first, 0.0, 0.0, 0.0, False
            self.led[:] = False
        elif self.about.waits:
            self.over(who)
            self.down &= ~who
        self.pace[slice(None) if who is None else who] = 1.0
        self._find()
        now = self.moment()
        self.player.world.reset(who, now.qpos.astype(float), now.qvel.astype(float))

    def over(self, who: np.ndarray) -> None:
        """Lead those of a mask by their own motions again, from a stand where their bodies are."""
        self.led &= ~who
        self.place += who[:, None] * (self.player.world.qpos[:, :2] - self.own().qpos[:, :2]).astype(np.float32)
        self.pace[who] = 0.0
        self._find()

    def _find(self) -> None:
        """Note where the roots of what leads are."""
        self.here = self._at(0, self.led).qpos[:, :2].copy()

    def take_after(self, other: "Tracked") -> None:
        """Be where others are that follow the same motions, and go on as they would."""
        for mine, theirs in zip(self.progress(), other.progress(), strict=True):
            mine[:] = theirs
        self.player.world.reset(None, other.player.world.qpos, other.player.world.qvel)

    def progress(self) -> tuple[np.ndarray, ...]:
        """How far each has come, as arrays that may be written to."""
        led = self.led, self.led_frame, self.led_last, self.led_part, self.led_place
        spare = (table[self.last.max() + 1 :] for table in self.frames)
        own = self.frame, self.part, self.place, self.turn, self.clock, self.pace, self.here, self.down, self.lain
        return *own, *led, *spare

    def step(self) -> None:
        """One control step; the motion runs on as the brain says."""
        player = self.player
        gone = self.frame - self.first if self.about.held else None
        player.command[:] = told(self.moment, self.about.later, self.targets, gone, self.waiting)
        outputs = player.step(player.command)
        if not self.about.waits:
            self.frame, self.part = run_on(self.frame, self.part, self.clock, self.last)
            return
        self.pace = self.paced(outputs["clock"][:, 0])
        self.clock = self.pace * ~self.down
        self.frame, self.part = run_on(self.frame, self.part, self.clock, self.last)
        self.led_frame, self.led_part = run_on(self.led_frame, self.led_part, self.pace * self.led, self.led_last)
        found = self._at(0, self.led)
        way = found.qpos[:, :2] - self.here
        spared = stillness(found, self.pace, self.stand) * way
        self.here += way - spared
        gap = player.world.qpos[:, :2].astype(np.float32) - self.here
        pulled = np.where((self.down & ~self.led)[:, None], gap, carry(gap, self.about.leash))
        self.here += pulled
        self.place += (pulled - spared) * ~self.led[:, None]
        self.led_place += (pulled - spared) * self.led[:, None]
        self.rise()
        self.lain = (self.lain + player.dt) * self.down

    def rise(self) -> None:
        """Lead those that have lost their motions, and give back to them those that stand."""
        error = self.error()
        up = self.led & (self.led_frame >= self.led_last) & (error < NEAR)
        if up.any():
            off = rotation.heading(self.player.world.qpos[:, 3:7]) - rotation.heading(self.own().qpos[:, 3:7])
            self.turn += up * rotation.wrap(off)
            self.over(up)
            error = self.error()
        lost = ~self.down & (error > LOST) & (self.about.rises > 0)
        self.down = lost | (self.down & (self.led | (error > NEAR)))
        self._lead(lost | (self.led & (error > LOST)))

    def _lead(self, who: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Lay the rising motions that lead best over the bodies of a mask, if their own motions do not lie low; or
        those of such `rows` (character,), as `Rises` counts them."""
        own = self.frames.xpos[self.frame, :, 2].mean(axis=1)
        who = who & (own > self.low)
        if self.rises is None or not who.any():
            return
        given = None if rows is None else rows[who]
        for k, lead in zip(np.flatnonzero(who), self.rises.leads(self.player.world.qpos[who], given), strict=True):
            begin = len(self.frames.qpos) - (len(who) - k) * self.slot
            for table, values in zip(self.frames, tables_of(lead), strict=True):
                table[begin : begin + lead.frames] = values
            self.led_frame[k], self.led_last[k] = begin, begin + lead.frames - 1
        self.led_part[who], self.led_place[who], self.pace[who] = 0.0, 0.0, 1.0
        self.led |= who
        self._find()

    def lie(self, qpos: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Put all characters onto the floor in such poses (character, nq), their motions above them; what leads them up
        first may be given by its `rows` (character,), as `Rises` counts them."""
        self.player.world.reset(None, qpos, np.zeros_like(self.player.world.qvel))
        self.down[:], self.lain[:] = True, 0.0
        self.over(self.down)
        self._lead(self.down, rows)

    def paced(self, asked: np.ndarray) -> np.ndarray:
        """How fast motions run whose brains asked for a pace, (character,); not at all over a body that lies, and at
        their own pace where they lead up: nobody gets up by halves."""
        found = np.where(self.led, np.float32(1.0), paced(self.pace, asked, self.player.dt, self.about.fastest))
        return np.where(self.down & ~self.led, np.float32(0.0), found)

    def error(self) -> np.ndarray:
        """Mean distance of the bodies that the brain is told of from where the motion has them, m, (character,)."""
        off = self.player.world.xpos - self.moment().xpos
        return np.linalg.norm(off[:, self.targets] if self.targets else off, axis=2).mean(1)

    def fallen(self) -> np.ndarray:
        """Which have lost the motion and do not get up, or lost their state, (character,)."""
        lost = np.where(self.down, self.lain > self.about.rises, self.error() > LOST)
        return lost | self.player.world.faulted
