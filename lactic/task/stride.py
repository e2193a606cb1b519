"""Walking and running along a lane without motion data, with legs as strong as a box or as muscles (jiang2019 4.2).

The command is a speed, m/s; the lane is the world's x axis. In every physics step (`before`) virtual forces help, the
learned R bounds the legs (`muscle.batch.BatchLimit`), and effort is added up.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lactic import body as bodies
from lactic.body import Body
from lactic.errors import InputError
from lactic.muscle.batch import BatchLimit
from lactic.muscle.leg import shipped_leg
from lactic.muscle.limit import hinges
from lactic.muscle.samples import WIDE
from lactic.task import terms
from lactic.task.pose_task import CommandTask
from lactic.task.reference import Reference, from_rest
from lactic.task.stride_settings import StrideSettings, StrideTaskSettings
from lactic.world.interface import World

BOX = {
    "abdomen_x": 150.0,
    "abdomen_y": 150.0,
    "abdomen_z": 100.0,
    "neck": 30.0,
    "shoulder_x": 30.0,
    "shoulder_y": 100.0,
    "shoulder_z": 15.0,
    "elbow": 30.0,
    "hip_y": 200.0,
    "hip_x": 60.0,
    "hip_z": 60.0,
    "knee": 200.0,
    "ankle_x": 60.0,
    "ankle_y": 200.0,
    "ankle_z": 60.0,
}
"""Nm. Legs: Sec. 4.2. Trunk and arms: the paper's published code; the neck, which its body lacks, is our choice."""
CHEST = "torso"
STANDING = 0.05
"""Episodes start within so many radians of standing straight."""


def torque_limits(body: Body, settings: StrideSettings) -> Tensor:
    """Largest torques (joint,), Nm: the paper's box, or for muscles in the legs the ranges the networks know."""
    found = []
    for name in body.joints:
        plain = name.removeprefix("right_").removeprefix("left_")
        most = next((BOX[key] for key in (plain, plain[:-2]) if key in BOX), None)
        if most is None:
            raise InputError(f"task.body {body.name}: no torque limit is known for joint '{name}'; use a humanoid")
        found.append(most)
    limit = torch.tensor(found)
    if settings.limits != "box":
        for row in hinges(body, shipped_leg())[0]:
            limit[torch.from_numpy(row)] = torch.tensor(WIDE.torque)
    return limit


class Stride(CommandTask[StrideTaskSettings]):
    """Along the world's x axis at a given speed."""

    command_kind = "lane"
    interferes = True
    watched = ("help", "pace", "effort", "beyond")
    kept = (*CommandTask.kept, "speed")

    def __init__(
        self, world: World, reference: Reference, settings: StrideTaskSettings, torque_limit: Tensor | None = None
    ):
        super().__init__(world, reference, settings, torque_limit)
        self.stride, s = settings.stride, settings.stride
        if len(s.speed) != 2 or not 0 <= s.speed[0] <= s.speed[1]:
            raise InputError(f"task.stride.speed {list(s.speed)}: must be the slowest and the fastest, as [1.0, 1.5]")
        device = self.device
        self.muscles = None
        if s.limits != "box":
            self.muscles = BatchLimit(self.body, self.count, device, self.fresh_limit.cpu().numpy())
        self.fading = terms.Fading(s.help).to(device)
        self._chest = self.body.bodies.index(CHEST)
        self._turning = torch.tensor(s.turning, device=device)
        index, sign = (torch.from_numpy(x).to(device) for x in hinges(self.body, shipped_leg()))
        self.legs, self.sign = index.flatten(), sign.float()
        # weights of |τ|/τmax: the legs' own fall away where E is paid in their place
        weight = torch.full((self.joints,), min(s.effort_weight, s.other_effort_weight), device=device)
        ankles = [i for i, group in enumerate(self.body.groups) if group == "ankle"]
        weight[torch.tensor(ankles, device=device)] = s.effort_weight
        weight[self.legs] = 0.0 if s.limits == "lrle" else s.effort_weight
        box = torque_limits(self.body, replace(s, limits="box")).to(device)
        self.per_torque = box / weight.clamp(min=1e-9)  # Nm that cost 1
        n = self.count
        self._law = torch.zeros(4, n, self.joints, device=device)
        self.speed, self.cost, self.lacking = (torch.zeros(n, device=device) for _ in range(3))

    @classmethod
    def own_body(cls, settings: StrideTaskSettings) -> Body:
        """With the gains and limits of strides."""
        if settings.fatigue.mode != "off":
            raise InputError("task.fatigue.mode: strides are learnt at full strength; leave it off")
        body = super().own_body(settings)
        gain, limit = settings.stride.gain, torque_limits(body, settings.stride).numpy()
        ankle = [name.endswith("ankle_y") for name in body.joints]
        stiffness = np.where(ankle, settings.stride.ankle, gain) * body.stiffness
        return replace(body, torque_limit=limit, stiffness=stiffness, damping=gain * body.damping)

    @classmethod
    def reference_of(cls, settings: StrideTaskSettings, clips: Path) -> Reference:
        """Standing straight, at any part of the speed."""
        fastest = max(settings.stride.speed)
        return from_rest(bodies.get(settings.body), spread=STANDING, turn=STANDING, forward=fastest)

    @classmethod
    def parts(cls, body: Body, settings: StrideTaskSettings) -> tuple[Any, Any]:
        """What the policy sees by and acts through, and what hosts must know: the usual speed, and whose limits."""
        observer, action = super().parts(body, settings)
        s = settings.stride
        observer.about = {"usual": (sum(s.speed) / 2,), "host": "plain" if s.limits == "box" else "muscle"}
        return observer, action

    def drive(self, targets: Tensor, stiffness: Tensor, damping: Tensor, limits: Tensor) -> None:
        """Also remember the PD law for the substeps, and begin to add up their effort."""
        super().drive(targets, stiffness, damping, limits)
        for kept, given in zip(self._law, (targets, stiffness, damping, limits), strict=True):
            kept.copy_(given)
        if self.muscles is not None:
            self.muscles.drive(*self._law)
        self.cost.zero_()
        self.lacking.zero_()

    def before(self) -> None:
        """Ahead of a physics step: help, bound the legs by their muscles, add up effort and what could not be given."""
        arena, s = self.arena, self.stride
        qpos, qvel = arena.qpos, arena.qvel
        arena.push(0, terms.wrench(qpos, qvel, self.command[:, 0], s.help, self.fading.share))
        targets, stiffness, damping, limits = self._law
        torque = (stiffness * (targets - qpos[:, 7:]) - damping * qvel[:, 6:]).clamp(-limits, limits)
        share = 1.0 / self.settings.substeps
        if self.muscles is not None:
            self.muscles(arena.world)
            torque = torque.index_copy(1, self.legs, (self.muscles.given * self.sign).flatten(1))
            self.lacking.sub_(share * terms.beyond(self.muscles.beyond()))
            if s.limits == "lrle":
                self.cost.sub_(share * s.effort_weight * terms.muscle_effort(self.muscles.effort()))
        self.cost.sub_(share * terms.torque_effort(torque, self.per_torque))

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """Eq. 20, with −w‖R‖ of Sec. 3.5.2."""
        s, chest = self.stride, self.arena.xquat[:, self._chest]
        self.speed.copy_(terms.forgetting_mean(self.speed, qvel[:, 0], self.control_dt, s.speed_half_life))
        paid = s.speed_weight * terms.pace(self.speed, self.command[:, 0]) + s.alive
        paid = paid + s.upright_weight * terms.upright(chest, self._turning) + s.lateral_weight * terms.lateral(qpos)
        # a world that was lost has added up what is no number
        return paid - torch.nan_to_num(self.cost + s.beyond_weight * self.lacking, 0.0, 0.0, 0.0)

    def failed(self) -> Tensor:
        """Also far from the lane, or leaning too far."""
        s, chest = self.stride, self.arena.xquat[:, self._chest]
        return super().failed() | (self.arena.qpos[:, 1].abs() > s.astray) | (terms.lean(chest) > s.tilt)

    def new_command(self, qpos: Tensor, u: Tensor) -> Tensor:
        """A speed in the range."""
        slow, fast = self.stride.speed
        return slow + (fast - slow) * u

    def ended(self, own: Tensor) -> None:
        """Let help fade."""
        self.fading(self.fell, self.over)

    def watch(self) -> tuple[Tensor, ...]:
        """Share of help, speed off, weighed effort, Nm that muscles could not give."""
        off = (self.arena.qvel[:, 0] - self.command[:, 0]).abs()
        added = (torch.nan_to_num(total, 0.0, 0.0, 0.0) for total in (self.cost, self.lacking))
        return self.fading.share.expand(self.count), off, *added

    def modules(self) -> dict[str, nn.Module]:
        """The state of the curriculum."""
        return {"fading": self.fading}

    def start(self, u: Tensor, own: Tensor) -> None:
        """And mean speeds."""
        super().start(u, own)
        self.speed.copy_(torch.where(self.over, self.start_qvel[:, 0], self.speed))
