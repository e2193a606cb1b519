"""A programme: what is asked of a character over time, as commands with smooth changes between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RAMP = 1.5  # seconds a change of command takes, in real time: arms move at a human pace whatever the time scale


@dataclass(frozen=True)
class Programme:
    """Commands and the second at which each begins, in the time of the body that it was written for."""

    starts: np.ndarray
    commands: np.ndarray
    """(entry, size of the command)."""

    @classmethod
    def of(cls, entries: Sequence[Sequence], size: int, usual: Sequence[float] = ()) -> "Programme":
        """From a params.yaml list of [second, command …]; empty means the `usual` command, or zeros."""
        first = [0.0, *(usual or [0.0] * size)]
        rows = np.array(entries if len(entries) else [first], dtype=float).reshape(-1, 1 + size)
        return cls(rows[:, 0], rows[:, 1:])

    def at(self, second: float, time_scale: float = 1.0) -> np.ndarray:
        """The command at a second of a body whose time runs `time_scale` times faster than that body's."""
        begun = np.clip((second - self.starts / time_scale) / RAMP, 0.0, 1.0)
        begun[0] = 1.0
        smooth = begun * begun * (3.0 - 2.0 * begun)
        changes = np.diff(self.commands, axis=0, prepend=np.zeros((1, self.commands.shape[1])))
        return smooth @ changes
