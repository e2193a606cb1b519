"""Muscle–tendon lengths, velocities and moment arms of a limb for many poses at once, in torch.

Lengths are a plain differentiable function of the coordinates asked for (all others stay at their defaults); moment
arms are its derivative by forward-mode automatic differentiation: W[i, j] = −∂length_j/∂q_i, so τ = W·force (jiang2019,
Eq. 2).
"""

from collections.abc import Sequence

import numpy as np
import torch

from lactic.errors import InputError
from lactic.strength.curve import Curve
from lactic.strength.osim import GROUND, Joint, Muscle, Osim, Point, turn

Tensor = torch.Tensor
LEG = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
"""The five degrees of freedom of jiang2019's leg; OpenSim adds _r or _l."""
EDGE = 1e-5
"""OpenSim keeps a conditional point this far beyond its range, rad."""


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
        self._column = {name: i for i, name in enumerate(coordinates)}
        self._rest = {name: c.default for name, c in model.coordinates.items()}
        self._range = {name: c.range for name, c in model.coordinates.items()}
        points = [p for m in self.muscles for p in m.points]
        self._joints = _below_common(model, [p.body for p in points])
        self._tables: dict[int, tuple[Tensor, Tensor, Tensor]] = {}
        self._arrange(points)
        counts = [len(m.points) for m in self.muscles]
        ends = np.cumsum(counts)
        first = np.setdiff1d(np.arange(len(points)), ends - 1)  # a segment starts at every point but a muscle's last
        owner = np.repeat(np.arange(len(counts)), counts)[first]
        self._first = torch.from_numpy(first)
        self._sum = torch.from_numpy((owner[:, None] == np.arange(len(counts))).astype(float))
        self._fallback = _fallbacks(self.muscles)
        self._points = points
        as_tensor = lambda name: torch.tensor([getattr(m, name) for m in self.muscles], dtype=torch.float64)  # noqa: E731
        self.force, self.fibre, self.tendon = as_tensor("force"), as_tensor("fibre"), as_tensor("tendon")
        self.pennation, self.speed = as_tensor("pennation"), as_tensor("speed")

    @property
    def names(self) -> tuple[str, ...]:
        """Of the muscles, in the order of all results."""
        return tuple(m.name for m in self.muscles)

    def lengths(self, q: Tensor) -> Tensor:
        """Muscle–tendon lengths (pose, muscle) in metres at coordinates (pose, coordinate)."""
        points, kept = self._positions(q), self._kept(q)
        if kept is not None:  # a point that is not there stands where its neighbour is
            points = torch.gather(points, 1, kept[:, :, None].expand(-1, -1, 3))
        step = points[:, self._first + 1] - points[:, self._first]
        if kept is None:
            return step.norm(dim=2) @ self._sum
        gone = kept[:, self._first + 1] == kept[:, self._first]
        step = torch.where(gone[:, :, None], torch.ones(3, dtype=q.dtype), step)  # the root of 0 has no derivative
        return torch.where(gone, 0.0, step.norm(dim=2)) @ self._sum

    def arms(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Lengths (pose, muscle) and moment arms W (pose, coordinate, muscle), metres."""

        def along(direction: Tensor) -> Tensor:
            return torch.func.jvp(self.lengths, (q,), (direction.expand_as(q),))[1]

        slopes = torch.func.vmap(along)(torch.eye(q.shape[1], dtype=q.dtype))
        return self.lengths(q), -slopes.transpose(0, 1)

    def state(self, q: Tensor, qd: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Lengths (m), lengthening velocities (m/s) and moment arms (m)."""
        lengths, arms = self.arms(q)
        return lengths, -torch.einsum("pcm,pc->pm", arms, qd), arms

    def _value(self, coordinate: str | None, curve: Curve, q: Tensor, held: bool = False) -> Tensor | float:
        """A curve at its coordinate: a number where the coordinate is at rest.

        OpenSim holds a moving point still beyond its coordinate's range, yet takes its slope there as if it moved on:
        `held` does the same, so outside the range moment arms and lengths of such muscles part as they do in OpenSim.
        """
        low, high = self._range[coordinate] if held and coordinate is not None else (-np.inf, np.inf)
        if coordinate not in self._column:
            return float(curve(min(max(self._rest[coordinate], low), high) if coordinate is not None else 0.0))
        if curve.constant is not None:
            return curve.constant
        x = q[:, self._column[coordinate]].contiguous()
        y = self._along(curve, x)
        return y + (self._along(curve, x.clamp(low, high)) - y).detach() if held else y

    def _along(self, curve: Curve, x: Tensor) -> Tensor:
        """Values of a curve."""
        if id(curve) not in self._tables:
            self._tables[id(curve)] = tuple(map(torch.from_numpy, (curve.knots, curve.start, curve.coefficients)))  # type: ignore[assignment]
        knots, start, coefficients = self._tables[id(curve)]
        piece = torch.searchsorted(knots, x.detach())
        u, c = x - start[piece], coefficients[piece]
        return c[:, 0] + u * (c[:, 1] + u * (c[:, 2] + u * c[:, 3]))

    def _frames(self, q: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
        """Rotation and origin of every body that a path touches, against the body they all hang from."""
        root = self._joints[0].parent if self._joints else GROUND
        frames = {root: (torch.eye(3, dtype=q.dtype), torch.zeros(3, dtype=q.dtype))}
        for joint in self._joints:
            rotation, origin = frames[joint.parent]
            before, after = torch.from_numpy(joint.parent_offset), torch.from_numpy(np.linalg.inv(joint.child_offset))
            shift = before[:3, 3]
            for axis in joint.shifts:
                amount = self._value(axis.coordinate, axis.curve, q)
                along = before[:3, :3] @ torch.from_numpy(axis.direction)
                shift = shift + (amount[:, None] * along if isinstance(amount, Tensor) else amount * along)
            turned = before[:3, :3]
            for axis in joint.turns:
                angle = self._value(axis.coordinate, axis.curve, q)
                turned = turned @ _turns(axis.direction, angle)
            shift = shift + turned @ after[:3, 3]
            frames[joint.child] = (
                rotation @ (turned @ after[:3, :3]), origin + (rotation @ shift[..., None]).squeeze(-1))  # fmt: skip
        return frames

    def _arrange(self, points: list[Point]) -> None:
        """Group points by body, those that stand still first, and remember how to put them back in order."""
        order, self._still, self._moving = [], [], []
        for body in dict.fromkeys(p.body for p in points):
            still = [i for i, p in enumerate(points) if p.body == body and not any(p.moved)]
            moving = [i for i, p in enumerate(points) if p.body == body and any(p.moved)]
            if still:
                self._still.append((body, torch.from_numpy(np.stack([points[i].location for i in still]))))
            self._moving += [(body, points[i].moved) for i in moving]
            order.append((still, moving))
        flat = [i for still, _ in order for i in still] + [i for _, moving in order for i in moving]
        self._order = torch.from_numpy(np.argsort(flat))

    def _positions(self, q: Tensor) -> Tensor:
        """Positions (pose, point, 3) of all path points, muscle after muscle."""
        frames, found = self._frames(q), []
        for body, locations in self._still:
            rotation, origin = frames[body]
            found.append((locations @ rotation.transpose(-1, -2) + origin[..., None, :]).expand(len(q), -1, 3))
        for body, moved in self._moving:
            rotation, origin = frames[body]
            parts = [self._value(*part, q, held=True) if part is not None else 0.0 for part in moved]
            local = torch.stack([torch.as_tensor(p, dtype=q.dtype).expand(len(q)) for p in parts], 1)
            found.append(((rotation @ local[..., None]).squeeze(-1) + origin)[:, None])
        return torch.cat(found, 1)[:, self._order]

    def _kept(self, q: Tensor) -> Tensor | None:
        """For every point the index of the point that stands for it: itself, or a neighbour while it is not there."""
        if not self._fallback:
            return None
        still = torch.arange(len(self._points))
        columns = list(still.expand(len(q), -1).unbind(1))
        for index, neighbour in self._fallback:
            name, low, high = self._points[index].condition or ("", 0.0, 0.0)
            x = q[:, self._column[name]].detach() if name in self._column else torch.full((len(q),), self._rest[name])
            there = (x >= low - EDGE) & (x <= high + EDGE)
            columns[index] = torch.where(there, columns[index], columns[neighbour])
        return torch.stack(columns, 1)


def _turns(direction: np.ndarray, angle: Tensor | float) -> Tensor:
    """Rotation matrices about a unit direction (Rodrigues)."""
    if not isinstance(angle, Tensor):
        return torch.from_numpy(turn(direction, angle))
    x, y, z = direction
    cross = torch.tensor([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]], dtype=angle.dtype)
    sine, cosine = angle.sin()[:, None, None], angle.cos()[:, None, None]
    return torch.eye(3, dtype=angle.dtype) + sine * cross + (1 - cosine) * (cross @ cross)


def _ancestors(model: Osim, body: str) -> list[str]:
    """A body and all it hangs from, outermost last."""
    found = [body]
    while found[-1] in model.joints:
        above = model.joints[found[-1]].parent
        if above in found:
            raise InputError(f"{model.file}: joint {model.joints[found[-1]].name}: hangs '{body}' from itself")
        found.append(above)
    return found


def _below_common(model: Osim, bodies: Sequence[str]) -> list[Joint]:
    """Joints between the bodies and the last one they all hang from, parents before children."""
    chains = [_ancestors(model, body)[::-1] for body in dict.fromkeys(bodies)]
    loose = [chain[-1] for chain in chains if chain[0] != chains[0][0]]
    if loose:
        raise InputError(f"{model.file}: body {loose[0]}: no chain of joints ties it to '{chains[0][0]}'")
    depth = min(map(len, chains))
    shared = next((i for i in range(depth) if len({chain[i] for chain in chains}) > 1), depth)
    names = dict.fromkeys(name for chain in chains for name in chain[shared:])
    return [model.joints[name] for name in names]


def _crossed(model: Osim, muscle: Muscle) -> set[str]:
    """Coordinates that a muscle's length may depend on."""
    joints = _below_common(model, [p.body for p in muscle.points])
    found = {axis.coordinate for joint in joints for axis in (*joint.turns, *joint.shifts) if axis.coordinate}
    found |= {p.condition[0] for p in muscle.points if p.condition}
    return found | {part[0] for p in muscle.points for part in p.moved if part is not None}


def _fallbacks(muscles: Sequence[Muscle]) -> list[tuple[int, int]]:
    """For each conditional point the neighbour that stands for it, in an order that lets neighbours be conditional."""
    found, base = [], 0
    for muscle in muscles:
        conditional = [i for i, p in enumerate(muscle.points) if p.condition]
        lead = next(i for i, p in enumerate(muscle.points) if not p.condition)
        found += [(base + i, base + i + 1) for i in reversed(conditional) if i < lead]
        found += [(base + i, base + i - 1) for i in conditional if i > lead]
        base += len(muscle.points)
    return found
