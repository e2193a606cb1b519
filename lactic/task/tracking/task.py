"""Following any motion of a library in a body that tires (tired_actor), strictly or with a reference that waits."""

from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lactic import body as bodies
from lactic.body import Body
from lactic.brain.module import Senses
from lactic.errors import InputError
from lactic.motion.library import Library
from lactic.motion.library.rises import stored_rises
from lactic.motion.timeline import NEAR, Aimed, Stand, calmed, carry, paced, run_on, stand_of, stillness, told
from lactic.task.task import Task
from lactic.task.tiring import exertion
from lactic.task.tracking.motions import Mining, Motions, motions, with_long
from lactic.task.tracking.rising import TAIL, leads, with_leads
from lactic.task.tracking.settings import TrackTaskSettings, check
from lactic.task.tracking.tracker import parts_of, reach_of
from lactic.world.interface import World

ALL = "all"
"""The split that is the whole library."""
SHARES = (0.5, 0.3, 0.1, 0.1)
"""Of the pay for positions, rotations, the root's velocity and the joints' speeds (tired_actor A.1)."""

RISING = (0.3, 4.0, 0.2, 0.3)
"""Pay of a body that gets up: for being near what leads it, the sharpness of that in 1/m², for the head's height, and
the share of what following pays. All together earn less than following itself."""
LATELY = 5.0e6
"""Samples after which a body that got up counts a third."""


class Track(Task[TrackTaskSettings]):
    """Follow a motion from some frame on, until it ends or is lost."""

    command_kind = "motion"
    watched = ("error", "clock", "down", "hard", "rises", "drag")
    kept = (*Task.kept, "frame", "part", "place", "clock", "here", "failures", "tries", "down", "lain", "risen")
    own_chance = 3
    """How long ahead of a hard second an episode starts, whether on the floor, and whether in the mirror."""
    reference: Motions

    def __init__(
        self, world: World, reference: Motions, settings: TrackTaskSettings, torque_limit: Tensor | None = None
    ):
        super().__init__(world, reference, settings, torque_limit)
        n, device, track = self.count, self.device, settings.track
        self.carries = track.waits or track.led
        check(track)
        self.imitates = settings.style_weight > 0.0
        rate = settings.control_rate
        self.mining = Mining(self.reference, track.even, track.run_up, rate, track.most, track.hopeless)
        self.failures, self.tries = self.mining.failures, self.mining.tries
        self.frame = torch.zeros(n, dtype=torch.long, device=device)
        self.part, self.error = (torch.zeros(n, device=device) for _ in range(2))
        self.clock = torch.ones(n, device=device)
        """How fast each reference runs, beside its own pace."""
        self.place, self.here = (torch.zeros(n, 2, device=device) for _ in range(2))
        """How far each reference was carried along over the floor, and where its root is so now."""
        qpos, xpos, xquat, head = stand_of(self.body)
        qpos, xpos, xquat = (torch.tensor(part, device=device) for part in (qpos, xpos, xquat))
        self.stand = Stand(qpos, xpos, xquat, head)
        """What a reference that is stopped becomes."""
        self.down = torch.zeros(n, dtype=torch.bool, device=device)
        """Which lie on the floor or are getting up."""
        self.waits = torch.full((n,), track.waits, device=device)
        """Whose references wait."""
        strict = round(track.strict * n)
        self.waits[:strict] = False
        self.carried = self.waits | track.led
        """Whose references are carried along."""
        self.heard = self.waits.float()
        """What one that heeds it is told of that."""
        if track.far:
            self.farsighted = (strict, track.far)
        self.lost = torch.where(self.waits, track.slack or track.lost, track.lost)
        """Metres of mean body error at which each has lost its motion."""
        self.loss = -track.loss_cost * settings.control_rate * self.carried.float()
        """What losing it pays each."""
        self.sharp = torch.where(self.waits, 1.0 / track.loose, 1.0)
        """How sharply each is paid for positions and rotations, beside the settings."""
        self.lain = torch.zeros(n, device=device)
        """Seconds that they have been down."""
        self.risen = torch.zeros(2, device=device)
        """How many got up, and how many failed to, lately."""
        self.head = self.body.bodies.index("head")
        self.lead = self.reference.lead if track.fallen else self.reference.first[:1]
        """First frames of what leads those up that start on the floor, (motion,)."""
        if not len(self.lead):
            raise InputError("task.track.fallen: the motions hold none that lead up from the floor")
        self.tail = round(TAIL * settings.control_rate)
        self.leads = int(self.lead.min()) if track.fallen else len(self.reference.qpos)
        """The frame from which on all frames are of motions that lead up."""
        led = torch.arange(self.leads, len(self.reference.qpos), device=device)
        self.midway = led[led <= self.reference.last[led] - self.tail] if track.fallen else self.lead
        """Frames of what leads up, until it stands, (frame,)."""
        self.long = self.reference.long if track.long else self.reference.first[:1]
        """Frames of repeated motions, (frame,)."""
        if not len(self.long):
            raise InputError("task.track.long: the motions hold none that were repeated")
        self.dragged = torch.zeros(n, device=device)
        """How fast each reference was carried along in the last control step, m/s."""
        self.now = self.moment()
        """The references that were looked at last."""
        self.command = self.told(self.observer)
        """What the policy was told when it last saw: its action is about that."""

    @classmethod
    def parts(cls, body: Body, settings: TrackTaskSettings) -> tuple[Any, Any]:
        """What the policy sees by and acts through."""
        return parts_of(body, settings.track, settings.fatigue)

    @classmethod
    def growth(cls, before: TrackTaskSettings, now: TrackTaskSettings) -> Tensor | None:
        """Actions that reach further are smaller, those for β as they were."""
        joints = reach_of(cls.own_body(before), before.track) / reach_of(cls.own_body(now), now.track)
        clock = before.track.clock_reach / now.track.clock_reach
        return torch.cat([joints, torch.tensor([1.0, clock])])

    @classmethod
    def reference_of(cls, settings: TrackTaskSettings, clips: Path) -> Motions:
        """The motions of a split of the library."""
        library = Library.load(clips / f"{settings.library}.npz")
        chosen = library.choose(None if settings.split == ALL else settings.split.split(","))
        if library.body_name != settings.body:
            raise InputError(f"{settings.library}: clips of the body '{library.body_name}', not '{settings.body}'")
        if not 0 <= settings.many <= len(chosen):
            raise InputError(f"task.many {settings.many}: the split '{settings.split}' has {len(chosen)} motions")
        rows = np.linspace(0, len(chosen) - 1, settings.many or len(chosen)).round().astype(int)
        clips_of = [chosen.clip(int(i)) for i in rows]
        body, style = bodies.get(settings.body), settings.style_weight > 0.0
        rate, track = settings.control_rate, settings.track
        table = motions(clips_of, body, rate, style, settings.mirror)
        # what ships leads better than clips do, once it was trained with
        made = leads(stored_rises(clips, body) or clips_of, table, rate) if track.fallen else []
        if track.long:
            table = with_long(table, clips_of, settings.repeat, rate, style)
        return with_leads(table, made, rate, style) if made else table

    def moment(self, ahead: int | Tensor = 0) -> Aimed:
        """The references now, or frames ahead of it, where they were carried to and as calm as they are slow."""
        frame = torch.minimum(self.frame + ahead, self.reference.last.index_select(0, self.frame))
        if not self.carries:
            return self.reference.at(frame)
        found = self.reference.at(frame, self.part, self.place)
        return calmed(found, self.here, self.clock, self.stand) if self.settings.track.waits else found

    def told(self, observer: Any) -> Tensor:
        """What a host would tell a brain that sees by an observer, (world, size of the command)."""
        about = observer.about["tracking"]
        gone = self.frame - self.reference.first.index_select(0, self.frame) if about.held else None
        return told(self.moment, about.later, observer.targets, gone, self.heard if about.heeds else None)

    def senses(self, command: Tensor) -> Senses:
        """What a brain would sense now that is told such a command."""
        return Senses(self.arena.qpos, self.arena.qvel, self.arena.xpos, command, self.fatigue)

    def observation(self) -> Tensor:
        """What the policy sees now, (world, size)."""
        self.command.copy_(self.told(self.observer))
        return self.observer(self.senses(self.command))

    def aim(self, action: Tensor) -> tuple[Tensor, Tensor]:
        """The reference's next pose with offsets; the reference then runs on, on a way as short as it is calm."""
        targets, beta, asked = self.action(action, self.command)
        if self.settings.track.waits:
            clock = paced(self.clock, asked[:, 0], self.control_dt, self.settings.track.fastest)
            self.clock.copy_(torch.where(self.waits & ~self.down, clock, 1.0))  # nobody gets up by halves
        last = self.reference.last.index_select(0, self.frame)
        frame, part = run_on(self.frame, self.part, self.clock, last)
        self.frame.copy_(frame)
        self.part.copy_(part)
        if self.carries:
            found = self.reference.at(frame, part, self.place)
            way = found.qpos[:, :2] - self.here
            spared = stillness(found, self.clock, self.stand) * way
            self.place.sub_(spared)
            self.here.add_(way - spared)
        return targets, beta

    def look(self) -> Tensor:
        """Carry the references along, compare, and see."""
        arena, leash = self.arena, self.settings.track.leash
        if self.carries:
            gap = arena.qpos[:, :2] - self.here
            pulled = self.carried[:, None] * carry(gap, leash)
            self.place.add_(pulled)
            self.here.add_(pulled)
            self.dragged.copy_(pulled.norm(dim=1) / self.control_dt)
        self.now = self.moment()
        self.error.copy_((arena.xpos - self.now.xpos).norm(dim=2).mean(1))
        stands = self.frame >= self.reference.last.index_select(0, self.frame) - self.tail
        up = self.down & stands & (self.error <= NEAR)
        self.down.logical_and_(~up)
        self.risen.mul_(exp(-self.count / LATELY))
        self.risen[0].add_(up.sum())
        self.lain.add_(self.control_dt).mul_(self.down)
        return self.observation()

    def failed(self) -> Tensor:
        """Where the bodies are too far from the reference's, whatever touches the floor, or do not get up in time."""
        track = self.settings.track
        astray = (self.error > track.astray) | (self.lain > track.rises)
        return torch.where(self.down, astray, self.error > self.lost)

    def finished(self) -> Tensor:
        """Also at the end of a motion that waits for nobody, or that led up a body which stands. Another motion that
        waits goes on with its last pose, as in play: to hurry to its end is of no use."""
        ended = self.frame >= self.reference.last.index_select(0, self.frame)
        goes_on = torch.where(self.frame < self.leads, self.waits, self.down)
        return super().finished() | (ended & ~goes_on)

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """Positions, rotations and velocities (tired_actor Sec. 3.1), the clock, power, and fatigue, which costs."""
        arena, now, s = self.arena, self.now, self.settings.track
        alike = (arena.xquat * now.xquat).sum(2).abs().clamp(max=0.999999)
        errors = (
            self.sharp * s.position * (arena.xpos - now.xpos).square().mean((1, 2)),
            self.sharp * s.rotation * (2.0 * torch.acos(alike)).square().mean(1),
            s.velocity * (qvel[:, :3] - now.qvel[:, :3]).square().sum(1),
            s.speeds * (qvel[:, 6:] - now.qvel[:, 6:]).square().mean(1),
        )
        paid = sum(share * torch.exp(-error) for share, error in zip(SHARES, errors, strict=True))
        if s.fallen:
            near, sharp, high, like = RISING
            height = (arena.xpos[:, self.head, 2] / now.xpos[:, self.head, 2].clamp(min=0.1)).clamp(0.0, 1.0)
            rising = near * torch.exp(-sharp * self.error.square()) + high * height + like * paid
            paid = torch.where(self.down, rising, paid)
        if s.waits:
            weight = s.clock_weight * (1.0 - self.fatigue[..., 2].amax(1)).pow(s.clock_spared)
            paid = paid * (1.0 - weight * (1.0 - self.clock).abs()).clamp(min=0.0)
        if s.drag_cost:
            paid = paid * (1.0 - s.drag_cost * self.dragged).clamp(min=0.0)
        power = (arena.torque * qvel[:, 6:].abs()).sum(1) / 1000.0
        cost = s.power_weight * power + s.fatigue_weight * self.fatigue[..., 2].mean(1)
        if s.torque_weight:
            cost = cost + s.torque_weight * (arena.torque / self.torque_limit).square().mean(1)
        kept = (paid - cost).clamp(min=0.0)  # or losing the motion would be the lesser evil
        return torch.where(self.fell, self.loss * ~self.down, kept)

    def ended(self, own: Tensor) -> None:
        """Remember where it failed; that a spent body did says little about the motion, and what leads up is no part of
        the library."""
        self.risen[1].add_((self.fell & self.down).sum())
        own = self.frame < self.reference.own
        self.mining.note(self.frame, self.fell, own * (1.0 - self.fatigue[..., 2].mean(1)).square())

    def watch(self) -> tuple[Tensor, ...]:
        """Mean body error in metres, the clock, which are down, the share of the library's seconds that are lost at
        least every second time, the share of those on the floor that got up, and how fast motions are carried along."""
        hard, rises = (self.mining.rates > 0.5).float().mean(), self.risen[0] / self.risen.sum().clamp(min=1e-6)
        each = self.error, self.clock, self.down.float(), hard, rises, self.dragged
        return tuple(value.expand(self.count) for value in each)

    def felt(self) -> Tensor:
        """Exertion costs where the motion waits; elsewhere the motion says what must be given. Getting up is worth any
        exertion, and a fall costs as much in a body that is spent."""
        if self.settings.fatigue.mode == "off":
            return self.exertion
        track, power, load = self.settings.track, self.settings.exertion_power, self.given() / self.torque_limit
        fresh = track.forgiven * exertion(load, torch.zeros_like(load), power)
        counts = (self.waits if track.waits else ~self.waits) & ~self.down & ~self.fell
        return (exertion(load, self.fatigue[..., 2], power) - fresh) * counts

    def goes_on(self, chance: Tensor) -> Tensor:
        """Also a share of those that would start fresh, where motions wait."""
        fresh = self.settings.fatigue.fresh
        return super().goes_on(chance) | (self.waits[:, None] & (chance < self.settings.track.weary * fresh))

    @staticmethod
    def _one_of(rows: Tensor, share: Tensor) -> Tensor:
        return rows.index_select(0, (share * len(rows)).long().clamp(0, len(rows) - 1))

    def start(self, u: Tensor, own: Tensor) -> None:
        """On the reference, often ahead of where it fails; somewhere in a repeated motion; or on the floor, half of
        these on the way up already: what is hard about getting up comes last."""
        track, chance = self.settings.track, own[:, 1]
        falls = self.over & self.waits & (chance < track.fallen)
        lasts = self.waits & (chance >= track.fallen) & (chance < track.fallen + track.long)
        frame = self.mining.start(u, own[:, 0], own[:, 2])
        frame = torch.where(lasts, self._one_of(self.long, (chance - track.fallen) / max(track.long, 1e-9)), frame)
        share = chance / max(track.fallen, 1e-9)
        lies, rises = self._one_of(self.lead, 2.0 * share), self._one_of(self.midway, 2.0 * share - 1.0)
        frame = torch.where(falls, torch.where(share < 0.5, lies, rises), frame)
        self.frame.copy_(torch.where(self.over, frame, self.frame))
        self.part.mul_(~self.over)
        self.place.mul_(~self.over[:, None])
        self.clock.copy_(torch.where(self.over, 1.0, self.clock))
        self.down.copy_(torch.where(self.over, falls, self.down))
        self.lain.mul_(~self.over)
        found = self.reference.at(self.frame)
        self.here.copy_(torch.where(self.over[:, None], found.qpos[:, :2], self.here))
        self.start_qpos.copy_(found.qpos)
        self.start_qvel.copy_(found.qvel)
