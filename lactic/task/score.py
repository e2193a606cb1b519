"""The reward of following, for states as NumPy arrays: how well a played character does what it was taught."""

import numpy as np
import torch

from lactic.body import Body
from lactic.task.follow import face_centres, terms
from lactic.task.skeleton import BodySkeleton


class Score:
    """r_fall·mean(r_pos, r_vel, r_local, r_cm-vel) of simulated against kinematic characters."""

    def __init__(self, body: Body):
        self.skeleton = BodySkeleton(body)
        self.points = torch.tensor(face_centres(body), dtype=torch.float32)
        self.parents, self.head = torch.tensor(self.skeleton.parents[1:]), body.bodies.index("head")

    def __call__(self, *states: np.ndarray) -> np.ndarray:
        """Of qpos and qvel of the simulated and qpos and qvel of the kinematic characters, (character,)."""
        qpos, qvel, other, rate = (torch.tensor(np.array(x), dtype=torch.float32) for x in states)
        sim, kin = self.skeleton.at(qpos, qvel), self.skeleton.at(other, rate)
        found = terms(sim, kin, self.points, self.parents, self.head)
        return (found.fall * torch.stack(found[1:]).mean(0)).numpy()
