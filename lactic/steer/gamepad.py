"""Input: a virtual gamepad, scripted sticks, paths to follow, and the artificial user of bergamin2020 (Alg. 5.14).

A gamepad of many characters is one array (character, 6): left stick x, y, right stick x, y, trigger, button. Sticks
point in world directions (x forward, y left) and have length up to 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lactic.errors import InputError
from lactic.files import read_yaml

MOVE_X, MOVE_Y, LOOK_X, LOOK_Y, TRIGGER, BUTTON = range(6)
COLUMNS = 6
LEFT, RIGHT = slice(MOVE_X, LOOK_X), slice(LOOK_X, TRIGGER)
CHANGE = 0.001
"""Chance of each event of the artificial user in a time step of 1/60 s."""

Pad = Callable[[float, np.ndarray], np.ndarray]
"""Second and root poses (character, 7) to gamepads (character, 6)."""


@dataclass(frozen=True)
class Gamepad:
    """One gamepad: the left stick moves, the right one turns, the trigger runs, the button crouches."""

    left: tuple[float, float] = (0.0, 0.0)
    right: tuple[float, float] = (0.0, 0.0)
    trigger: float = 0.0
    button: bool = False

    def array(self) -> np.ndarray:
        """The row (6,) of a gamepad array, sticks no longer than 1, trigger in [0, 1]."""
        row = np.array([*self.left, *self.right, self.trigger, float(self.button)])
        return tidy(row)


def tidy(pads: np.ndarray) -> np.ndarray:
    """Gamepads (…, 6) with sticks no longer than 1, triggers in [0, 1]; what is not a number becomes rest."""
    pads = np.nan_to_num(np.array(pads, dtype=float), nan=0.0, posinf=0.0, neginf=0.0)
    for stick in (LEFT, RIGHT):
        length = np.linalg.norm(pads[..., stick], axis=-1, keepdims=True)
        pads[..., stick] /= np.maximum(length, 1.0)
    pads[..., TRIGGER] = np.clip(pads[..., TRIGGER], 0, 1)
    pads[..., BUTTON] = pads[..., BUTTON] > 0.5
    return pads


class ArtificialUser:
    """Algorithm 5.14: ten kinds of events, each with a small chance in every step, and sticks that may turn steadily.

    The events are independent of each other (the listing's indentation nests them, its text and Fig. 5.10 do not).
    """

    def __init__(
        self, count: int = 1, seed: int = 0, dt: float = 1 / 60, chance: float = CHANGE, crouch: bool = True
    ) -> None:
        self.dt, self.crouch = dt, crouch
        self.chance = chance * dt * 60
        self.pads = np.zeros((count, COLUMNS))
        self.rates = np.zeros((count, 2))
        self._random = np.random.default_rng(seed)

    def step(self) -> np.ndarray:
        """The gamepads (character, 6) of the next time step; valid until the one after."""
        pads, count = self.pads, len(self.pads)
        happens = self._random.random((count, 10)) < self.chance
        if happens.any():
            turn = self._random.uniform(0, 2 * np.pi, (count, 2))
            rate = self._random.uniform(-2 * np.pi, 2 * np.pi, (count, 2))
            for k, stick in enumerate((LEFT, RIGHT)):
                thrown = np.stack([np.cos(turn[:, k]), np.sin(turn[:, k])], -1)
                pads[:, stick] = np.where(happens[:, k, None], thrown, pads[:, stick])
            self.rates = np.where(happens[:, 2:4], rate, self.rates)
            pads[:, TRIGGER] = np.where(happens[:, 4], 1 - pads[:, TRIGGER], pads[:, TRIGGER])
            if self.crouch:
                pads[:, BUTTON] = np.where(happens[:, 5], 1 - pads[:, BUTTON], pads[:, BUTTON])
            pads[:, LEFT] = np.where(happens[:, 6, None], 0, pads[:, LEFT])
            pads[:, RIGHT] = np.where(happens[:, 7, None], 0, pads[:, RIGHT])
            self.rates = np.where(happens[:, 8:10], 0, self.rates)
        for k, stick in enumerate((LEFT, RIGHT)):
            if self.rates[:, k].any():
                c, s = np.cos(self.rates[:, k] * self.dt), np.sin(self.rates[:, k] * self.dt)
                x, y = pads[:, stick].T.copy()
                pads[:, stick] = np.stack([c * x - s * y, s * x + c * y], -1)
        return pads

    def __call__(self, second: float, roots: np.ndarray) -> np.ndarray:
        """A step, as a `Pad`."""
        return self.step()


@dataclass(frozen=True)
class Script:
    """Gamepads held from given times on: rows of (second, gamepad)."""

    times: np.ndarray
    pads: np.ndarray

    @property
    def seconds(self) -> float:
        """When the last row begins."""
        return float(self.times[-1])

    def at(self, second: float) -> np.ndarray:
        """The gamepad (6,) at a time."""
        return self.pads[max(int(np.searchsorted(self.times, second + 1e-9, "right")) - 1, 0)]

    def __call__(self, second: float, roots: np.ndarray) -> np.ndarray:
        """The same for all characters, as a `Pad`."""
        return np.broadcast_to(self.at(second), (len(roots), COLUMNS))


def script(rows: Sequence[tuple[float, Gamepad]]) -> Script:
    """A script of gamepads and the seconds they are held from."""
    if not rows:
        raise InputError("a script of sticks needs at least one row")
    times = np.array([row[0] for row in rows], dtype=float)
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise InputError("a script of sticks: times must be finite and increase from row to row")
    return Script(times, np.stack([pad.array() for _, pad in rows]))


def read_script(path: str | Path) -> Script:
    """Read a YAML list of rows such as {at: 2, left: [1, 0], right: [0, 1], trigger: 0.5, button: true}."""
    rows = read_yaml(path)
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path}: a script of sticks is a list of rows like {{at: 0, left: [1, 0], trigger: 0}}")
    return script([_row(path, k, row) for k, row in enumerate(rows)])


def _row(path: str | Path, k: int, row: Any) -> tuple[float, Gamepad]:
    known = {"at", "left", "right", "trigger", "button"}
    if not isinstance(row, dict) or "at" not in row or set(row) - known:
        raise InputError(f"{path}: row {k + 1} must have 'at' and any of left, right, trigger, button; it is {row}")
    try:
        left, right = (tuple(float(x) for x in row.get(name, (0, 0))) for name in ("left", "right"))
        if len(left) != 2 or len(right) != 2:
            raise ValueError("sticks have two numbers")
        trigger = float(row.get("trigger", 0))
        return float(row["at"]), Gamepad(left, right, trigger, bool(row.get("button", False)))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: row {k + 1}: {error}") from error


class PathFollower:
    """Steers along a path of points (point, 2) as a person would: the left stick points to a spot a little ahead, and
    is pushed less where the path bends."""

    def __init__(self, points: np.ndarray, ahead: float = 0.8, trigger: float = 0.0) -> None:
        points = np.asarray(points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise InputError("a path needs two or more points (x, y)")
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        length = np.concatenate([[0.0], np.cumsum(steps)])
        self.along = np.linspace(0, length[-1], max(int(length[-1] / 0.02), 1) + 1)
        self.points = np.stack([np.interp(self.along, length, points[:, k]) for k in range(2)], -1)
        way = np.gradient(self.points, axis=0)
        self.way = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
        self.ahead, self.trigger = ahead, trigger
        self._reached: np.ndarray | None = None

    def arrived(self, k: int = 0) -> bool:
        """Whether character k has reached the end of the path."""
        step = self.along[1] - self.along[0]
        return self._reached is not None and (len(self.points) - 1 - self._reached[k]) * step < 0.3 * self.ahead

    def __call__(self, second: float, roots: np.ndarray) -> np.ndarray:
        """Gamepads towards the path, at rest once its end is reached, as a `Pad`."""
        pads = np.zeros((len(roots), COLUMNS))
        if self._reached is None:
            self._reached = np.zeros(len(roots), dtype=int)
        reach = round(self.ahead / (self.along[1] - self.along[0]))
        for k, root in enumerate(roots):
            near = slice(self._reached[k], self._reached[k] + 2 * reach + 1)  # where it crosses itself, stay on course
            apart = np.linalg.norm(self.points[near] - root[:2], axis=1)
            self._reached[k] += int(np.argmin(apart))
            spot = min(self._reached[k] + reach, len(self.points) - 1)
            to = self.points[spot] - root[:2]
            if not self.arrived(k):
                bend = np.abs(self.way[spot] - self.way[self._reached[k]])
                pads[k, LEFT] = to / max(float(np.linalg.norm(to)), 1e-9) * (1 - 0.5 * min(bend / (np.pi / 2), 1.0))
                pads[k, TRIGGER] = self.trigger
        return pads
