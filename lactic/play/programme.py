"""A programme: what is asked of a character over time, and the clock on which that happens."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lactic.brain.file import BrainInfo
from lactic.errors import InputError

RAMP = 1.5  # seconds a change of pose takes, in real time: arms move at a human pace whatever the time scale
EARLY = 1e-6  # seconds by which a sum of time steps may miss a start
Clock = Literal["body", "real"]
"""`body`: its seconds are those of the body, whose fatigue runs time_scale times faster; `real`: they are ours."""
GOING = ("velocity", "lane")
"""Commands that say where or how fast to go: a way takes real seconds, whatever the body's fitness."""


@dataclass(frozen=True)
class Programme:
    """Commands and the second at which each begins.

    On the body's clock a change is smooth and takes `RAMP`, since poses are asked for. On the real clock it is abrupt,
    as in training and as with keys: how to speed up or stop is for the character to know.
    """

    starts: np.ndarray
    commands: np.ndarray
    """(entry, size of the command)."""
    clock: Clock = "body"
    length: float = math.inf
    """Seconds of its clock until it is over."""

    @classmethod
    def of(
        cls,
        entries: Sequence[Sequence],
        size: int,
        usual: Sequence[float] = (),
        clock: Clock = "body",
        seconds: float | None = None,
    ) -> "Programme":
        """From a list of [second, command …]; empty means the `usual` command, or zeros.

        Without `seconds`, the last entry of a real programme lasts as long as the one before it.
        """
        first = [0.0, *(usual or [0.0] * size)]
        rows = np.array(entries if len(entries) else [first], dtype=float).reshape(-1, 1 + size)
        starts = rows[:, 0]
        if seconds is None and clock == "real" and len(starts) > 1:
            seconds = float(2 * starts[-1] - starts[-2])
        return cls(starts, rows[:, 1:], clock, math.inf if seconds is None else float(seconds))

    @classmethod
    def read(cls, params: Mapping[str, Any], info: BrainInfo) -> "Programme":
        """The one in a brain's params.yaml: `programme` and `seconds`."""
        clock: Clock = "real" if info.asks in GOING else "body"
        try:
            made = cls.of(params.get("programme") or [], info.command, info.usual_command, clock, params.get("seconds"))
        except (TypeError, ValueError, OverflowError):
            made = None
        if made is None or not (
            np.isfinite(made.starts).all() and np.isfinite(made.commands).all() and made.length > 0
        ):
            row = f"a second and {info.command} numbers"
            raise InputError(f"params.yaml of {info.name}: programme must be rows of {row}, seconds a number above 0")
        return made

    def rate(self, time_scale: float) -> float:
        """Seconds of its clock in a real one, for a body whose time runs `time_scale` times faster."""
        return time_scale if self.clock == "body" else 1.0

    def at(self, second: float, time_scale: float = 1.0) -> np.ndarray:
        """The command at a real second of such a body."""
        since = second - self.starts / self.rate(time_scale)
        if self.clock == "real":
            return self.commands[max(int((since >= -EARLY).sum()) - 1, 0)].copy()
        begun = np.clip(since / RAMP, 0.0, 1.0)
        begun[0] = 1.0
        smooth = begun * begun * (3.0 - 2.0 * begun)
        changes = np.diff(self.commands, axis=0, prepend=np.zeros((1, self.commands.shape[1])))
        return smooth @ changes
