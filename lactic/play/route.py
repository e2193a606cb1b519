"""Characters that are told only where their root shall be, and when: a route in place of a motion."""

import math
from pathlib import Path

import numpy as np

from lactic import rotation
from lactic.body import Body
from lactic.brain.file import BrainInfo
from lactic.errors import InputError
from lactic.motion.body_clip import BodyClip
from lactic.play.player import Player
from lactic.play.steer import figure_eight
from lactic.play.tracked import Tracked

PACE = 0.5
"""m/s along the route that is taken where none is given."""
LAPS = 4
"""How often that route is gone along at most."""
LONGEST = 3600.0
"""Seconds of a route."""
LOW = 0.5
"""Share of its height at rest below which the root of one that goes along a route has fallen."""


class Routed(Tracked):
    """Go along a route, which says when the root shall be where: it waits for nobody, and a corner may be cut."""

    def __init__(self, player: Player, route: BodyClip):
        super().__init__(player, route, strict=True)

    def fallen(self) -> np.ndarray:
        """Which lie, or lost their state, (character,)."""
        world = self.player.world
        return (world.qpos[:, 2] < LOW * self.player.body.rest[2]) | world.faulted


def takes_route(info: BrainInfo) -> bool:
    """Whether a brain is told where its root shall be, and nothing else."""
    return info.tracking is not None and len(info.tracking.targets) == 1


def usual_route() -> np.ndarray:
    """Rows (row, 3) of seconds, x and y: a figure of eight at a walk, over and over."""
    lap = figure_eight()
    points = np.concatenate([lap[:1], *[lap[1:]] * LAPS])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.column_stack([np.concatenate([[0.0], np.cumsum(steps)]) / PACE, points])


def read_route(path: str | Path) -> np.ndarray:
    """Rows (row, 3) of a CSV file: seconds, and metres along x and y. A first line with words is left out."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    rows: list[tuple[float, ...]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = tuple(float(cell) for cell in line.split(","))
        except ValueError:
            if number == 1:
                continue
            row = ()
        if len(row) != 3 or not all(map(math.isfinite, row)):
            raise InputError(f"{path}: line {number}: needs seconds, x and y, such as 3.0, 4.2, 0; it is '{line[:60]}'")
        if rows and row[0] <= rows[-1][0]:
            raise InputError(f"{path}: line {number}: {row[0]:g} s does not come after {rows[-1][0]:g} s")
        rows.append(row)
    if len(rows) < 2:
        raise InputError(f"{path}: needs two or more lines of seconds, x and y")
    if not 0.0 < rows[-1][0] - rows[0][0] <= LONGEST:
        raise InputError(f"{path}: lasts {rows[-1][0] - rows[0][0]:g} s; at most {LONGEST:g} s can be played")
    return np.array(rows) - [rows[0][0], 0.0, 0.0]


def along(body: Body, rows: np.ndarray, rate: float) -> BodyClip:
    """The pose at rest carried along a route, looking ahead: only its root is told."""
    seconds = np.arange(round(rows[-1, 0] * rate) + 1) / rate
    place = np.stack([np.interp(seconds, rows[:, 0], rows[:, k]) for k in (1, 2)], axis=-1)
    way = np.diff(place, axis=0, append=place[-1:])
    moves = np.linalg.norm(way, axis=1) > 1e-6
    last = np.maximum.accumulate(np.where(moves, np.arange(len(way)), -1))
    first = int(np.argmax(moves))  # until then it looks where it will go
    yaw = np.arctan2(way[:, 1], way[:, 0])[np.where(last < 0, first, last)]
    qpos = np.tile(body.rest, (len(seconds), 1))
    qpos[:, :2], qpos[:, 3:7] = place, rotation.about("z", yaw)
    return BodyClip(body.name, rate, qpos, "route")


def on_route(player: Player, path: Path | None) -> Routed:
    """A character that goes along the route of a file, or the usual one."""
    rows = usual_route() if path is None else read_route(path)
    return Routed(player, along(player.body, rows, player.info.control_rate))
