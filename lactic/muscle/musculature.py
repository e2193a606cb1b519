"""Muscle–tendon lengths, velocities and moment arms of a limb for many poses at once, in torch.

A muscle is a chain of straight segments. Lengths are a plain differentiable function of the coordinates asked for (all
others stay at their defaults). A segment from x along the unit vector u, between bodies with twists (ω, v) and
(ω', v'), grows at (x × u)·(ω' − ω) + u·(v' − v): moment arms W[i, j] = −∂length_j/∂q_i follow at once, and
τ = W·force (jiang2019, Eq. 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch

from lactic.errors import InputError
from lactic.muscle.osim import Muscle, Osim, Point
from lactic.muscle.skeleton import Frame, Skeleton, between

Tensor = torch.Tensor
LEG = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
"""The five degrees of freedom of jiang2019's leg; OpenSim adds _r or _l."""
EDGE = 1e-5
"""OpenSim keeps a conditional point this far beyond its range, rad."""


@dataclass(frozen=True)
class Segment:
    """Two points that are neighbours on a muscle's path while all conditional points between them are away."""

    muscle: int
    ends: tuple[int, int]
    there: tuple[int, ...]  # conditional points that must be there
    away: tuple[int, ...]  # and those that must not


def leg(model: Osim, side: str = "r") -> "Musculature":
    """The muscles of one leg, over `LEG`. Both legs have mirrored axes: mirrored poses have the same numbers."""
    if side not in ("r", "l"):
        raise InputError(f"side {side!r}: must be 'r' or 'l'")
    return Musculature(model, [f"{name}_{side}" for name in LEG])


class Musculature:
    """All muscles of a model that cross the given coordinates."""

    def __init__(self, model: Osim, coordinates: Sequence[str]) -> None:
        missing = [name for name in coordinates if name not in model.coordinates]
        if missing:
            raise InputError(f"{model.file}: no coordinate {', '.join(missing)}; it has {', '.join(model.coordinates)}")
        self.coordinates = tuple(coordinates)
        self.muscles = tuple(m for m in model.muscles if _crossed(model, m) & set(coordinates))
        if not self.muscles:
            raise InputError(f"{model.file}: no muscle crosses {', '.join(coordinates)}")
        self._points = [p for m in self.muscles for p in m.points]
        self._skeleton = Skeleton(model, [p.body for p in self._points], coordinates)
        segments = path_segments(self.muscles)
        live = sorted((s for s in segments if not self._rigid(s)), key=self._bodies)
        rigid = [s for s in segments if self._rigid(s)]
        self._live, self._weighted = live, [s for s in live + rigid if s.there or s.away]
        self._pairs = [(pair, len(list(found))) for pair, found in groupby(live, key=self._bodies)]
        ends = [[self._points[i].location for i in s.ends] for s in rigid]
        constant = [float(np.linalg.norm(b - a)) for a, b in ends]
        self._sum, self._rigid_sum = self._gather(live), self._gather(rigid, constant)
        self._weight_of, self._rigid_weight_of = self._weights_of(live), self._weights_of(rigid)
        self._arrange()
        values = [[m.force, m.fibre, m.tendon, m.pennation, m.speed] for m in self.muscles]
        self.force, self.fibre, self.tendon, self.pennation, self.speed = torch.tensor(values, dtype=torch.float64).T

    @property
    def names(self) -> tuple[str, ...]:
        """Of the muscles, in the order of all results."""
        return tuple(m.name for m in self.muscles)

    def lengths(self, q: Tensor) -> Tensor:
        """Muscle–tendon lengths (pose, muscle) in metres at coordinates (pose, coordinate)."""
        first, second = self._ends(self._skeleton.frames(q), q)
        return self._total((second - first).norm(dim=2), self._weights(q))

    def arms(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Lengths (pose, muscle) and moment arms W (pose, coordinate, muscle), metres."""
        frames, weights = self._skeleton.frames(q), self._weights(q)
        first, second = self._ends(frames, q)
        step = second - first
        length = step.norm(dim=2)
        along = step / length.clamp(min=1e-12)[:, :, None]
        line = torch.cat([torch.linalg.cross(first, along), along], 2).transpose(1, 2)
        slopes, start = [], 0
        for (a, b), count in self._pairs:
            twist = frames[b].twist - frames[a].twist
            slopes.append(twist.expand(len(q), -1, 6) @ line[:, :, start : start + count])
            start += count
        slope = torch.cat(slopes, 2) + self._moved_slopes(frames, along, q)
        return self._total(length, weights), -(slope * weights[:, None, self._weight_of]) @ self._sum

    def state(self, q: Tensor, qd: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Lengths (m), lengthening velocities (m/s) and moment arms (m)."""
        lengths, arms = self.arms(q)
        return lengths, -torch.einsum("pcm,pc->pm", arms, qd), arms

    def _bodies(self, segment: Segment) -> tuple[str, str]:
        a, b = segment.ends
        return self._points[a].body, self._points[b].body

    def _rigid(self, segment: Segment) -> bool:
        """Whether a segment never changes its length: both ends are fixed to one body."""
        a, b = self._bodies(segment)
        return a == b and not any(any(self._points[i].moved) for i in segment.ends)

    def _gather(self, segments: list[Segment], lengths: list[float] | None = None) -> Tensor:
        """Matrix (segment, muscle) that adds segments up, of the given lengths or of 1."""
        table = np.zeros((len(segments), len(self.muscles)))
        table[np.arange(len(segments)), [s.muscle for s in segments]] = 1.0 if lengths is None else lengths
        return torch.from_numpy(table)

    def _weights_of(self, segments: list[Segment]) -> Tensor:
        """Columns of `_weights` that hold for segments; the first is always 1."""
        known = {s: i + 1 for i, s in enumerate(self._weighted)}
        return torch.tensor([known.get(s, 0) for s in segments], dtype=torch.long)

    def _weights(self, q: Tensor) -> Tensor:
        """1, then 1 or 0 for each segment that a conditional point decides on (pose, 1 + segment)."""
        there = {}
        for index in {i for s in self._weighted for i in (*s.there, *s.away)}:
            name, low, high = self._points[index].condition or ("", 0.0, 0.0)
            x = self._skeleton.angle(name, q).detach()
            there[index] = ((x >= low - EDGE) & (x <= high + EDGE)).to(q.dtype)
        columns = [torch.ones(len(q), dtype=q.dtype)]
        for segment in self._weighted:
            column = columns[0]
            for index in segment.there:
                column = column * there[index]
            for index in segment.away:
                column = column * (1 - there[index])
            columns.append(column)
        return torch.stack(columns, 1)

    def _total(self, length: Tensor, weights: Tensor) -> Tensor:
        """Lengths of muscles from those of their segments."""
        return (length * weights[:, self._weight_of]) @ self._sum + weights[:, self._rigid_weight_of] @ self._rigid_sum

    def _arrange(self) -> None:
        """Group the points of live segments by body, those that stand still first, and remember their places."""
        used = sorted({i for s in self._live for i in s.ends})
        self._still: list[tuple[str, Tensor]] = []
        order = []
        for body in dict.fromkeys(self._points[i].body for i in used):
            still = [i for i in used if self._points[i].body == body and not any(self._points[i].moved)]
            if still:
                self._still.append((body, torch.from_numpy(np.stack([self._points[i].location for i in still]))))
            order += still
        self._moving = [i for i in used if any(self._points[i].moved)]
        place = {i: k for k, i in enumerate(order + self._moving)}
        self._first = torch.tensor([place[s.ends[0]] for s in self._live])
        self._second = torch.tensor([place[s.ends[1]] for s in self._live])

    def _ends(self, frames: dict[str, Frame], q: Tensor) -> tuple[Tensor, Tensor]:
        """Both ends (pose, segment, 3) of all live segments."""
        found = [frames[body].place(locations).expand(len(q), -1, 3) for body, locations in self._still]
        for index in self._moving:
            point = self._points[index]
            parts = [self._skeleton.value(*part, q, held=True) if part is not None else 0.0 for part in point.moved]
            local = torch.stack([torch.as_tensor(p, dtype=q.dtype).expand(len(q)) for p in parts], 1)
            found.append(frames[point.body].place(local[:, None]))
        points = torch.cat(found, 1)
        return points[:, self._first], points[:, self._second]

    def _moved_slopes(self, frames: dict[str, Frame], along: Tensor, q: Tensor) -> Tensor:
        """What points that move within their bodies add to the slopes (pose, coordinate, segment)."""
        columns = [torch.zeros(1, 1, dtype=q.dtype)] * len(self._live)
        for index in self._moving:
            point = self._points[index]
            local = torch.zeros(len(q), 3, len(self.coordinates), dtype=q.dtype)
            for axis, part in enumerate(point.moved):
                slope = self._skeleton.slope(*part, q) if part is not None else None
                if part is not None and slope is not None:
                    local[:, axis, self._skeleton.column[part[0]]] = slope
            world = frames[point.body].rotation @ local
            for k, segment in enumerate(self._live):
                if index in segment.ends:
                    sign = 1.0 if segment.ends[1] == index else -1.0
                    columns[k] = columns[k] + sign * (along[:, k, None] @ world).squeeze(1)
        return torch.stack([c.expand(len(q), len(self.coordinates)) for c in columns], 2)


def path_segments(muscles: Sequence[Muscle]) -> list[Segment]:
    """All pairs of points that are ever neighbours."""
    found, base = [], 0
    for number, muscle in enumerate(muscles):
        conditional = [p.condition is not None for p in muscle.points]
        for a in range(len(muscle.points)):
            for b in range(a + 1, len(muscle.points)):
                there = tuple(base + i for i in (a, b) if conditional[i])
                found.append(Segment(number, (base + a, base + b), there, tuple(range(base + a + 1, base + b))))
                if not conditional[b]:
                    break  # no path jumps over a point that is always there
        base += len(muscle.points)
    return found


def _crossed(model: Osim, muscle: Muscle) -> set[str]:
    """Coordinates that a muscle's length may depend on."""
    joints = between(model, [p.body for p in muscle.points])
    found = {axis.coordinate for joint in joints for axis in (*joint.turns, *joint.shifts) if axis.coordinate}
    return found | {name for p in muscle.points for name in _driven(p)}


def _driven(point: Point) -> list[str]:
    """Coordinates that a point itself depends on."""
    return [part[0] for part in point.moved if part is not None] + ([point.condition[0]] if point.condition else [])
