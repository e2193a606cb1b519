"""What a policy and a discriminator see: features of the pose without its place and heading. Pure torch, exportable."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.body import Body
from lactic.brain.layout import Layout
from lactic.brain.module import Senses
from lactic.task import frame
from lactic.task.mirror import Mirror, joined, of_joints, of_pose, signed

SPEED_SCALE = 0.1
"""Joint velocities are ten times larger than angles; scaled, both start alike before any statistics are known."""


def features(qpos: Tensor, qvel: Tensor, xpos: Tensor, key: Tensor) -> Tensor:
    """Root height, rotation, velocities, joint angles and speeds, key bodies: all seen from the heading frame.

    `qvel` is MuJoCo's: linear velocity of the root in the world, angular in the root's own frame; `key` holds the
    indices of the key bodies.
    """
    place, turn, joints = _root(qpos)
    velocity, spin, speeds = qvel.split([3, 3, qvel.shape[1] - 6], dim=1)
    axes = frame.axes(turn)
    offsets = xpos.index_select(1, key) - place[:, None]
    vectors = torch.cat([axes[:, ::2], velocity[:, None], frame.times(spin[:, None], axes), offsets], dim=1)
    seen = frame.from_heading(frame.facing(axes), vectors).flatten(1)
    root, keys = seen.split([12, seen.shape[1] - 12], dim=1)  # axes x and z, velocity, spin; then the key bodies
    return torch.cat([place[:, 2:], root, joints, SPEED_SCALE * speeds, keys], dim=1)


def _root(qpos: Tensor) -> tuple[Tensor, ...]:
    """Place and turn of the root, and the joints: one operation, and the same one for whatever asks."""
    return qpos.split([3, 4, qpos.shape[1] - 7], dim=1)


def local_direction(qpos: Tensor, direction: Tensor) -> Tensor:
    """A direction in the floor plane (world, 2) seen from the heading frame, of unit length (zero stays zero)."""
    return local_velocity(qpos, rotation.normalize(direction))


def local_velocity(qpos: Tensor, velocity: Tensor) -> Tensor:
    """A velocity over the floor (world, 2) seen from the heading frame."""
    return frame.over_floor(frame.facing(frame.axes(_root(qpos)[1])), velocity)


def local_goal(qpos: Tensor, goal: Tensor, far: float = 10.0) -> Tensor:
    """Direction to a goal on the floor seen from the heading frame, and its distance as a share of `far`, at most 1."""
    away = goal - qpos[:, :2]
    distance = torch.sqrt((away * away).sum(1, keepdim=True) + 1e-12)
    return torch.cat([local_direction(qpos, away), (distance / far).clamp(max=1.0)], dim=1)


def local_lane(qpos: Tensor, speed: Tensor, far: float = 1.0) -> Tensor:
    """The speed asked for, metres left of the lane along the world's x axis (at most `far`), and sine and cosine of the
    heading from it."""
    ahead = frame.facing(frame.axes(_root(qpos)[1]))
    return torch.cat([speed, qpos[:, 1:2].clamp(-far, far), ahead.flip(1)], dim=1)


class Command(NamedTuple):
    """How a kind of command is given, and how it is seen."""

    size: int
    """Numbers as given."""
    local: Callable[[Tensor, Tensor], Tensor]
    """The command as seen by a character at qpos."""
    image: tuple[float, ...]
    """Signs in the mirror of what is seen."""


COMMANDS = {
    "none": Command(0, lambda qpos, command: command, ()),
    "velocity": Command(2, local_velocity, (1.0, -1.0)),
    "goal": Command(2, local_goal, (1.0, -1.0, 1.0)),
    "lane": Command(1, local_lane, (1.0, -1.0, -1.0, 1.0)),
}


def layout_of(body: Body, command: str = "none") -> Layout:
    """The parts of an observation: features of the pose up to `keys`, the command seen locally, MF of each joint."""
    joints, keys = len(body.joints), 3 * len(body.key_bodies)
    pose = {"height": 1, "axes": 6, "velocity": 3, "spin": 3, "joints": joints, "speeds": joints, "keys": keys}
    return Layout(**pose, command=len(COMMANDS[command].image), fatigue=joints)


class Observer(nn.Module):
    """Senses to observation (`layout_of`)."""

    learnable = ("command",)
    """Parts that a policy may have been trained without: they start without effect."""

    def __init__(self, body: Body, command: str = "none", fatigue: bool = True):
        super().__init__()
        self.kind, self.fatigue = command, fatigue
        self.about: dict[str, Any] = {}
        """Fields of the brain's metadata that follow from what is seen (`brain.file.BrainInfo`)."""
        self.layout = layout_of(body, command)
        self.size, self.command_size = self.layout.size, COMMANDS[command].size
        self.features_size = self.layout["keys"].stop
        self.features_part = slice(self.features_size)
        """Where an observation has the features, which the discriminator sees too."""
        self.key: Tensor
        key = torch.tensor([body.bodies.index(name) for name in body.key_bodies])
        self.register_buffer("key", key, persistent=False)
        self.lengths: Tensor
        """Which features are lengths, and so larger in a larger body: the root's height and the key bodies' places."""
        lengths = torch.zeros(self.features_size, dtype=torch.bool)
        lengths[self.layout["height"]] = lengths[self.layout["keys"]] = True
        self.register_buffer("lengths", lengths, persistent=False)

    def forward(self, senses: Senses) -> Tensor:
        """The observation (world, size)."""
        seen = self.features(senses.qpos, senses.qvel, senses.xpos)
        return self.assemble(seen, self.command(senses.qpos, senses.command), senses.fatigue[..., 2])

    def features(self, qpos: Tensor, qvel: Tensor, xpos: Tensor) -> Tensor:
        """What the discriminator sees too."""
        return features(qpos, qvel, xpos, self.key)

    def command(self, qpos: Tensor, command: Tensor) -> Tensor:
        """The command as seen by the character."""
        return COMMANDS[self.kind].local(qpos, command)

    def image(self, body: Body) -> Mirror:
        """How an observation changes when the whole scene is mirrored."""
        parts = of_pose(body) | {"command": signed(*COMMANDS[self.kind].image), "fatigue": of_joints(body, even=True)}
        return Mirror(*joined([parts[name] for name in self.layout]))

    def assemble(self, seen: Tensor, command: Tensor, fatigued: Tensor) -> Tensor:
        """Join the parts; an observer blind to fatigue sees zeros, so that the sizes stay the same."""
        return torch.cat([seen, command, fatigued if self.fatigue else 0.0 * fatigued], dim=1)
