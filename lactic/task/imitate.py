"""Imitating clips: nothing is paid but style (cheema2023 Sec. 5), which the discriminator adds."""

from lactic.task.task import Task


class Imitate(Task):
    """Start at a random frame of a clip and move as it does."""
