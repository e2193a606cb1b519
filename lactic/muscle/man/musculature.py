"""The muscles of the muscle man as arrays: where their anchors are fixed, and how strong and long they are.

An anchor moves with one body or, near a joint, with two (linear blend skinning, feng2023 Eq. 18). Weights are those of
Lee et al. 2019: an anchor inside a muscle that lies within 0.08 m of a joint, the nearest one, belongs to the bodies
below and above that joint. Their weights go as 1/√distance to the joint above each. All others belong to the body that
the file names. That blends 434 of 1212 anchors.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from lactic.body.body import mirrored
from lactic.body.muscle_man import REFLECT, ManSegment, muscle_man, numbers, segments
from lactic.errors import InputError

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

    @cached_property
    def whole(self) -> dict[str, tuple[int, ...]]:
        """Strands of each muscle by its anatomical name, such as `right gluteus maximus`."""
        found: dict[str, tuple[int, ...]] = {}
        for k, name in enumerate(self.names):
            spoken = re.sub(r"_\d+$", "", name).replace("_", " ")
            found[spoken] = (*found.get(spoken, ()), k)
        return found

    def find(self, name: str) -> tuple[int, ...]:
        """Indices of a group (`right arm`, `legs`), a muscle (`right soleus`), one of both sides (`soleus`), the
        beginning of a name (`vastus`) or a strand (`right_soleus_1`)."""
        asked = name.replace("_", " ").strip().lower()
        parts = {part: set(chosen) for part, chosen in self.groups.items()}
        for pair in ("arm", "leg"):
            parts[f"{pair}s"] = parts[f"right {pair}"] | parts[f"left {pair}"]
        if asked in parts:
            return tuple(sorted(parts[asked]))
        if asked in (strands := [strand.replace("_", " ") for strand in self.names]):
            return (strands.index(asked),)
        sides = (asked, f"right {asked}", f"left {asked}")
        # `extensor digitorum` is in the arm; only where there is no such muscle is it the beginning of a name
        chosen = [k for one in sides for k in self.whole.get(one, ())] or [
            k for one, held in self.whole.items() if one.startswith(tuple(f"{side} " for side in sides)) for k in held
        ]
        if not chosen:
            known = {*parts, *self.whole, *(one.split(" ", 1)[1] for one in self.whole)}
            near = get_close_matches(asked, sorted(known), 3) or list(parts)
            raise InputError(f"no muscle or group '{name}'; did you mean {', '.join(near)}?")
        return tuple(sorted(chosen))

    def spent(self, names: Iterable[str], share: float) -> tuple[list[int], tuple[float, float, float]]:
        """The muscles that `names` mean, and MA, MR, MF of one that has lost a share of its strength."""
        if not 0.0 <= share <= 1.0:
            raise InputError(f"exhaust: {share:g} of a strength; give a number from 0 to 1")
        return sorted({k for name in names for k in self.find(name)}), (0.0, 1.0 - share, share)


@cache
def musculature() -> Musculature:
    """All 284 muscles: those of the right side, then those of the left in the same order."""
    rows, model = numbers()["muscles"], muscle_man().model
    held = {segment.name: segment for segment in segments()}
    start, body, weight, place, rest = [0], [], [], [], []
    for row in rows:
        points = np.array([at for _, *at in row["anchors"]])
        for k, (on, *_) in enumerate(row["anchors"]):
            inside = 0 < k < len(points) - 1
            parts = _blend(points[k], held[on]) if inside else [(held[on], 1.0)]
            parts = [*parts, (parts[0][0], 0.0)][:2]
            body.append([model.body(part.name).id for part, _ in parts])
            weight.append([share for _, share in parts])
            place.append([points[k] - part.at for part, _ in parts])
        start.append(len(body))
        rest.append(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    swap = np.array([model.body(mirrored(model.body(i).name)).id for i in range(model.nbody)])
    strands = Strands(
        start=np.array([*start, *(len(body) + np.array(start[1:]))]),
        body=np.concatenate([body, swap[body]]),
        weight=np.concatenate([weight, weight]),
        place=np.concatenate([place, np.array(place) * REFLECT]),
        force=np.array([row["force"] for row in rows] * 2),
        fibre=np.array([row["fibre"] for row in rows] * 2),
        tendon=np.array([row["tendon"] for row in rows] * 2),
        rest=np.array(rest * 2),
    )
    sided = [(side, row) for side in ("right", "left") for row in rows]
    groups = ["trunk" if row["group"] == "trunk" else f"{side} {row['group']}" for side, row in sided]
    by_group = {name: tuple(k for k, group in enumerate(groups) if group == name) for name in muscle_man().regions}
    return Musculature(tuple(f"{side}_{row['name']}" for side, row in sided), by_group, strands)


def _blend(at: np.ndarray, on: ManSegment) -> list[tuple[ManSegment, float]]:
    """The bodies that carry an anchor, and their weights."""
    distance = {segment.name: float(np.linalg.norm(segment.at - at)) for segment in segments()}
    below = min(segments(), key=lambda segment: distance[segment.name])
    if distance[below.name] >= NEAR:
        return [(on, 1.0)]
    if below.parent is None:
        return [(below, 1.0)]
    above = next(segment for segment in segments() if segment.name == below.parent)
    near, far = (1 / np.sqrt(distance[segment.name]) for segment in (below, above))
    return [(below, near / (near + far)), (above, far / (near + far))]
