"""The same law as a torch module, of gathers and products alone, for an ONNX file. `law` says what it does.

Muscles are padded to as many anchors as the longest has, by repeating the last one: pieces of no length pull nowhere.
"""

import numpy as np
import torch
from torch import Tensor, nn

from lactic import rotation
from lactic.body import muscle_man
from lactic.muscle.man import law
from lactic.muscle.man.law import Gains
from lactic.muscle.man.musculature import musculature


class MuscleLaw(nn.Module):
    """A physics step of all muscles; all arrays are float32 and batch first, MuJoCo's world body is left out."""

    weight: Tensor
    place: Tensor
    arms: Tensor
    peak: Tensor
    fibre: Tensor
    tendon: Tensor
    rest: Tensor
    carriers: Tensor
    roots: Tensor
    pulled: Tensor

    def __init__(self, dt: float, gains: Gains | None = None) -> None:
        super().__init__()
        self.dt, self.gains = dt, gains or Gains()
        strands, model = musculature().strands, muscle_man().model
        sizes = np.diff(strands.start)
        longest = sizes.max()
        # (muscle, place on the path): the anchor
        padded = np.minimum(strands.start[:-1, None] + np.arange(longest), strands.start[1:, None] - 1)
        self.shape = (*padded.shape, 2, 3)
        at = np.arange(len(strands.body))
        muscle = np.searchsorted(strands.start, at, side="right") - 1
        slot = muscle * longest + at - strands.start[muscle]
        bodies = model.nbody - 1
        held: list[list[tuple[int, np.ndarray]]] = [[] for _ in range(bodies)]
        for a, side in np.argwhere(strands.weight > 0):
            body, weight = strands.body[a, side], strands.weight[a, side]
            lever = strands.place[a, side] - model.body_ipos[body]
            held[body - 1].append((slot[a], weight * np.r_[lever, 1.0]))
        most = max(map(len, held))
        pulled, arms = np.zeros((bodies, most), int), np.zeros((bodies, 4, most))
        for body, rows in enumerate(held):
            pulled[body, : len(rows)] = [index for index, _ in rows]
            arms[body, :, : len(rows)] = np.transpose([row for _, row in rows])
        floats = {
            "weight": strands.weight[padded][..., None],
            "place": strands.place[padded],
            "arms": arms,
            "peak": strands.force,
            "fibre": strands.fibre,
            "tendon": strands.tendon,
            "rest": strands.rest,
        }
        whole = {
            "carriers": (strands.body[padded] - 1).ravel(),
            "roots": strands.body[strands.start[:-1], 0] - 1,
            "pulled": pulled.ravel(),
        }
        for name, values in floats.items():
            self.register_buffer(name, torch.tensor(values, dtype=torch.float32))
        for name, values in whole.items():
            self.register_buffer(name, torch.tensor(values, dtype=torch.int64))

    @property
    def force(self) -> Tensor:
        """Maximal forces, as the law names them; a buffer of that name would be taken for the file's output."""
        return self.peak

    def forward(
        self,
        xpos: Tensor,
        xquat: Tensor,
        action: Tensor,
        length: Tensor,
        rate: Tensor,
        fatigue: Tensor,
        fitness: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Wrenches (world, body, 6) about centres of mass, and length, rate, fatigue and force a physics step later.

        A length of 0 or less is none: the first one after a reset, and its rate stays as it is.
        """
        here, tug = self.path(xpos, xquat)
        rate = torch.where(length > 0.0, law.rate_of(here, length, rate, self.dt), rate)
        target = (1.0 + action) * self.rest
        pulled = law.pull(self, here, rate, target, fatigue, fitness, self.dt, self.gains)
        return self.wrench(xquat, pulled.force, tug), here, rate, pulled.state, pulled.force

    def path(self, xpos: Tensor, xquat: Tensor) -> tuple[Tensor, Tensor]:
        """Lengths (world, muscle), and what anchors get of a newton (world, muscle, anchor, 3) (Eq. 18–20)."""
        worlds = xpos.shape[0]
        turns = rotation.to_matrix(xquat).flatten(2)
        turn = turns.index_select(1, self.carriers).reshape(worlds, *self.shape, 3)
        turned = (turn * self.place[..., None, :]).sum(-1)
        root = xpos.index_select(1, self.roots).reshape(worlds, -1, 1, 1, 3)  # near by, so that digits last
        parts = xpos.index_select(1, self.carriers).reshape(worlds, *self.shape) - root + turned
        points = (self.weight * parts).sum(-2)
        ways = points[:, :, 1:] - points[:, :, :-1]
        pieces = (ways * ways).sum(-1, keepdim=True).sqrt()
        ahead = ways / pieces.clamp(min=1e-12)
        none = torch.zeros_like(ahead[:, :, :1])
        return pieces.sum((-2, -1)), torch.cat([ahead, none], 2) - torch.cat([none, ahead], 2)

    def wrench(self, xquat: Tensor, force: Tensor, tug: Tensor) -> Tensor:
        """Force and torque of each body (world, body, 6): Σ (R·arm) × f, by the arms' axes (Eq. 20)."""
        worlds = xquat.shape[0]
        given = (force[..., None, None] * tug).flatten(1, 2).index_select(1, self.pulled)
        given = given.reshape(worlds, len(self.arms), -1, 3)
        sums = self.arms @ given  # (world, body, 4, 3): by x, y and z of the arm, and plain
        columns = rotation.to_matrix(xquat).transpose(-1, -2)
        torque = rotation.cross(columns, sums[..., :3, :]).sum(-2)
        return torch.cat([sums[..., 3, :], torque], -1)
