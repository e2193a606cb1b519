"""Muscles of an OpenSim model as plain arrays (`leg.Leg`): those that cross some coordinates, all others at rest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lactic.errors import InputError
from lactic.muscle.curve import Curve
from lactic.muscle.leg import Geometry, Leg
from lactic.muscle.osim import Axis, Muscle, Osim, OsimJoint, Point, turn
from lactic.muscle.samples import JIANG2019

LEG = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
"""The five degrees of freedom of jiang2019's leg; OpenSim adds _r or _l."""
EDGE = 1e-5
"""OpenSim keeps a conditional point this far beyond its range, rad."""
POSES = 4096  # for the share of a muscle's moment arms


@dataclass(frozen=True)
class PathSegment:
    """Two points that are neighbours on a muscle's path while all conditional points between them are away."""

    muscle: int
    ends: tuple[int, int]
    there: tuple[int, ...]  # conditional points that must be there
    away: tuple[int, ...]  # and those that must not


def compact(model: Osim, side: str = "r", source: str = "") -> Leg:
    """One leg of a model, over `LEG`. Both legs have mirrored axes: mirrored poses have the same numbers."""
    if side not in ("r", "l"):
        raise InputError(f"side {side!r}: must be 'r' or 'l'")
    found = limb(model, [f"{name}_{side}" for name in LEG])
    q, _ = JIANG2019.states(POSES, np.random.default_rng(0))
    names = tuple(name.removesuffix(f"_{side}") for name in found.muscles)
    return replace(
        found, source=source, coordinates=LEG, muscles=names, geometry=found.geometry._replace(share=_share(found, q))
    )


def limb(model: Osim, coordinates: Sequence[str]) -> Leg:
    """All muscles of a model that cross the given coordinates."""
    missing = [name for name in coordinates if name not in model.coordinates]
    if missing:
        raise InputError(f"{model.file}: no coordinate {', '.join(missing)}; it has {', '.join(model.coordinates)}")
    muscles = [m for m in model.muscles if _crossed(model, m) & set(coordinates)]
    if not muscles:
        raise InputError(f"{model.file}: no muscle crosses {', '.join(coordinates)}")
    made = _Arrays(model, coordinates, [_at_rest(model, m, coordinates) for m in muscles])
    found = Leg(model.name, "", tuple(coordinates), tuple(m.name for m in muscles), made.geometry())
    low, high = found.geometry.range.T
    q = np.random.default_rng(0).uniform(low, high, (POSES, len(low)))
    return replace(found, geometry=found.geometry._replace(share=_share(found, q)))


def _at_rest(model: Osim, muscle: Muscle, coordinates: Sequence[str]) -> Muscle:
    """The muscle without conditions that coordinates at rest decide once and for all."""
    points = []
    for point in muscle.points:
        name, low, high = point.condition or ("", 0.0, 0.0)
        if not name or name in coordinates:
            points.append(point)
        elif low - EDGE <= model.coordinates[name].default <= high + EDGE:
            points.append(replace(point, condition=None))
    return replace(muscle, points=tuple(points))


class _Arrays:
    def __init__(self, model: Osim, coordinates: Sequence[str], muscles: Sequence[Muscle]) -> None:
        self.model, self.muscles = model, muscles
        self.column = {name: i for i, name in enumerate(coordinates)}
        self.points = [p for m in muscles for p in m.points]
        self.curves: list[Curve] = []
        joints = between(model, [p.body for p in self.points])
        # where each body is: a moving body and a fixed place on it
        self.place: dict[str, tuple[int, np.ndarray]] = {joints[0].parent: (0, np.eye(4))}
        self.joints: list[tuple[int, OsimJoint, np.ndarray]] = []
        for joint in joints:
            body, at = self.place[joint.parent]
            if self._moves(joint) or any(any(p.moved) for p in self.points if p.body == joint.child):
                self.joints.append((body, joint, at))
                self.place[joint.child] = len(self.joints), np.eye(4)
            else:
                self.place[joint.child] = body, at @ self._fixed(joint)

    def geometry(self) -> Geometry:
        """All arrays."""
        conditional = [i for i, p in enumerate(self.points) if p.condition is not None]
        number = {i: k for k, i in enumerate(conditional)}
        live, fixed = [], np.zeros(len(self.muscles))
        for segment in path_segments(self.muscles):
            if self._rigid(segment) and not segment.there and not segment.away:
                a, b = (self._located(self.points[i]) for i in segment.ends)
                fixed[segment.muscle] += np.linalg.norm(b - a)
            else:
                live.append(segment)
        live.sort(key=lambda s: bool(s.there or s.away))
        conditional_ones = [s for s in live if s.there or s.away]
        used = sorted({i for s in live for i in s.ends})
        place = {i: k for k, i in enumerate(used)}
        points = [self.points[i] for i in used]
        axes = [self._axes(joint) for _, joint, _ in self.joints]
        moving = [i for i in used if any(self._driven(part)[0] >= 0 for part in self.points[i].moved)]
        rows = [self._row(place[i], self.points[i]) for i in moving]
        conditions = [self.points[i].condition or ("", 0.0, 0.0) for i in conditional]
        knots, start, cubic = _table(self.curves)
        return Geometry(
            range=np.array([self.model.coordinates[name].range for name in self.column]),
            parent=_whole([body for body, _, _ in self.joints]),
            before=np.array([(at @ joint.parent_offset)[:3] for _, joint, at in self.joints]),
            after=np.array([np.linalg.inv(joint.child_offset)[:3] for _, joint, _ in self.joints]),
            axis=np.array([[a.direction for a in (*j.shifts, *j.turns)] for _, j, _ in self.joints]),
            axis_coordinate=_whole([[a[0] for a in row] for row in axes]),
            axis_curve=_whole([[a[1] for a in row] for row in axes]),
            axis_value=np.array([[a[2] for a in row] for row in axes]),
            knots=knots,
            start=start,
            cubic=cubic,
            point_body=_whole([self.place[p.body][0] for p in points]),
            point=np.array([self._located(p) for p in points]),
            moving=_whole(rows).reshape(-1, 7),
            moving_segment=_whole(
                [
                    (k, moving.index(i), sign)
                    for k, s in enumerate(live)
                    for i, sign in zip(s.ends, (-1, 1), strict=True)
                    if i in moving
                ]
            ).reshape(-1, 3),
            condition=_whole([self.column[name] for name, _, _ in conditions]),
            condition_range=np.array([(low - EDGE, high + EDGE) for _, low, high in conditions]).reshape(-1, 2),
            segment=_whole([(s.muscle, *(place[i] for i in s.ends), *self._between(s)) for s in live]),
            there=_padded([[number[i] for i in s.there] for s in conditional_ones]),
            away=_padded([[number[i] for i in s.away] for s in conditional_ones]),
            fixed=fixed,
            muscle=np.array([[m.force, m.fibre, m.tendon, m.pennation, m.speed] for m in self.muscles]),
            share=np.zeros((len(self.muscles), len(self.column))),
        )

    def _moves(self, joint: OsimJoint) -> bool:
        return any(a.coordinate in self.column and a.curve.constant is None for a in (*joint.shifts, *joint.turns))

    def _rest(self, axis: Axis) -> float:
        return float(axis.curve(self.model.coordinates[axis.coordinate].default if axis.coordinate else 0.0))

    def _fixed(self, joint: OsimJoint) -> np.ndarray:
        """Child against parent for a joint at rest."""
        inner = np.eye(4)
        for axis in joint.shifts:
            inner[:3, 3] += self._rest(axis) * axis.direction
        for axis in joint.turns:
            inner[:3, :3] = inner[:3, :3] @ turn(axis.direction, self._rest(axis))
        return joint.parent_offset @ inner @ np.linalg.inv(joint.child_offset)

    def _axes(self, joint: OsimJoint) -> list[tuple[int, int, float]]:
        found = []
        for axis in (*joint.shifts, *joint.turns):
            coordinate, curve = self._driven((axis.coordinate, axis.curve) if axis.coordinate else None)
            found.append((coordinate, curve, self._rest(axis) if coordinate < 0 else 0.0))
        return found

    def _driven(self, part: tuple[str, Curve] | None) -> tuple[int, int]:
        """Column and curve of what a coordinate moves."""
        if part is None or part[0] not in self.column or part[1].constant is not None:
            return -1, -1
        if not any(part[1] is known for known in self.curves):
            self.curves.append(part[1])
        return self.column[part[0]], next(i for i, known in enumerate(self.curves) if known is part[1])

    def _row(self, place: int, point: Point) -> list[int]:
        """A moving point: its place, coordinates and curves."""
        parts = [self._driven(part) for part in point.moved]
        return [place, *(part[0] for part in parts), *(part[1] for part in parts)]

    def _located(self, point: Point) -> np.ndarray:
        """A point on its moving body; where a coordinate moves it, the curve counts instead."""
        place = point.location.copy()
        for axis, part in enumerate(point.moved):
            if part is not None:
                coordinate = self.model.coordinates[part[0]]
                place[axis] = part[1](np.clip(coordinate.default, *coordinate.range))
        _, at = self.place[point.body]
        return np.asarray(at[:3, :3] @ place + at[:3, 3])

    def _between(self, segment: PathSegment) -> tuple[int, int]:
        """The coordinates that move one end of a segment against the other: from, up to."""
        a, b = (self._movers(self.place[self.points[i].body][0]) for i in segment.ends)
        return (min(a ^ b), max(a ^ b) + 1) if a ^ b else (0, 0)

    def _movers(self, body: int) -> set[int]:
        """Coordinates that move a body."""
        if body == 0:
            return set()
        parent, joint, _ = self.joints[body - 1]
        return self._movers(parent) | {c for c, _, _ in self._axes(joint) if c >= 0}

    def _rigid(self, segment: PathSegment) -> bool:
        a, b = (self.points[i] for i in segment.ends)
        return self.place[a.body][0] == self.place[b.body][0] and not any(a.moved) and not any(b.moved)


def path_segments(muscles: Sequence[Muscle]) -> list[PathSegment]:
    """All pairs of points that are ever neighbours."""
    found, base = [], 0
    for number, muscle in enumerate(muscles):
        conditional = [p.condition is not None for p in muscle.points]
        for a in range(len(muscle.points)):
            for b in range(a + 1, len(muscle.points)):
                there = tuple(base + i for i in (a, b) if conditional[i])
                found.append(PathSegment(number, (base + a, base + b), there, tuple(range(base + a + 1, base + b))))
                if not conditional[b]:
                    break  # no path jumps over a point that is always there
        base += len(muscle.points)
    return found


def _crossed(model: Osim, muscle: Muscle) -> set[str]:
    """Coordinates that a muscle's length may depend on."""
    joints = between(model, [p.body for p in muscle.points])
    found = {axis.coordinate for joint in joints for axis in (*joint.turns, *joint.shifts) if axis.coordinate}
    found |= {part[0] for p in muscle.points for part in p.moved if part is not None}
    return found | {p.condition[0] for p in muscle.points if p.condition}


def _ancestors(model: Osim, body: str) -> list[str]:
    """A body and all it hangs from, outermost last."""
    found = [body]
    while found[-1] in model.joints:
        above = model.joints[found[-1]].parent
        if above in found:
            raise InputError(f"{model.file}: joint {model.joints[found[-1]].name}: hangs '{body}' from itself")
        found.append(above)
    return found


def between(model: Osim, bodies: Sequence[str]) -> list[OsimJoint]:
    """Joints between the bodies and the last one they all hang from, parents before children."""
    chains = [_ancestors(model, body)[::-1] for body in dict.fromkeys(bodies)]
    loose = [chain[-1] for chain in chains if chain[0] != chains[0][0]]
    if loose:
        raise InputError(f"{model.file}: body {loose[0]}: no chain of joints ties it to '{chains[0][0]}'")
    depth = min(map(len, chains))
    shared = next((i for i in range(depth) if len({chain[i] for chain in chains}) > 1), depth)
    return [model.joints[name] for name in dict.fromkeys(name for chain in chains for name in chain[shared:])]


def _whole(values: Sequence) -> np.ndarray:
    return np.array(values, np.int64)


def _padded(rows: list[list[int]]) -> np.ndarray:
    table = np.full((len(rows), max([1, *map(len, rows)])), -1)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def _table(curves: list[Curve]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    most = max([0, *(len(c.knots) for c in curves)])
    knots = np.full((len(curves), most), np.inf)
    start, cubic = np.zeros((len(curves), most + 1)), np.zeros((len(curves), most + 1, 4))
    for i, c in enumerate(curves):
        n = len(c.knots)
        knots[i, :n], start[i, : n + 1], cubic[i, : n + 1] = c.knots, c.start, c.coefficients
    return knots, start, cubic


def _share(limb: Leg, q: np.ndarray) -> np.ndarray:
    """How much of each muscle's moment arms belongs to each coordinate, on average over poses."""
    arms = np.abs(limb.arms(q)[1]).mean(0).T
    return arms / np.maximum(arms.sum(1, keepdims=True), 1e-12)
