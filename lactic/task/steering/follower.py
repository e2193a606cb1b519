"""What a follower sees by and acts through: the command of its host, its own body, offsets on the leader's pose."""

import torch
from torch import Tensor, nn

from lactic.body import Body
from lactic.brain.file import FollowerInfo
from lactic.brain.layout import Layout
from lactic.brain.module import Senses
from lactic.steer.following import command_layout
from lactic.task import frame
from lactic.task.observe import SPEED_SCALE
from lactic.task.settings import FatigueSettings
from lactic.task.steering.follow import filtered, steered_joints
from lactic.task.steering.settings import SteerSettings


class SteerObserver(nn.Module):
    """A command to an observation: state, last offsets, the own body where that is felt, and MF."""

    kind = "reference"
    learnable = ("root", "joints", "stretch", "speeds")
    """Parts that a policy may have been trained without: they start without effect."""

    def __init__(self, body: Body, steer: SteerSettings, fatigue: FatigueSettings):
        super().__init__()
        places, joints = steered_joints(body, not steer.all_joints), len(body.joints)
        self.told = command_layout(joints, len(places), steer.state)
        self.feels, self.fatigue, self.command_size = steer.feels, fatigue.seen, self.told.size
        state, offsets = self.told["state"], self.told["offsets"]
        felt = {"root": 9, "joints": joints, "stretch": joints, "speeds": joints} if steer.feels else {}
        self.features_size = state.stop - state.start
        self.layout = Layout(state=self.features_size, offsets=offsets.stop - offsets.start, **felt, fatigue=joints)
        self.size = self.layout.size
        names = tuple(body.joints[k] for k in places)
        self.info = FollowerInfo(steer.state, steer.smoothing, steer.lead, names)
        self.about = {"host": "follower", "following": self.info}

    def forward(self, senses: Senses) -> Tensor:
        """The observation (world, size)."""
        targets, offsets, seen, _ = senses.command.split(self.told.sizes, dim=1)
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
        axes = frame.axes(turn)
        vectors = torch.cat([axes[:, ::2], frame.times(spin[:, None], axes)], dim=1)
        return frame.from_heading(frame.facing(axes), vectors).flatten(1)


class OffsetMap(nn.Module):
    """Actions to targets: the kinematic pose and, on the joints steered, the filtered action (Alg. 5.13); β = 1."""

    def __init__(self, body: Body, steer: SteerSettings, told: Layout, weight: float):
        super().__init__()
        places = steered_joints(body, not steer.all_joints)
        self.size, self.reach, self.told, self.weight = len(places), steer.reach, told, weight
        self.spread: Tensor
        self.register_buffer("spread", torch.eye(len(body.joints))[places], persistent=False)

    def forward(self, action: Tensor, command: Tensor) -> tuple[Tensor, Tensor]:
        """Targets (world, joint) and β (world, 1) under a host's command: the further the character rests, the less its
        offsets count."""
        pose, before, rest = (command[:, self.told[name]] for name in ("targets", "offsets", "rest"))
        return self.offset(action, pose, before, rest), torch.ones_like(rest)

    def offset(self, action: Tensor, pose: Tensor, before: Tensor, rest: Tensor | float = 0.0) -> Tensor:
        """Targets: the open-loop ones, offset by the action, which is smoothed after the offsets `before`."""
        offsets = self.smooth(action, before)
        # elementwise: exact on a GPU too
        return pose + (1.0 - rest) * (offsets[:, :, None] * self.spread).sum(1)

    def smooth(self, action: Tensor, before: Tensor) -> Tensor:
        """Offsets (world, size) after one more frame of the filter."""
        return filtered(self.reach * action, before, self.weight)
