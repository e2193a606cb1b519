"""What a policy and a discriminator see: features of the pose without its place and heading. Pure torch, exportable."""

import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.body import Body
from lactic.brain.module import Senses

SPEED_SCALE = 0.1
"""Joint velocities are ten times larger than angles; scaled, both start alike before any statistics are known."""


def size_of_features(body: Body) -> int:
    """How many numbers `features` gives: 81 for the humanoid."""
    return 1 + 6 + 3 + 3 + 2 * len(body.joints) + 3 * len(body.key_bodies)


def features(qpos: Tensor, qvel: Tensor, xpos: Tensor, key: Tensor) -> Tensor:
    """Root height, rotation, velocities, joint angles and speeds, key bodies: all seen from the heading frame.

    `qvel` is MuJoCo's: linear velocity of the root in the world, angular in the root's own frame; `key` holds the
    indices of the key bodies.
    """
    root = qpos[:, 3:7]
    facing = rotation.heading_rotation(root)
    local = rotation.without_heading(root)
    velocity = rotation.rotate_back(facing, qvel[:, :3])
    spin = rotation.rotate(local, qvel[:, 3:6])
    offsets = xpos.index_select(1, key) - qpos[:, None, :3]
    offsets = rotation.rotate_back(facing[:, None, :].expand(-1, offsets.shape[1], -1), offsets)
    return torch.cat(
        [qpos[:, 2:3], rotation.two_axes(local), velocity, spin, qpos[:, 7:], SPEED_SCALE * qvel[:, 6:],
         offsets.flatten(1)], dim=1)  # fmt: skip


def local_direction(qpos: Tensor, direction: Tensor) -> Tensor:
    """A direction in the floor plane (world, 2) seen from the heading frame, of unit length (zero stays zero)."""
    unit = rotation.normalize(direction)
    turn = rotation.heading(qpos[:, 3:7])
    cosine, sine = torch.cos(turn), torch.sin(turn)
    x, y = unit[:, 0], unit[:, 1]
    return torch.stack([cosine * x + sine * y, cosine * y - sine * x], dim=1)


def local_goal(qpos: Tensor, goal: Tensor, far: float = 10.0) -> Tensor:
    """Direction to a goal on the floor seen from the heading frame, and its distance as a share of `far`, at most 1."""
    away = goal - qpos[:, :2]
    distance = torch.sqrt((away * away).sum(1, keepdim=True) + 1e-12)
    return torch.cat([local_direction(qpos, away), (distance / far).clamp(max=1.0)], dim=1)


COMMANDS = {"none": (0, 0), "direction": (2, 2), "goal": (2, 3)}
"""Kind of command: (size as given, size as observed)."""


class Observer(nn.Module):
    """Senses to observation: features first, then the command seen locally, then MF of each joint."""

    def __init__(self, body: Body, command: str = "none", fatigue: bool = True):
        super().__init__()
        self.kind, self.fatigue = command, fatigue
        self.command_size, observed = COMMANDS[command]
        self.features_size = size_of_features(body)
        self.size = self.features_size + observed + len(body.joints)
        self.key: Tensor
        key = torch.tensor([body.bodies.index(name) for name in body.key_bodies])
        self.register_buffer("key", key, persistent=False)

    def forward(self, senses: Senses) -> Tensor:
        """The observation (world, size)."""
        seen = self.features(senses.qpos, senses.qvel, senses.xpos)
        return self.assemble(seen, self.command(senses.qpos, senses.command), senses.fatigue[..., 2])

    def features(self, qpos: Tensor, qvel: Tensor, xpos: Tensor) -> Tensor:
        """What the discriminator sees too."""
        return features(qpos, qvel, xpos, self.key)

    def command(self, qpos: Tensor, command: Tensor) -> Tensor:
        """The command as seen by the character."""
        if self.kind == "direction":
            return local_direction(qpos, command)
        if self.kind == "goal":
            return local_goal(qpos, command)
        return command

    def assemble(self, seen: Tensor, command: Tensor, fatigued: Tensor) -> Tensor:
        """Join the parts; an observer blind to fatigue sees zeros, so that the sizes stay the same."""
        return torch.cat([seen, command, fatigued if self.fatigue else 0.0 * fatigued], dim=1)
