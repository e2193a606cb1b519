"""A clip: the motion of a skeleton as named arrays, whatever file it came from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lactic import rotation
from lactic.errors import InputError
from lactic.motion import sampling
from lactic.motion.names import split


@dataclass(frozen=True, eq=False)
class Clip:
    """Motion of a skeleton in metres and radians, z up; the skeleton's rest pose looks along +x with +y at its left."""

    name: str
    fps: float
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent, -1 for the root, parents before children."""
    offsets: np.ndarray
    """(joint, 3) position of each joint in its parent's frame."""
    root_pos: np.ndarray
    """(frame, 3) position of the root in the world."""
    rotations: np.ndarray
    """(frame, joint, 4) rotation of each joint against its parent; the root's against the world."""
    rest: np.ndarray = None  # type: ignore[assignment]
    """(joint, 4) rotations of an upright calibration pose, often a T-pose; all zero angles unless a file says more."""
    tips: np.ndarray = None  # type: ignore[assignment]
    """(joint, 3) where a leaf joint's bone ends, in its frame; zero where unknown."""
    cyclic: bool = False
    """Whether the last frame is the first one again, moved on."""
    roles: dict[str, str | None] = field(default_factory=dict)
    """What a map says of its joints: joint by role, None for a role that no joint has; else names and tree tell."""

    def __post_init__(self) -> None:
        count = len(self.joints)
        if self.rest is None:
            object.__setattr__(self, "rest", np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)))
        if self.tips is None:
            object.__setattr__(self, "tips", np.zeros((count, 3)))

    @property
    def frames(self) -> int:
        """How many poses there are."""
        return len(self.root_pos)

    @property
    def seconds(self) -> float:
        """Time from the first pose to the last."""
        return (self.frames - 1) / self.fps

    def globals(self) -> tuple[np.ndarray, np.ndarray]:
        """World positions (frame, joint, 3) and rotations (frame, joint, 4) of all joints."""
        return forward(self.parents, self.offsets, self.root_pos, self.rotations)

    def rest_globals(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (joint, 3) and rotations (joint, 4) of the rest pose with its root at the origin."""
        positions, rotations = forward(self.parents, self.offsets, np.zeros((1, 3)), self.rest[None])
        return positions[0], rotations[0]

    def resample(self, fps: float, smooth: bool = False) -> "Clip":
        """The same motion at another frame rate; `smooth` uses cubics, for raising a low rate."""
        at = sampling.frame_times(self.frames, self.fps, fps)
        return replace(
            self,
            fps=float(fps),
            root_pos=sampling.sample(self.root_pos, at, smooth),
            rotations=sampling.sample_rotations(self.rotations, at, smooth),
        )

    def mirror(self) -> "Clip":
        """The motion seen in a mirror (y becomes -y), with left and right joints exchanged by name."""
        sides = {split(name): j for j, name in enumerate(self.joints)}
        swap = np.array([_other(sides, j, name) for j, name in enumerate(self.joints)])
        flip_vector, flip_rotation = np.array([1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0, -1.0])
        return replace(
            self,
            name=f"{self.name}_mirror",
            offsets=self.offsets[swap] * flip_vector,
            tips=self.tips[swap] * flip_vector,
            root_pos=self.root_pos * flip_vector,
            rotations=self.rotations[:, swap] * flip_rotation,
            rest=self.rest[swap] * flip_rotation,
        )

    def loop(self, times: int) -> "Clip":
        """The clip `times` in a row, each repetition starting where (and facing where) the one before ended."""
        positions, rotations = [self.root_pos], [self.rotations]
        for _ in range(times - 1):
            moved, turned = carry_on(positions[-1][-1], rotations[-1][-1, 0], self.root_pos, self.rotations[:, 0])
            positions.append(moved[1:])  # its first pose stands in for the last one before it
            rotations.append(np.concatenate([turned[1:, None], self.rotations[1:, 1:]], axis=1))
        at, turned = np.concatenate(positions), np.concatenate(rotations)
        return replace(self, root_pos=at, rotations=turned, cyclic=self.cyclic and times < 2)

    def cut(self, start: float, end: float) -> "Clip":
        """The part between two times in seconds."""
        first, last = (round(float(np.clip(t, 0, self.seconds)) * self.fps) for t in (start, end))
        keep = slice(first, max(last, first) + 1)
        return replace(self, root_pos=self.root_pos[keep], rotations=self.rotations[keep], cyclic=False)


def carry_on(
    end_pos: np.ndarray, end_rot: np.ndarray, root_pos: np.ndarray, root_rot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Root track moved in the plane and turned about z so that its first frame meets the given end; height is kept."""
    turn = rotation.about("z", rotation.heading(end_rot) - rotation.heading(root_rot[0]))
    away = root_pos - root_pos[0] * [1.0, 1.0, 0.0]
    moved = rotation.rotate(np.broadcast_to(turn, (len(away), 4)), away) + end_pos * [1.0, 1.0, 0.0]
    return moved, rotation.multiply(np.broadcast_to(turn, root_rot.shape), root_rot)


def forward(
    parents: Sequence[int], offsets: np.ndarray, root_pos: np.ndarray, rotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Forward kinematics of a skeleton: world positions and rotations of its joints."""
    positions = np.empty((*rotations.shape[:-1], 3))
    turned = np.empty_like(rotations)
    for j, parent in enumerate(parents):
        if parent < 0:
            positions[:, j], turned[:, j] = root_pos, rotations[:, j]
            continue
        positions[:, j] = positions[:, parent] + rotation.rotate(turned[:, parent], offsets[j])
        turned[:, j] = rotation.multiply(turned[:, parent], rotations[:, j])
    return positions, turned


def _other(sides: dict[tuple[str, str], int], j: int, name: str) -> int:
    """The joint of that name on the other side; one in the middle is its own."""
    side, rest = split(name)
    other = {"left": "right", "right": "left"}.get(side)
    if other is None:
        return j
    if (other, rest) not in sides:
        raise InputError(f"cannot mirror: the skeleton has no joint that is to the {other} what '{name}' is")
    return sides[other, rest]
