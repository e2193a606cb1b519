"""A simulated character that follows a kinematic one (bergamin2020, Ch. 5): offsets on its pose, paid for likeness."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lactic import body as bodies
from lactic import rotation
from lactic.body import Body
from lactic.errors import InputError
from lactic.steer.following import BONES
from lactic.task.skeleton import BodySkeleton, Moving
from lactic.task.steering.follow import Terms, face_centres, state, terms
from lactic.task.steering.follower import OffsetMap, SteerObserver
from lactic.task.steering.settings import SteerTaskSettings
from lactic.task.steering.streams import Following, find_streams
from lactic.task.task import Task
from lactic.task.tiring import at_rest
from lactic.world.interface import World

MOST_FATIGUED = 0.95
"""MF that an episode starts with at most."""
STRUCK_EVERY = 1.0
"""Seconds between blows, where there are any."""
PAID = Terms._fields[1:]
"""Terms of the reward that may be paid; `fall` multiplies them."""


class Steer(Task[SteerTaskSettings]):
    """Follow a stream, each world from a random place on; the stream goes on whatever happens to the follower."""

    command_kind = "reference"
    tires_at_first = False
    watched = ("r_fall", "r_pos", "r_vel", "r_local", "r_cm")
    kept = (*Task.kept, "frame", "offsets")
    own_chance = 5
    """For a blow: whether and how hard, its direction (three), its body."""
    reference: Following

    def __init__(
        self, world: World, reference: Following, settings: SteerTaskSettings, torque_limit: Tensor | None = None
    ):
        s, updates = settings.steer, reference.fps / settings.control_rate
        self.updates = round(updates)
        if abs(updates - self.updates) > 1e-6 or self.updates < 1 or settings.substeps % max(self.updates, 1):
            raise InputError(
                f"task.control_rate {settings.control_rate:g} Hz, substeps {settings.substeps}: a stream of "
                f"{reference.fps:g} Hz must change a whole number of times in a control step, after whole substeps"
            )
        if reference.fps != s.rate:
            raise InputError(f"task.steer.rate {s.rate:g}: the streams have {reference.fps:g} frames a second")
        unknown = set(s.terms) - set(PAID)
        if unknown or not s.terms:
            raise InputError(f"task.steer.terms: {sorted(unknown) or 'none'}; name {', '.join(PAID)}")
        super().__init__(world, reference, settings, torque_limit)
        body, device, n = self.body, self.device, self.count
        self.skeleton = BodySkeleton(body, device)
        self.bones = torch.tensor([body.bodies.index(name) for name in BONES], device=device)
        self.points = torch.tensor(face_centres(body), dtype=torch.float32, device=device)
        self.parents = torch.tensor(self.skeleton.parents[1:], device=device)
        self.numbers = torch.arange(len(body.bodies), device=device)
        self.head = body.bodies.index("head")
        self.lead = s.lead * self.damping / self.stiffness
        self.sharp = (s.position, s.velocity, s.local, s.centre)
        self.frame = torch.full((n,), len(self.reference.last) - 1, device=device)  # the end of a stream
        self.offsets, self.held = (torch.zeros(n, self.action.size, device=device) for _ in range(2))
        self._terms = torch.zeros(len(self.watched), n, device=device)
        self.terms = Terms(*self._terms.unbind(0))

    @classmethod
    def own_body(cls, settings: SteerTaskSettings) -> Body:
        """With stiffer joints: springs that are to be where they are sent."""
        body, steer = super().own_body(settings), settings.steer
        return replace(body, stiffness=steer.stiffness * body.stiffness, damping=steer.damping * body.damping)

    @classmethod
    def reference_of(cls, settings: SteerTaskSettings, clips: Path) -> Following:
        """The streams to follow."""
        return find_streams(settings.clips, clips, bodies.get(settings.body))

    @classmethod
    def parts(cls, body: Body, settings: SteerTaskSettings) -> tuple[Any, Any]:
        """What the policy sees by and acts through."""
        observer = SteerObserver(body, settings.steer, settings.fatigue)
        return observer, OffsetMap(body, settings.steer, observer.told, observer.info.weight(settings.steer.rate))

    def sim(self) -> Moving:
        """The simulated characters as they are."""
        arena = self.arena
        return self.skeleton.move(arena.qpos, arena.qvel, arena.xpos, arena.xquat)

    def observation(self) -> Tensor:
        """What the policy sees now: the kinematic character is a frame ahead, where the simulated one shall be next."""
        return self._seen(self.sim())

    def _seen(self, sim: Moving) -> Tensor:
        ahead, arena = self.frame + 1, self.arena
        kin, asked = self.reference.moving(ahead), self.reference.asked.index_select(0, ahead)
        seen, open_loop = state(sim, kin, asked, self.bones, self.settings.steer.state), self._open_loop(ahead)
        return self.observer.assemble(seen, self.offsets, self.fatigue[..., 2], arena.qpos, arena.qvel, open_loop)

    def look(self) -> Tensor:
        """Compare the two characters."""
        sim = self.sim()
        found = terms(sim, self.reference.moving(self.frame), self.points, self.parents, self.head, self.sharp)
        self._terms.copy_(torch.stack(found))
        return self._seen(sim)

    def _open_loop(self, frame: Tensor) -> Tensor:
        """Targets (world, joint) of the kinematic pose alone."""
        pose, rate = (table.index_select(0, frame) for table in (self.reference.qpos, self.reference.qvel))
        return pose[:, 7:] + self.lead * rate[:, 6:]

    def aim(self, action: Tensor) -> tuple[Tensor, Tensor]:
        """The next frame's kinematic pose with offsets, which are smoothed once more."""
        self.frame.add_(1)
        self.held.copy_(action)
        targets = self.action.offset(action, self._open_loop(self.frame), self.offsets)
        self.offsets.copy_(self.action.smooth(action, self.offsets))
        return targets, torch.ones_like(targets[:, :1])

    def between(self) -> None:
        """The next frame of the reference, and of the filter; the action is held."""
        targets, beta = self.aim(self.held)
        self.drive(targets, beta * self.stiffness, beta * self.damping, self.limits)

    def failed(self) -> Tensor:
        """Also where the heads are too far apart."""
        return super().failed() | (self.terms.fall <= 0.0)

    def finished(self) -> Tensor:
        """Also at the end of a stream."""
        return super().finished() | self._stream_over()

    def _stream_over(self) -> Tensor:
        return self.frame + self.updates + 1 >= self.reference.last.index_select(0, self.frame)

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """The mean of the terms that are paid, times that of a fall."""
        found, s = self.terms, self.settings.steer
        if s.rest < 1.0:
            free = (1.0 - s.rest) * self.reference.still.index_select(0, self.frame)
            position, local = (x + free * (1.0 - x) for x in (found.position, found.local))
            found = found._replace(position=position, local=local)
        paid = torch.stack([getattr(found, name) for name in PAID if name in s.terms]).mean(0)
        return torch.where(self.fell, 0.0, found.fall * paid)

    def watch(self) -> tuple[Tensor, ...]:
        """The terms of the reward."""
        return self.terms

    def ended(self, own: Tensor) -> None:
        """A blow now and then, over one control step."""
        if self.settings.steer.impact <= 0:
            return
        struck = own[:, 0] < self.control_dt / STRUCK_EVERY
        way = rotation.normalize(torch.erfinv((2 * own[:, 1:4] - 1).clamp(-0.9999, 0.9999)))  # even over the sphere
        number = (own[:, 4:] * len(self.numbers)).long()
        size = self.settings.steer.impact * (own[:, 0] * STRUCK_EVERY / self.control_dt) / self.control_dt
        forces = ((struck * size)[:, None] * (number == self.numbers))[..., None] * way[:, None]
        self.arena.world.push[..., :3] = forces if self.arena.shares else forces.numpy()

    def start(self, u: Tensor, own: Tensor) -> None:
        """On the reference, without offsets; at another place of it where a stream has ended."""
        anywhere = self.reference.draw(u)
        # not so near its end that nothing is left
        room = self.reference.last.index_select(0, anywhere) - 2 * self.updates - 2
        self.frame.copy_(torch.where(self._stream_over(), torch.minimum(anywhere, room), self.frame))
        self.start_qpos.copy_(self.reference.qpos.index_select(0, self.frame))
        self.start_qpos[:, :2].zero_()  # where on the floor is never looked at
        self.start_qvel.copy_(self.reference.qvel.index_select(0, self.frame))
        self.offsets.mul_(~self.over[:, None])

    def first_fatigue(self, u: Tensor, chance: Tensor) -> Tensor:
        """As fatigued as the kinematic character takes it to be, which goes slower by that; no share starts fresh."""
        if self.settings.fatigue.mode == "off":
            return super().first_fatigue(u, chance)
        spent = 1.0 - self.reference.capacity.index_select(0, self.frame)
        return at_rest((spent[:, None] * (0.5 + u[:, : self.joints])).clamp(max=MOST_FATIGUED))
