"""What a follower of any motion sees by and acts through: the same in training and in a brain."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from lactic.body import Body
from lactic.brain.file import TrackerInfo
from lactic.brain.layout import Layout
from lactic.brain.module import Senses
from lactic.errors import InputError
from lactic.task import frame
from lactic.task.action import OCTAVES
from lactic.task.mirror import SPIN, VECTOR, Mirror, joined, of_bodies, of_joints, of_pose, signed
from lactic.task.observe import SPEED_SCALE, features, layout_of
from lactic.task.settings import FatigueSettings
from lactic.task.tracking.settings import TrackSettings

TARGETS: dict[str, Callable[[Body], tuple[str, ...]]] = {
    "all": lambda body: (),
    "root": lambda body: body.bodies[:1],
    "ends": lambda body: (*body.bodies[:1], *body.key_bodies),
}
"""Bodies whose places are told, by the name of the setting; none where whole poses are."""


def tracker_info(body: Body, track: TrackSettings) -> TrackerInfo:
    """What a host must know of a follower."""
    rises = track.rises if track.fallen else 0.0
    targets = TARGETS[track.targets](body)
    heeds = track.heeds and not targets
    return TrackerInfo(track.later, track.waits, track.leash, track.fastest, rises, targets, track.held, heeds)


def told_layout(body: Body, later: int, heeds: bool) -> Layout:
    """The parts of what a host tells: the next frame's body positions, pose and velocity, poses `later` on, and for one
    that `heeds` it whether the motion waits."""
    joints = len(body.joints)
    return Layout(
        bodies=3 * len(body.bodies), pose=7 + joints, rate=6 + joints, later=later * (7 + joints), waits=int(heeds)
    )


def reach_of(body: Body, track: TrackSettings) -> Tensor:
    """Radians off the reference's next pose that an action of 1 means, (joint,)."""
    reach = np.maximum(track.reach, track.ask * body.torque_limit / body.stiffness)
    return torch.tensor(reach, dtype=torch.float32)


class TrackObserver(nn.Module):
    """Own pose and a reference to an observation, all seen from the own heading."""

    kind = "motion"
    learnable = ("waits",)

    def __init__(self, body: Body, track: TrackSettings, fatigue: FatigueSettings):
        super().__init__()
        self.about = {"host": "motion", "tracking": tracker_info(body, track)}
        self.fatigue, self.later = fatigue.seen, len(track.later)
        self.targets: tuple[int, ...] = ()
        """Numbers of the bodies whose places alone are told."""
        self.told = told_layout(body, self.later, track.heeds)
        self.command_size = self.told.size
        joints = len(body.joints)
        self.features_size = layout_of(body)["keys"].stop
        self.layout = Layout(
            features=self.features_size,
            bodies=3 * len(body.bodies),
            axes=6,
            velocity=3,
            spin=3,
            joints=joints,
            speeds=joints,
            off=joints,
            later=self.later * (9 + joints),
            waits=int(track.heeds),
            fatigue=joints,
        )
        self.features_part, self.size = self.layout["features"], self.layout.size
        self.key: Tensor
        key = torch.tensor([body.bodies.index(name) for name in body.key_bodies])
        self.register_buffer("key", key, persistent=False)

    def forward(self, senses: Senses) -> Tensor:
        """The observation (world, size)."""
        qpos, xpos = senses.qpos, senses.xpos
        bodies, pose, rate, later, waits = senses.command.split(self.told.sizes, dim=1)
        facing = frame.facing(frame.axes(qpos[:, 3:7]))
        away = bodies.unflatten(1, (-1, 3)) - xpos
        vectors = torch.cat([away, frame.axes(pose[:, 3:7])[:, ::2], rate[:, None, :3]], dim=1)
        seen = frame.from_heading(facing, vectors).flatten(1)
        parts = [features(qpos, senses.qvel, xpos, self.key), seen, rate[:, 3:6], pose[:, 7:]]
        parts += [SPEED_SCALE * rate[:, 6:], pose[:, 7:] - qpos[:, 7:]]
        for ahead in later.chunk(self.later, dim=1) if self.later else ():
            place, axes = (ahead[:, :3] - qpos[:, :3])[:, None], frame.axes(ahead[:, 3:7])
            vectors = torch.cat([place, axes[:, ::2]], dim=1)
            parts += [frame.from_heading(facing, vectors).flatten(1), ahead[:, 7:]]
        fatigued = senses.fatigue[..., 2]
        return torch.cat([*parts, waits, fatigued if self.fatigue else 0.0 * fatigued], dim=1)

    def image(self, body: Body) -> Mirror:
        """How an observation changes when the whole scene is mirrored."""
        pose = of_pose(body)
        joints, ahead = pose["joints"], joined([signed(*VECTOR), pose["axes"], pose["joints"]])
        parts = [joined(list(pose.values())), of_bodies(body.bodies), pose["axes"], signed(*VECTOR), signed(*SPIN)]
        parts += [joints, joints, joints, *[ahead] * self.later, signed(*[1.0] * self.layout.sizes[-2])]
        return Mirror(*joined([*parts, of_joints(body, even=True)]))


class StudentObserver(nn.Module):
    """Own pose and the way to places where a few bodies shall be later (tired_actor Sec. 4.2), from the own heading."""

    kind = "motion"
    learnable = ()

    def __init__(self, body: Body, track: TrackSettings, fatigue: FatigueSettings):
        super().__init__()
        tracking = tracker_info(body, track)
        if not track.later:
            raise InputError("task.track.later: a student needs a frame ahead at least, such as 30")
        self.about = {"host": "motion", "tracking": tracking}
        self.fatigue, self.later = fatigue.seen, len(track.later)
        self.targets = tuple(body.bodies.index(name) for name in tracking.targets)
        self.told = Layout(places=3 * self.later * len(self.targets))
        self.command_size = self.told.size
        self.features_size = layout_of(body)["keys"].stop
        self.layout = Layout(features=self.features_size, places=self.told.size, fatigue=len(body.joints))
        self.features_part, self.size = self.layout["features"], self.layout.size
        self.key: Tensor
        self.target: Tensor
        key = torch.tensor([body.bodies.index(name) for name in body.key_bodies])
        self.register_buffer("key", key, persistent=False)
        self.register_buffer("target", torch.tensor(self.targets * self.later), persistent=False)

    def forward(self, senses: Senses) -> Tensor:
        """The observation (world, size)."""
        qpos, xpos = senses.qpos, senses.xpos
        away = senses.command.unflatten(1, (-1, 3)) - xpos.index_select(1, self.target)
        seen = frame.from_heading(frame.facing(frame.axes(qpos[:, 3:7])), away).flatten(1)
        fatigued = senses.fatigue[..., 2]
        parts = [features(qpos, senses.qvel, xpos, self.key), seen, fatigued if self.fatigue else 0.0 * fatigued]
        return torch.cat(parts, dim=1)

    def image(self, body: Body) -> Mirror:
        """How an observation changes when the whole scene is mirrored."""
        places = of_bodies([body.bodies[target] for target in self.targets])
        pose = joined(list(of_pose(body).values()))
        return Mirror(*joined([pose, *[places] * self.later, of_joints(body, even=True)]))


class TrackMap(nn.Module):
    """Actions to targets about the reference's next pose, β, and the rate of the reference's clock."""

    def __init__(self, body: Body, track: TrackSettings, told: Layout):
        super().__init__()
        self.layout = Layout(joints=len(body.joints), beta=1, clock=1)
        self.size, self.told = self.layout.size, told
        self.waits, self.pace = track.waits, track.clock_reach
        self.lead: Tensor
        self.reach: Tensor
        self.register_buffer("reach", reach_of(body, track), persistent=False)
        lead = track.lead * torch.tensor(body.damping / body.stiffness, dtype=torch.float32)
        self.register_buffer("lead", lead, persistent=False)

    def torque(self, stiffness: Tensor, torque_limit: Tensor) -> Tensor:
        """Share of its strength that an action of 1 asks each joint for, beside an action of 0, (joint,)."""
        return self.reach * stiffness / torque_limit

    def middle(self, command: Tensor) -> Tensor:
        """Targets of an action of 0, (world, joint): the reference's next pose, ahead by its velocity."""
        _, pose, rate, *_ = command.split(self.told.sizes, dim=1)
        return pose[:, 7:] + self.lead * rate[:, 6:]

    def aims(self, targets: Tensor, command: Tensor) -> Tensor:
        """The joints' actions that mean such targets, (world, joint)."""
        return (targets - self.middle(command)) / self.reach

    def forward(self, action: Tensor, command: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Targets (world, joint), β (world, 1), and the pace that is asked of the motion (world, 1), which is 1 if it
        does not wait; its clock comes to that by and by (`timeline.paced`)."""
        aims, octaves, asked = action.split(self.layout.sizes, dim=1)
        targets = self.middle(command) + self.reach * aims
        clock = 1.0 + (self.pace if self.waits else 0.0) * asked
        return targets, torch.exp2(octaves.clamp(*OCTAVES)), clock


class StudentMap(TrackMap):
    """The same about the pose at rest: a student is told no pose."""

    def __init__(self, body: Body, track: TrackSettings, told: Layout):
        super().__init__(body, track, told)
        self.rest: Tensor
        self.register_buffer("rest", torch.tensor(body.rest[7:], dtype=torch.float32), persistent=False)

    def middle(self, command: Tensor) -> Tensor:
        """Targets of an action of 0, (world, joint): the pose at rest."""
        return self.rest.expand(command.shape[0], -1)


def parts_of(body: Body, track: TrackSettings, fatigue: FatigueSettings) -> tuple[nn.Module, TrackMap]:
    """What a follower sees by and acts through."""
    if TARGETS[track.targets](body):
        student = StudentObserver(body, track, fatigue)
        return student, StudentMap(body, track, student.told)
    observer = TrackObserver(body, track, fatigue)
    return observer, TrackMap(body, track, observer.told)
