"""Muscles in pictures: capsules along their anchors, as wide as they are active and as red as they are tired."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from lactic.body import Body, muscle_man
from lactic.errors import InputError
from lactic.muscle.man import law
from lactic.muscle.man.musculature import musculature
from lactic.picture.figure import CAPSULE, ELLIPSOID, Figure, Shapes
from lactic.picture.stage import LEGEND, coloured, tinted

By = Literal["activation", "fatigue"]
"""What a width or a colour shows: MA or MF of a muscle."""
SHARES = {"activation": 0, "fatigue": 2}
LEGENDS = {"activation": ("activation", "0 %", "100 %"), "fatigue": LEGEND}
THINNEST, WIDEST = 0.008, 0.017  # m: radius of the strongest muscle that shows nothing, and everything
WEAKEST = 0.35  # of that, for a muscle without strength
TENDON = 0.7  # of a muscle's width at its two ends
BONE = np.array([0.52, 0.56, 0.60])  # in linear light; cool, so that fresh muscles stand out
LONG = 1.8  # a body so many times as long as wide is drawn as a long bone,
LEAN, STUBBY = 0.42, 1.2  # with this share of its thickness; others as ellipsoids so many times as large as their boxes


class MuscleLines(NamedTuple):
    """Pieces of muscles from one anchor to the next, n in all."""

    start: np.ndarray  # (n, 3), m
    end: np.ndarray  # (n, 3), m
    radius: np.ndarray  # (n,), m
    colour: np.ndarray  # (n, 3), in linear light
    muscle: np.ndarray  # (n,): the muscle that each is of


@dataclass(frozen=True)
class MuscleLook:
    """What the muscles of the muscle man look like in each frame of a motion."""

    state: np.ndarray
    """(frame, muscle, 3): MA, MR, MF."""
    colour: By = "fatigue"
    width: By = "activation"

    def __post_init__(self) -> None:
        expected = len(musculature().names), 3
        if self.state.shape[1:] != expected:
            raise InputError(
                f"muscles: a state of shape {self.state.shape}; give (frame, {expected[0]}, {expected[1]})"
            )

    @property
    def legend(self) -> tuple[str, str, str]:
        """What the legend of its colours says."""
        return LEGENDS[self.colour]

    def of(self, frames: np.ndarray) -> "MuscleLook":
        """That of some frames."""
        return replace(self, state=self.state[frames])

    def lines(self, frame: int, xpos: np.ndarray, turns: np.ndarray) -> MuscleLines:
        """Where muscles are, how wide and of which colour, for bodies at `xpos` (body, 3) turned by (body, 3, 3),
        MuJoCo's world body first."""
        points, (first, muscle, widest) = law.anchors(musculature().strands, xpos, turns), _pieces()
        share = np.clip(self.state[frame, :, SHARES[self.width]], 0, 1)[muscle]
        radius = widest * (THINNEST + (WIDEST - THINNEST) * share)
        colour = tinted(self.state[frame, :, SHARES[self.colour]])[muscle]
        return MuscleLines(points[first], points[first + 1], radius, colour, muscle)

    def over(self, figure: Figure, bones: Shapes, frame: int) -> tuple[Shapes, np.ndarray]:
        """Muscles over the bones that `figure` posed last, and the colours (n,3) of all."""
        if figure.model.nbody != muscle_man().model.nbody:
            raise InputError("muscles: only the muscle man has them; draw other bodies by `tint`")
        drawn = self.lines(frame, figure.data.xpos, figure.data.xmat.reshape(-1, 3, 3))
        bones, lines = slim(bones), _capsules(drawn.start, drawn.end, drawn.radius)
        both = [bones.centre, bones.axes, bones.size]
        centre, axes, size = (np.concatenate(pair) for pair in zip(both, lines, strict=True))
        shapes = replace(
            bones,
            geom_type=np.concatenate([bones.geom_type, np.full(len(drawn.muscle), CAPSULE)]),
            centre=centre,
            axes=axes,
            size=size,
            body=np.concatenate([bones.body, figure.model.nbody - 1 + drawn.muscle]),  # each gets light of its own
            shades=len(bones.body),  # hundreds of thin shapes in a heap would shade each other black
        )
        return shapes, np.concatenate([np.tile(BONE, (len(bones.body), 1)), drawn.colour])


def seen(
    figure: Figure, qpos: np.ndarray, frame: int, tint: np.ndarray | None, muscles: MuscleLook | None = None
) -> tuple[Shapes, np.ndarray]:
    """The shapes of a pose and their colours, by `tint` (frame, body) or with muscles."""
    pose = figure.posed(qpos)
    if muscles is not None:
        return muscles.over(figure, pose, frame)
    return pose, coloured(pose, None if tint is None else tint[frame])


def has_muscles(body: Body) -> bool:
    """Whether its joints stand for the muscles that are drawn here."""
    return body.joints == musculature().names


@cache
def _pieces() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each piece its first anchor, its muscle, and how wide it is beside the strongest muscle's middle."""
    strands = musculature().strands
    first = np.delete(np.arange(len(strands.body) - 1), strands.start[1:-1] - 1)  # none from a muscle to the next
    muscle = np.searchsorted(strands.start, first, side="right") - 1
    tendon = np.isin(first, strands.start[:-1]) | np.isin(first + 2, strands.start[1:])
    tendon &= np.diff(strands.start)[muscle] > 3  # a path of one or two pieces has no middle
    strong = WEAKEST + (1 - WEAKEST) * np.sqrt(strands.force / strands.force.max())[muscle]
    return first, muscle, strong * np.where(tendon, TENDON, 1.0)


def slim(bodies: Shapes) -> Shapes:
    """Bones in the place of boxes, which would hide the muscles: slender bodies as capsules, others as ellipsoids."""
    order = np.argsort(bodies.size, axis=1)
    size = np.take_along_axis(bodies.size, order, 1)
    axes = np.take_along_axis(bodies.axes, order[:, None], 2)
    axes[..., 0] *= np.linalg.det(axes)[:, None]  # right-handed again
    slender = size[:, 2] > LONG * size[:, 1]
    thin = LEAN * size[:, :2].mean(1)
    size = np.where(slender[:, None], np.stack([thin, thin, size[:, 2]], 1), STUBBY * size)
    return replace(bodies, geom_type=np.where(slender, CAPSULE, ELLIPSOID), axes=axes, size=size)


def _capsules(start: np.ndarray, end: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres, axes and half extents of capsules from points to points (n,3)."""
    along = end - start
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = np.where(length > 1e-9, along / np.maximum(length, 1e-9), [0.0, 0.0, 1.0])
    other = np.where(np.abs(along[:, 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    side = np.cross(other, along)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    axes = np.stack([side, np.cross(along, side), along], axis=2)
    return (start + end) / 2, axes, np.stack([radius, radius, radius + length[:, 0] / 2], 1)
