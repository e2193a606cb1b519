"""From wishes of joints to actions of muscles: joints are wished to turn, and muscles that this shortens pull.

Of all activations that give certain joint torques, those with the least sum of squares are activation = (Mᵀλ clipped at
0), where M are the muscles' torques at full activation and λ is a number for each degree of freedom. That is the
condition of Karush, Kuhn and Tucker for this sum. So 50 numbers reach every torque that 284 muscles can give, each with
the least effort, and no muscle works against another for nothing. feng2023 names that as a limit of its own actions.
"""

import torch
from torch import Tensor, nn

from lactic.body import muscle_man
from lactic.body.muscle_man import DAMPING
from lactic.learn.vae.muscles import PARTS, Stretch, TorchMuscles
from lactic.learn.vae.state import STEP, ManState, Skeleton, mixed

ROOT = 6
"""Degrees of freedom of the root, which no muscle moves."""
QUICK = 0.4
"""Radians that a wish of 1 turns a joint from rest in a control step at most. Necks and collarbones have muscles for
several times as much: there noise that a hip hardly feels would shake the body."""


class Wishes(nn.Module):
    """Wishes (…, 50), one for each degree of freedom, to actions (…, 284).

    A wish of 1 asks for about half of the torque that a joint's muscles can give at rest, or for what turns it by
    `QUICK` if that is less.
    """

    scale: Tensor
    torque: Tensor

    def __init__(self, skeleton: Skeleton, muscles: TorchMuscles):
        super().__init__()
        self.skeleton, self.muscles = skeleton, muscles
        self.count = skeleton.rates.shape[-1] - ROOT
        device = muscles.rest.device
        self.register_buffer("scale", torch.ones(self.count, device=device), persistent=False)
        model = muscle_man().model
        qpos = torch.tensor(model.qpos0, dtype=torch.float32, device=device).expand(self.count, -1)
        upright = torch.tensor([1.0, 0.0, 0.0, 0.0], device=device).expand(self.count, skeleton.count, 4)
        still = torch.zeros(self.count, model.nv, device=device)
        rest = skeleton.sensed(qpos, still, upright, torch.zeros(self.count, 3 * PARTS, device=device))
        arms = self.shortening(rest, torch.eye(self.count, device=device)) * muscles.force
        inertia = torch.tensor(model.dof_M0[ROOT:], dtype=torch.float32, device=device)
        easing = inertia / DAMPING  # s
        turned = (STEP - easing * (1.0 - torch.exp(-STEP / easing))) / DAMPING  # rad in a control step, for 1 Nm
        self.register_buffer("torque", torch.minimum(0.5 * arms.abs().sum(-1), QUICK / turned), persistent=False)
        """(…): torque of a wish of 1 at rest, if its muscles could pull more than fully, Nm."""
        self.scale = self.torque / (0.5 * arms.square().sum(-1))

    def shortening(self, state: ManState, wish: Tensor) -> Tensor:
        """How fast each muscle would shorten if joints turned as wished, m/s (…, muscle)."""
        local = torch.einsum("bkv,...v->...bk", self.skeleton.rates[..., ROOT:], self.scale * wish)
        spin = mixed(self.skeleton.way, (state.turn @ local[..., None])[..., 0])
        turning = state._replace(speed=torch.zeros_like(state.speed), spin=spin)
        return -self.muscles.stretch(turning).rate * self.muscles.rest

    def forward(self, state: ManState, wish: Tensor, stretch: Stretch | None = None) -> Tensor:
        """The actions whose springs ask for the least activation of that wish."""
        stretch = self.muscles.stretch(state) if stretch is None else stretch
        _, active, _ = self.muscles.asked(stretch, torch.zeros_like(stretch.length))
        activation = (self.shortening(state, wish) * self.muscles.force * active).clamp(0.0, 1.0)
        return self.muscles.springs(stretch, activation)

    def own(self, qvel: Tensor) -> Tensor:
        """The degrees of freedom of MuJoCo's velocities (…, nv) that muscles move."""
        return qvel[..., ROOT:]

    def by_axis(self, vectors: Tensor) -> Tensor:
        """Vectors of bodies (…, body, 3), each in its own frame, by the axes of the joints above them (…, 50)."""
        return torch.einsum("bkv,...bk->...v", self.skeleton.rates[..., ROOT:], vectors)

    def speeds(self, state: ManState) -> Tensor:
        """How fast joints turn, rad/s (…, 50)."""
        beside = state.spin - state.spin[..., self.skeleton.parent, :]
        return self.by_axis((beside[..., None, :] @ state.turn)[..., 0, :])

    def apart(self, state: ManState, joints: Tensor) -> Tensor:
        """How far each joint is from rotations (…, body, 3, 3) that `Skeleton.joints` gave: the sine of the angle, by
        axis (…, 50)."""
        way = self.skeleton.joints(state.turn).transpose(-1, -2) @ joints
        return self.by_axis(torch.stack([way[..., i, j] - way[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], -1) / 2)
