"""The muscles of the muscle man as arrays: where their anchors are fixed, and how strong and long they are.

An anchor moves with one body or, near a joint, with two (linear blend skinning, feng2023 Eq. 18). Weights are those of
Lee et al. 2019: an anchor inside a muscle that lies within 0.08 m of a joint, the nearest one, belongs to the bodies
below and above that joint. Their weights go as 1/√distance to the joint above each. All others belong to the body that
the file names. That blends 434 of 1212 anchors.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from lactic.body.body import mirrored
from lactic.body.muscle_man import REFLECT, ManPart, muscle_man, numbers, segments

NEAR = 0.08  # m


class Strands(NamedTuple):
    """Arrays of m muscles with n anchors in all; bodies are MuJoCo's, places in their own frames."""

    start: np.ndarray  # (m + 1,): the anchors of muscle k are start[k] to start[k + 1]
    body: np.ndarray  # (n, 2)
    weight: np.ndarray  # (n, 2): rows add up to 1
    place: np.ndarray  # (n, 2, 3), m
    force: np.ndarray  # (m,): maximal isometric force, N
    fibre: np.ndarray  # (m,): length of the fibres at their best, in rest lengths
    tendon: np.ndarray  # (m,): length of the tendon, in rest lengths
    rest: np.ndarray  # (m,): length in the rest pose, m


@dataclass(frozen=True, eq=False)
class Musculature:
    """Muscles by name, each in one of five groups."""

    names: tuple[str, ...]
    """Such as `right_gluteus_maximus_3`: the third strand of a muscle that the model splits."""
    groups: dict[str, tuple[int, ...]]
    """Trunk, right arm, left arm, right leg, left leg: indices of their muscles."""
    strands: Strands

    @property
    def mirror(self) -> np.ndarray:
        """For each muscle the index of the same on the other side."""
        return np.array([self.names.index(mirrored(name)) for name in self.names])


@cache
def musculature() -> Musculature:
    """All 284 muscles: those of the right side, then those of the left in the same order."""
    held = {segment.name: segment for segment in segments()}
    joints = np.array([segment.at for segment in segments()])
    model = muscle_man().model
    number = {name: model.body(name).id for name in held}
    rows, names, groups = numbers()["muscles"], [], []
    start, body, weight, place, rest = [0], [], [], [], []
    for side in ("right", "left"):
        for row in rows:
            names.append(f"{side}_{row['name']}")
            groups.append(row["group"] if row["group"] == "trunk" else f"{side} {row['group']}")
            points = []
            for k, (on, *at) in enumerate(row["anchors"]):
                end = k in (0, len(row["anchors"]) - 1)
                parts = [(held[on], 1.0)] if end else _blend(held, joints, held[on], np.array(at))
                if side == "left":
                    parts = [(held[mirrored(part.name)], share) for part, share in parts]
                point = np.array(at) * (REFLECT if side == "left" else 1.0)
                points.append(point)
                parts = [*parts, (parts[0][0], 0.0)][:2]
                body.append([number[part.name] for part, _ in parts])
                weight.append([share for _, share in parts])
                place.append([point - part.at for part, _ in parts])
            start.append(len(body))
            rest.append(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    force, fibre, tendon = (np.array([row[key] for row in rows] * 2) for key in ("force", "fibre", "tendon"))
    paths = np.array(start), np.array(body), np.array(weight), np.array(place)
    by_group = {name: tuple(k for k, group in enumerate(groups) if group == name) for name in muscle_man().regions}
    return Musculature(tuple(names), by_group, Strands(*paths, force, fibre, tendon, np.array(rest)))


def _blend(held: dict[str, ManPart], joints: np.ndarray, on: ManPart, at: np.ndarray) -> list[tuple[ManPart, float]]:
    """The bodies that carry an anchor, and their weights."""
    distance = np.linalg.norm(joints - at, axis=1)
    nearest = int(distance.argmin())
    if distance[nearest] >= NEAR:
        return [(on, 1.0)]
    below = segments()[nearest]
    if below.parent is None:
        return [(below, 1.0)]
    above = held[below.parent]
    near = 1 / np.sqrt(distance[nearest])
    far = 1 / np.sqrt(np.linalg.norm(above.at - at))
    return [(below, near / (near + far)), (above, 1.0 - near / (near + far))]
