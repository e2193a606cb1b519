"""Imitating clips: style is paid (cheema2023 Sec. 5), which the discriminator adds, and the clip's pace if asked."""

from torch import Tensor

from lactic.task.task import Task


def pace(qvel: Tensor, fastest: float) -> Tensor:
    """Speed over the floor as a share of the fastest clip's, at most 1."""
    return (qvel[:, :2].norm(dim=1) / fastest).clamp(max=1.0)


class Imitate(Task):
    """Start at a random frame of a clip and move as it does."""

    def reward(self, qpos: Tensor, qvel: Tensor) -> Tensor:
        """Pace. With clips of running, walking and standing in the reference, style alone leaves open which to do."""
        return pace(qvel, max(self.reference.fastest, 0.1))
