"""Imitating clips: style is paid (cheema2023 Sec. 5), which the discriminator adds; if asked their pace or turns too.

With clips of running and standing in the reference, style alone leaves open which to do; and a character that is to
flip over and over finds a way to stand that looks like the clip between its flips.
"""

from torch import Tensor

from lactic.task.pose_task import PoseTask
from lactic.task.settings import ImitateTaskSettings


def pace(qvel: Tensor, fastest: float) -> Tensor:
    """Speed over the floor as a share of the fastest clip's, at most 1."""
    return (qvel[:, :2].norm(dim=1) / fastest).clamp(max=1.0)


def turning(qvel: Tensor, turn: Tensor) -> Tensor:
    """Spin along the clip's as a share of its fastest, between −1 and 1: rocking to and fro is worth nothing."""
    return (qvel[:, 3:6] * turn).sum(1).clamp(-1.0, 1.0)


class Imitate(PoseTask[ImitateTaskSettings]):
    """Start at a random frame of a clip and move as it does."""

    imitates = True
    moving_starts = True

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """What `task.pay` says."""
        if self.settings.pay == "turns":
            return turning(qvel, self.reference.turn)
        return pace(qvel, max(self.reference.fastest, 0.1))
