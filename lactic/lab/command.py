"""What is asked of a character during a trial: a velocity, a goal, or the programme of its params.yaml."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lactic import rotation
from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.play.programme import Programme

FAR = 1000.0
"""A goal this far ahead (m) is never reached: what is measured is speed, not arriving."""
RUN, WALK = 3.5, 1.4
"""m/s asked of characters that take a velocity: on and on, and where they are to turn."""

Commands = Callable[[float], np.ndarray]
"""Second to commands: (episode, size), or (size,) for all alike."""


def stepped(rows: tuple[tuple[float, ...], ...], info: BrainInfo) -> Commands:
    """Commands that change at once at the given seconds, for all alike, from rows of a second and a command."""
    table = np.array(rows, dtype=float)
    if table.ndim != 2 or table.shape[1] != 1 + info.command or (np.diff(table[:, 0]) <= 0).any():
        raise InputError(f"{info.name}: takes commands of {info.command} numbers, in rows of increasing seconds")

    def at(second: float) -> np.ndarray:
        return np.asarray(table[max(int(np.searchsorted(table[:, 0], second + 1e-9, "right")) - 1, 0), 1:])

    return at


def commands(
    info: BrainInfo, params: dict[str, Any], qpos: np.ndarray, turn_every: float | None, seed: int, time_scale: float
) -> Commands:
    """Straight on for characters with a velocity or goal, or with `turn_every` in a new random direction so often.

    `qpos` (episode, nq) are the start states. Other characters get their own programme.
    """
    kind = info.asks
    if kind not in ("velocity", "goal"):
        programme = Programme.of(params.get("programme", []), info.command, info.usual_command)
        return lambda second: programme.at(second, time_scale)
    facing = rotation.heading(np.asarray(qpos[:, 3:7], float))
    reach = FAR if kind == "goal" else RUN if turn_every is None else WALK
    start = np.asarray(qpos[:, :2], float) if kind == "goal" else np.zeros((len(qpos), 2))

    def at(second: float) -> np.ndarray:
        turn = facing
        if turn_every is not None and second >= turn_every - 1e-9:
            block = int(second / turn_every + 1e-9)
            turn = np.random.default_rng((seed, block)).uniform(-np.pi, np.pi, len(qpos))
        return start + reach * np.stack([np.cos(turn), np.sin(turn)], -1)

    return at
