"""A simulated character that follows a kinematic one (bergamin2020, Ch. 5): offsets on its pose, paid for likeness."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lactic import body as bodies
from lactic import rotation
from lactic.body import Body
from lactic.brain.file import FollowerInfo
from lactic.brain.module import Senses
from lactic.errors import InputError
from lactic.steer.following import BONES, SIZES
from lactic.steer.stream import Stream
from lactic.task import frame
from lactic.task.follow import face_centres, filtered, state, steered_joints, terms
from lactic.task.observe import SPEED_SCALE
from lactic.task.settings import TaskSettings
from lactic.task.skeleton import Moving, Skeleton
from lactic.task.task import Outcome, Task
from lactic.world.interface import World

CHUNK = 8192
"""Frames whose kinematics are found at once."""
MOST_TIRED = 0.95
"""MF that an episode starts with at most."""
STILL = 0.2
"""m/s below which a kinematic character stands."""
STRUCK_EVERY = 1.0
"""Seconds between blows, where there are any."""


@dataclass
class Following:
    """Streams as tables on a device: a row a frame of what is to be followed."""

    fps: float
    qpos: Tensor
    qvel: Tensor
    asked: Tensor
    """Velocity asked for with the stick, (frame, 2) in the world."""
    last: Tensor
    """Last frame of each frame's stream."""
    capacity: Tensor
    """Residual capacity of the legs that each frame's character believed to have."""
    still: Tensor
    """1 where it stands and is asked to, else 0, (frame,)."""
    poses: Moving
    """Of every frame."""
    features: Tensor
    """None: what is seen depends on two characters."""
    speed: float
    """Mean speed of the root over the floor, m/s."""

    def moving(self, frames: Tensor) -> Moving:
        """The kinematic characters at frames (world,)."""
        return Moving(*(table.index_select(0, frames) for table in self.poses))

    def examples(self, count: int = 16) -> dict[str, list[list[float]]]:
        """A few states as plain numbers."""
        rows = torch.linspace(0, len(self.qpos) - 1, count).long().to(self.qpos.device)
        return {
            name: [[round(x, 5) for x in row] for row in getattr(self, name)[rows].tolist()]
            for name in ("qpos", "qvel")
        }

    def to(self, device: torch.device) -> "Following":
        """The tables on a device."""
        return replace(
            self,
            poses=Moving(*(table.to(device) for table in self.poses)),
            **{
                name: getattr(self, name).to(device)
                for name in ("qpos", "qvel", "asked", "last", "capacity", "still", "features")
            },
        )


def following(streams: list[Stream], body: Body) -> Following:
    """Tables of streams of one rate."""
    if len({stream.fps for stream in streams}) != 1:
        raise InputError("streams of different rates cannot be followed together; record them alike")
    qpos, qvel, asked, capacity = (
        torch.tensor(np.concatenate([f(s) for s in streams]), dtype=torch.float32)
        for f in (lambda s: s.qpos, lambda s: s.qvel, lambda s: s.goal[:, :2], lambda s: s.capacity)
    )
    ends, base = [], 0
    for stream in streams:
        ends.append(np.repeat(base + stream.starts[1:] - 1, np.diff(stream.starts)))
        base += stream.frames
    skeleton, parts = Skeleton(body), []
    for q, v in zip(qpos.split(CHUNK), qvel.split(CHUNK), strict=True):
        parts.append(skeleton.move(q, v, *skeleton.place(q)))
    poses = Moving(*(torch.cat(column) for column in zip(*parts, strict=True)))
    still = ((asked.norm(dim=1) == 0) & (qvel[:, :2].norm(dim=1) < STILL)).float()
    return Following(
        streams[0].fps,
        qpos,
        qvel,
        asked,
        torch.tensor(np.concatenate(ends)),
        capacity,
        still,
        poses,
        torch.zeros(0, 0),
        float(qvel[:, :2].norm(dim=1).mean()),
    )


def find_streams(shares: Mapping[str, float], folder: Path, body: Body) -> Following:
    """Load `<folder>/<name>.npz` for every name."""
    if not shares:
        raise InputError("task.clips: name at least one file of streams, such as {steer: 1}")
    streams = [Stream.load(folder / f"{name}.npz") for name in shares]
    for name, stream in zip(shares, streams, strict=True):
        if stream.body_name != body.name:
            raise InputError(f"{name}.npz: streams of the body '{stream.body_name}', but the task is for '{body.name}'")
    return following(streams, body)


class SteerObserver(nn.Module):
    """A command of open-loop targets, last offsets, state and how far it rests; what is seen of it: state, last
    offsets, MF; and the own body where that is felt, ahead of MF."""

    kind = "reference"

    def __init__(self, body: Body, settings: TaskSettings):
        super().__init__()
        steer = settings.steer
        places = steered_joints(body, not steer.all_joints)
        self.joints, self.offsets, self.fatigue = len(body.joints), len(places), settings.fatigue.seen
        self.features_size = SIZES[steer.state]
        self.command_size = self.joints + self.offsets + self.features_size + 1
        self.feels = steer.feels
        self.lengths: Tensor
        self.register_buffer("lengths", torch.zeros(self.features_size, dtype=torch.bool), persistent=False)
        self.size = self.features_size + self.offsets + self.joints + (9 + 3 * self.joints) * self.feels
        joints = tuple(body.joints[k] for k in places)
        self.about = {"host": "follower", "following": FollowerInfo(steer.state, steer.filter, steer.lead, joints)}

    def forward(self, senses: Senses) -> Tensor:
        """The observation (world, size)."""
        targets, offsets, seen, _ = senses.command.split([self.joints, self.offsets, self.features_size, 1], dim=1)
        return self.assemble(seen, offsets, senses.fatigue[..., 2], senses.qpos, senses.qvel, targets)

    def assemble(
        self, seen: Tensor, offsets: Tensor, fatigued: Tensor, qpos: Tensor, qvel: Tensor, targets: Tensor
    ) -> Tensor:
        """Join the parts; an observer blind to fatigue sees zeros.

        A body is felt as the root's turn and spin seen from its own heading, the joints, how far they are from their
        open-loop targets, and their speeds: springs are stretched by what they carry.
        """
        parts = [seen, offsets]
        if self.feels:
            joints = qpos[:, 7:]
            parts += [self._root(qpos[:, 3:7], qvel[:, 3:6]), joints, joints - targets, SPEED_SCALE * qvel[:, 6:]]
        return torch.cat([*parts, fatigued if self.fatigue else 0.0 * fatigued], dim=1)

    def _root(self, turn: Tensor, spin: Tensor) -> Tensor:
        """Axes x and z of the root and its spin, seen from its own heading, (world, 9)."""
        turned = frame.matrix(turn)
        vectors = torch.cat([turned[:, :, ::2], (turned * spin[:, None]).sum(2, keepdim=True)], dim=2)
        return frame.from_heading(*frame.facing(turned), vectors).flatten(1)


class OffsetMap(nn.Module):
    """Actions to targets: the kinematic pose and, on the joints steered, the filtered action (Alg. 5.13); β = 1."""

    def __init__(self, body: Body, settings: TaskSettings):
        super().__init__()
        places = steered_joints(body, not settings.steer.all_joints)
        self.joints, self.size, self.filter = len(body.joints), len(places), settings.steer.filter
        self.spread: Tensor
        self.register_buffer("spread", torch.eye(self.joints)[places], persistent=False)
        self.reach = settings.steer.reach

    def forward(self, action: Tensor, command: Tensor) -> tuple[Tensor, Tensor]:
        """Targets (world, joint) and β (world, 1); the command begins with open-loop targets and last offsets, and ends
        with how far the character rests: then its offsets count for less, and for nothing at 1."""
        pose, before = command[:, : self.joints], command[:, self.joints : self.joints + self.size]
        offsets = self.widen(self.smooth(action, before))
        return pose + (1.0 - command[:, -1:]) * offsets, torch.ones_like(command[:, :1])

    def smooth(self, action: Tensor, before: Tensor) -> Tensor:
        """Offsets (world, size) after one more frame of the filter."""
        return filtered(self.reach * action, before, self.filter)

    def widen(self, offsets: Tensor) -> Tensor:
        """Offsets of the joints steered among all joints, zero on the others."""
        return (offsets[:, :, None] * self.spread).sum(1)  # elementwise: exact on a GPU too


class Steer(Task):
    """Follow a stream, each world from a random place on; the stream goes on whatever happens to the follower."""

    command_kind = "reference"
    imitates = False
    moving_starts = False
    tires_at_first = False
    watched = ("r_fall", "r_pos", "r_vel", "r_local", "r_cm")
    reference: Following

    def __init__(self, world: World, reference: Following, settings: TaskSettings, torque_limit: Tensor | None = None):
        updates = reference.fps / settings.control_rate
        self.updates = round(updates)
        if abs(updates - self.updates) > 1e-6 or self.updates < 1 or settings.substeps % max(self.updates, 1):
            raise InputError(
                f"task.control_rate {settings.control_rate:g} Hz, substeps {settings.substeps}: a stream of "
                f"{reference.fps:g} Hz must change a whole number of times in a control step, after whole substeps"
            )
        unknown = set(settings.steer.terms) - {"position", "velocity", "local", "centre"}
        if unknown or not settings.steer.terms:
            raise InputError(f"task.steer.terms: {sorted(unknown) or 'none'}; name position, velocity, local or centre")
        super().__init__(world, reference, settings, torque_limit)
        body, device = self.body, self.device
        self.skeleton = Skeleton(body, device)
        self.bones = torch.tensor([body.bodies.index(name) for name in BONES], device=device)
        self.points = torch.tensor(face_centres(body), dtype=torch.float32, device=device)
        self.parents = torch.tensor(self.skeleton.parents[1:], device=device)
        self.numbers = torch.arange(len(body.bodies), device=device)
        self.head = body.bodies.index("head")
        self.lead = settings.steer.lead * self.damping / self.stiffness
        s = settings.steer
        self.sharp = (s.position, s.velocity, s.local, s.centre)
        self.whole = tuple(name in s.terms for name in ("position", "velocity", "local", "centre"))

    @classmethod
    def own_body(cls, settings: TaskSettings) -> Body:
        """With stiffer joints: springs that are to be where they are sent."""
        body, steer = super().own_body(settings), settings.steer
        return replace(body, stiffness=steer.stiffness * body.stiffness, damping=steer.damping * body.damping)

    @classmethod
    def reference_of(cls, settings: TaskSettings, clips: Path) -> Following:
        """The streams to follow."""
        return find_streams(settings.clips, clips, bodies.get(settings.body))

    @classmethod
    def parts(cls, body: Body, settings: TaskSettings) -> tuple[Any, Any]:
        """What the policy sees by and acts through."""
        return SteerObserver(body, settings), OffsetMap(body, settings)

    def _allocate(self) -> None:
        super()._allocate()
        n, device = self.count, self.device
        self.limits = torch.zeros(n, self.joints, device=device)
        self.frame = torch.zeros(n, dtype=torch.long, device=device)
        self.offsets, self.held = (torch.zeros(n, self.action.size, device=device) for _ in range(2))
        self.target, self.awake = torch.zeros(n, self.joints, device=device), torch.zeros(n, 1, device=device)
        self.terms = torch.zeros(len(self.watched), n, device=device)

    @property
    def chance(self) -> int:
        """Uniform random numbers a world needs in each step: frame, fatigue at the start, and a blow's five."""
        return 1 + self.fatigue_chance + 5

    def _split(self, u: Tensor) -> tuple[Tensor, ...]:
        return u.split([1, self.fatigue_chance, 5], dim=1)

    def begin(self, u: Tensor) -> None:
        """Put every world onto the streams at a random place, at random ages so that they do not all end together."""
        self.over.fill_(True)
        self._renew(u, torch.ones_like(self.over))
        self.age.copy_((u[:, 1] * self.settings.episode).to(torch.int32))
        self.restart()

    def sim(self) -> Moving:
        """The simulated characters as they are."""
        arena = self.arena
        return self.skeleton.move(arena.qpos, arena.qvel, arena.xpos, arena.xquat)

    def observation(self) -> Tensor:
        """What the policy sees now: the kinematic character is a frame ahead, where the simulated one shall be next."""
        return self._seen(self.sim())

    def _seen(self, sim: Moving) -> Tensor:
        ahead = self.frame + 1
        seen = state(
            sim,
            self.reference.moving(ahead),
            self.reference.asked.index_select(0, ahead),
            self.bones,
            self.settings.steer.state,
        )
        qpos, qvel = self.arena.qpos, self.arena.qvel
        return self.observer.assemble(seen, self.offsets, self.fatigue[..., 2], qpos, qvel, self._open_loop(ahead))

    def decide(self, action: Tensor) -> None:
        """Let the reference go on by a frame and set targets for it."""
        self.frame.add_(1)
        self.held.copy_(action)
        self._aim_ahead()
        super().decide(action)
        self.offsets.copy_(self.action.smooth(self.held, self.offsets))

    def _open_loop(self, frame: Tensor) -> Tensor:
        """Targets (world, joint) of the kinematic pose alone."""
        pose, rate = (table.index_select(0, frame) for table in (self.reference.qpos, self.reference.qvel))
        return pose[:, 7:] + self.lead * rate[:, 6:]

    def _aim_ahead(self) -> None:
        self.target.copy_(self._open_loop(self.frame))

    def aim(self, action: Tensor) -> tuple[Tensor, Tensor]:
        """The kinematic pose with offsets."""
        return self.action(action, torch.cat([self.target, self.offsets, self.awake], dim=1))

    def drive(self, targets: Tensor, stiffness: Tensor, damping: Tensor, limits: Tensor) -> None:
        """Also remember the limits, which hold for the whole control step."""
        self.limits.copy_(limits)
        super().drive(targets, stiffness, damping, self.limits)

    def between(self) -> None:
        """The next frame of the reference, and of the filter; the action is held."""
        self.frame.add_(1)
        self._aim_ahead()
        targets, beta = self.aim(self.held)
        self.offsets.copy_(self.action.smooth(self.held, self.offsets))
        super().drive(targets, beta * self.stiffness, beta * self.damping, self.limits)

    def judge(self, u: Tensor) -> Outcome:
        """Compare the two characters, and prepare the restart of episodes that are over."""
        sim, lost = self.sim(), self.arena.faulted
        found = terms(sim, self.reference.moving(self.frame), self.points, self.parents, self.head, self.sharp)
        self.terms.copy_(torch.stack(found))
        sunk = (sim.at.index_select(1, self._fallen)[..., 2] < self.settings.fall.height).any(1)
        fell = lost | sunk | (found.fall <= 0.0)
        self.age.add_(1)
        ended = self.frame + self.updates + 1 >= self.reference.last.index_select(0, self.frame)
        done = fell | ended | (self.age >= self.settings.episode)
        if self.settings.steer.rest < 1.0:
            free = (1.0 - self.settings.steer.rest) * self.reference.still.index_select(0, self.frame)
            found = found._replace(
                position=found.position + free * (1.0 - found.position), local=found.local + free * (1.0 - found.local)
            )
        paid = torch.stack([x for x, counts in zip(found[1:], self.whole, strict=True) if counts]).mean(0)
        reward = self.settings.task_weight * found.fall * paid
        reward = torch.where(fell, torch.zeros_like(reward), reward)
        if self.settings.fatigue.mode == "reward":
            reward = reward - self.settings.fatigue.reward_weight * self.effort
        outcome = Outcome(self._seen(sim), reward, fell, done, self.age.clone())
        self.over.copy_(done)
        if self.settings.steer.impact > 0:
            self._strike(self._split(u)[2])
        self._renew(u, ended)
        return outcome

    def watch(self) -> tuple[Tensor, ...]:
        """The terms of the reward."""
        return tuple(self.terms.unbind(0))

    def _strike(self, u: Tensor) -> None:
        """A blow now and then, over one control step."""
        struck = u[:, 0] < self.control_dt / STRUCK_EVERY
        way = rotation.normalize(torch.erfinv((2 * u[:, 1:4] - 1).clamp(-0.9999, 0.9999)))  # even over the sphere
        number = (u[:, 4:] * len(self.numbers)).long()
        size = self.settings.steer.impact * (u[:, 0] * STRUCK_EVERY / self.control_dt) / self.control_dt
        forces = ((struck * size)[:, None] * (number == self.numbers))[..., None] * way[:, None]
        self.arena.world.push[..., :3] = forces if self.arena.shares else forces.numpy()

    def _renew(self, u: Tensor, ended: Tensor) -> None:
        """Start states on the reference, fatigue and offsets where `over`; another place where a stream ended."""
        place, fatigue_u, _ = self._split(u)
        last = self.reference.last
        anywhere = (place[:, 0] * len(last)).long().clamp(max=len(last) - 1)
        room = last.index_select(0, anywhere) - 2 * self.updates - 2  # not so near its end that nothing is left
        self.frame.copy_(torch.where(ended, torch.minimum(anywhere, room), self.frame))
        self.start_qpos.copy_(self.reference.qpos.index_select(0, self.frame))
        self.start_qpos[:, :2].zero_()  # where on the floor is never looked at
        self.start_qvel.copy_(self.reference.qvel.index_select(0, self.frame))
        self.offsets.mul_(~self.over[:, None])
        self._new_fatigue(fatigue_u)
        self.age.mul_(~self.over)

    def first_fatigue(self, u: Tensor, chance: Tensor) -> Tensor:
        """As tired as the kinematic character takes it to be, which goes slower by that; no share starts fresh."""
        if self.settings.fatigue.mode == "off":
            return super().first_fatigue(u, chance)
        spent = 1.0 - self.reference.capacity.index_select(0, self.frame)
        tired = (spent[:, None] * (0.5 + u[:, : self.joints])).clamp(max=MOST_TIRED)
        return torch.stack([torch.zeros_like(tired), 1.0 - tired, tired], dim=-1)

    def state(self) -> dict[str, Tensor]:
        """Everything a resumed run needs beyond the world's own state."""
        return {name: getattr(self, name) for name in ("fatigue", "rates", "age", "frame", "offsets")}
