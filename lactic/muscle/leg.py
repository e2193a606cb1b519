"""A leg's muscles as plain arrays: what the compiled limit reads and what ships with the package, without torch.

`compact` makes it from an OpenSim model and loses nothing: paths, splines and conditions are kept as they are, joints
that never move are folded away.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lactic.errors import InputError
from lactic.files import save_arrays
from lactic.muscle import compiled, hill

FORMAT = 1
SHIPPED = Path(__file__).parent / "legs" / "gait2392.npz"


class Geometry(NamedTuple):
    """Arrays of a leg of c coordinates, j moving joints, p points, s segments and m muscles; −1 means none.

    Body 0 is the one all others hang from, body k + 1 the child of joint k. Axes of a joint are three shifts, then
    three turns. Curves are cubic pieces as in `curve.Curve`, their knots filled up with infinity.
    """

    range: np.ndarray  # (c, 2): the pose is held at its ends
    parent: np.ndarray  # (j,)
    before: np.ndarray  # (j, 3, 4)
    after: np.ndarray  # (j, 3, 4)
    axis: np.ndarray  # (j, 6, 3)
    axis_coordinate: np.ndarray  # (j, 6)
    axis_curve: np.ndarray  # (j, 6)
    axis_value: np.ndarray  # (j, 6): where no coordinate drives it
    knots: np.ndarray  # (curve, k)
    start: np.ndarray  # (curve, k + 1)
    cubic: np.ndarray  # (curve, k + 1, 4)
    point_body: np.ndarray  # (p,)
    point: np.ndarray  # (p, 3)
    moving: np.ndarray  # (moving, 7): a point, coordinates of x, y, z, curves of x, y, z
    moving_segment: np.ndarray  # (end, 3): a segment, row of `moving`, whether that is its second end (1) or first (−1)
    condition: np.ndarray  # (condition,): its coordinate
    condition_range: np.ndarray  # (condition, 2)
    segment: np.ndarray  # (s, 5): muscle, first point, second point, coordinates it depends on: from, up to
    there: np.ndarray  # (conditional, 2): conditions that must hold, of the segments at the end
    away: np.ndarray  # (conditional, a): and those that must not
    fixed: np.ndarray  # (m,): length of the segments that never change, m
    muscle: np.ndarray  # (m, 5): columns as in `hill`
    share: np.ndarray  # (m, c): of a muscle's moment arms, over the leg's poses; rows add up to 1


@dataclass(frozen=True)
class Leg:
    """The muscles of one leg; both legs have the same numbers, as their coordinates are mirrored."""

    name: str
    source: str
    """Where it comes from, its authors and licence."""
    coordinates: tuple[str, ...]
    muscles: tuple[str, ...]
    geometry: Geometry

    @property
    def force(self) -> np.ndarray:
        """Maximal forces (muscle,), N."""
        return np.ascontiguousarray(self.geometry.muscle[:, hill.FORCE])

    def arms(self, q: Any) -> tuple[np.ndarray, np.ndarray]:
        """Lengths (pose, muscle) and moment arms W (pose, coordinate, muscle), m. Beyond its range a pose is held."""
        poses, count = np.ascontiguousarray(q, float), len(self.muscles)
        if poses.ndim != 2 or poses.shape[1] != len(self.coordinates):
            raise InputError(f"q: shape {poses.shape}, but needs (pose, {len(self.coordinates)})")
        lengths, arms = np.empty((len(poses), count)), np.empty((len(poses), count, poses.shape[1]))
        compiled("swift").all_arms(self.geometry, poses, lengths, arms)
        return lengths, arms.transpose(0, 2, 1)

    def pull(self, q: Any, qd: Any, capacity: Any = 1.0) -> hill.Pull:
        """What the muscles can give at coordinates and velocities (state, coordinate), OpenSim's signs: for `exact`."""
        return hill.pull(self.geometry.muscle, *self.arms(q), qd, capacity)

    def save(self, path: str | Path) -> None:
        """Write one npz without pickles."""
        about = {"format": FORMAT, "name": self.name, "source": self.source}
        names = {"coordinates": self.coordinates, "muscles": self.muscles}
        save_arrays(path, {"about": np.array(json.dumps(about | names)), **self.geometry._asdict()})


def load_leg(path: str | Path) -> Leg:
    """Read a leg that `Leg.save` wrote."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            geometry = Geometry(**{name: np.ascontiguousarray(stored[name]) for name in Geometry._fields})
        if about["format"] != FORMAT:
            raise InputError(f"{path}: leg format {about['format']}, this version of Lactic reads {FORMAT}")
        leg = Leg(about["name"], about["source"], tuple(about["coordinates"]), tuple(about["muscles"]), geometry)
    except InputError:
        raise
    except Exception as error:  # a damaged zip, a missing array, text instead of numbers
        raise InputError(f"{path}: not a leg that can be read ({error}); make it again with `compact`") from error
    for name, values in geometry._asdict().items():
        if name != "knots" and not np.isfinite(values).all():
            raise InputError(f"{path}: {name} holds values that are not finite; make it again with `compact`")
    if not _sound(geometry):
        raise InputError(f"{path}: its parts do not fit together; make it again with `compact`")
    return leg


def _sound(g: Geometry) -> bool:
    """Whether all indices point at something: compiled code does not look."""
    coordinates, bodies, curves = len(g.range), len(g.parent) + 1, len(g.knots)
    below = (
        (g.parent, bodies),
        (g.axis_coordinate, coordinates),
        (g.axis_curve, curves),
        (g.point_body, bodies),
        (g.moving[:, 0], len(g.point)),
        (g.moving[:, 1:4], coordinates),
        (g.moving[:, 4:], curves),
        (g.moving_segment[:, 0], len(g.segment)),
        (g.moving_segment[:, 1], len(g.moving)),
        (g.condition, coordinates),
        (g.segment[:, 0], len(g.muscle)),
        (g.segment[:, 1:3], len(g.point)),
        (g.segment[:, 3:], coordinates + 1),
        (g.there, len(g.condition)),
        (g.away, len(g.condition)),
    )
    alike = len(g.fixed) == len(g.share) == len(g.muscle) and g.share.shape[1] == coordinates
    return bool(alike and len(g.there) <= len(g.segment) and all((x >= -1).all() and (x < n).all() for x, n in below))


@cache
def shipped_leg() -> Leg:
    """The leg that ships with the package: gait2392's right one."""
    return load_leg(SHIPPED)
