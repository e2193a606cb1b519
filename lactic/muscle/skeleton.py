"""Bodies of an OpenSim model in space for many poses at once, in torch: frames, and how each coordinate moves them.

A body moves with a coordinate as a twist (ω, v): its points x have velocity v + ω × x, all in the frame of the root.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lactic.errors import InputError
from lactic.muscle.curve import Curve
from lactic.muscle.osim import Joint, Osim, turn

Tensor = torch.Tensor


@dataclass(frozen=True)
class Frame:
    """Where a body is; what never changes has no dimension for poses."""

    rotation: Tensor  # (pose, 3, 3)
    origin: Tensor  # (pose, 3)
    twist: Tensor  # (pose, coordinate, 6): ω, v

    def place(self, points: Tensor) -> Tensor:
        """Points (…, point, 3) of the body, in the frame of the root."""
        return points @ self.rotation.transpose(-1, -2) + self.origin[..., None, :]


class Skeleton:
    """The bodies named and all between them; coordinates not asked for stay at their defaults."""

    def __init__(self, model: Osim, bodies: Sequence[str], coordinates: Sequence[str]) -> None:
        self.column = {name: i for i, name in enumerate(coordinates)}
        self._rest = {name: c.default for name, c in model.coordinates.items()}
        self._range = {name: c.range for name, c in model.coordinates.items()}
        self._joints = between(model, bodies)
        self._root = self._joints[0].parent if self._joints else bodies[0]
        self._tables: dict[int, tuple[Tensor, ...]] = {}

    def angle(self, coordinate: str, q: Tensor) -> Tensor:
        """A coordinate (pose,)."""
        if coordinate in self.column:
            return q[:, self.column[coordinate]].contiguous()
        return torch.full((len(q),), self._rest[coordinate], dtype=q.dtype)

    def value(self, coordinate: str | None, curve: Curve, q: Tensor, held: bool = False) -> Tensor | float:
        """A curve at its coordinate: a number where the coordinate is at rest.

        OpenSim holds a moving point still beyond its coordinate's range, yet takes its slope there as if it moved on:
        `held` does the same, so outside the range moment arms and lengths of such muscles part as they do in OpenSim.
        """
        low, high = self._range[coordinate] if held and coordinate is not None else (-np.inf, np.inf)
        if coordinate is None or coordinate not in self.column:
            return float(curve(min(max(self._rest[coordinate], low), high) if coordinate is not None else 0.0))
        if curve.constant is not None:
            return curve.constant
        x = self.angle(coordinate, q)
        y = self._along(curve, x)
        return y + (self._along(curve, x.clamp(low, high)) - y).detach() if held else y

    def slope(self, coordinate: str | None, curve: Curve, q: Tensor) -> Tensor | None:
        """Derivative of a curve by its coordinate, if that is one of those asked for and the curve changes."""
        if coordinate not in self.column or curve.constant is not None:
            return None
        return self._along(curve, self.angle(coordinate, q), slope=True)

    def _along(self, curve: Curve, x: Tensor, slope: bool = False) -> Tensor:
        if id(curve) not in self._tables:
            self._tables[id(curve)] = tuple(map(torch.from_numpy, (curve.knots, curve.start, curve.coefficients)))
        knots, start, coefficients = self._tables[id(curve)]
        piece = torch.searchsorted(knots, x.detach())
        u, (c0, c1, c2, c3) = x - start[piece], coefficients[piece].unbind(1)
        return c1 + u * (2 * c2 + u * 3 * c3) if slope else c0 + u * (c1 + u * (c2 + u * c3))

    def frames(self, q: Tensor) -> dict[str, Frame]:
        """Frames of all bodies, by name, at coordinates (pose, coordinate)."""
        eye, zero = torch.eye(3, dtype=q.dtype), torch.zeros(3, dtype=q.dtype)
        frames = {self._root: Frame(eye, zero, torch.zeros(1, q.shape[1], 6, dtype=q.dtype))}
        for joint in self._joints:
            frames[joint.child] = self._beyond(joint, frames[joint.parent], q)
        return frames

    def _beyond(self, joint: Joint, parent: Frame, q: Tensor) -> Frame:
        """The child's frame: offset, shifts, turns one after the other about where the shifts led, offset back."""
        before, after = torch.from_numpy(joint.parent_offset), torch.from_numpy(np.linalg.inv(joint.child_offset))
        turned, centre = parent.rotation @ before[:3, :3], parent.origin + _apply(parent.rotation, before[:3, 3])
        still = torch.zeros(1, 3, dtype=q.dtype)
        spin, drift = [still] * q.shape[1], [still] * q.shape[1]
        for axis in joint.shifts:
            along = _apply(turned, torch.from_numpy(axis.direction))
            amount, slope = self.value(axis.coordinate, axis.curve, q), self.slope(axis.coordinate, axis.curve, q)
            centre = centre + (amount[:, None] if isinstance(amount, Tensor) else amount) * along
            if slope is not None and axis.coordinate is not None:
                column = self.column[axis.coordinate]
                drift[column] = drift[column] + slope[:, None] * along
        for axis in joint.turns:
            about = _apply(turned, torch.from_numpy(axis.direction))
            slope = self.slope(axis.coordinate, axis.curve, q)
            if slope is not None and axis.coordinate is not None:
                column = self.column[axis.coordinate]
                spin[column] = spin[column] + slope[:, None] * about
            turned = turned @ _turns(axis.direction, self.value(axis.coordinate, axis.curve, q))
        omega, shift = (torch.stack([row.expand(len(q), 3) for row in rows], 1) for rows in (spin, drift))
        about_root = shift + torch.linalg.cross(centre.expand(len(q), 3)[:, None].expand_as(omega), omega)
        twist = parent.twist + torch.cat([omega, about_root], 2)
        return Frame(turned @ after[:3, :3], centre + _apply(turned, after[:3, 3]), twist)


def _apply(rotation: Tensor, vector: Tensor) -> Tensor:
    return (rotation @ vector[:, None]).squeeze(-1)


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


def between(model: Osim, bodies: Sequence[str]) -> list[Joint]:
    """Joints between the bodies and the last one they all hang from, parents before children."""
    chains = [_ancestors(model, body)[::-1] for body in dict.fromkeys(bodies)]
    loose = [chain[-1] for chain in chains if chain[0] != chains[0][0]]
    if loose:
        raise InputError(f"{model.file}: body {loose[0]}: no chain of joints ties it to '{chains[0][0]}'")
    depth = min(map(len, chains))
    shared = next((i for i in range(depth) if len({chain[i] for chain in chains}) > 1), depth)
    return [model.joints[name] for name in dict.fromkeys(name for chain in chains for name in chain[shared:])]
